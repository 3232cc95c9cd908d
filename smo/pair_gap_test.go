package smo

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// wide is the dual of a C-SVM over random samples with a narrow kernel and a large C: the violation is soon small, the
// gap is not.
func wide(n int, c float64) *Pair {
	rng := rand.New(rand.NewPCG(7, 7))
	x, k := make([]float64, 2*n), make([]float64, n*n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	p := &Pair{P: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n)}
	for i := range n {
		for j := range n {
			k[i*n+j] = math.Exp(-4 * (math.Pow(x[2*i]-x[2*j], 2) + math.Pow(x[2*i+1]-x[2*j+1], 2)))
		}
		if p.P[i] = 1; i%2 == 0 {
			p.P[i] = -1
		}
		p.Lo[i], p.Hi[i] = min(0, -p.P[i]*c), max(0, -p.P[i]*c)
	}
	p.K = newDense(n, k)
	return p
}

// gapOf recomputes primal and dual objective of C-SVC from the matrix alone.
func gapOf(p *Pair, r *Result) float64 {
	n := len(r.A)
	row := make([]float64, n)
	p.K.Select(rangeTo(n))
	var square, loss, linear float64
	for i := range n {
		p.K.SubRow(row, i)
		g := p.P[i] - r.Rho
		for j, v := range row {
			g += v * r.A[j]
		}
		square += r.A[i] * (g - p.P[i] + r.Rho)
		linear += p.P[i] * r.A[i]
		loss += max(-p.Lo[i]*g, -p.Hi[i]*g)
	}
	return (square + loss + linear) / math.Abs(square/2+loss)
}

func rangeTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// A gap that is asked for is reached by going on from where the violation was small enough; what was reached by the
// rule alone stays the same.
func TestPairGap(t *testing.T) {
	for _, c := range []float64{1, 1e3, 1e6} {
		p := wide(200, c)
		rule := Solve(t.Context(), p, Options{})
		r := Solve(t.Context(), p, Options{Gap: 1e-4})
		if found := gapOf(p, r); r.Status != status.Optimal || !(found <= 1.01e-4) || !(r.KKT <= 1e-3) {
			t.Errorf("C = %v: %v with a gap of %.2g, violation %.2g", c, r.Status, found, r.KKT)
		}
		if found := gapOf(p, rule); found <= 1e-4 && r.Iterations != rule.Iterations ||
			found > 1e-4 && r.Iterations <= rule.Iterations {
			t.Errorf("C = %v: gap %.2g by the rule, and %d steps after %d", c, found, r.Iterations, rule.Iterations)
		}
		if r.Iterations > (1+pairEffort)*rule.Iterations+minPairEffort {
			t.Errorf("C = %v: %d steps after %d", c, r.Iterations, rule.Iterations)
		}
	}
}

// Where rounding ends a gap above what is asked for, the status says that only the violation is small; SmallGap is
// enough in any case.
func TestPairGapOpen(t *testing.T) {
	p := wide(50, 1e6)
	r := Solve(t.Context(), p, Options{Gap: 1e-300})
	if found := gapOf(p, r); r.Status != status.GapOpen || !(r.KKT <= 1e-3) || !(found <= 1e-6) {
		t.Errorf("%v with a gap of %.2g, violation %.2g; want the best one", r.Status, found, r.KKT)
	}
	p.SmallGap = math.MaxFloat64
	if r = Solve(t.Context(), p, Options{Gap: 1e-300}); r.Status != status.Optimal {
		t.Errorf("%v although any gap is small enough", r.Status)
	}
}

// A limit that comes while the gap is still too large returns an iterate within the tolerance.
func TestPairGapStopped(t *testing.T) {
	p := wide(200, 1e6)
	rule := Solve(t.Context(), p, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	r := Solve(ctx, p, Options{Gap: 1e-9, Progress: func(steps int, _ float64) {
		if steps > rule.Iterations {
			cancel()
		}
	}})
	if r.Status != status.Cancelled && r.Status != status.Optimal || !(r.KKT <= 1e-3) {
		t.Errorf("%v, violation %.2g", r.Status, r.KKT)
	}
	if r = Solve(t.Context(), p, Options{Gap: 1e-9, MaxIter: rule.Iterations + 1}); r.Status != status.GapOpen ||
		!(r.KKT <= 1e-3) {
		t.Errorf("%v, violation %.2g", r.Status, r.KKT)
	}
	feasible(t, p, r)
}

// A start from which a margin closes the gap without a step is optimal.
func TestPairMarginAtOnce(t *testing.T) {
	p := wide(200, 3e6)
	p.Start = Solve(t.Context(), p, Options{Tolerance: 1e-9}).A
	h, moved := 1.4e-4, 0 // from one free variable to another
	for i, a := range p.Start {
		if a > p.Lo[i] && a < p.Hi[i] && moved < 2 {
			p.Start[i], h, moved = a+h, -h, moved+1
		}
	}
	rule := Solve(t.Context(), p, Options{})
	r := Solve(t.Context(), p, Options{Gap: 1e-3})
	if found := gapOf(p, rule); found <= 1e-3 || rule.Iterations > 0 {
		t.Fatalf("a gap of %v after %d steps", found, rule.Iterations)
	}
	if found := gapOf(p, r); r.Status != status.Optimal || !(found <= 1.01e-3) || r.Iterations > 0 {
		t.Errorf("%v with a gap of %.2g after %d steps", r.Status, found, r.Iterations)
	}
	feasible(t, p, r)
}

// The gradient after a long solve is Ka + p within Rounding.
func TestRounding(t *testing.T) {
	for _, c := range []float64{1, 1e3, 1e6} {
		p := wide(150, c)
		r := Solve(context.Background(), p, Options{Tolerance: 1e-9, Gap: 1e-9})
		bound, worst := p.Rounding(r), 0.0
		row := make([]float64, len(r.A))
		p.K.Select(rangeTo(len(r.A)))
		for i, g := range r.G {
			p.K.SubRow(row, i)
			exact := new(big.Float).SetPrec(300).SetFloat64(p.P[i])
			for j, v := range row {
				term := new(big.Float).SetPrec(300).SetFloat64(v)
				exact.Add(exact, term.Mul(term, big.NewFloat(r.A[j])))
			}
			off, _ := exact.Sub(exact, big.NewFloat(g)).Float64()
			worst = max(worst, math.Abs(off))
		}
		if !(worst <= bound) || r.Added < r.Rounds || !(r.Moved > 0) {
			t.Errorf("C = %g: the gradient is off by %.3g, the bound is %.3g; %d rows, moved by %v", c, worst, bound,
				r.Added, r.Moved)
		}
	}
}

// A margin costs next to nothing: few steps more than the rule alone, and a millionth of the objective.
func TestPairMargin(t *testing.T) {
	for _, c := range []float64{20, 1e3, 1e6} {
		p := wide(200, c)
		rule, exact := Solve(t.Context(), p, Options{}), Solve(t.Context(), p, Options{Tolerance: 1e-9, Gap: 1e-9})
		r := Solve(t.Context(), p, Options{Gap: 1e-3})
		if found := gapOf(p, r); r.Status != status.Optimal || !(found <= 1.01e-3) || !(r.KKT <= 1e-3) {
			t.Errorf("C = %v: %v with a gap of %.2g, violation %.2g", c, r.Status, found, r.KKT)
		}
		testutil.NearRel(t, "objective", r.Objective, exact.Objective, 1e-6)
		if gapOf(p, rule) > 1e-3 && r.Iterations > rule.Iterations*3/2 {
			t.Errorf("C = %v: %d steps after %d by the rule", c, r.Iterations, rule.Iterations)
		}
	}
}

// A regression keeps its kinks: a margin wider than half of the tube would make the program concave at 0.
func TestPairMarginOfTubes(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, epsilon := range []float64{0, 1e-4, 1e-3, 0.1} {
		for _, c := range []float64{1e3, 1e5, 1e7} {
			owner := wide(30, c)
			n := len(owner.P)
			p := &Pair{K: Twice(owner.K), P: make([]float64, 2*n), Lo: make([]float64, 2*n), Hi: make([]float64, 2*n)}
			for i := range n {
				y := rng.NormFloat64()
				p.P[i], p.P[n+i] = epsilon-y, -epsilon-y
				p.Hi[i], p.Lo[n+i] = c, -c
			}
			r := Solve(t.Context(), p, Options{Gap: 1e-3})
			if found := gapOf(p, r); r.Status != status.Optimal || !(found <= 1.01e-3) || !(r.KKT <= 1e-3) {
				t.Errorf("ε = %v, C = %v: %v with a gap of %.2g, violation %.2g", epsilon, c, r.Status, found, r.KKT)
			}
			feasible(t, p, r)
		}
	}
}
