package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// lineTo writes n samples of y = 2x + 1, with one of them a fraction, so that it shows what they are.
func lineTo(t *testing.T, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%v 1:%d\n", 2*i+1, i)
	}
	return write(t, "line.libsvm", strings.Replace(b.String(), "1 1:0\n", "1.0001 1:0\n", 1))
}

// TestValues trains on real numbers, and reads every form of what is predicted.
func TestValues(t *testing.T) {
	data, out := lineTo(t, 30), t.TempDir()
	for _, ending := range []string{"m.skm", "m.json"} {
		model := filepath.Join(out, ending)
		o := object(t, "train", "-m", "svr", "--kernel", "linear", "--c", "100", "--epsilon", "0.001", "--test", data,
			"-o", model, data)
		if o["task"] != "regress" || len(o["classes"].([]any)) != 0 || o["status"] != "optimal" {
			t.Errorf("task %v, classes %v, status %v", o["task"], o["classes"], o["status"])
		}
		if e := o["test_error"].(float64); !(e > 0 && e < 0.01) {
			t.Errorf("RMSE %v", e)
		}
		p := object(t, "predict", model, data)
		if p["labels"] != nil || p["decisions"] != nil || p["errors"] != nil {
			t.Errorf("labels %v of values", p["labels"])
		}
		values := p["values"].([]any)
		testutil.Near(t, "value of 9", values[9].(float64), 19, 0.01)
		r2 := p["metrics"].(map[string]any)["r2"].(float64)
		testutil.Near(t, "R²", r2, 1, 1e-4)
		r := must(t, "predict", model, data)
		first, _, _ := strings.Cut(r.stdout, "\n")
		if first != fmt.Sprint(values[0]) || !strings.Contains(r.stderr, "RMSE 0.00") {
			t.Errorf("text %q, %q", first, r.stderr)
		}
		csv := must(t, "predict", "--to", "csv", model, data).stdout
		if !strings.HasPrefix(csv, fmt.Sprintf("value\n%v\n", values[0])) {
			t.Errorf("CSV %.40q", csv)
		}
		var line struct{ Row, Value float64 }
		lines := strings.NewReader(must(t, "predict", "--to", "jsonl", model, data).stdout)
		if err := json.NewDecoder(lines).Decode(&line); err != nil || line.Value != values[0].(float64) {
			t.Errorf("JSON line %+v (%v)", line, err)
		}
		if r = must(t, "info", model); !strings.Contains(r.stdout, "real numbers") {
			t.Errorf("info %q", r.stdout)
		}
		if r = must(t, "predict", "--explain", "3", model, data); !strings.Contains(r.stdout, "row 3: value 7.0") {
			t.Errorf("explained %q", r.stdout)
		}
		libsvm := filepath.Join(out, "libsvm.model")
		must(t, "convert", model, "--to", "libsvm", "-o", libsvm)
		if text, err := os.ReadFile(libsvm); err != nil || !strings.HasPrefix(string(text), "svm_type epsilon_svr\n") {
			t.Errorf("%v, %.30q", err, text)
		}
		if again := must(t, "predict", libsvm, data).stdout; strings.Count(again, "\n") != 30 {
			t.Errorf("%q", again)
		}
	}
}

// TestTargetScale trains on values far from 1: C and epsilon are in units of their deviation, and the model is not.
func TestTargetScale(t *testing.T) {
	data := write(t, "far.csv", "x,y\n0,1e6\n1,1.1e6\n2,1.2e6\n3,1.3e6\n4,1.4e6\n5,1.55e6\n")
	r := must(t, "train", "-m", "lssvm", "--task", "regress", data)
	if !strings.Contains(r.stdout, "trained as (y - 1.25833e+06) / ") || !strings.Contains(r.stderr, "scaled to 1") {
		t.Errorf("%q, %q", r.stdout, r.stderr)
	}
	far := object(t, "train", "-m", "svr", "--c", "10", "--epsilon", "0.01", data)
	if e := far["train_error"].(float64); !(e > 1 && e < 20000) {
		t.Errorf("RMSE %v", e)
	}
	plain := object(t, "train", "-m", "svr", "--c", "10", "--target-scale", "none", data)
	if e := plain["train_error"].(float64); plain["target_scale"] != nil || !(e > 1e5) {
		t.Errorf("RMSE %v without a scale", e)
	}
}

// TestTaskRefuses lists what does not go together.
func TestTaskRefuses(t *testing.T) {
	values, classes := lineTo(t, 8), ripley(t)
	model := filepath.Join(t.TempDir(), "m.skm")
	must(t, "train", "-m", "svr", "--kernel", "linear", "-o", model, values)
	for _, tt := range []struct {
		code int
		want string
		args []string
	}{
		{session.Failed, "--task regress --method svr takes labels as real numbers", []string{"train", "-m", "svc", values}},
		{session.Usage, "--task: svc is no method of regress", []string{"train", "-m", "svc", "--task", "regress", values}},
		{session.Usage, "--class-weight: svr learns no classes", []string{"train", "-m", "svr", "--class-weight", "balanced", values}},
		{session.Usage, "--calibrate: svr learns no classes", []string{"train", "-m", "svr", "--calibrate", values}},
		{session.Usage, "--widths: one-class learns neither classes nor values",
			[]string{"train", "-m", "one-class", "--widths", "learned", values}},
		{session.Usage, "--target-scale: svc learns no real numbers", []string{"train", "-m", "svc", "--target-scale", "none", classes}},
		{session.Usage, "--target-scale: the labels of", []string{"train", "-m", "lssvm", "--target-scale", "none", classes}},
		{session.Usage, "--decisions: ", []string{"predict", "--decisions", model, values}},
		{session.Usage, "--task: no metric says how good", []string{"tune", "-m", "one-class", values}},
		{session.Usage, "--task: no metric says how good", []string{"cv", "--task", "one-class", values}},
		{session.Usage, "--task: no metric says how good", []string{"compare", "--task", "one-class", "-m", "svc", "--ledger", model, values}},
		{session.Usage, "--task: not all of the methods learn regress",
			[]string{"compare", "--task", "regress", "-m", "svr,svc", "--ledger", model, values}},
		{session.Usage, "--method: some learn classes and others values", []string{"compare", "-m", "svr,svc", "--ledger", model, values}},
		{session.Failed, "the metric auc, but the task is regress", []string{"tune", "-m", "svr", "--folds", "2", "--metric", "auc", values}},
		{session.Failed, "the metric rmse, but the task is classify", []string{"tune", "-m", "svc", "--metric", "rmse", classes}},
		{session.Usage, "--target-scale: the labels of", []string{"cv", "-m", "lssvm", "--target-scale", "none", classes}},
		{session.Usage, "--calibrate: svr learns no classes", []string{"cv", "-m", "svr", "--calibrate", values}},
		{session.Failed, "no model has this nu", []string{"train", "-m", "nu-svc", "--nu", "1",
			write(t, "few.libsvm", "1 1:1\n-1 1:2\n-1 1:3\n")}},
	} {
		r := command(t, "", tt.args...)
		if r.code != tt.code || !strings.Contains(r.stderr, tt.want) {
			t.Errorf("%v: status %d, %q, want %d and %q", tt.args, r.code, r.stderr, tt.code, tt.want)
		}
	}
}

// TestReduceValues shrinks a model of values by its root mean square error, with trained centres and without.
func TestReduceValues(t *testing.T) {
	dir := t.TempDir()
	data, model := filepath.Join(dir, "sinc.libsvm"), filepath.Join(dir, "m.skm")
	must(t, "gen", "sinc", "-n", "80", "-o", data)
	must(t, "train", "-m", "svr", "--c", "10", "--epsilon", "0.02", "--gamma", "0.3", "-o", model, data)
	for _, how := range [][]string{{"--max-sv", "9"}, {"--max-loss", "20", "--no-move"}} {
		o := object(t, append([]string{"reduce", "--train", data, model}, how...)...)
		v := o["values"].(map[string]any)
		more := v["rmse_after"].(float64) - v["rmse_before"].(float64)
		if v["targets"] != true || o["compared"] != nil || !(more <= 0.2*v["deviation"].(float64)) ||
			!(o["sv_after"].(float64) <= 50) {
			t.Errorf("%v: %v of %v vectors, %v", how, o["sv_after"], o["sv_before"], v)
		}
	}
	if r := must(t, "reduce", "--train", data, "--max-sv", "9", model); !strings.Contains(r.stdout, "of the variance") {
		t.Errorf("the report: %s", r.stdout)
	}
}

// TestSelectValues judges, chooses and compares on real targets, by metrics of theirs.
func TestSelectValues(t *testing.T) {
	data, out := filepath.Join(t.TempDir(), "friedman.libsvm"), t.TempDir()
	must(t, "gen", "friedman1", "-n", "90", "-o", data)
	cv := object(t, "cv", "-m", "svr", "--c", "10", "--folds", "3", data)
	losses := cv["losses"].(map[string]any)
	mean := func(name string) float64 { return losses[name].(map[string]any)["mean"].(float64) }
	if len(losses) != 3 || mean("rmse") != cv["error"] || !(mean("mae") < mean("rmse")) {
		t.Errorf("losses %v, error %v", losses, cv["error"])
	}
	between(t, "one less R²", mean("r2"), 0.1, 0.7)
	if r := must(t, "cv", "-m", "svr", "--c", "10", "--folds", "3", data); !strings.Contains(r.stdout, "RMSE ") ||
		!strings.Contains(r.stdout, "R² 0.") || strings.Contains(strings.ReplaceAll(r.stdout, "(95 %:", ""), "%") {
		t.Errorf("%q", r.stdout)
	}
	model := filepath.Join(out, "m.skm")
	tuned := object(t, "tune", "-m", "svr", "--folds", "3", "--grid", "c=0.01,10", "--prefer-sparse", "no", "-o", model,
		data)
	best := tuned["best"].(map[string]any)
	if tuned["metric"] != "rmse" || best["params"].(map[string]any)["c"] != 10.0 || best["cv_error"] != cv["error"] {
		t.Errorf("metric %v, best %v", tuned["metric"], best)
	}
	scaled := object(t, "tune", "-m", "svr", "--folds", "3", "--grid", "c=10", "--target-scale", "zscore", data)
	if e := scaled["best"].(map[string]any)["cv_error"]; e == cv["error"] {
		t.Errorf("error %v, scaled or not", e)
	}
	if p := object(t, "predict", model, data); len(p["values"].([]any)) != 90 {
		t.Errorf("predicted %v", p)
	}
	runs := filepath.Join(out, "runs.jsonl")
	compare := []string{"compare", "-m", "svr,lssvm-chol", "--folds", "2", "--inner", "2", "--grid", "c=10", "--metric", "mae",
		"--target-scale", "zscore", "--ledger", runs, data}
	must(t, compare...)
	if r := must(t, compare...); !strings.Contains(r.stderr, "4 runs, 0 of them new") {
		t.Errorf("%q", r.stderr)
	}
	compare[len(compare)-4] = "none" // another unit is another training
	if r := must(t, compare...); !strings.Contains(r.stderr, "8 runs, 4 of them new") {
		t.Errorf("%q", r.stderr)
	}
	if r := must(t, "report", runs); !strings.HasPrefix(r.stdout, "rmse, mean") {
		t.Errorf("%q", r.stdout)
	}
}

// TestOneClass learns from samples alone: labels are not looked at, and need not be there.
func TestOneClass(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.skm")
	o := object(t, "train", "--task", "one-class", "--nu", "0.2", "-o", model, ripley(t))
	if e := o["train_error"].(float64); o["method"] != "one-class" || o["task"] != "one-class" || !(e > 0.1 && e <= 0.2) {
		t.Errorf("method %v, task %v, %v outside", o["method"], o["task"], e)
	}
	must(t, "train", "--task", "one-class", "--unlabelled", write(t, "bare.csv", "0,1\n1,2\n2,2\n1,1\n"))
	r := must(t, "predict", model, write(t, "two.libsvm", "1 1:0 2:0.5\n-1 1:9 2:9\n"))
	if r.stdout != "1\n-1\n" || !strings.Contains(r.stderr, "error 0 %") {
		t.Errorf("%q, %q", r.stdout, r.stderr)
	}
}

// TestDensity learns how dense samples are, and predicts logarithms, in every command that has a use for them.
func TestDensity(t *testing.T) {
	data, out := ripley(t), t.TempDir()
	model, plain := filepath.Join(out, "m.skm"), filepath.Join(out, "m.json")
	other := testutil.Testdata(t, "ripley.test.libsvm")
	o := object(t, "train", "--task", "density", "--sigma", "0.2", "--test", other, "-o", model, data)
	if sv := o["sv"].(float64); o["method"] != "skde" || o["task"] != "density" || o["status"] != "fixed point" || sv > 8 {
		t.Errorf("method %v, task %v, %v, %v vectors", o["method"], o["task"], o["status"], sv)
	}
	testutil.Near(t, "error", o["test_error"].(float64), 0.545, 0.01)
	p := object(t, "predict", model, other)
	mean := p["metrics"].(map[string]any)["log_density"].(float64)
	testutil.Near(t, "log density", -mean, o["test_error"].(float64), 1e-9)
	if len(p["values"].([]any)) != 1000 || p["labels"] != nil {
		t.Errorf("%v", p["labels"])
	}
	must(t, "convert", model, "--to", "json", "-o", plain)
	if a, b := must(t, "predict", model, other), must(t, "predict", plain, other); a.stdout != b.stdout ||
		!strings.Contains(a.stderr, "mean log density -0.54") {
		t.Errorf("%q", a.stderr)
	}
	if r := must(t, "info", model); !strings.Contains(r.stdout, "log densities") {
		t.Errorf("%q", r.stdout)
	}
	tuned := object(t, "tune", "-m", "skde", "--folds", "2", "--grid", "gamma=1,12", data)
	best := tuned["best"].(map[string]any)["params"].(map[string]any)
	if tuned["metric"] != "loglik" || best["gamma"] != 12.0 {
		t.Errorf("metric %v, gamma %v", tuned["metric"], best["gamma"])
	}
	bare := write(t, "bare.csv", "0,1\n1,2\n2,2\n1,1\n")
	r := must(t, "cv", "-m", "skde", "--folds", "2", "--unlabelled", bare)
	if !strings.Contains(r.stdout, "mean log density -") {
		t.Errorf("%q", r.stdout)
	}
	runs := filepath.Join(out, "runs.jsonl")
	must(t, "compare", "-m", "skde", "--folds", "2", "--inner", "2", "--grid", "gamma-times=1", "--ledger", runs, data)
	if r := must(t, "report", runs); !strings.HasPrefix(r.stdout, "loglik, mean") {
		t.Errorf("%q", r.stdout)
	}
	for want, args := range map[string][]string{
		"cannot have a model of the task density": {"convert", model, "--to", "libsvm", "-o", filepath.Join(out, "m.model")},
		"want rbf":          {"train", "-m", "skde", "--kernel", "linear", data},
		"cannot be reduced": {"reduce", "--max-sv", "2", model},
	} {
		if r := command(t, "", args...); r.code != session.Failed || !strings.Contains(r.stderr, want) {
			t.Errorf("%v: status %d, %q", args, r.code, r.stderr)
		}
	}
}

// TestDefaultMethods wants one default method a task: a named task trains what the command trains without a name.
func TestDefaultMethods(t *testing.T) {
	const classes = "1 1:0\n1 1:1\n2 1:4\n2 1:5\n"
	data := write(t, "classes.libsvm", classes)
	for task, methods := range usualMethods {
		o := object(t, "train", "--task", task.String(), data)
		if o["method"] != methods[0] {
			t.Errorf("--task %v trains %v, want %s", task, o["method"], methods[0])
		}
	}
	for method, flags := range map[string]string{
		"direct":   "",
		"direct ":  "--c 10 --gamma 1 --max-sv 2",
		"ssvc-b":   "--kernel linear",
		"ssvc-b ":  "--candidates 3",
		"ssvc-b  ": "--bound 95% --gamma 1 --scale none",
		"svr":      "--task regress --kernel poly",
	} {
		r := must(t, append([]string{"train", "--json", data}, strings.Fields(flags)...)...)
		want := strings.TrimSpace(method)
		if !strings.Contains(r.stdout, `"method":"`+want+`"`) || !strings.Contains(r.stderr, "method: "+want) {
			t.Errorf("%s: want %s: %s%s", flags, want, r.stdout, r.stderr)
		}
	}
	r := command(t, "", "train", "--nu", "0.5", data)
	if r.code != session.Usage || !strings.Contains(r.stderr, "direct has no") {
		t.Errorf("--nu: %d, %s", r.code, r.stderr)
	}
	help := strings.Join(strings.Fields(must(t, "train", "--help").stdout), " ")
	if !strings.Contains(help, "Default: direct, or ssvc-b and svr where it lacks what is asked for; one-class, skde.") {
		t.Errorf("the help does not name the defaults: %s", help)
	}
}

// TestUsualMethodOfWideSamples: sparse samples stay sparse where storing every zero takes hundreds of megabytes.
func TestUsualMethodOfWideSamples(t *testing.T) {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "%d %d:1 %d:2\n", i%2, 1+i%2, 1_000_000+i%4)
	}
	r := must(t, "train", "--json", write(t, "wide.libsvm", b.String()))
	if !strings.Contains(r.stdout, `"method":"ssvc-b"`) || !strings.Contains(r.stderr, "would store every zero") {
		t.Errorf("%s%s", r.stdout, r.stderr)
	}
}

// TestGuessedTask trains by the labels, says what they were taken for, and reads later files alike, in every command
// that trains.
func TestGuessedTask(t *testing.T) {
	rows := func(label func(i int) any) string {
		var b strings.Builder
		b.WriteString("a,b,y\n")
		for i := range 60 {
			fmt.Fprintf(&b, "%d,%d,%v\n", i*i%17, i*7%13, label(i))
		}
		return b.String()
	}
	const takes, amounts = "sparsekm: labels: ", ": regression (--task classify takes"
	const classes = ": classes (--task regress takes"
	for name, c := range map[string]struct{ text, says string }{
		"whole":     {rows(func(i int) any { return 20 + i*i%17*3 + i%7 }), " different whole numbers in 60 rows" + amounts},
		"fractions": {rows(func(i int) any { return float64(i*i%17) + .5 }), "fractions: regression (--text-labels takes"},
		"codes":     {rows(func(i int) any { return 1 + i*i%17/6 }), "3 different whole numbers in 60 rows" + classes},
		"two":       {rows(func(i int) any { return .5 + float64(i*i%17/9) }), "two different numbers" + classes},
		"words":     {rows(func(i int) any { return []string{"no", "yes", "n/a"}[i*i%17/6] }), "words: 2 classes\n"},
		"declared":  {"@relation r\n@attribute a numeric\n@attribute y numeric\n@data\n" + strings.Repeat("1,0\n2,1\n3,1\n", 9), "declared numeric" + amounts},
		"nominal":   {"@relation r\n@attribute a numeric\n@attribute y {1,2}\n@data\n" + strings.Repeat("1,1\n2,2\n3,2\n", 9), "declared nominal: 2 classes\n"},
	} {
		file := name + ".csv"
		if strings.HasPrefix(c.text, "@") {
			file = name + ".arff"
		}
		data, model := write(t, file, c.text), filepath.Join(t.TempDir(), "m.skm")
		for _, args := range []string{"train -o " + model, "train -m lssvm --holdout 20%", "cv -m lssvm --folds 2",
			"cv --folds 2", "tune -m lssvm --folds 2 --grid gamma-reg=1", "tune --folds 2 --grid c=1", "fit --time-limit 50ms",
			"compare -m lssvm --folds 2 --inner 2 --grid gamma-reg=1 --ledger " + filepath.Join(t.TempDir(), "runs")} {
			words := append(strings.Fields(args), data)
			if name != "words" && (words[0] == "train" || words[0] == "fit") { // of words some rows have no label
				words = append(words, "--test", data)
			}
			r := command(t, "", words...)
			if r.code != session.Done && r.code != session.Limit || strings.Count(r.stderr, takes) != 1 ||
				!strings.Contains(r.stderr, c.says) {
				t.Errorf("%s: %s: status %d, %s, want %s", name, args, r.code, r.stderr, c.says)
			}
		}
		if r := command(t, "", "predict", model, data); name != "words" && r.code != session.Done {
			t.Errorf("%s: predict: %s", name, r.stderr)
		}
	}
	many := write(t, "many.csv", rows(func(i int) any { return i % 30 }))
	for args, want := range map[string]string{
		"train -m svc":                        " classes of whole numbers, from 0 to ",
		"train -m svc --task classify":        "",
		"cv -m svc --folds 2 --text-labels":   "",
		"train --class-weight balanced":       "30 classes",
		"train -m direct --task regress":      "",
		"tune -m svc --grid c=1 --folds 2":    "take --task regress --method svr",
		"fit --time-limit 50ms --metric rmse": "",
		"cv --folds 2 --task regress -m svr":  "",
	} {
		r := command(t, "", append(strings.Fields(args), many)...)
		noted := strings.Contains(r.stderr, "of whole numbers")
		if r.code == session.Usage || noted != (want != "") || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: status %d, %s, want %q", args, r.code, r.stderr, want)
		}
	}
}
