package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// Every method with a refit says what held-out samples make of it, and never keeps one that loses.
func TestTrainRefit(t *testing.T) {
	for _, m := range sparsekm.Methods() {
		if !m.Refit {
			continue
		}
		o := object(t, "train", "--method", m.Name, "--sigma", "0.5", "--refit", ripley(t))
		refit, ok := o["refit"].(map[string]any)
		if !ok || refit["samples"] != 250.0 || !done(t, m.Name, o["status"]) {
			t.Errorf("%s: %v, refit %v", m.Name, o["status"], o["refit"])
			continue
		}
		loss := func(when string) float64 { return refit[when].(map[string]any)["loss"].(float64) }
		if refit["kept"] != (loss("after") <= loss("before")) {
			t.Errorf("%s: refit %v", m.Name, refit)
		}
		if gap, ok := o["gap"].(float64); refit["kept"] == true && !(ok && gap <= 1e-8) {
			t.Errorf("%s: gap %v", m.Name, o["gap"])
		}
	}
	o := object(t, "train", "-m", "ssvc-b", "--refit", testutil.Testdata(t, "iris.libsvm"))
	for i, m := range o["submodels"].([]any) {
		if _, ok := m.(map[string]any)["refit"]; !ok {
			t.Errorf("model %d of three has no refit", i)
		}
	}
}

// Learnt widths are in the report and in the model, and with the model in its predictions.
func TestTrainWidths(t *testing.T) {
	model := filepath.Join(t.TempDir(), "model.skm")
	data := testutil.Testdata(t, "diabetis.libsvm")
	o := object(t, "train", "-m", "ssvc-b", "--widths", "learned", "--refit", "--scale", "zscore", "-o", model, data)
	weights, ok := o["kernel"].(map[string]any)["weights"].([]any)
	if !ok || len(weights) != 8 || o["status"] != "fixed point" || o["refit"] == nil {
		t.Fatalf("%v, weights %v, refit %v", o["status"], weights, o["refit"])
	}
	if info := object(t, "info", model); !slices.Equal(info["kernel"].(map[string]any)["weights"].([]any), weights) {
		t.Errorf("the model has %v, want the weights %v", info["kernel"], weights)
	}
	p := object(t, "predict", model, data)
	if found := p["error"]; found != o["train_error"] {
		t.Errorf("the model's error is %v, the training's %v", found, o["train_error"])
	}
	o = object(t, "train", "-m", "skm", "--widths", "learned", testutil.Testdata(t, "iris.libsvm"))
	if o["status"] != "fixed point" || o["kernel"].(map[string]any)["weights"] == nil {
		t.Errorf("three classes: %v, kernel %v", o["status"], o["kernel"])
	}
}

// Of real numbers too: five features of Friedman's first problem matter, and five do not.
func TestTrainWidthsOfValues(t *testing.T) {
	dir := t.TempDir()
	data, test := filepath.Join(dir, "train.libsvm"), filepath.Join(dir, "test.libsvm")
	must(t, "gen", "friedman1", "-n", "240", "-o", data)
	must(t, "gen", "friedman1", "-n", "500", "--seed", "2", "--param", "noise=0", "-o", test)
	train := []string{"train", "-m", "rvm", "--task", "regress", "--gamma", "0.3/d", "--scale", "zscore", "--test", test, data}
	plain, o := object(t, train...), object(t, append(train, "--widths", "learned")...)
	testutil.AtMost(t, "RMSE with learnt widths", o["test_error"].(float64), 0.7*plain["test_error"].(float64))
	weights := o["kernel"].(map[string]any)["weights"].([]any)
	for k, w := range weights[5:] {
		testutil.AtMost(t, fmt.Sprintf("weight of feature %d, third 1", 6+k), w.(float64)/weights[2].(float64), 0.2)
	}
}

func TestTrainRefitRefused(t *testing.T) {
	for want, args := range map[string]string{
		"--refit: svc does not shrink":           "-m svc --refit",
		"--refit: found the kernel linear, want": "-m ssvc-a --kernel linear --refit",
		"--refit: a path along C has none":       "-m ssvc-b --path --refit",
		"found the kernel linear, want rbf":      "-m ssvc-a --kernel linear --widths learned",
		"--widths: direct learns its own":        "-m direct --widths learned",
	} {
		r := command(t, "", append([]string{"train", ripley(t)}, strings.Fields(args)...)...)
		if r.code != session.Usage || !strings.Contains(r.stderr, want) {
			t.Errorf("%v ends with %d: %s", args, r.code, r.stderr)
		}
	}
}
