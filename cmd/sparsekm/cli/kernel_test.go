package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestLaplacian takes the kernel through the command: training, every file format, reduction.
func TestLaplacian(t *testing.T) {
	dir, data, test := t.TempDir(), ripley(t), testutil.Testdata(t, "ripley.test.libsvm")
	for _, method := range []string{"svc", "ssvc-a", "ssvc-b", "skm", "lssvm-lda"} {
		skm := filepath.Join(dir, method+".skm")
		o := object(t, "train", "--method", method, "--kernel", "laplacian", "--gamma", "2",
			"--test", test, "--out", skm, data)
		if k := o["kernel"].(map[string]any); k["type"] != "laplacian" || k["gamma"] != 2.0 {
			t.Errorf("%s: kernel %v", method, k)
		}
		if e := o["test_error"].(float64); !(e < 0.15) {
			t.Errorf("%s: test error %v", method, e)
		}
		predictions, converted := filepath.Join(dir, "predictions"), filepath.Join(dir, method+".json")
		must(t, "predict", "--decisions", "--out", predictions, skm, data)
		must(t, "convert", skm, "--to", "json", "--out", converted)
		must(t, "verify", converted, "--against", predictions, "--tolerance", "0", data)
		r := command(t, "", "convert", skm, "--to", "libsvm", "--out", converted)
		if r.code != session.Failed || !strings.Contains(r.stderr, "a LIBSVM model file cannot have a laplacian kernel") {
			t.Errorf("%s to LIBSVM: status %d, %q", method, r.code, r.stderr)
		}
	}
	o := object(t, "reduce", filepath.Join(dir, "svc.skm"), "--train", data, "--out", filepath.Join(dir, "small.skm"))
	if before, after := o["sv_before"].(float64), o["sv_after"].(float64); !(after < before/2) {
		t.Errorf("reduced from %v to %v vectors", before, after)
	}
}

// TestMatern takes the functions of squared distances through the command: both model formats decide alike, and what
// cannot hold them says so.
func TestMatern(t *testing.T) {
	dir, data, test := t.TempDir(), ripley(t), testutil.Testdata(t, "ripley.test.libsvm")
	for _, kernel := range [][]string{{"matern12"}, {"matern32"}, {"matern52"}, {"rational-quadratic", "--param", "alpha=0.8"}} {
		for _, method := range []string{"svc", "ssvc-b", "lssvm-lda"} {
			skm := filepath.Join(dir, method+kernel[0]+".skm")
			o := object(t, append(append([]string{"train", "--method", method, "--kernel"}, kernel...), "--sigma", "0.5",
				"--test", test, "--out", skm, data)...)
			k := o["kernel"].(map[string]any)
			if k["type"] != kernel[0] || k["gamma"] != 2.0 || len(kernel) > 1 != (k["alpha"] == 0.8) {
				t.Errorf("%s: kernel %v", method, k)
			}
			if e := o["test_error"].(float64); !(e < 0.15) {
				t.Errorf("%s, %v: test error %v", method, k, e)
			}
			predictions, converted := filepath.Join(dir, "predictions"), filepath.Join(dir, method+".json")
			must(t, "predict", "--decisions", "--out", predictions, skm, data)
			must(t, "convert", skm, "--to", "json", "--out", converted, "--force")
			must(t, "verify", converted, "--against", predictions, "--tolerance", "0", data)
		}
		skm, out := filepath.Join(dir, "svc"+kernel[0]+".skm"), filepath.Join(dir, "out")
		refused, move := [][]string{{"convert", skm, "--to", "libsvm"}, {"convert", skm, "--to", "c-fixed"}},
			[]string{"reduce", skm, "--train", data, "--move", "--max-sv", "4"}
		if kernel[0] == "matern12" {
			refused = append(refused, move)
		} else if o := object(t, append(move, "--out", filepath.Join(dir, "moved.skm"), "--force")...); o["sv_after"] != 4.0 {
			t.Errorf("moved to %v vectors", o["sv_after"])
		}
		for _, args := range refused {
			r := command(t, "", append(args, "--out", out)...)
			if r.code == 0 || !strings.Contains(r.stderr, kernel[0]) {
				t.Errorf("%v: status %d, %q", args, r.code, r.stderr)
			}
		}
		o := object(t, "reduce", skm, "--train", data, "--out", filepath.Join(dir, "small.skm"), "--force")
		if before, after := o["sv_before"].(float64), o["sv_after"].(float64); !(after < before) {
			t.Errorf("reduced from %v to %v vectors", before, after)
		}
	}
	for flag, value := range map[string]string{"rbf": "1", "rational-quadratic": "0"} {
		if r := command(t, "", "train", "--kernel", flag, "--alpha", value, data); r.code == 0 ||
			!strings.Contains(r.stderr, "--alpha") {
			t.Errorf("--kernel %s --param alpha=%s: status %d, %q", flag, value, r.code, r.stderr)
		}
	}
}
