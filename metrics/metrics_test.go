package metrics

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm/internal/testutil"
)

// Eight points by hand: class 0 has four (three found), class 1 three (two found), one label is neither.
func TestReport(t *testing.T) {
	tally := New([]string{"a", "b"})
	tally.Add([]int{0, 0, 0, 0, 1}, []int{0, 0, 0, 1, 1}, []float64{-3, -2, -1, 2, 2})
	tally.Add([]int{1, 1, -1}, []int{1, 0, 1}, []float64{4, -2, 9})
	if got := tally.Errors(); got != 3 {
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
		t.Errorf("of no points: %+v", r)
	}
	tally.Add([]int{0, 0, 1}, []int{0, 0, 0}, nil)
	r := tally.Report()
	if r.AUC != nil || r.Classes[1].Precision != nil || r.Classes[2].Recall != nil || r.Classes[1].F1 == nil {
		t.Errorf("%+v", r)
	}
	testutil.Near(t, "balanced accuracy", *r.BalancedAccuracy, 0.5, 0)
}
