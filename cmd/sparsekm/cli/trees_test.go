package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
)

// treeFile is a file that bench/peers/peer/treefiles.py wrote.
func treeFile(name string) string {
	return filepath.Join("..", "..", "..", "internal", "trees", "testdata", name)
}

// TestVerifyTrees: what LightGBM and XGBoost predict for a table is what we make of their files, whose features have
// other places among the columns; a wrong number is found.
func TestVerifyTrees(t *testing.T) {
	for _, c := range [][]string{
		{treeFile("table.txt"), treeFile("held-light.txt"), "1e-12"},
		{treeFile("table.json"), treeFile("held-boost.txt"), "1e-6"},
	} {
		args := []string{"verify", c[0], treeFile("held.csv"), "--against", c[1], "--tolerance", c[2]}
		if o := object(t, args...); o["n"] != 300.0 || o["differ"] != 0.0 {
			t.Errorf("%s: %v", c[0], o)
		}
		text, err := os.ReadFile(c[1])
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitN(string(text), "\n", 3)
		for want, changed := range map[string]string{
			"the predictions differ":              lines[0] + "\n0.99999\n" + lines[2],
			"found 299 predictions, want 300":     lines[0] + "\n" + lines[2],
			"found another line, want 300":        "0.5\n" + string(text),
			"1: found 2 numbers, want at most 1":  "0.5 0.5\n" + lines[1] + "\n" + lines[2],
			`2: found "abc", want a number`:       lines[0] + "\nabc\n" + lines[2],
			"ending: found 0 predictions, want 3": "heading\n",
		} {
			args[4] = write(t, "ending", changed)
			if r := command(t, "", args...); r.code != session.Failed || !strings.Contains(r.stderr, want) {
				t.Errorf("%q ends with %d: %s", want, r.code, r.stderr)
			}
		}
	}
}

// TestReduceTreeTeacher: a student of trees agrees with them on held-out samples, whatever the order of the classes in
// the given model.
func TestReduceTreeTeacher(t *testing.T) {
	dir := t.TempDir()
	big, small := filepath.Join(dir, "big.skm"), filepath.Join(dir, "small.skm")
	must(t, "train", "--method", "ssvc-b", "--out", big, treeFile("table.csv"))
	for _, teacher := range []string{"table.txt", "table.json"} {
		args := []string{"reduce", big, "--train", treeFile("table.csv"), "--teacher", treeFile(teacher), "--max-sv", "16",
			"--out", small, "--force"}
		o := object(t, args...)
		if a, ok := o["teacher_agreement"].(float64); !ok || !(a >= 0.97) || o["sv_after"] != 16.0 {
			t.Errorf("%s: %v vectors, agreement %v", teacher, o["sv_after"], o["teacher_agreement"])
		}
		if us, ok := o["us_teacher"].(float64); !ok || !(us > 0) {
			t.Errorf("%s: %v µs", teacher, o["us_teacher"])
		}
		labels := must(t, "predict", small, treeFile("held.csv")).stdout
		labels = strings.NewReplacer("yes", "1", "no", "0").Replace(labels)
		r := command(t, "", "--json", "verify", treeFile(teacher), treeFile("held.csv"), "--against",
			write(t, "labels", labels))
		var agreed struct{ Agreement float64 }
		if err := json.Unmarshal([]byte(r.stdout), &agreed); err != nil || !(agreed.Agreement >= 0.95) {
			t.Errorf("%s: %v of the held-out samples agree; %v, %s", teacher, agreed.Agreement, err, r.stderr)
		}
	}
}

// TestTreeTeacherSign: a student of LIBSVM's order of classes, whose positive class is the first one, follows the same
// trees; samples without columns are taken in the order of their features.
func TestTreeTeacherSign(t *testing.T) {
	dir, rows := t.TempDir(), strings.Split(strings.TrimSpace(readFile(t, treeFile("table.csv"))), "\n")[1:]
	var lines [2]strings.Builder // of both orders of the classes
	for order := range lines {
		for pass := range 2 {
			for _, row := range rows {
				cells := strings.Split(row, ",")
				if first := (cells[5] == "yes") == (order == 0); cells[3] != "" && first == (pass == 0) {
					label := map[string]string{"yes": "1", "no": "0"}[cells[5]]
					lines[order].WriteString(label + " 1:" + cells[3] + " 2:" + cells[1] + " 3:" + cells[4] + "\n")
				}
			}
		}
	}
	for order := range lines {
		data := write(t, "ordered", lines[order].String())
		big := filepath.Join(dir, "svm.model")
		must(t, "svm-train", "-q", data, big)
		o := object(t, "reduce", big, "--train", data, "--teacher", treeFile("table.txt"), "--max-sv", "16")
		c, _ := o["compared"].(map[string]any)
		if a, ok := o["teacher_agreement"].(float64); !ok || !(a >= 0.97) || !(c["error_after"].(float64) <= 0.03) {
			t.Errorf("order %d: agreement %v, %v", order, o["teacher_agreement"], c)
		}
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestTreeTeacherRefused: trees that do not fit the model or the table are refused by what is wrong.
func TestTreeTeacherRefused(t *testing.T) {
	dir, table := t.TempDir(), treeFile("table.csv")
	big := filepath.Join(dir, "big.skm")
	must(t, "train", "--method", "ssvc-b", "--out", big, table)
	changed := func(old, text string) string {
		return write(t, "changed.txt", strings.Replace(readFile(t, treeFile("table.txt")), old, text, 1))
	}
	wider := strings.NewReplacer("max_feature_idx=3", "max_feature_idx=9", "Column_2 Column_3",
		"Column_2 Column_3 Column_4 Column_5 Column_6 Column_7 Column_8 Column_9")
	for want, teacher := range map[string]string{
		"found LightGBM trees for 3 classes, want two":  treeFile("multiclass.txt"),
		`trees of objective "poisson" for a model of 2`: treeFile("poisson.txt"),
		`found no column "b2", which the trees of`:      changed("feature_names=first_one b c", "feature_names=first_one b2 c"),
		`found the labels in column "label", which`:     changed("feature_names=first_one b c", "feature_names=first_one b label"),
		`two features of one name`:                      changed("feature_names=first_one b c", "feature_names=first_one b b"),
		`the trees want numbers: `:                      changed("feature_names=first_one b c", "feature_names=first_one b colour"),
		"table.csv: found 5 features, want 10":          write(t, "ten.txt", wider.Replace(readFile(t, treeFile("binary.txt")))),
		"is_linear: trees with linear models":           treeFile("linear.txt"),
		`found "feature_importances:", want Tree=30`:    changed("end of trees", ""),
	} {
		r := command(t, "", "reduce", big, "--train", table, "--teacher", teacher, "--max-sv", "6")
		if r.code != session.Failed || !strings.Contains(r.stderr, want) {
			t.Errorf("%s ends with %d: %s; want %q", teacher, r.code, r.stderr, want)
		}
	}
}

// TestTreeTeacherOfValues: a model of values follows the predictions of trees behind their link, not their scores, and
// refuses trees of classes.
func TestTreeTeacherOfValues(t *testing.T) {
	var lines []string
	for i := range 200 {
		x := func(k float64) float64 { return 2 * math.Sin(k*float64(i)) }
		lines = append(lines, fmt.Sprintf("%v 1:%v 2:%v 3:%v 4:0", x(1)+x(3), x(1), x(2), x(3)))
	}
	data, big := write(t, "values", strings.Join(lines, "\n")+"\n"), filepath.Join(t.TempDir(), "big.skm")
	must(t, "train", "--task", "regress", "--method", "svr", "--out", big, data)
	small := filepath.Join(t.TempDir(), "small.skm")
	args := []string{"reduce", big, "--train", data, "--teacher", treeFile("poisson.txt"), "--max-sv", "24",
		"--out", small}
	if a, ok := object(t, args...)["teacher_agreement"].(float64); !ok || !(a >= 0.8) {
		t.Errorf("agreement %v", a)
	}
	said := must(t, "predict", small, data).stdout
	for line := range strings.Lines(said) { // the trees predict 0.6 to 2
		if v, err := strconv.ParseFloat(strings.TrimSpace(line), 64); err != nil || !(v > 0.3 && v < 3) {
			t.Fatalf("predicts %q, want the teacher's values; %v", line, err)
		}
	}
	args[5] = treeFile("binary.txt")
	if r := command(t, "", args...); r.code != session.Failed || !strings.Contains(r.stderr, "for classes (binary)") {
		t.Errorf("ends with %d: %s", r.code, r.stderr)
	}
}
