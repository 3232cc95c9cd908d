package lssvm_test

import (
	"math"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/lssvm"
)

func TestMahalanobis(t *testing.T) {
	p := &learn.Problem{N: 4, D: 3, X: []float64{0, 7, 1, 2, 7, 1, 0, 7, 3, 9, 9, 9}, Weight: []float64{1, 1, 2, 0}}
	k, err := lssvm.Mahalanobis(p, 1.5)
	if err != nil {
		t.Fatal(err)
	}
	// Variances with divisor M: 3/4 of (0,2,0,0), none, 1 of (1,1,3,3).
	want := math.Exp(-0.5 * (4/0.75 + 4))
	if got := k.Eval([]float64{0, 5, 1}, []float64{2, 6, 3}); !close(got, want, 1e-15) {
		t.Errorf("%v, want %v", got, want)
	}
	if _, err := lssvm.Mahalanobis(p, 0); err == nil {
		t.Error("delta 0: no error")
	}
	if _, err := lssvm.Mahalanobis(&learn.Problem{}, 1); err == nil {
		t.Error("no points: no error")
	}
}

func TestPerInput(t *testing.T) {
	if k := lssvm.PerInput(gram.RBF(10), 4); k.Gamma != 2.5 {
		t.Errorf("gamma %v, want 2.5", k.Gamma)
	}
}
