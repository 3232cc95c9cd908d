package kernellp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// approaching makes a solver over candidates whose programs are approached by interior points as soon as they can be.
// Most margins of its models stand for several.
func approaching(t *testing.T, n, k int, seed uint64, opt Options) (*Solver, []float64) {
	t.Helper()
	c, problem := few(t, n, k, seed+1, 2)
	rng := rand.New(rand.NewPCG(seed, 7))
	hinge := fill(n, math.Pow(10, float64(seed%3)-1))
	hinge[c.Columns()[0]] = 0 // a vector without a margin
	hinge[rng.IntN(n)] *= 3
	opt.SiftFrom, opt.InteriorFrom = 1, 1
	return New(c, problem.Y, hinge, Shape{}, opt), hinge
}

// candidatesAt are costs for the solver's candidates.
func candidatesAt(s *Solver, price func() float64) Costs {
	p := Costs{Margin: 1, Coef: fill(len(s.y), math.Inf(1)), Bias: 1}
	for _, j := range s.k.Columns() {
		p.Coef[j] = price()
	}
	return p
}

// TestApproach holds programs that are approached by interior points, warm over changing costs, against cold solves of
// whole programs: with a bias, without one and with one that costs nothing, and coefficients that may not be.
func TestApproach(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		n, k := 300+200*int(seed%4), 20+15*int(seed%3)
		s, hinge := approaching(t, n, k, seed, Options{Batch: 5})
		rng := rand.New(rand.NewPCG(seed, 9))
		for round := range 6 {
			p := candidatesAt(s, func() float64 {
				if round > 2 && rng.IntN(3) == 0 {
					return math.Inf(1)
				}
				return math.Exp(float64(min(round, 1)) * rng.NormFloat64())
			})
			p.Bias = []float64{1, 0, math.Inf(1)}[(int(seed)+round)%3]
			if round == 4 {
				for i := range hinge {
					hinge[i] *= 2
				}
				if err := s.SetCap(hinge); err != nil {
					t.Fatal(err)
				}
			}
			compare(t, fmt.Sprintf("seed %d round %d", seed, round), s, p)
		}
		if s.sift == nil || s.sift.approached == 0 {
			t.Errorf("seed %d: nothing was approached", seed)
		}
	}
}

// lapsing ends after it has been asked so often.
type lapsing struct {
	context.Context
	left atomic.Int64
}

func (c *lapsing) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestApproachStops: stopped anywhere the model is the best so far and the bound below the optimum, and another solve
// goes on from there; without room for models programs are solved as before.
func TestApproachStops(t *testing.T) {
	const n, k, seed = 600, 40, 1
	whole, _ := approaching(t, n, k, seed, Options{Threads: 1})
	p := candidatesAt(whole, func() float64 { return 0.3 })
	want, err := whole.Solve(context.Background(), p)
	if err != nil || whole.sift.approached == 0 {
		t.Fatal(err, whole.sift.approached)
	}
	best, stopped := want.Objective, 0
	slower := 8
	if testing.Short() {
		slower = 5
	}
	for left := 0; ; left += 1 + left/slower {
		s, _ := approaching(t, n, k, seed, Options{Threads: 1})
		ctx := &lapsing{Context: context.Background()}
		ctx.left.Store(int64(left))
		sol, err := s.Solve(ctx, p)
		if err != nil {
			t.Fatalf("after %d looks: %v", left, err)
		}
		if sol.Status == status.Optimal {
			break
		}
		if sol.Status != status.Cancelled || !(sol.Objective >= best*(1-1e-9)) || !(sol.Dual <= best*(1+1e-9)) {
			t.Fatalf("after %d looks: %v, objective %v, dual %v of %v", left, sol.Status, sol.Objective, sol.Dual, best)
		}
		if s.sift != nil && s.sift.approached > 0 {
			stopped++
		}
		compare(t, fmt.Sprintf("gone on after %d looks", left), s, p)
	}
	if stopped < 5 {
		t.Errorf("stopped %d times after the approach had begun", stopped)
	}
	for solves := 1; solves < want.Solves; solves++ {
		s, _ := approaching(t, n, k, seed, Options{MaxSolves: solves})
		sol, err := s.Solve(context.Background(), p)
		if err != nil || sol.Solves > solves || !(sol.Objective >= best*(1-1e-9)) || !(sol.Dual <= best*(1+1e-9)) {
			t.Errorf("%d programs of %d: %v, %v to %v of %v", sol.Solves, solves, err, sol.Dual, sol.Objective, best)
		}
	}
	r := learn.Resources{Memory: 400_000}
	poor, _ := approaching(t, n, k, seed, Options{Budget: r.Budget("test", n, 2)})
	compare(t, "little memory", poor, p)
	if poor.sift.approached != 0 {
		t.Error("a model without room")
	}
}

// TestCross: from the first program's model the approach alone comes to the optimum, and the basis that is read there
// needs hardly a pivot.
func TestCross(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(8) {
		best, _ := approaching(t, 900, 50, seed, Options{})
		p := candidatesAt(best, func() float64 { return 1 })
		want, err := best.Solve(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		s, _ := approaching(t, 900, 50, seed, Options{MaxSolves: 1})
		if _, err := s.Solve(ctx, p); err != nil {
			t.Fatal(err)
		}
		s.opt.MaxSolves = maxApproaches
		f := s.sift
		if err := f.approach(ctx, p, &Solution{}); err != nil {
			t.Fatal(err)
		}
		testutil.NearRel(t, "objective of the approach", f.objective(&f.centre, p), want.Objective, 1e-6)
		if err := f.load(ctx, p); err != nil {
			t.Fatal(err)
		}
		if pivots := f.sifted.Solve(ctx).Iterations; pivots > 3 {
			t.Errorf("seed %d: %d pivots for %d rows", seed, pivots, len(s.working))
		}
	}
}
