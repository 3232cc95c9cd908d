package learn_test

import (
	"math"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

func TestMahalanobis(t *testing.T) {
	p := &learn.Problem{N: 4, D: 3, X: []float64{0, 7, 1, 2, 7, 1, 0, 7, 3, 9, 9, 9}, Weight: []float64{1, 1, 2, 0}}
	k, err := learn.Mahalanobis(p, 1.5)
	if err != nil {
		t.Fatal(err)
	}
	// Variances with divisor M: 3/4 of (0,2,0,0), none, 1 of (1,1,3,3).
	want := math.Exp(-0.5 * (4/0.75 + 4))
	testutil.Near(t, "kernel value", k.Eval([]float64{0, 5, 1}, []float64{2, 6, 3}), want, 1e-15)
	for _, delta := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := learn.Mahalanobis(p, delta); err == nil {
			t.Errorf("delta %v: no error", delta)
		}
	}
	if _, err := learn.Mahalanobis(&learn.Problem{}, 1); err == nil {
		t.Error("no samples: no error")
	}
}
