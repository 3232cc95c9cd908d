package cli

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
)

// TestReduceTeacher distils a rule into trained centres and says how many samples follow it.
func TestReduceTeacher(t *testing.T) {
	dir, data := t.TempDir(), ripley(t)
	big, small, file := filepath.Join(dir, "big.skm"), filepath.Join(dir, "small.skm"), filepath.Join(dir, "decisions.csv")
	must(t, "train", "--method", "ssvc-b", "--sigma", "0.5", "--out", big, data)
	set, err := dataset.ReadFile(data, dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var decisions []string
	for i := range set.N {
		decisions = append(decisions, fmt.Sprint(set.Row(i)[1]-0.5)) // a stump
	}
	write := func(lines ...string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"reduce", big, "--train", data, "--teacher", file, "--max-sv", "6", "--out", small}
	write(append([]string{"forest"}, decisions...)...)
	o := object(t, args...)
	if a, ok := o["teacher_agreement"].(float64); !ok || !(a >= 0.9) || o["sv_after"] != 6.0 || o["method"] != "move" {
		t.Errorf("%v vectors by %v, agreement %v", o["sv_after"], o["method"], o["teacher_agreement"])
	}
	args = append(args, "--force")
	if text := must(t, args...).stdout; !strings.Contains(text, "the class that the teacher gives them") {
		t.Errorf("the report has no teacher:\n%s", text)
	}
	for want, lines := range map[string][]string{
		`decisions.csv:2: found "1,2", want one finite number a line`: {"1", "1,2"},
		`decisions.csv:1: found "a,b", want one finite number a line`: {"a,b", "1"},
		`decisions.csv:3: found "NaN", want one finite number a line`: {"x", "1", "NaN"},
		`decisions.csv: found 2 decisions, want 250, one for each`:    {"1", "-1"},
		`decisions.csv:251: found another decision, want 250`:         append(decisions[:250:250], "1"),
	} {
		write(lines...)
		if r := command(t, "", args...); r.code != session.Failed || !strings.Contains(r.stderr, want) {
			t.Errorf("ends with %d: %s; want %q", r.code, r.stderr, want)
		}
	}
	for _, wrong := range [][]string{
		{"reduce", big, "--teacher", file, "--max-sv", "6"},
		{"reduce", big, "--teacher", file, "--train", data},
		{"reduce", big, "--teacher", file, "--train", data, "--max-sv", "6", "--no-move"},
	} {
		if r := command(t, "", wrong...); r.code != session.Usage || !strings.Contains(r.stderr, "--teacher: it wants") {
			t.Errorf("%v ends with %d: %s", wrong, r.code, r.stderr)
		}
	}
}

// TestReduceTeacherOfValues: the vectors of a model of values follow another's values, and the report says how far.
func TestReduceTeacherOfValues(t *testing.T) {
	dir := t.TempDir()
	big, small, file := filepath.Join(dir, "big.skm"), filepath.Join(dir, "small.skm"), filepath.Join(dir, "values.csv")
	set := dataset.Sinc(100, 0.1, 1)
	var points, values []string
	for i, v := range set.Targets {
		points = append(points, fmt.Sprintf("%v 1:%v", v, set.X[i]))
		values = append(values, fmt.Sprint(100+10*math.Cos(set.X[i]/2)))
	}
	data := write(t, "sinc.libsvm", strings.Join(points, "\n")+"\n")
	must(t, "train", "--task", "regress", "--method", "svr", "--sigma", "1", "--out", big, data)
	if err := os.WriteFile(file, []byte(strings.Join(values, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"reduce", big, "--train", data, "--teacher", file, "--max-sv", "8", "--out", small}
	o := object(t, args...)
	if a, ok := o["teacher_agreement"].(float64); !ok || !(a >= 0.99) || o["method"] != "move" {
		t.Errorf("by %v, agreement %v", o["method"], o["teacher_agreement"])
	}
	if text := must(t, append(args, "--force")...).stdout; !strings.Contains(text, "variance of the teacher's values") {
		t.Errorf("the report has no teacher:\n%s", text)
	}
}
