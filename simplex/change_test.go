package simplex

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// changing is a program and a solver of it, both of which change.
type changing struct {
	*rowsOf
	s   *Solver
	rng *rand.Rand
}

// pair draws new bounds near those of another pair, some of them equal or infinite.
func (c *changing) pair(lo, up float64) (float64, float64) {
	value := c.rng.NormFloat64()
	if !math.IsInf(lo, 0) {
		value += lo
	} else if !math.IsInf(up, 0) {
		value += up
	}
	switch c.rng.IntN(8) {
	case 0:
		return -inf, value
	case 1:
		return value, inf
	case 2:
		return value, value
	}
	return value, value + 3*c.rng.Float64()
}

// change makes a change of some kind.
func (c *changing) change(kind int) error {
	i, j := c.rng.IntN(len(c.a)), c.rng.IntN(len(c.c))
	switch kind {
	case 0:
		c.c[j] = c.rng.NormFloat64()
		return c.s.SetCostAt(j, c.c[j])
	case 1:
		c.lo[j], c.up[j] = c.pair(c.lo[j], c.up[j])
		return c.s.SetColBoundsAt(j, c.lo[j], c.up[j])
	case 2:
		c.rowLo[i], c.rowUp[i] = c.pair(c.rowLo[i], c.rowUp[i])
		return c.s.SetRowBoundsAt(i, c.rowLo[i], c.rowUp[i])
	case 3:
		c.a[i][j] += c.rng.NormFloat64() * float64(c.rng.IntN(3))
		return c.s.SetEntry(i, j, c.a[i][j])
	case 4:
		for i := range c.rowLo {
			c.rowLo[i], c.rowUp[i] = c.pair(c.rowLo[i], c.rowUp[i])
		}
		return c.s.SetRowBounds(c.rowLo, c.rowUp)
	case 5:
		for j := range c.c {
			c.c[j] += c.rng.NormFloat64()
		}
		return c.s.SetCost(c.c)
	case 6:
		b := c.s.Basis(Basis{})
		b.Cols[j], b.Rows[i] = b.Rows[i], b.Cols[j]
		return c.s.SetBasis(b)
	}
	return c.s.SetColBounds(c.lo, c.up)
}

// TestChanges solves after sequences of changes of all kinds, and compares each result with that of a new solver.
func TestChanges(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		left, gaveUp, solves := 0, 0, 0
		for k := range smallSweep() / 20 {
			rng := rand.New(rand.NewPCG(uint64(k), 78))
			c := &changing{rowsOf: anySmall(rng), rng: rng}
			var err error
			if c.s, err = New(c.lp(k%2 == 0), Options{NoScaling: k%3 == 0}); err != nil {
				t.Fatal(err)
			}
			var r Result
			for step := range 20 {
				c.s.SolveInto(context.Background(), &r)
				if solves++; step > 0 && !c.s.small.current {
					left++
				}
				if r.Status == status.Numerical && !c.s.small.current {
					gaveUp++ // the other methods did
				} else {
					agree(t, fmt.Sprintf("program %d, step %d", k, step), c.lp(true), &r)
				}
				if step%7 == 3 && c.s.ranged {
					if _, err := c.s.Ranging(context.Background()); err != nil {
						t.Fatal(err)
					}
				}
				for range 1 + rng.IntN(2) {
					if err := c.change(rng.IntN(8)); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		if left > solves/10 || gaveUp > solves/10000 {
			t.Errorf("%d of %d solves left to the other methods, which gave up %d", left, solves, gaveUp)
		}
	})
}

// TestChangesRefused: mistakes change nothing.
func TestChangesRefused(t *testing.T) {
	lp := LP{C: []float64{1, 2}, A: NewDense(1, 2, []float64{1, 1}), RowUp: []float64{3}}
	s, err := New(lp, Options{})
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	for name, refused := range map[string]error{
		"cost":          s.SetCostAt(0, nan),
		"cost's column": s.SetCostAt(2, 1),
		"bounds":        s.SetColBoundsAt(1, inf, 1),
		"column":        s.SetColBoundsAt(-1, 0, 1),
		"row bounds":    s.SetRowBoundsAt(0, nan, 1),
		"row":           s.SetRowBoundsAt(1, 0, 1),
		"entry":         s.SetEntry(0, 0, inf),
		"entry's row":   s.SetEntry(1, 0, 1),
		"entry's place": s.SetEntry(0, 2, 1),
	} {
		if !errors.Is(refused, ErrInvalid) {
			t.Errorf("%s: %v", name, refused)
		}
	}
	if r := s.Solve(context.Background()); r.Status != status.Optimal || r.Objective != 0 {
		t.Errorf("%v, objective %v", r.Status, r.Objective)
	}
	if err = s.SetEntry(0, 1, 4); err != nil {
		t.Fatal(err)
	}
	if a := lp.A.(*Dense).Data; a[1] != 1 {
		t.Errorf("the caller's entry is %v", a[1])
	}
	if err = s.AddRows([]float64{1}, nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("rows after a change of entries: %v", err)
	}
	p, err := New(LP{A: &reads{Dense: lp.A.(*Dense)}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.SetEntry(0, 0, 1); !errors.Is(err, ErrInvalid) {
		t.Errorf("an entry of a matrix of its own type: %v", err)
	}
}

// TestEntriesOfLargePrograms changes entries of dense, sparse and joined matrices of programs without a tableau.
func TestEntriesOfLargePrograms(t *testing.T) {
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 79))
		p, _ := planted(rng, 70, 40, []float64{1, 0.1}[seed%2], false)
		lp := p.lp(seed%3 == 0)
		if seed%4 == 3 {
			lp.A = Blocks{lp.A, &Sparse{Rows: 70, Start: []int{0}}}
		}
		s, err := New(lp, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			r := s.Solve(context.Background())
			agree(t, fmt.Sprintf("program %d", seed), p.lp(true), r)
			i, j := rng.IntN(70), rng.IntN(40)
			p.a[i][j] = rng.NormFloat64()
			if err := s.SetEntry(i, j, p.a[i][j]); err != nil {
				t.Fatal(err)
			}
		}
	}
}
