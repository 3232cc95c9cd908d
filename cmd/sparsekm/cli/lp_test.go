package cli

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// The production plan of a text book: max 3x + 5y, x ≤ 4, 2y ≤ 12, 3x + 2y ≤ 18 has 36 at (2, 6) with duals 0, 1.5, 1.
const plan = `NAME plan
OBJSENSE
    MAX
ROWS
 N  profit
 L  a
 L  b
 L  c
COLUMNS
    x  profit  3  a  1
    x  c  3
    y  profit  5  b  2
    y  c  2
RHS
    rhs  a  4  b  12
    rhs  c  18
ENDATA
`

func TestLP(t *testing.T) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write([]byte(plan))
	w.Close()
	for _, path := range []string{write(t, "plan.mps", plan), write(t, "plan.mps.gz", z.String())} {
		for _, method := range []string{"auto", "primal", "dual", "presolve"} {
			args := []string{"lp", "--method", method, path}
			if method == "presolve" {
				args = []string{"lp", "--presolve", path}
			}
			o := object(t, args...)
			if method == "presolve" && o["iterations"].(float64) != 1 { // rows a and b are bounds
				t.Errorf("with presolve %v iterations, want 1", o["iterations"])
			}
			if o["status"] != "optimal" || o["certificate"] != "verified" ||
				!testutil.Within(o["objective"].(float64), 36, 1e-9) {
				t.Errorf("%s: status %v, certificate %v, objective %v", method, o["status"], o["certificate"], o["objective"])
			}
			for name, want := range map[string][]float64{"x": {2, 6}, "duals": {0, 1.5, 1}} {
				for i, v := range o[name].([]any) {
					if !testutil.Within(v.(float64), want[i], 1e-9) {
						t.Errorf("%s: %s = %v, want %v", method, name, o[name], want)
					}
				}
			}
			for _, name := range []string{"iterations", "primal_infeasibility", "dual_infeasibility", "gap"} {
				if _, ok := o[name].(float64); !ok {
					t.Errorf("%s is %v", name, o[name])
				}
			}
		}
	}
	if r := command(t, plan, "lp", "--values", "-"); r.code != session.Done || !strings.Contains(r.stdout, "x = 2") ||
		!strings.Contains(r.stdout, "c = 1") {
		t.Errorf("status %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}

// TestLPFormat: the same plan in LP format, whatever the file is called.
// TestLPOne: one of something is no plural.
func TestLPOne(t *testing.T) {
	out := must(t, "lp", write(t, "one.lp", "minimize\n obj: x\nsubject to\n c: x >= 1\nend\n")).stdout
	if !strings.Contains(out, ": 1 row, 1 column\n") {
		t.Error(out)
	}
}

func TestLPFormat(t *testing.T) {
	const text = "\\ plan\nmax\n profit: 3x + 5y\nst\n a: x <= 4\n b: 2y <= 12\n c: 3x + 2y <= 18\n"
	if o := object(t, "lp", write(t, "plan.txt", text+"end\n")); o["certificate"] != "verified" ||
		!testutil.Within(o["objective"].(float64), 36, 1e-9) {
		t.Errorf("certificate %v, objective %v", o["certificate"], o["objective"])
	}
	r := command(t, text+"general\n x\nend\n", "lp", "-")
	if r.code != session.Done || !strings.Contains(r.stderr, "-: integer columns: 1. Their integrality is dropped") {
		t.Errorf("integers: status %d, %q", r.code, r.stderr)
	}
	r = command(t, "min\nst\nend\n", "lp", "--json", "-")
	for _, key := range []string{"column_names", "row_names", "x", "reduced_costs", "duals", "farkas", "ray", "warnings"} {
		if !strings.Contains(r.stdout, `"`+key+`":[]`) {
			t.Errorf("an empty program without %s: %s%s", key, r.stdout, r.stderr)
		}
	}
	const sets = "NAME\nROWS\n N f\n L a\nCOLUMNS\n x f -1 a 1\nRHS\n r a 4\n s a 5\nENDATA\n"
	o := object(t, "lp", write(t, "sets", sets))
	got := fmt.Sprint(o["objective"], o["warnings"])
	if got != `-4 [line 9: set "s" of RHS is ignored, the first one, "r", counts]` {
		t.Error(got)
	}
}

// TestLPRanging: the plan's text book ranges, for people and as JSON.
func TestLPRanging(t *testing.T) {
	r := command(t, plan, "lp", "--ranging", "-")
	lines := "cost        x in [0, 7.5]\ncost        y in [2, +Inf]\n" +
		"row upper   a in [2, +Inf]\nrow upper   b in [6, 18]\nrow upper   c in [12, 24]\n"
	if r.code != session.Done || !strings.HasSuffix(r.stdout, lines) {
		t.Errorf("status %d without\n%s\n%s%s", r.code, lines, r.stdout, r.stderr)
	}
	o := object(t, "lp", "--ranging", write(t, "plan.mps", plan))
	const want = "map[cost:[[0 7.5] [2 <nil>]] row_lower:[[<nil> 2] [<nil> 12] [<nil> 18]] " +
		"row_upper:[[2 <nil>] [6 18] [12 24]]]"
	if got := fmt.Sprint(o["ranging"]); got != want {
		t.Errorf("ranging %s, want %s", got, want)
	}
	for _, key := range []string{"ranging", "iis"} {
		if o := object(t, "lp", "--iis", write(t, "plan.mps", plan)); o[key] != nil {
			t.Errorf("an optimum without --ranging has %s", key)
		}
	}
}

// TestLPConflict: what contradicts, and nothing else.
func TestLPConflict(t *testing.T) {
	const text = "min x + z\nst\n a: x + y >= 5\n b: x - z <= 9\nbounds\n x <= 2\n y = 1\nend\n"
	r := command(t, text, "lp", "--iis", "-")
	const want = "conflict    3 bounds, irreducible\ncolumn      x <= 2\ncolumn      y <= 1\nrow         a >= 5\n"
	if r.code != session.Failed || !strings.HasSuffix(r.stdout, want) {
		t.Errorf("status %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	r = command(t, text, "lp", "--iis", "--json", "-")
	if r.code != session.Failed || !strings.Contains(r.stdout, `"iis":{"irreducible":true,"bounds":[`+
		`{"of":"column","name":"x","bound":"upper","value":2},{"of":"column","name":"y","bound":"upper","value":1},`+
		`{"of":"row","name":"a","bound":"lower","value":5}]}`) {
		t.Errorf("status %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}

// TestLPWrite: the program in both formats has the optimum of the file, and the solution is that.
func TestLPWrite(t *testing.T) {
	dir := t.TempDir()
	from := write(t, "plan.mps", plan)
	for _, name := range []string{"a.lp", "b.mps", "c.lp"} {
		to := filepath.Join(dir, name)
		o := object(t, "lp", "--out", to, from)
		if from = to; o["objective"] != 36.0 {
			t.Errorf("%s: %v", name, o["objective"])
		}
	}
	object(t, "lp", "--out", filepath.Join(dir, "d.sol"), from)
	text, err := os.ReadFile(filepath.Join(dir, "d.sol"))
	if want := "# Status = optimal\n# Objective value = 36\nx 2\ny 6\n"; err != nil || string(text) != want {
		t.Errorf("%v\n%s", err, text)
	}
	r := command(t, plan, "lp", "--out", "x.txt", "-")
	if r.code != session.Usage || !strings.Contains(r.stderr, ".sol") {
		t.Errorf("status %d, %q", r.code, r.stderr)
	}
}

// TestLPCrossedBounds: bounds that cross are infeasible, contradict, and are proved to, in both formats.
func TestLPCrossedBounds(t *testing.T) {
	for _, text := range []string{"ROWS\n N f\n L a\nCOLUMNS\n x f 1 a 1\nBOUNDS\n LO b x 2\n UP b x 1\nENDATA\n",
		"min x\nst\n a: x <= 0\nbounds\n 2 <= x <= 1\nend\n"} {
		proof := filepath.Join(t.TempDir(), "proof")
		r := command(t, text, "lp", "--iis", "--prove", proof, "-")
		if r.code != session.Failed || !strings.Contains(r.stdout, "proved      infeasible") ||
			!strings.HasSuffix(r.stdout, "conflict    2 bounds, irreducible\ncolumn      x >= 2\ncolumn      x <= 1\n") ||
			!strings.HasSuffix(r.stderr, "-: infeasible\n") {
			t.Errorf("status %d\n%s%s", r.code, r.stdout, r.stderr)
		}
	}
}

func TestLPWithoutOptimum(t *testing.T) {
	infeasible := "ROWS\n N f\n G a\nCOLUMNS\n x f 1 a 1\nRHS\n r a 2\nBOUNDS\n UP b x 1\nENDATA\n"
	unbounded := "ROWS\n N f\n G a\nCOLUMNS\n x f -1 a 1\nRHS\n r a 2\nENDATA\n"
	for text, want := range map[string]string{infeasible: "infeasible", unbounded: "unbounded"} {
		r := command(t, text, "lp", "--json", "-")
		if r.code != session.Failed || !strings.Contains(r.stdout, `"status":"`+want+`"`) || !strings.Contains(r.stdout,
			`"certificate":"verified"`) {
			t.Errorf("%s: status %d\n%s%s", want, r.code, r.stdout, r.stderr)
		}
	}
	if r := command(t, plan, "lp", "--json", "--time-limit", "1ns", "-"); r.code != session.Failed ||
		!strings.Contains(r.stderr, "time limit before there was a result") { // reading counts
		t.Errorf("time limit: status %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}

// TestLPNoMinusZero: a dual of 0 is 0 in the sense of max too, and so is an optimum of 0.
func TestLPNoMinusZero(t *testing.T) {
	const text = "max 0 x - y\nst\n a: x + y <= 5\nbounds\n x >= -0\nend\n"
	for _, flags := range [][]string{{"--json"}, {"--values"}} {
		r := command(t, text, append([]string{"lp", "--ranging", "-"}, flags...)...)
		if r.code != 0 || !strings.Contains(r.stdout, "objective") ||
			strings.Contains(strings.ReplaceAll(r.stdout, "e-0", ""), "-0") {
			t.Errorf("%v: status %d\n%s%s", flags, r.code, r.stdout, r.stderr)
		}
	}
}

func TestBadLPs(t *testing.T) {
	for name, row := range map[string]struct{ text, want string }{
		"no such section": {"ROWS\n N f\nCOLUMN\n", "bad.mps"},
		"unknown row":     {"ROWS\n N f\nCOLUMNS\n x g 1\nENDATA\n", "4"},
		"no number":       {"ROWS\n N f\n L a\nCOLUMNS\n x a one\nENDATA\n", "5"},
		"NaN":             {"ROWS\n N f\n L a\nCOLUMNS\n x a nan\nENDATA\n", "5"},
		"truncated":       {plan[:len(plan)/2], "bad.mps"},
		"empty":           {"", "bad.mps"},
	} {
		r := command(t, "", "lp", write(t, "bad.mps", row.text))
		if r.code != session.Failed || !strings.Contains(r.stderr, "bad.mps") || !strings.Contains(r.stderr, row.want) ||
			r.stdout != "" {
			t.Errorf("%s: status %d, %q %q", name, r.code, r.stdout, r.stderr)
		}
	}
	rows := "ROWS\n N f\n"
	for i := range 3000 {
		rows += fmt.Sprintf(" L r%d\n", i)
	}
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	if _, err := z.Write([]byte(rows)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if r := command(t, bomb.String(), "lp", "--mem", "1MiB", "-"); r.code != session.Failed ||
		!strings.Contains(r.stderr, "more than 1048576 bytes of memory") {
		t.Errorf("a small file of many rows: status %d, %q", r.code, r.stderr)
	}
	for _, args := range [][]string{{"--tolerance", "0"}, {"--tolerance", "nan"}, {"--max-iter", "-1"},
		{"--time-limit", "-1s"}, {"--method", "magic"}} {
		if r := command(t, plan, append([]string{"lp", "-"}, args...)...); r.code != session.Usage ||
			!strings.Contains(r.stderr, args[0]) {
			t.Errorf("%v: status %d, %q", args, r.code, r.stderr)
		}
	}
}

// TestDumpLP solves the program of a training again and wants the training's objective.
func TestDumpLP(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lps")
	trained := object(t, "train", "--method", "l1svm", "--sigma", "0.5", "--dump-lp", dir, ripley(t))
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Fatalf("%d programs (%v), want one", len(files), err)
	}
	solved := object(t, "lp", filepath.Join(dir, files[0].Name()))
	want, got := trained["objective"].(float64), math.Abs(solved["objective"].(float64))
	testutil.Near(t, "the program's optimum against the training's objective", got, want, 1e-8*want)
	if r := command(t, "", "train", "--method", "svc", "--dump-lp", dir, ripley(t)); r.code != session.Usage {
		t.Errorf("--dump-lp of a method without linear programs: status %d", r.code)
	}
}

// TestLPProve: the answers are proved, and what is feasible within the tolerance only is said to be so.
func TestLPProve(t *testing.T) {
	proof := filepath.Join(t.TempDir(), "proof")
	o := object(t, "lp", "--prove", proof, write(t, "plan.mps", plan))
	text, err := os.ReadFile(proof)
	if err != nil || o["proved"] != "optimal" || !strings.HasPrefix(string(text), "sparsekm-proof 1\nstatus optimal\n") {
		t.Errorf("proved %v, %v\n%s", o["proved"], err, text)
	}
	r := command(t, plan, "lp", "--prove", proof, "-")
	if r.code != session.Done || !strings.Contains(r.stdout, "proved      optimal, without any tolerance") {
		t.Errorf("status %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	text3 := "min\n obj: x\nst\n a: 3x = 1\n b: x = 0.333333333333333333\nend\n"
	r = command(t, text3, "lp", "--prove", proof, "-")
	if r.code != session.Failed || !strings.Contains(r.stderr, "optimal within the tolerance, but exactly infeasible") {
		t.Errorf("status %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}

// TestTrainProve: the report has the proved gap of all submodels, and methods that prove nothing refuse the flag.
func TestTrainProve(t *testing.T) {
	iris := filepath.Join("..", "..", "..", "testdata", "iris.libsvm")
	o := object(t, "train", "--method", "svc", "--sigma", "0.5", "--prove", iris)
	largest := 0.0
	for _, m := range o["submodels"].([]any) {
		largest = max(largest, m.(map[string]any)["proved"].(map[string]any)["gap"].(float64))
	}
	got := o["proved"].(map[string]any)
	gap := o["gap"].(float64)
	testutil.Near(t, "proved gap", got["gap"].(float64), gap, 1e-3*gap)
	if got["gap"].(float64) != largest || got["shift"].(float64) > 1e-12 {
		t.Errorf("proved %v, the largest gap of a submodel is %v", got, largest)
	}
	r := command(t, "", "train", "--method", "svc", "--sigma", "0.5", "--prove", ripley(t))
	if r.code != 0 || !strings.Contains(r.stdout, ", proved ") {
		t.Errorf("status %d, %q, %q", r.code, r.stdout, r.stderr)
	}
	if r := command(t, "", "train", "--method", "ssvc-b", "--prove", ripley(t)); r.code != session.Usage ||
		!strings.Contains(r.stderr, "only nu-svc, nu-svr, one-class, ssvc-a, ssvc-features, ssvr-a, svc, svr") {
		t.Errorf("ssvc-b: status %d, %q", r.code, r.stderr)
	}
}

// TestLPProveMemory: a proof that may not fit is refused in a sentence, before it is begun.
func TestLPProveMemory(t *testing.T) {
	dir := t.TempDir()
	object(t, "train", "--method", "l1svm", "--sigma", "0.5", "--dump-lp", dir,
		testutil.Testdata(t, "diabetis.libsvm"))
	program, proof := filepath.Join(dir, "lp-0001.mps"), filepath.Join(dir, "proof")
	r := command(t, "", "lp", "--mem", "40MB", "--prove", proof, program)
	if r.code != 1 || !strings.Contains(r.stderr, "too little memory to prove") ||
		strings.Contains(r.stdout, "tolerance") {
		t.Errorf("status %d, %q, %q", r.code, r.stdout, r.stderr)
	}
	if _, err := os.Stat(proof); err == nil {
		t.Error("there is a proof")
	}
	if r := command(t, "", "lp", "--mem", "1GB", "--prove", proof, program); r.code != 0 {
		t.Errorf("with memory: status %d, %q", r.code, r.stderr)
	}
}
