package ref

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestEffective is the example below Theorem 2.1: uniform α, n = 1000, δ = 0.5.
func TestEffective(t *testing.T) {
	alpha := make([]float64, 1000)
	for i := range alpha {
		alpha[i] = 1e-3
	}
	testutil.Near(t, "e_n", SKMEffective(alpha, 0.5), 198.41, 0.005)
}

// TestPrograms holds the programs against internal/ref/lp, in which free variables,
// bounds and rows of either kind are what they are in the papers.
func TestPrograms(t *testing.T) {
	const n = 5
	inf := math.Inf(1)
	for seed := range uint64(6) {
		p := skmSmall(n, seed)
		// Columns α, ξ, b; rows Y(KYα + b1) + ξ ≥ margin, and 1ᵀα at the end.
		solve := func(price, slack, margin, alphaUp, sum float64) float64 {
			c, lo, up := make([]float64, 2*n+1), make([]float64, 2*n+1), make([]float64, 2*n+1)
			var rows [][]float64
			var rowLo, rowUp []float64
			total := make([]float64, 2*n+1)
			for i := range n {
				c[i], c[n+i], up[i], up[n+i], total[i] = price*float64(i+1), slack*p.Weight[i], alphaUp, inf, 1
				row := make([]float64, 2*n+1)
				for j := range n {
					row[j] = p.Y[i] * p.K[i][j] * p.Y[j]
				}
				row[n+i], row[2*n] = 1, p.Y[i]
				rows = append(rows, row)
				rowLo = append(rowLo, margin)
				rowUp = append(rowUp, inf)
			}
			lo[2*n], up[2*n] = -inf, inf
			if sum > 0 {
				rows = append(rows, total)
				rowLo = append(rowLo, sum)
				rowUp = append(rowUp, sum)
			}
			st, v, _ := LPSolve(c, rows, rowLo, rowUp, lo, up)
			if st != LPOptimal {
				t.Fatalf("seed %d: outcome %v", seed, st)
			}
			return v
		}
		price := []float64{0.1, 0.2, 0.3, 0.4, 0.5}
		testutil.NearRel(t, "simplex", p.simplex(price, 0.3).Value, solve(0.1, 1, 0.3, inf, 1), 1e-13)
		testutil.NearRel(t, "form", p.read(p.form(price, 1, 0.7)).Value, solve(0.1, 0.7, 1, inf, 0), 1e-13)
	}
}

// skmSmall is n noisy samples on a line.
func skmSmall(n int, seed uint64) SKMProblem {
	rng := rand.New(rand.NewPCG(seed, 1))
	var p SKMProblem
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
		p.Y = append(p.Y, float64(2*(i%2)-1))
		p.Weight = append(p.Weight, 0.5+rng.Float64())
	}
	for i := range x {
		row := make([]float64, n)
		for j := range x {
			row[j] = math.Exp(-(x[i] - x[j]) * (x[i] - x[j]))
		}
		p.K = append(p.K, row)
	}
	return p
}

// TestCeilingAndSigns checks what distinguishes L1 and LPSVC from the shared program:
// the optimum with a ceiling is no better, with free signs no worse, and each keeps its bounds.
func TestCeilingAndSigns(t *testing.T) {
	bites, negative := 0, 0
	for seed := range uint64(20) {
		p := skmSmall(9, seed)
		free := p.read(p.form(skmOnes(9), 1, 0.6))
		l1, both := p.L1(0.6), p.LPSVC(0.6)
		if !(l1.Value >= free.Value-1e-12 && both.Value <= free.Value+1e-12) {
			t.Errorf("seed %d: optima %g with a ceiling, %g without, %g with free signs",
				seed, l1.Value, free.Value, both.Value)
		}
		for i, a := range l1.Alpha {
			if !(a >= 0 && a <= 0.6+1e-15) {
				t.Errorf("seed %d: α_%d is %g", seed, i, a)
			}
			if free.Alpha[i] > 0.6 {
				bites++
			}
		}
		for _, c := range []float64{0.6, 20} {
			s := p.LPSVC(c)
			skmCheckValue(t, p, s, c)
			if slices.Min(s.Alpha) < 0 {
				negative++
			}
		}
	}
	if bites == 0 || negative == 0 {
		t.Errorf("the ceiling binds %d times, %d models have a negative coefficient", bites, negative)
	}
}

// skmCheckValue recomputes Σ|α| + C Σ w ξ.
func skmCheckValue(t *testing.T, p SKMProblem, s SKMSolution, c float64) {
	t.Helper()
	var value float64
	for i, a := range s.Alpha {
		f := s.Bias
		for j, b := range s.Alpha {
			f += p.K[i][j] * p.Y[j] * b
		}
		value += math.Abs(a) + c*p.Weight[i]*math.Max(0, 1-p.Y[i]*f)
	}
	testutil.NearRel(t, "value", s.Value, value, 1e-12)
}
