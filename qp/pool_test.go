package qp

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// copyOfResult returns a result with memory of its own.
func copyOfResult(r *Result) *Result {
	c := *r
	for _, v := range []*[]float64{&c.X, &c.Activity, &c.Y, &c.BoundDuals, &c.Farkas, &c.Ray} {
		*v = append([]float64(nil), *v...)
	}
	return &c
}

// pooled is a pool of a program, and the costs and bounds of its other programs.
type pooled struct {
	*Pool
	p QP
}

func newPooled(t *testing.T, n, m int, semidefinite bool) *pooled {
	t.Helper()
	p := drawn(rand.New(rand.NewPCG(34, uint64(n+m))), n, m)
	if semidefinite {
		q := p.Q.(*simplex.Dense).Data
		for j := range n {
			q[j], q[j*n] = 0, 0
		}
		p.Lo, p.Up = constant(n, -2), constant(n, 2)
	}
	pool, err := NewPool(context.Background(), p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &pooled{pool, p}
}

// of returns program i; every fifth is infeasible.
func (p *pooled) of(i int) QP {
	rng := rand.New(rand.NewPCG(1, uint64(i)))
	q := p.p
	q.C, q.RowUp, q.RowLo = normal(rng, len(q.C)), slices.Clone(q.RowUp), slices.Clone(q.RowLo)
	q.RowUp[i%len(q.RowUp)] += rng.Float64()
	q.Lo, q.Up = constant(len(q.C), -1), constant(len(q.C), 1+rng.Float64())
	if i%5 == 4 {
		q.RowLo[0], q.RowUp[0] = 1e3, 1e3
	}
	return q
}

func (p *pooled) change(i int, s *Solver) error {
	q := p.of(i)
	return errors.Join(s.SetCost(q.C), s.SetRowBounds(q.RowLo, q.RowUp), s.SetColBounds(q.Lo, q.Up))
}

// TestPool: the result of a program depends on the program alone, has a certificate, and is that of a new solver.
// Goroutines share a pool.
func TestPool(t *testing.T) {
	for _, size := range [][2]int{{12, 20}, {60, 30}} {
		for _, semidefinite := range []bool{false, true} {
			t.Run(fmt.Sprint(size, semidefinite), func(t *testing.T) {
				p := newPooled(t, size[0], size[1], semidefinite)
				const count = 48
				one, many := make([]*Result, count), make([]*Result, count)
				keep := func(to []*Result) func(int, *Result) error {
					return func(i int, r *Result) error { to[i] = copyOfResult(r); return nil }
				}
				err := errors.Join(p.Each(context.Background(), 1, count, p.change, keep(one)),
					p.Each(context.Background(), 16, count, p.change, keep(many)))
				if err != nil {
					t.Fatal(err)
				}
				single := make([]Result, count)
				var wait sync.WaitGroup
				for g := range 16 {
					wait.Go(func() {
						for i := g; i < count; i += 16 {
							change := func(s *Solver) error { return p.change(i, s) }
							if err := p.Solve(context.Background(), change, &single[i]); err != nil {
								t.Error(err)
							}
						}
					})
				}
				wait.Wait()
				for i, r := range one {
					if d := cmp.Diff(r, many[i]) + cmp.Diff(r, copyOfResult(&single[i])); d != "" {
						t.Fatalf("program %d depends on goroutines:\n%s", i, d)
					}
					if err := Check(p.of(i), r); err != nil {
						t.Errorf("program %d: %v", i, err)
					}
					fresh, err := Solve(context.Background(), p.of(i), Options{})
					if err != nil || fresh.Status != r.Status ||
						r.Status == status.Optimal && !testutil.Within(r.Objective, fresh.Objective, 1e-9) {
						t.Errorf("program %d: %v, %v; alone %v, %v (%v)", i, r.Status, r.Objective, fresh.Status,
							fresh.Objective, err)
					}
				}
			})
		}
	}
}

// TestPoolErrors has refused programs and changes.
func TestPoolErrors(t *testing.T) {
	p := newPooled(t, 12, 20, false)
	var r Result
	err := p.Solve(context.Background(), func(s *Solver) error { return s.SetCost(nil) }, &r)
	if !errors.Is(err, ErrInvalid) {
		t.Errorf("no costs: %v", err)
	}
	bad := errors.New("bad")
	err = p.Each(context.Background(), 3, 40, func(int, *Solver) error { return nil }, func(i int, _ *Result) error {
		if i >= 20 {
			return bad
		}
		return nil
	})
	if err != bad {
		t.Errorf("error %v", err)
	}
	if err := p.Solve(context.Background(), nil, &r); err != nil || r.Status != status.Optimal || Check(p.p, &r) != nil {
		t.Errorf("the pool's own program: %v, %v", err, r.Status)
	}
	if _, err := NewPool(context.Background(), QP{Q: simplex.NewDense(1, 1, []float64{-1})}, Options{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("no convex program: %v", err)
	}
}

// TestChecker checks programs of several sizes with one Checker, which finds what Check finds.
func TestChecker(t *testing.T) {
	var c Checker
	rng := rand.New(rand.NewPCG(34, 77))
	for k := range 60 {
		p := drawn(rng, 1+rng.IntN(6), rng.IntN(5))
		switch k % 3 {
		case 1:
			p.Q = nil
			p.Lo, p.Up = constant(len(p.C), -1), constant(len(p.C), 1)
		case 2:
			p.A, p.RowLo, p.RowUp = nil, nil, nil
		}
		r, err := Solve(context.Background(), p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Check(p, r); err != nil {
			t.Errorf("program %d: %v", k, err)
		}
		r.X[0]++
		if err := c.Check(p, r); !errors.Is(err, ErrCertificate) || err.Error() != Check(p, r).Error() {
			t.Errorf("program %d: %v of another x, Check says %v", k, err, Check(p, r))
		}
	}
}
