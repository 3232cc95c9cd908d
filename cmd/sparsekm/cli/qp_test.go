package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// mix is min x² + y² - x, x + y = 2, in LP format: x = 1.25, y = 0.75.
const mix = "\\ mix\nmin\n cost: [ 2 x^2 + 2 y^2 ] / 2 - x\nst\n sum: x + y = 2\nend\n"

// TestQPProve: the answers are proved, and what holds within the tolerance only is said to be so.
func TestQPProve(t *testing.T) {
	proof := filepath.Join(t.TempDir(), "mix.proof")
	o := object(t, "qp", "--prove", proof, write(t, "mix", mix))
	text, err := os.ReadFile(proof)
	if err != nil || o["proved"] != "optimal" || !strings.HasPrefix(string(text), "sparsekm-proof 1\nstatus optimal\n") {
		t.Errorf("proved %v, %v\n%s", o["proved"], err, text)
	}
	for from, want := range map[string]string{
		mix: "",
		strings.Replace(mix, "end", "bounds\n x <= 1\n y <= 0.5\nend", 1):        "infeasible",
		"min [ x^2 + 2 x*y + y^2 ] / 2 - x\nst\nbounds\n x free\n y free\nend\n": "unbounded",
		"min [ x^2 ] / 2\nst\n 3 x = 1\n x = 0.3333333333333333\nend\n":          "optimal within the tolerance, but exactly infeasible",
	} {
		r := command(t, from, "qp", "--prove", proof, "-")
		if !strings.Contains(r.stdout, "without any tolerance") || !strings.Contains(r.stderr, want) {
			t.Errorf("%s%s, want %q", r.stdout, r.stderr, want)
		}
	}
}

// TestQP solves one program in both formats, and refuses others.
func TestQP(t *testing.T) {
	mps := "NAME mix\nROWS\n N cost\n E sum\nCOLUMNS\n" +
		" x cost -1 sum 1\n y sum 1\nRHS\n R sum 2\nQUADOBJ\n x x 2\n y y 2\nENDATA\n"
	for _, text := range []string{mix, mps} {
		o := object(t, "qp", write(t, "mix", text))
		x := o["x"].([]any)
		if o["status"] != "optimal" || o["certificate"] != "verified" || !testutil.Within(x[0].(float64), 1.25, 1e-12) ||
			!testutil.Within(x[1].(float64), 0.75, 1e-12) || !testutil.Within(o["objective"].(float64), 0.875, 1e-12) {
			t.Errorf("%v", o)
		}
		if r := command(t, text, "lp", "-"); r.code != session.Failed {
			t.Errorf("lp: status %d, %s", r.code, r.stdout)
		}
	}
	if r := command(t, mix, "qp", "--values", "-"); r.code != session.Done || !strings.Contains(r.stdout, "x = 1.25") ||
		!strings.Contains(r.stdout, "sum = 1.5") {
		t.Errorf("status %d, %s%s", r.code, r.stdout, r.stderr)
	}
	for text, want := range map[string]string{
		strings.Replace(mix, "2 y^2", "-2 y^2", 1):                               "not positive semidefinite",
		strings.Replace(mix, "end", "bounds\n x <= 1\n y <= 0.5\nend", 1):        "infeasible",
		"min [ x^2 + 2 x*y + y^2 ] / 2 - x\nst\nbounds\n x free\n y free\nend\n": "unbounded",
	} {
		if r := command(t, text, "qp", "-"); r.code != session.Failed || !strings.Contains(r.stderr, want) {
			t.Errorf("status %d, %q, want %q", r.code, r.stderr, want)
		}
	}
	if r := command(t, mix, "qp", "--max-iter", "1", "-"); r.code != session.Done {
		t.Errorf("one iteration: status %d, %q", r.code, r.stderr)
	}
	if r := command(t, mix, "qp", "--mem", "100", "-"); r.code != session.Failed || !strings.Contains(r.stderr, "memory") {
		t.Errorf("no memory: status %d, %q", r.code, r.stderr)
	}
	if r := command(t, mix, "qp", "--tolerance", "0", "-"); r.code != session.Usage {
		t.Errorf("tolerance 0: status %d", r.code)
	}
}
