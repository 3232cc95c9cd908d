package svc

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// TestHeldOut: values of samples that are held out are those of models that were trained without their fold: with
// weights, absent samples, repetitions of both labels, and matrices that are evaluated on demand.
func TestHeldOut(t *testing.T) {
	for _, n := range []int{60, 1300} {
		for _, weighted := range []bool{false, true} {
			x, y := overlapping(n)
			copy(x[20:40], x[:20]) // ten repetitions
			y[10], y[11] = y[0], -y[1]
			p := &learn.Problem{X: x, N: n, D: 2, Y: y, Kernel: gram.RBF(0.7)}
			if weighted {
				for i := range n {
					p.Weight = append(p.Weight, float64(i%4)/2)
				}
			}
			fold := make([]int, n)
			for i := range fold {
				fold[i] = (i/3)%5 - 1
			}
			tr := Trainer{C: 3, Tolerance: 1e-7}
			r, held, err := tr.TrainHeldOut(t.Context(), p, fold)
			if err != nil || held == nil {
				t.Fatalf("n = %d: %v, values %v", n, err, held)
			}
			plain, err := tr.Train(t.Context(), p)
			if err != nil || plain.Report.Objective != r.Report.Objective || plain.Bias != r.Bias {
				t.Errorf("n = %d: another model than without folds: %v", n, err)
			}
			for k := -1; k < 4; k++ {
				for i, want := range separately(t, tr, p, fold, k) {
					if fold[i] == k && p.WeightOf(i) > 0 {
						testutil.Near(t, "value", held[i], want, 1e-5)
					}
				}
			}
		}
	}
}

// separately returns the decision values of all samples by a model that was trained without a fold.
func separately(t *testing.T, tr Trainer, p *learn.Problem, fold []int, k int) []float64 {
	t.Helper()
	q := *p
	q.Weight = make([]float64, p.N)
	for i := range q.Weight {
		if q.Weight[i] = p.WeightOf(i); fold[i] == k && k >= 0 {
			q.Weight[i] = 0
		}
	}
	r, err := tr.Train(t.Context(), &q)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]int, p.N)
	for i := range all {
		all[i] = i
	}
	return p.Decisions(t.Context(), &r.Expansion, all)
}

// overlapping returns samples of two classes that overlap, in two features.
func overlapping(n int) (x, y []float64) {
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range n {
		sign := float64(1 - 2*(i%2))
		x = append(x, sign+rng.NormFloat64(), rng.NormFloat64())
		y = append(y, sign)
	}
	return x, y
}

// TestHeldOutSeparately: a fold with all samples of a class is left to the caller, whose training says what is wrong.
func TestHeldOutSeparately(t *testing.T) {
	p := &learn.Problem{X: []float64{0, 1, 2, 3}, N: 4, D: 1, Y: []float64{1, 1, -1, -1}, Kernel: gram.RBF(1)}
	r, held, err := Trainer{C: 1}.TrainHeldOut(t.Context(), p, []int{0, 0, 1, 1})
	if err != nil || held != nil || r == nil || !(math.Abs(r.Report.Objective) > 0) {
		t.Errorf("values %v, %v", held, err)
	}
}
