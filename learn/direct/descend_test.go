package direct

import (
	"math"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/centres"
	"github.com/sparsekm/sparsekm/learn"
)

// bumps are n samples on a line under the sign of a sine, from 0 to 6, with a share of wrong labels.
func bumps(n int, wrong float64) *learn.Problem {
	p, rnd := &learn.Problem{N: n, D: 1, Kernel: gram.RBF(6)}, dataset.NewRand(2)
	for i := range n {
		x := 6 * (float64(i) + 0.5) / float64(n)
		y := math.Copysign(1, math.Sin(math.Pi*x))
		if rnd.Float64() < wrong {
			y = -y
		}
		p.X = append(p.X, x)
		p.Y = append(p.Y, y)
	}
	return p
}

// TestDescend: fewer vectors than a level's, from above, are tried and chosen.
func TestDescend(t *testing.T) {
	r, err := Trainer{}.Train(t.Context(), bumps(150, 0.1))
	if err != nil {
		t.Fatal(err)
	}
	var tried []int
	for _, h := range r.Report.Figures.(Figures).HeldOut {
		tried = append(tried, h.SV)
	}
	if k := len(r.Coef); k&(k-1) == 0 || !slices.Contains(tried, k) {
		t.Errorf("%d vectors chosen, want a number between the levels; tried %v", k, tried)
	}
}

// TestPruned: what is dropped are vectors that the others make up for, though its coefficient be large.
func TestPruned(t *testing.T) {
	p := bumps(150, 0)
	q := &centres.Problem{X: p.X, N: p.N, D: 1, Kernel: p.Kernel, Outputs: 1, Target: p.Y,
		Weight: slices.Repeat([]float64{1}, p.N), Loss: centres.SquaredHinge, Norm: 1}
	m := q.NewModel([]float64{0.5, 0.51, 2.5, 40, 4.5})
	m.Coef = []float64{9, -7, 2, 3, 2}
	got := pruned(t.Context(), q, m, 3)
	if want := [][]float64{{0.5, 2.5, 4.5}, {0.51, 2.5, 4.5}}; !slices.Equal(got.Vectors, want[0]) &&
		!slices.Equal(got.Vectors, want[1]) {
		t.Errorf("kept %v, want one of %v", got.Vectors, want)
	}
	if got.K != 3 || len(got.Coef) != 3 {
		t.Errorf("%d vectors, %d coefficients, want 3", got.K, len(got.Coef))
	}
}
