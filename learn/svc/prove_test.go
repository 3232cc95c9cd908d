package svc

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
)

// noisy is a problem of n samples of two overlapping classes.
func noisy(rng *rand.Rand, n int, k gram.Kernel) *learn.Problem {
	const d = 3
	p := &learn.Problem{N: n, D: d, X: make([]float64, n*d), Y: make([]float64, n), Kernel: k}
	for i := range n {
		p.Y[i] = float64(1 - i%2*2)
		for f := range d {
			p.X[i*d+f] = rng.NormFloat64() + 0.5*p.Y[i]
		}
	}
	return p
}

// TestProved: the proved gap is near the computed one where that is well above rounding, no matter in which precision
// the solver worked, and is absent where nobody asked.
func TestProved(t *testing.T) {
	asked := learn.WithProof(t.Context())
	rng := rand.New(rand.NewPCG(41, 42))
	for _, k := range []gram.Kernel{gram.RBF(0.5), gram.Linear(), gram.Poly(2, 0.1, 1)} {
		for _, tolerance := range []float64{1e-2, 1e-4, 1e-9} {
			p := noisy(rng, 90, k)
			target := *p
			target.Task, target.Y = learn.Regress, make([]float64, p.N)
			for i := range target.Y {
				target.Y[i] = p.X[3*i] + 0.1*rng.NormFloat64()
			}
			single := *p
			single.Task, single.Y = learn.OneClass, nil
			for _, c := range []struct {
				of learn.Trainer
				p  *learn.Problem
			}{
				{Trainer{C: 3, Tolerance: tolerance}, p}, {SVR{C: 3, Tolerance: tolerance}, &target},
				{OneClass{Nu: 0.3, Tolerance: tolerance}, &single}, {NuSVC{Nu: 0.8, Tolerance: tolerance}, p},
				{NuSVR{C: 3, Nu: 0.4, Tolerance: tolerance}, &target},
			} {
				r, err := c.of.Train(asked, c.p)
				if err != nil {
					t.Fatal(err)
				}
				d := r.Report.Duality
				if d.Proved == nil {
					t.Fatalf("%s: not proved: %s", c.of.Name(), r.Report.Message)
				}
				testutil.Near(t, c.of.Name()+", proved gap", d.Proved.Gap, d.Gap, 1e-3*d.Gap+1e-6)
				testutil.Near(t, c.of.Name()+", shift", d.Proved.Shift, 0, 1e-9)
				if r, err = c.of.Train(t.Context(), c.p); err != nil || r.Report.Duality.Proved != nil {
					t.Errorf("%s: proved unasked, %v", c.of.Name(), err)
				}
			}
		}
	}
}

// TestNotProved: where the memory is not enough the message says so.
func TestNotProved(t *testing.T) {
	asked := learn.WithProof(t.Context())
	p := noisy(rand.New(rand.NewPCG(43, 44)), 400, gram.RBF(0.5))
	p.Memory = minMemory[float64](p.N, p.D, 1) + smo.Bytes(p.N, 4) - smo.Bytes(p.N, 0)
	r, err := Trainer{C: 1}.Train(asked, p)
	if err != nil || r.Report.Duality.Proved != nil || !strings.Contains(r.Report.Message, "not proved: svc: ") {
		t.Errorf("without memory: %v, %q", err, r.Report.Message)
	}
}

// TestExactRows: the rows that a bound reads are symmetric to the last bit, whole or cached.
func TestExactRows(t *testing.T) { testutil.EachLevel(t, exactRows) }

func exactRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(45, 46))
	for _, n := range []int{70, smo.WholeSet + 80} {
		for _, kernel := range []gram.Kernel{gram.RBF(0.5), gram.Linear(), gram.Poly(3, 0.1, 1), gram.Laplacian(0.5)} {
			p := noisy(rng, n, kernel)
			k, _, end, err := kernelMatrix[float64](context.Background(), p, p.Present(), 1<<26, math.Inf(1))
			if err != nil {
				t.Fatal(err)
			}
			rows := make([]float64, n*n)
			for i := range n {
				if err := k.AddRows(context.Background(), rows[i*n:(i+1)*n], []int{i}, []float64{1}); err != nil {
					t.Fatal(err)
				}
			}
			end()
			for i := range n {
				for j := range i {
					if a, b := rows[i*n+j], rows[j*n+i]; math.Float64bits(a) != math.Float64bits(b) {
						t.Fatalf("%v, n = %d: k(%d, %d) is %v and %v", kernel, n, i, j, a, b)
					}
				}
			}
		}
	}
}
