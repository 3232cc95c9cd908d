package modelselect

import (
	"fmt"
	"math"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestWilcoxon against scipy.stats.wilcoxon(..., method="exact") and, with ties, a count of all signs by hand.
func TestWilcoxon(t *testing.T) {
	for _, row := range []struct {
		diffs []float64
		want  float64
	}{
		{[]float64{1, 2, 3, 4, 5}, 0.0625},               // 2/32
		{[]float64{-1, 2, 3, 4, 5}, 0.125},               // sums 0 and 1 on each side
		{[]float64{-1, -2, 3, 4, 5, 6, 7, 8}, 0.0390625}, // W = 3: 1+1+1+2 of 256, twice
		{[]float64{1, -1}, 1},                            // equal sizes
		{[]float64{0, 0}, 1},                             // no difference
		{[]float64{0, 1, 2, 3, 4, 5}, 0.0625},            // a zero is left out
		{[]float64{1, 1, 1, -1}, 0.625},                  // ranks of 2.5: one or none positive, 5 of 16 on each side
	} {
		testutil.Near(t, fmt.Sprint(row.diffs), wilcoxon(row.diffs), row.want, 1e-15)
	}
}

// TestStudent: 2.5 % beyond 2.776445105 with 4 degrees of freedom on each side, and the Cauchy distribution for 1.
func TestStudent(t *testing.T) {
	testutil.Near(t, "4", studentTails(2.7764451051977987, 4), 0.05, 1e-12)
	testutil.Near(t, "1", studentTails(-1, 1), 0.5, 1e-12)
	testutil.Near(t, "0", studentTails(0, 7), 1, 1e-12)
}

// TestCompare by hand: differences 0.01, 0.03 and 0.02 have the mean 0.02 and the variance 1e-4; with a tenth as many
// test samples as training samples t = 0.02/√((1/3 + 0.1)·1e-4).
func TestCompare(t *testing.T) {
	var runs []*Run
	for s := range 5 {
		for f, base := range []float64{0.1, 0.2, 0.3} {
			a := run(base+float64(s)/100, 50)
			b := run(a.Losses["error"]+[]float64{0.01, 0.03, 0.02}[f], 5)
			a.Setting, b.Setting, b.Status = "svc", "sparse", "iteration limit"
			for _, r := range []*Run{a, b} {
				r.Set, r.Split, r.Trained, r.Tested = fmt.Sprint("set", s), f, 90, 27
				r.Trained, r.Tested = 90, 9
			}
			runs = append(runs, b, a)
		}
	}
	runs[0].Split, runs[2].Split = runs[2].Split, runs[0].Split // their order does not matter
	runs[0].Losses, runs[2].Losses = runs[2].Losses, runs[0].Losses
	c := Compare(runs, Error, "svc")
	if len(c.Sets) != 5 || len(c.Settings) != 2 || c.Settings[0] != "sparse" {
		t.Fatalf("%v %v", c.Sets, c.Settings)
	}
	sparse, svm := c.Cells[0][0], c.Cells[0][1]
	testutil.NearAll(t, "sparse", []float64{sparse.Mean, sparse.Vectors, sparse.Difference}, []float64{0.22, 5, 0.02}, 1e-15)
	testutil.Near(t, "SD", svm.SD, 0.1, 1e-15)
	want := studentTails(0.02/math.Sqrt((1./3+0.1)*1e-4), 2)
	testutil.Near(t, "level", sparse.P, want, 1e-12)
	if sparse.Limited != 3 || svm.Limited != 0 || !math.IsNaN(svm.P) {
		t.Errorf("%+v, %+v", sparse, svm)
	}
	testutil.NearAll(t, "ranks", []float64{c.Ranks[0].Mean, c.Ranks[1].Mean, c.Ranks[0].P}, []float64{2, 1, 0.0625}, 1e-15)
	if few := Compare(runs[:24], Error, ""); few.Ranks != nil || few.Baseline != "svc" {
		t.Errorf("%+v", few)
	}
}
