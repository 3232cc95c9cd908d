package metrics

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// Eight samples by hand: class 0 has four (three found), class 1 three (two found), one label is neither.
func TestReport(t *testing.T) {
	tally := New([]string{"a", "b"})
	tally.Add([]int{0, 0, 0, 0, 1}, []int{0, 0, 0, 1, 1}, []float64{-3, -2, -1, 2, 2})
	tally.Add([]int{1, 1, -1}, []int{1, 0, 1}, []float64{4, -2, 9})
	if got := tally.errors(); got != 3 {
		t.Errorf("%d errors, want 3", got)
	}
	r := tally.Report()
	if d := cmp.Diff([][]int{{3, 1}, {1, 2}}, r.Confusion) + cmp.Diff([]int{0, 1}, r.Unknown); d != "" {
		t.Error(d)
	}
	a, b := r.Classes[0], r.Classes[1]
	testutil.NearAll(t, "a", []float64{*a.Precision, *a.Recall, *a.F1}, []float64{3. / 4, 3. / 4, 3. / 4}, 1e-15)
	testutil.NearAll(t, "b", []float64{*b.Precision, *b.Recall, *b.F1}, []float64{2. / 4, 2. / 3, 4. / 7}, 1e-15)
	testutil.Near(t, "balanced accuracy", *r.BalancedAccuracy, (3./4+2./3)/2, 1e-15)
	// of 12 pairs 2 beats 3 and ties 1, 4 beats 4, -2 beats 1 and ties 1
	testutil.Near(t, "AUC", *r.AUC, 9./12, 1e-15)
}

// What is not defined is not there.
func TestUndefined(t *testing.T) {
	tally := New([]string{"a", "b", "c"})
	if r := tally.Report(); r.BalancedAccuracy != nil || r.AUC != nil || r.Unknown != nil || r.Classes[0].F1 != nil {
		t.Errorf("of no samples: %+v", r)
	}
	tally.Add([]int{0, 0, 1}, []int{0, 0, 0}, nil)
	r := tally.Report()
	if r.AUC != nil || r.Classes[1].Precision != nil || r.Classes[2].Recall != nil || r.Classes[1].F1 == nil {
		t.Errorf("%+v", r)
	}
	testutil.Near(t, "balanced accuracy", *r.BalancedAccuracy, 0.5, 0)
}

// Three classes by hand: of class 0 every pair is in order, of class 1 three of four, of class 2 two of three. A
// point whose label is no class has no part in it.
func TestSeveralClasses(t *testing.T) {
	tally := New([]string{"a", "b", "c"})
	want := []int{0, 1, 1, 2, -1}
	tally.Add(want, []int{0, 1, 0, 1, 2}, []float64{
		5, 0, 0,
		1, 3, 1,
		2, 1, 2,
		0, 2, 1.5,
		9, 9, 9,
	})
	tally.AddProbabilities(want, []float64{0.5, 0.25, 0.25, 0, 1, 0, 0.25, 0.25, 0.5, 0.5, 0.5, 0, 0, 0, 1})
	r := tally.Report()
	testutil.Near(t, "AUC", *r.AUC, (1+3./4+2./3)/3, 1e-15)
	testutil.Near(t, "log loss", *r.LogLoss, (math.Log(2)+0+math.Log(4)+52*math.Log(2))/4, 1e-14)
	if r.Samples != 5 || r.Errors != 3 {
		t.Errorf("%d samples, %d errors", r.Samples, r.Errors)
	}
	testutil.Near(t, "rate", *r.ErrorRate, 0.6, 1e-15)
	tally.Add([]int{0}, []int{0}, nil)
	if tally.Report().AUC != nil {
		t.Error("an area under the curve, though a sample has no scores")
	}
}

// What scikit-learn makes of the same predictions, in one piece and point by point.
func TestScikitLearn(t *testing.T) {
	text, err := os.ReadFile("testdata/sklearn.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Cases []struct {
			Want, Got             []int
			Probabilities         [][]float64
			Confusion             [][]int
			Precision, Recall, F1 []float64
			BalancedAccuracy      float64 `json:"balanced_accuracy"`
			AUC                   float64
			LogLoss               float64 `json:"log_loss"`
		}
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Cases) != 2 {
		t.Fatalf("%d cases", len(all.Cases))
	}
	for _, c := range all.Cases {
		tally := New([]string{"a", "b", "c"}[:len(c.Confusion)])
		for i, p := range c.Probabilities {
			scores := p
			if len(p) == 2 {
				scores = p[1:]
			}
			tally.Add(c.Want[i:i+1], c.Got[i:i+1], scores)
			tally.AddProbabilities(c.Want[i:i+1], p)
		}
		r := tally.Report()
		if d := cmp.Diff(c.Confusion, r.Confusion); d != "" {
			t.Error(d)
		}
		testutil.Near(t, "balanced accuracy", *r.BalancedAccuracy, c.BalancedAccuracy, 1e-14)
		testutil.Near(t, "AUC", *r.AUC, c.AUC, 1e-14)
		testutil.Near(t, "log loss", *r.LogLoss, c.LogLoss, 1e-14)
		for k, class := range r.Classes {
			testutil.NearAll(t, class.Label, []float64{*class.Precision, *class.Recall, *class.F1},
				[]float64{c.Precision[k], c.Recall[k], c.F1[k]}, 1e-14)
		}
	}
}

// Beyond the scores that are kept there is no area under the curve, and no memory of it.
func TestManyScores(t *testing.T) {
	tally := New([]string{"a", "b", "c"})
	const rows = 1 << 16
	want, got, scores := make([]int, rows), make([]int, rows), make([]float64, 3*rows)
	for i := range want {
		want[i] = i % 3
	}
	for n := range 6 {
		tally.Add(want, got, scores)
		if r := tally.Report(); (r.AUC == nil) != (3*rows*(n+1) > maxScores) {
			t.Errorf("%d rows: area %v", (n+1)*rows, r.AUC)
		}
	}
}
