package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/plots"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/modelselect"
)

// drawn runs plot into a file of the ending and returns what is there.
func drawn(t *testing.T, ending string, args ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "picture"+ending)
	must(t, append([]string{"plot", "-o", name}, args...)...)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPlot draws every kind: axes are named, legends name classes, sets and vectors.
func TestPlot(t *testing.T) {
	dir := t.TempDir()
	iris := testutil.Testdata(t, "iris.libsvm")
	two, three := filepath.Join(dir, "two.skm"), filepath.Join(dir, "three.skm")
	must(t, "train", "-m", "ssvc-a", "--sigma", "0.5", "-o", two, ripley(t))
	must(t, "train", "-m", "ssvc-b", "--scale", "minmax", "-o", three, iris)
	sure := filepath.Join(dir, "sure.skm")
	must(t, "train", "-m", "svc", "--sigma", "0.5", "--calibrate", "-o", sure, ripley(t))
	rounds := write(t, "rounds.json", must(t, "train", "-m", "ssvc-a", "--sigma", "0.5", "--json", ripley(t)).stdout+
		must(t, "train", "-m", "ssvc-b", "--sigma", "0.5", "--json", ripley(t)).stdout)
	runs := filepath.Join(dir, "runs.jsonl")
	must(t, "tune", "-m", "svc", "--folds", "2", "--grid", "c=1,10", "--grid", "gamma=1,2,4", "--ledger", runs, ripley(t))
	for _, row := range []struct {
		args []string
		want []string
	}{
		{[]string{two, "--data", ripley(t)}, []string{">feature 0<", ">feature 1<", ">ssvc-a: 4 vectors<", ">vectors<", ">-1<"}},
		{[]string{three, "--data", iris, "--dark"}, []string{">principal axis 1<", ">principal axis 2<", ">3<", "#121212"}},
		{[]string{three, "--data", iris, "--plane", "3,1"}, []string{">feature 3<", ">feature 1<"}},
		{[]string{two, "--kind", "roc", "--data", ripley(t)}, []string{">area under the curve 0.9", ">true positives<"}},
		{[]string{three, "--kind", "spectrum"}, []string{">|coefficient|<", ">2<"}},
		{[]string{rounds, "--kind", "rounds"}, []string{">rounds<", ">vectors<", ">ssvc-a<", ">ssvc-b<", ">100<"}},
		{[]string{iris, "--kind", "learning", "--method", "svc,lssvm-lda", "--dark"},
			[]string{">training samples<", ">error (%), ± standard deviation<", ">svc<", ">lssvm-lda<", "#121212"}},
		{[]string{sure, "--kind", "reliability", "--data", ripley(t)}, []string{">probability<", ">share that is so<", ">mean gap 0.0"}},
		{[]string{runs, "--kind", "grid"}, []string{">c<", ">gamma<", ">4<", ">error (%), "}},
		{[]string{runs, "--kind", "front"}, []string{">error (%)<", ">svc c=10 gamma=2<", ">ripley<"}},
	} {
		svg := drawn(t, ".svg", row.args...)
		for _, w := range row.want {
			if !strings.Contains(svg, w) {
				t.Errorf("%v: nothing like %s in %d bytes", row.args, w, len(svg))
			}
		}
	}
	for says, args := range map[string][]string{
		"rsvg-convert":          {two, "--data", ripley(t), "-o", filepath.Join(dir, "a.pdf")},
		"wants samples":         {two, "-o", filepath.Join(dir, "a.svg")},
		"has no samples":        {runs, "--kind", "grid", "--data", ripley(t), "-o", filepath.Join(dir, "a.svg")},
		"want two":              {two, "--data", ripley(t), "--plane", "1", "-o", filepath.Join(dir, "a.svg")},
		"the samples have 0 to": {two, "--data", ripley(t), "--plane", "0,2", "-o", filepath.Join(dir, "a.svg")},
		"wants some":            {iris, "--kind", "learning", "-o", filepath.Join(dir, "a.svg")},
		"trains none":           {runs, "--kind", "grid", "--method", "svc", "-o", filepath.Join(dir, "a.svg")},
		"the model knows":       {two, "--data", ripley(t), "--categorical", "a", "-o", filepath.Join(dir, "a.svg")},
		"no method":             {iris, "--kind", "learning", "--method", "magic", "-o", filepath.Join(dir, "a.svg")},
		"of no plane":           {two, "--kind", "spectrum", "--plane", "0,1", "-o", filepath.Join(dir, "a.svg")},
	} {
		r := command(t, "", append([]string{"plot"}, args...)...)
		if r.code != session.Usage || !strings.Contains(r.stderr, says) {
			t.Errorf("%v: status %d, %s", args, r.code, r.stderr)
		}
	}
	for says, args := range map[string][]string{
		"train --calibrate":             {two, "--kind", "reliability", "--data", ripley(t), "-o", filepath.Join(dir, "a.svg")},
		"want what train --json prints": {ripley(t), "--kind", "rounds", "-o", filepath.Join(dir, "a.svg")},
		"has no rounds":                 {runs, "--kind", "rounds", "-o", filepath.Join(dir, "a.svg")},
		"two classes":                   {three, "--kind", "roc", "--data", iris, "-o", filepath.Join(dir, "a.svg")},
		"two parameters": {write(t, "one.jsonl", `{"setting":"a","losses":{"error":0.1},"key":"k"}`+"\n"), "--kind", "grid", "-o",
			filepath.Join(dir, "a.svg")},
	} {
		r := command(t, "", append([]string{"plot"}, args...)...)
		if r.code != session.Failed || !strings.Contains(r.stderr, says) {
			t.Errorf("%v: status %d, %s", args, r.code, r.stderr)
		}
	}
}

// TestPlotTasks draws models, searches, trainings and rounds of every task, or says in a sentence why not.
func TestPlotTasks(t *testing.T) {
	dir := t.TempDir()
	iris, file := testutil.Testdata(t, "iris.libsvm"), func(name string) string { return filepath.Join(dir, name) }
	f1, sinc := file("f1.libsvm"), file("sinc.libsvm")
	must(t, "gen", "friedman1", "-n", "60", "-o", f1)
	must(t, "gen", "sinc", "-n", "60", "-o", sinc)
	values, runs, density := file("f1.skm"), file("runs.jsonl"), file("density.jsonl")
	must(t, "train", "--method", "ssvr-b", "--gamma", "1/d", "--c", "100", "--out", values, f1)
	grid := []string{"--folds", "2", "--grid", "c=1,10", "--grid", "gamma=1,2", "--ledger"}
	must(t, slices.Concat([]string{"tune", "-m", "svr"}, grid, []string{runs, sinc})...)
	must(t, slices.Concat([]string{"tune", "-m", "skde"}, grid, []string{density, ripley(t)})...)
	several := write(t, "several.json", must(t, "train", "-m", "ssvc-b", "--json", iris).stdout)
	failed := write(t, "failed.jsonl", `{"setting":"a","trained":9,"failed":"no room","losses":{},"key":"k"}`+"\n")
	for _, row := range []struct {
		args []string
		want string // after ! an error
	}{
		{[]string{values, "--data", f1}, " (blue) to "},
		{[]string{values, "--data", f1, "--kind", "roc"}, "!task is regress"},
		{[]string{runs, "--kind", "grid"}, ">RMSE, "}, {[]string{runs, "--kind", "front"}, ">RMSE<"},
		{[]string{density, "--kind", "grid"}, ">−log density, "}, {[]string{density, "--kind", "front"}, ">−log density<"},
		{[]string{failed, "--kind", "front"}, "!no error to draw; a on 9 samples: no room"},
		{[]string{sinc, "--kind", "learning", "--method", "svr,direct"}, ">RMSE, ± standard deviation<"},
		{[]string{ripley(t), "--kind", "learning", "--method", "skde"}, ">−log density, ± standard deviation<"},
		{[]string{ripley(t), "--kind", "learning", "--method", "one-class"}, "!no metric says"},
		{[]string{several, "--kind", "rounds"}, ">ssvc-b 3<"},
		{[]string{f1, "--kind", "rounds"}, "!want what train --json prints\n"},
	} {
		if says, fails := strings.CutPrefix(row.want, "!"); fails {
			r := command(t, "", append([]string{"plot", "-o", filepath.Join(dir, "a.svg")}, row.args...)...)
			if r.code == 0 || !strings.Contains(r.stderr, says) {
				t.Errorf("%v: status %d, %s", row.args, r.code, r.stderr)
			}
		} else if svg := drawn(t, ".svg", row.args...); !strings.Contains(svg, row.want) {
			t.Errorf("%v: nothing like %s in %d bytes", row.args, row.want, len(svg))
		}
	}
}

// TestUnknownMethods: the command's list of methods says nothing of programs in Go, which import them.
func TestUnknownMethods(t *testing.T) {
	out := filepath.Join(t.TempDir(), "runs.jsonl")
	for _, args := range [][]string{{"train", "-m", "magic"}, {"compare", "--ledger", out, "--method", "magic"},
		{"plot", "-o", "a.svg", "--kind", "learning", "--method", "magic"}} {
		r := command(t, "", append(args, ripley(t))...)
		if r.code != session.Usage || !strings.Contains(r.stderr, `no method "magic" (have direct, `) ||
			strings.Contains(r.stderr, "Go") || !strings.HasSuffix(strings.TrimSpace(r.stderr), ")") {
			t.Errorf("%v: status %d, %s", args, r.code, r.stderr)
		}
	}
}

// TestMarks counts what the curves are made of: a mark for every size, bin and round.
func TestMarks(t *testing.T) {
	set, err := dataset.ReadFile(testutil.Testdata(t, "iris.libsvm"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	splits, err := learningSplits(set)
	if err != nil {
		t.Fatal(err)
	}
	sizes := make(map[int]int)
	for _, sp := range splits {
		sizes[len(sp.Train)]++
		if len(sp.Test) != 30 || slices.Contains(set.Subset(sp.Train).Counts(), 0) {
			t.Errorf("%d training and %d test samples, classes %v", len(sp.Train), len(sp.Test), set.Subset(sp.Train).Counts())
		}
		for _, i := range sp.Train {
			if slices.Contains(sp.Test, i) {
				t.Fatalf("sample %d is trained on and tested", i)
			}
		}
	}
	if len(sizes) != 4 || sizes[120] != 5 || sizes[60] != 5 || sizes[30] != 5 {
		t.Errorf("sizes and how often each: %v", sizes)
	}
	// A table of two sizes and three splits each: means and deviations are drawn.
	var runs []*modelselect.Run
	for i, size := range []int{20, 21, 20, 40, 40, 40} {
		loss := []float64{0.3, 0.5, 0.4, 0.2, 0.2, 0.2}[i]
		runs = append(runs, &modelselect.Run{Trained: size, Losses: map[string]float64{"error": loss}})
	}
	table := &modelselect.Table{Settings: []modelselect.Setting{{Name: "a"}}, Runs: [][]*modelselect.Run{runs}}
	p, err := plots.New(false).Learned(table)
	if err != nil {
		t.Fatal(err)
	}
	testutil.Near(t, "highest bar", p.Y.Max, 50*1.15, 1e-9) // 40 ± 10
	testutil.Near(t, "lowest mean", p.Y.Min, 20, 1e-9)
}

// TestPlotTable: a table's columns are what train finds in them.
func TestPlotTable(t *testing.T) {
	rows := []string{"id,colour,size,when,class"}
	for i := range 80 {
		colour := []string{"red", "green", "blue"}[i%3]
		size := fmt.Sprint(i % 7)
		if i%9 == 0 {
			size = "NA"
		}
		rows = append(rows, fmt.Sprintf("p%d,%s,%s,2024-0%d-01,%s", i, colour, size, i%9+1, map[bool]string{true: "a", false: "b"}[i%3 == 0]))
	}
	file := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(file, []byte(strings.Join(rows, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "a.svg")
	found := func(args ...string) string {
		r := must(t, args...)
		at := strings.Index(r.stderr, "columns: ")
		if at < 0 {
			t.Fatalf("%v: %q", args, r.stderr)
		}
		line, _, _ := strings.Cut(r.stderr[at:], "\n")
		return line
	}
	plot := found("plot", file, "--kind", "learning", "--method", "svc", "-o", out)
	if train := found("train", file); plot != train || !strings.Contains(plot, "1 category (colour 3)") {
		t.Errorf("plot finds %q, train %q", plot, train)
	}
	strict := []string{"plot", file, "--kind", "learning", "--method", "svc", "--columns", "strict", "-o", out}
	if r := command(t, "", strict...); r.code == 0 {
		t.Error("strict columns take words")
	}
}
