package dataset

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestFormats: numbers at every scale, some at the ends of float64, are the same from CSV, ARFF and LIBSVM text.
func TestFormats(t *testing.T) {
	ends := []float64{0, math.MaxFloat64, -math.MaxFloat64, 5e-324, -5e-324, 0x1p-1022, 1e300, 1e-300, 1.0 / 3, -1e15}
	testutil.Scales(t, 50, func(t *testing.T, s *testutil.Scale) {
		var d testutil.Doors
		for seed := range uint64(60) {
			n, w := 1+s.IntN(9), 1+s.IntN(5)
			set := &Set{N: n, D: w, X: make([]float64, n*w), Targets: make([]float64, n)}
			for i := range set.X {
				set.X[i] = s.NormFloat64() * s.Factor()
				if s.IntN(4) == 0 {
					set.X[i] = ends[s.IntN(len(ends))]
				}
			}
			for i := range set.Targets {
				set.Targets[i] = s.NormFloat64() * s.Factor()
			}
			var csv, pairs bytes.Buffer
			if err := set.WriteCSV(&csv); err != nil {
				t.Fatal(err)
			}
			if err := set.WriteLIBSVM(&pairs); err != nil {
				t.Fatal(err)
			}
			head, rows, _ := strings.Cut(csv.String(), "\n")
			arff := "@relation r\n@attribute " + strings.ReplaceAll(head, ",", " numeric\n@attribute ") +
				" numeric\n@data\n" + rows
			answers := []testutil.Answer{numbersOf("set", set, nil)}
			for name, text := range map[string]string{"d.csv": csv.String(), "d.arff": arff, "d.libsvm": pairs.String()} {
				o := Options{Targets: TargetValues}
				if name == "d.csv" {
					o.Header = HeaderYes
				}
				read, err := Read(strings.NewReader(text), name, o)
				answers = append(answers, numbersOf(name, read, err))
			}
			d.Compare(t, seed, answers...)
		}
		d.AtMost(t, 1000)
	})
}

// numbersOf makes an answer of a set's numbers.
func numbersOf(door string, s *Set, err error) testutil.Answer {
	a := testutil.Answer{Door: door, Status: fmt.Sprint(err), Decided: true}
	if err == nil {
		a.Status = fmt.Sprint(s.N, s.D, s.X, s.Targets)
	}
	return a
}
