package skm

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

var margins = flag.Int("margins", 0, "random problems for the search for the margin; 0 for 6, or 40 in a long run")

// drawn is a random problem: Gaussian classes, a ring, or a chessboard, of 1 to 12 features, with labels that err.
func drawn(seed uint64) (p *learn.Problem, c float64) {
	rng := rand.New(rand.NewPCG(seed, 33))
	n, d := 20+rng.IntN(60), 1+rng.IntN(4)
	if rng.IntN(3) == 0 {
		d = 5 + rng.IntN(8)
	}
	kind, wrong, apart := rng.IntN(3), 0.15*rng.Float64(), 0.3+2*rng.Float64()
	p = &learn.Problem{N: n, D: d, Resources: learn.Resources{Threads: 1}}
	for i := range n {
		x, y := make([]float64, d), 1.0
		for j := range x {
			x[j] = rng.NormFloat64()
		}
		switch kind {
		case 0:
			y = float64(1 - 2*(i%2))
			x[0] += y * apart
		case 1:
			if x[0]*x[0]+x[d-1]*x[d-1] < 1.2 {
				y = -1
			}
		case 2:
			if x[0]*x[d-1] < 0 || d == 1 && x[0] < 0 {
				y = -1
			}
		}
		if rng.Float64() < wrong {
			y = -y
		}
		p.X = append(p.X, x...)
		p.Y = append(p.Y, y)
	}
	p.Y[0], p.Y[1] = 1, -1
	p.Kernel = gram.RBFSigma(math.Exp(rng.Float64()*2-1) * math.Sqrt(float64(d)))
	if rng.IntN(5) == 0 {
		p.Kernel = gram.Linear()
	}
	return p, math.Pow(10, -2.5+3*rng.Float64())
}

// TestMargins holds the search against 24 fixed margins, each as margin trains it, and against the paper's golden
// section (Press et al., 1992, section 10.1) on (0, 1], down to a bracket of 1e-3.
func TestMargins(t *testing.T) {
	count := 40
	if testing.Short() {
		count = 6
	}
	if *margins > 0 {
		count = *margins
	}
	for seed := range uint64(count) {
		p, c := drawn(seed)
		at := func(delta float64) float64 {
			r, err := Trainer{C: c, Delta: delta}.Train(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			return r.Report.Figures.(Figures).F0
		}
		r, err := Trainer{C: c}.Train(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		got := r.Report.Figures.(Figures)
		above := func(what string, delta, f0 float64) {
			if !(got.F0 <= f0+1e-6*math.Abs(f0)) {
				t.Errorf("problem %d, C = %.3g: f0 %.9g at %.5g, %s has %.9g at %.5g", seed, c, got.F0, got.Delta, what, f0,
					delta)
			}
		}
		for k := range 24 {
			delta := math.Pow(1e-3, float64(k)/23)
			above("a fixed margin", delta, at(delta))
		}
		r1, lo, hi := (math.Sqrt(5)-1)/2, 0.0, 1.0
		x, y := hi-r1*(hi-lo), lo+r1*(hi-lo)
		fx, fy := at(x), at(y)
		for hi-lo > 1e-3 {
			above("golden section", x, fx)
			above("golden section", y, fy)
			if fy < fx {
				lo, x, fx = x, y, fy
				y = lo + r1*(hi-lo)
				fy = at(y)
			} else {
				hi, y, fy = y, x, fx
				x = hi - r1*(hi-lo)
				fx = at(x)
			}
		}
		if testing.Verbose() {
			fmt.Println(seed, p.N, p.D, c, got.F0, got.Delta, len(got.Deltas))
		}
	}
}

// TestPolish: no step of the paper's golden section on (0, 1], 40 of them, is below the search by more than 1e-4 of f0.
func TestPolish(t *testing.T) {
	count := 100
	if testing.Short() {
		count = 12
	}
	for seed := range uint64(max(count, *margins)) {
		p, c := drawn(seed)
		at := func(delta float64) (float64, bool) {
			r, err := Trainer{C: c, Delta: delta}.Train(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			return r.Report.Figures.(Figures).F0, true
		}
		f0, _ := at(0)
		golden(func(delta float64) (float64, bool) {
			f, ok := at(delta)
			if f0 > f+1e-4*math.Abs(f) {
				t.Errorf("problem %d, C = %.3g: f0 %.9g, golden section has %.9g at %.5g", seed, c, f0, f, delta)
			}
			return f, ok
		}, 0, 1, math.Pow(invPhi, 38.5)) // two steps, and one for each shrinking
	}
}
