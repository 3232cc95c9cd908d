package simplex

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm/status"
)

// copyOfResult returns a result with memory of its own.
func copyOfResult(r *Result) *Result {
	c := *r
	for _, v := range []*[]float64{&c.X, &c.Activity, &c.Y, &c.ReducedCosts, &c.Farkas, &c.Ray} {
		*v = append([]float64(nil), *v...)
	}
	c.Basis = Basis{slices.Clone(r.Basis.Cols), slices.Clone(r.Basis.Rows)}
	return &c
}

// pooled is a pool of a program and how its i-th program differs.
type pooled struct {
	*Pool
	lp     LP
	change func(i int, s *Solver) error
	apply  func(i int, lp *LP) // the same
}

// newPooled draws a program; it is large enough for the other methods if m is above smallRows.
func newPooled(t *testing.T, m, n int, dense bool) *pooled {
	t.Helper()
	p, _ := planted(rand.New(rand.NewPCG(uint64(m), 80)), m, n, 0.5, false)
	pool, err := NewPool(context.Background(), p.lp(dense), Options{})
	if err != nil {
		t.Fatal(err)
	}
	cost := func(i int) float64 { return p.c[i%n] + float64(i%5) - 2 }
	rows := func(i int) (lo, up float64) { return p.rowLo[i%m] - float64(i%3), p.rowUp[i%m] + float64(i%2) }
	return &pooled{Pool: pool, lp: p.lp(true), change: func(i int, s *Solver) error {
		lo, up := rows(i)
		err := errors.Join(s.SetCostAt(i%n, cost(i)), s.SetRowBoundsAt(i%m, lo, up), s.SetColBoundsAt(i*7%n, 0, 2))
		if i%4 == 0 {
			err = errors.Join(err, s.SetEntry(i%m, i*3%n, float64(i)))
		}
		return err
	}, apply: func(i int, lp *LP) {
		lp.C[i%n] = cost(i)
		lp.RowLo[i%m], lp.RowUp[i%m] = rows(i)
		lp.Lo[i*7%n], lp.Up[i*7%n] = 0, 2
		if i%4 == 0 {
			lp.A.(*Dense).Row(i % m)[i*3%n] = float64(i)
		}
	}}
}

// of returns program i.
func (p *pooled) of(i int) LP {
	a := *p.lp.A.(*Dense)
	a.Data = slices.Clone(a.Data)
	lp := LP{C: slices.Clone(p.lp.C), Lo: slices.Clone(p.lp.Lo), Up: slices.Clone(p.lp.Up),
		RowLo: slices.Clone(p.lp.RowLo), RowUp: slices.Clone(p.lp.RowUp), A: &a}
	p.apply(i, &lp)
	return lp
}

// TestPool: the result of a program depends on the program alone, and is that of a new solver. Goroutines share a pool.
func TestPool(t *testing.T) {
	for _, size := range [][2]int{{12, 20}, {80, 30}} {
		for _, dense := range []bool{true, false} {
			t.Run(fmt.Sprint(size, dense), func(t *testing.T) {
				p := newPooled(t, size[0], size[1], dense)
				const count = 48
				one := make([]*Result, count)
				keep := func(i int, r *Result) error { one[i] = copyOfResult(r); return nil }
				if err := p.Each(context.Background(), 1, count, p.change, keep); err != nil {
					t.Fatal(err)
				}
				for i, r := range one {
					agree(t, fmt.Sprintf("program %d", i), p.of(i), r)
				}
				many := make([]*Result, count)
				keep = func(i int, r *Result) error { many[i] = copyOfResult(r); return nil }
				if err := p.Each(context.Background(), 16, count, p.change, keep); err != nil {
					t.Fatal(err)
				}
				var wait sync.WaitGroup
				single := make([]Result, count)
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
				}
			})
		}
	}
}

// TestPoolErrors has refused changes, and changes that a pool does not allow.
func TestPoolErrors(t *testing.T) {
	p := newPooled(t, 12, 20, true)
	bad := errors.New("bad")
	err := p.Each(context.Background(), 3, 40, func(i int, s *Solver) error {
		if i >= 20 {
			return bad
		}
		return nil
	}, func(int, *Result) error { return nil })
	if err != bad {
		t.Errorf("error %v", err)
	}
	if err := p.Each(context.Background(), 0, 0, nil, nil); err != nil {
		t.Errorf("no programs: %v", err)
	}
	var r Result
	beyond := func(s *Solver) error { return s.SetCostAt(99, 0) }
	if err := p.Solve(context.Background(), beyond, &r); !errors.Is(err, ErrInvalid) {
		t.Errorf("a change of a column that does not exist: %v", err)
	}
	grow := func(s *Solver) error {
		return s.AddColumns([]float64{1}, nil, nil, &Sparse{Rows: 12, Start: []int{0, 0}})
	}
	if err := p.Solve(context.Background(), grow, &r); err != nil {
		t.Fatal(err)
	}
	if err := p.Solve(context.Background(), nil, &r); err != nil || r.Status != status.Optimal || len(r.X) != 20 {
		t.Errorf("after a program that has grown: %v, %v, %d columns", err, r.Status, len(r.X))
	}
	ofItsOwn := LP{A: &reads{Dense: NewDense(1, 1, []float64{1})}}
	if _, err := NewPool(context.Background(), ofItsOwn, Options{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a matrix of its own type: %v", err)
	}
	if _, err := NewPool(context.Background(), LP{}, Options{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("no matrix: %v", err)
	}
}
