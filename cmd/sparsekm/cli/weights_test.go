package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
)

// TestWeightsOfRows: a weight of a row counts as so many rows, and 0 is no row: in ARFF, in a column, and in LightGBM's
// file next to that of the samples, for tables and LIBSVM text.
func TestWeightsOfRows(t *testing.T) {
	r := dataset.NewRand(3)
	var weighed, column, alone, pairs, weights, repeated strings.Builder
	weighed.WriteString("@relation r\n@attribute a real\n@attribute b real\n@attribute y {p,q}\n@data\n")
	repeated.WriteString("a,b,y\n")
	column.WriteString("a,how often,b,y\n")
	alone.WriteString("a,b,y\n")
	for i := range 60 {
		w, one, two := i%3, r.NormFloat64()+float64(i/3%2), r.NormFloat64()
		class, row := []string{"p", "q"}[i/3%2], fmt.Sprintf("%.3f,%.3f", one, two)
		fmt.Fprintf(&weighed, "%s,%s,{%d}\n", row, class, w)
		fmt.Fprintf(&column, "%.3f,%d,%.3f,%s\n", one, w, two, class)
		fmt.Fprintf(&alone, "%s,%s\n", row, class)
		fmt.Fprintf(&pairs, "%d 1:%.3f 2:%.3f\n", i/3%2, one, two)
		fmt.Fprintln(&weights, w)
		repeated.WriteString(strings.Repeat(row+","+class+"\n", w))
	}
	objective := func(args ...string) float64 {
		t.Helper()
		var o struct{ Objective float64 }
		answer := must(t, append(strings.Fields("train -m svc --scale=none --gamma=0.5 --tolerance=1e-8 --json"), args...)...)
		if err := json.Unmarshal([]byte(answer.stdout), &o); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(answer.stderr, ".weight") != (len(args) > 1 && args[0] == "--seed=1") {
			t.Errorf("%q: %s", args, answer.stderr)
		}
		return o.Objective
	}
	data, model := write(t, "c.csv", column.String()), filepath.Join(t.TempDir(), "m.skm")
	csv, libsvm := write(t, "f.csv", alone.String()), write(t, "f.svm", pairs.String())
	for _, file := range []string{csv, libsvm} {
		if err := os.WriteFile(file+".weight", []byte(weights.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := objective(write(t, "r.csv", repeated.String()))
	for _, args := range [][]string{{write(t, "w.arff", weighed.String())}, {"--columns=weight=how often", "-o", model, data},
		{"--columns=strict,weight=1", data}, {"--seed=1", csv}, {"--seed=1", libsvm}} {
		if got := objective(args...); !(math.Abs(got-want) <= 1e-5*want) {
			t.Errorf("%q: objective %v, want %v", args, got, want)
		}
	}
	without := must(t, "predict", model, write(t, "later.csv", alone.String())).stdout
	if with := must(t, "predict", model, data).stdout; with != without || without == "" {
		t.Errorf("predict looks at the weights: %s instead of %s", with, without)
	}
}

// TestBadWeights: every weight that cannot be is named, with file and line.
func TestBadWeights(t *testing.T) {
	for _, c := range []struct{ weights, want string }{
		{"1\n-1\n\n2\n", `f.csv.weight:2: found "-1"|f.csv.weight:3: found ""`},
		{"1\nNaN\nInf\nx\n", `weight:2: found "NaN"|weight:3: found "Inf"|weight:4: found "x", want a weight`},
		{"0\n0\n0\n0\n", "f.csv.weight: found weights that are all 0, want one above 0"},
		{"1\n2\n3\n", "f.csv.weight:3: found 3 weights, want 4, one for each sample of "},
		{"1\n2\n3\n4\n5\n6\n", "f.csv.weight:6: found 6 weights, want 4, one for each sample of "},
		{"", "found 0 weights, want 4"},
	} {
		csv := write(t, "f.csv", "a,y\n1,p\n2,q\n3,p\n4,q\n")
		if err := os.WriteFile(csv+".weight", []byte(c.weights), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"train", "cv", "fit"} {
			r := command(t, "", name, csv)
			for want := range strings.SplitSeq(c.want, "|") {
				if r.code != 1 || !strings.Contains(r.stderr, want) {
					t.Errorf("%s with %q: %d, %s", name, c.weights, r.code, r.stderr)
				}
			}
		}
	}
	gaps := write(t, "f.csv", "a,y\n1,p\n2,q\n3,\n4,q\n5,p\n")
	if err := os.WriteFile(gaps+".weight", []byte("1\n2\n3\n4\n5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := command(t, "", "train", gaps); r.code != 1 || !strings.Contains(r.stderr, "but the 1 row left out") {
		t.Errorf("a row without a label: %d, %s", r.code, r.stderr)
	}
	for _, c := range []struct{ flag, cells, want string }{
		{"weight=w", "1,-1,,NA,x", `f.csv:3:5: found "-1" in column "w", want a weight, a finite number >= 0 (4 of them)`},
		{"weight=w", "0,0,0,0,0", `f.csv: found weights that are all 0 in column "w"`},
		{"weight=y", "1,1,1,1,1", `the column "y" as the label already`},
		{"weight=v", "1,1,1,1,1", `no column named "v"`},
		{"weight=", "1,1,1,1,1", "want auto or strict, perhaps with ,weight=COLUMN"},
		{"often,weight=w", "1,1,1,1,1", "want auto or strict, perhaps with ,weight=COLUMN"},
	} {
		text := "a,y,w\n"
		for i, cell := range strings.Split(c.cells, ",") {
			text += fmt.Sprintf("%d,%s,%s\n", i*i, []string{"p", "q"}[i%2], cell)
		}
		r := command(t, "", "train", "--label-column=y", "--columns="+c.flag, write(t, "f.csv", text))
		if r.code == 0 || !strings.Contains(r.stderr, c.want) {
			t.Errorf("%s with %s: %d, %s", c.flag, c.cells, r.code, r.stderr)
		}
	}
}

// TestFormatsByMarks reads a table by each mark that the flag names.
func TestFormatsByMarks(t *testing.T) {
	for flag, mark := range map[string]string{"comma": ",", "semicolon": ";", "bar": "|", "tab": "\t", "blanks": "  "} {
		text := strings.ReplaceAll("a,b,y\n"+strings.Repeat("1,2,p\n3,4,q\n", 5), ",", mark)
		answer := must(t, "train", "-m", "svc", "--json", "--format="+flag, write(t, "f.txt", text))
		var o struct{ N, D int }
		if err := json.Unmarshal([]byte(answer.stdout), &o); err != nil || o.N != 10 || o.D != 2 {
			t.Errorf("%q: %+v, %v", flag, o, err)
		}
	}
}

// TestMissingFlag has words for missing cells behind the rule.
func TestMissingFlag(t *testing.T) {
	file := write(t, "f.csv", "a,b,y\n"+strings.Repeat("1,2,p\n3,-999,q\nnobody,4,p\n5,6,q\n", 9))
	r := must(t, "train", "-m", "svc", "--missing=auto,-999,nobody", file)
	if !strings.Contains(r.stderr, "2 with missing cells (a, b)") {
		t.Error(r.stderr)
	}
	bad := command(t, "", "train", "-m", "svc", "--missing=nobody,-999", file)
	if bad.code != session.Usage || !strings.Contains(bad.stderr, `unknown rule "nobody"`) {
		t.Errorf("status %d: %s", bad.code, bad.stderr)
	}
}
