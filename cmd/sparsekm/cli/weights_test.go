package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
)

// TestWeightsOfRows: a weight of a row of ARFF counts as so many rows; 0 is no row.
func TestWeightsOfRows(t *testing.T) {
	r := dataset.NewRand(3)
	var weighed, repeated strings.Builder
	weighed.WriteString("@relation r\n@attribute a real\n@attribute b real\n@attribute y {p,q}\n@data\n")
	repeated.WriteString("a,b,y\n")
	for i := range 60 {
		w, row := i%3, fmt.Sprintf("%.3f,%.3f", r.NormFloat64()+float64(i/3%2), r.NormFloat64())
		class := []string{"p", "q"}[i/3%2]
		fmt.Fprintf(&weighed, "%s,%s,{%d}\n", row, class, w)
		repeated.WriteString(strings.Repeat(row+","+class+"\n", w))
	}
	objective := func(file string) float64 {
		t.Helper()
		var o struct{ Objective float64 }
		answer := must(t, "train", "-m", "svc", "--scale=none", "--gamma=0.5", "--tolerance=1e-8", "--json", file)
		if err := json.Unmarshal([]byte(answer.stdout), &o); err != nil {
			t.Fatal(err)
		}
		return o.Objective
	}
	got, want := objective(write(t, "w.arff", weighed.String())), objective(write(t, "r.csv", repeated.String()))
	if !(math.Abs(got-want) <= 1e-5*want) {
		t.Errorf("objective %v, want %v", got, want)
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
