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

// TestDistillTrees: a student of trees agrees with them on held-out samples, and is asked again.
func TestDistillTrees(t *testing.T) {
	small := filepath.Join(t.TempDir(), "small.skm")
	for _, teacher := range []string{"table.txt", "table.json"} {
		o := object(t, "distill", treeFile(teacher), treeFile("table.csv"), "--max-sv", "16", "--rounds", "1", "--out", small,
			"--force")
		taught, _ := o["teacher"].(map[string]any)
		if ns, ok := taught["ns"].(float64); !ok || !(ns > 0) || !(taught["bytes"].(float64) > 0) || o["asked"] == 0.0 {
			t.Errorf("%s: asked %v, teacher %v", teacher, o["asked"], taught)
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

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestTreeTeacherRefused: trees that do not fit the table are refused by what is wrong.
func TestTreeTeacherRefused(t *testing.T) {
	table := treeFile("table.csv")
	changed := func(old, text string) string {
		return write(t, "changed.txt", strings.Replace(readFile(t, treeFile("table.txt")), old, text, 1))
	}
	wider := strings.NewReplacer("max_feature_idx=3", "max_feature_idx=9", "Column_2 Column_3",
		"Column_2 Column_3 Column_4 Column_5 Column_6 Column_7 Column_8 Column_9")
	for want, teacher := range map[string]string{
		`found no column "b2", which the trees of`:   changed("feature_names=first_one b c", "feature_names=first_one b2 c"),
		`found the labels in column "label", which`:  changed("feature_names=first_one b c", "feature_names=first_one b label"),
		`two features of one name`:                   changed("feature_names=first_one b c", "feature_names=first_one b b"),
		`the trees want numbers: `:                   changed("feature_names=first_one b c", "feature_names=first_one b colour"),
		"table.csv: found 5 features, want 10":       write(t, "ten.txt", wider.Replace(readFile(t, treeFile("binary.txt")))),
		"is_linear: trees with linear models":        treeFile("linear.txt"),
		`found "feature_importances:", want Tree=30`: changed("end of trees", ""),
	} {
		r := command(t, "", "distill", teacher, table, "--max-sv", "6")
		if r.code != session.Failed || !strings.Contains(r.stderr, want) {
			t.Errorf("%s ends with %d: %s; want %q", teacher, r.code, r.stderr, want)
		}
	}
}

// TestTreeTeacherOfValues: a student follows the predictions of trees behind their link, not their scores.
func TestTreeTeacherOfValues(t *testing.T) {
	var lines []string
	for i := range 200 {
		x := func(k float64) float64 { return 2 * math.Sin(k*float64(i)) }
		lines = append(lines, fmt.Sprintf("%v 1:%v 2:%v 3:%v 4:0", x(1)+x(3), x(1), x(2), x(3)))
	}
	data, small := write(t, "values", strings.Join(lines, "\n")+"\n"), filepath.Join(t.TempDir(), "small.skm")
	o := object(t, "distill", treeFile("poisson.txt"), data, "--max-sv", "24", "--label-weight", "0", "--out", small)
	held, _ := o["held_out"].(map[string]any)
	agreement, _ := held["agreement"].(map[string]any)
	if a, ok := agreement["value"].(float64); !ok || !(a >= 0.8) {
		t.Errorf("agreement %v", a)
	}
	said := must(t, "predict", small, data).stdout
	for line := range strings.Lines(said) { // the trees predict 0.6 to 2
		if v, err := strconv.ParseFloat(strings.TrimSpace(line), 64); err != nil || !(v > 0.3 && v < 3) {
			t.Fatalf("predicts %q, want the teacher's values; %v", line, err)
		}
	}
	several := object(t, "distill", treeFile("multiclass.txt"), write(t, "classes", threeClasses()), "--max-sv", "12",
		"--rounds", "1")
	if several["classes"] != 3.0 {
		t.Errorf("found %v classes", several["classes"])
	}
}

// threeClasses are samples of four features for the trees of several classes.
func threeClasses() string {
	var b strings.Builder
	for i := range 150 {
		x := func(k float64) float64 { return 2 * math.Sin(k*float64(i)) }
		fmt.Fprintf(&b, "%d 1:%v 2:%v 3:%v 4:%v\n", i%3, x(1), x(2), x(3), x(4))
	}
	return b.String()
}

// TestDistillRaw: XGBoost's binary:logitraw says log odds, which a student takes as such.
func TestDistillRaw(t *testing.T) {
	var data strings.Builder
	for i := range 120 {
		x := math.Sin(float64(3*i + 1))
		fmt.Fprintf(&data, "%d 1:%.4f 2:%.4f 3:%.4f 4:%d\n", i%2, x, 2*x*x-1, math.Cos(float64(i)), i%4)
	}
	o := object(t, "distill", treeFile("x-raw.json"), write(t, "data", data.String()), "--max-sv", "4", "--rounds", "0",
		"--out", filepath.Join(t.TempDir(), "small.skm"))
	if o["kind"] != "logit" || o["classes"] != 2.0 {
		t.Errorf("kind %v, %v classes", o["kind"], o["classes"])
	}
}
