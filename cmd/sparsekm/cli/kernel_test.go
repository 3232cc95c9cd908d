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
