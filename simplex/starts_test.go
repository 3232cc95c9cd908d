package simplex

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/status"
)

// kernelProgram is the first program of SSVC-B, in its dual statement, for n random samples: max Σ yᵢaᵢ for aᵢ between
// 0 and yᵢ·c, |Ka| ≤ 1, Σ aᵢ = 0.
func kernelProgram(n int, c float64, seed uint64) LP {
	rnd := rand.New(rand.NewPCG(seed, 1))
	x := make([][3]float64, n)
	lp := LP{C: make([]float64, n), Lo: make([]float64, n), Up: make([]float64, n), RowLo: make([]float64, n+1), RowUp: make([]float64, n+1)}
	for i := range x {
		x[i] = [3]float64{rnd.NormFloat64(), rnd.NormFloat64(), rnd.NormFloat64()}
		if lp.C[i], lp.Up[i] = -1, c; x[i][0]+0.1*rnd.NormFloat64() < 0 {
			lp.C[i], lp.Lo[i], lp.Up[i] = 1, -c, 0
		}
	}
	a := make([]float64, (n+1)*n)
	for i := range n {
		lp.RowLo[i], lp.RowUp[i] = -1, 1
		for j := range n {
			var d float64
			for k := range 3 {
				d += (x[i][k] - x[j][k]) * (x[i][k] - x[j][k])
			}
			a[i*n+j], a[n*n+j] = math.Exp(-1.5*d), 1
		}
	}
	lp.A = NewDense(n+1, n, a)
	return lp
}

// TestStarts solves programs whose optimum is near to the corner of the boxes, or to 0: the same optimum as by the dual
// method alone, in as many pivots where it stays, and in fewer where 0 is nearer.
func TestStarts(t *testing.T) {
	var fewer [2]int
	for _, c := range []float64{0.01, 1, 1e3, 1e6} {
		for seed := range uint64(3) {
			lp := kernelProgram(240, c, seed)
			var objective [2]float64
			var pivots [2]int
			for k, method := range []Method{Method(0), Dual} {
				s, err := New(lp, Options{Method: method})
				if err != nil {
					t.Fatal(err)
				}
				r := s.Solve(context.Background())
				if err = Check(lp, r); err != nil || r.Status != status.Optimal {
					t.Fatalf("c = %v: %v, %v", c, r.Status, err)
				}
				objective[k], pivots[k] = r.Objective, r.Iterations
			}
			if !(math.Abs(objective[0]-objective[1]) <= 1e-9*(1+math.Abs(objective[1]))) {
				t.Errorf("c = %v: optimum %v, by the dual method %v", c, objective[0], objective[1])
			}
			if c <= 1 && pivots[0] != pivots[1] {
				t.Errorf("c = %v: %d pivots, by the dual method %d", c, pivots[0], pivots[1])
			}
			if c > 1 {
				fewer[0] += pivots[0]
				fewer[1] += pivots[1]
			}
		}
	}
	if fewer[0] >= fewer[1] {
		t.Errorf("%d pivots, by the dual method %d", fewer[0], fewer[1])
	}
}
