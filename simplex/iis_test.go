package simplex

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// only returns p with no bounds but the given ones, without the i-th of them.
func (p *rowsOf) only(bounds []Bound, i int) *rowsOf {
	m, n := len(p.a), len(p.c)
	q := &rowsOf{c: make([]float64, n), a: p.a, lo: orFill(nil, n, -inf), up: orFill(nil, n, inf),
		rowLo: orFill(nil, m, -inf), rowUp: orFill(nil, m, inf)}
	for k, b := range bounds {
		if k != i {
			source := [4][2][]float64{{q.lo, p.lo}, {q.up, p.up}, {q.rowLo, p.rowLo}, {q.rowUp, p.rowUp}}
			k := 0
			if b.Row {
				k += 2
			}
			if b.Upper {
				k++
			}
			source[k][0][b.Index] = source[k][1][b.Index]
		}
	}
	return q
}

// TestIIS: in exact fractions the conflict is infeasible, and feasible without any one of its bounds.
func TestIIS(t *testing.T) {
	conflicts, largest := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t)
		lp := p.lp(rapid.Bool().Draw(t, "dense"))
		s, err := New(lp, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := s.Solve(context.Background())
		found, irreducible, err := IIS(context.Background(), lp, r, Options{})
		if r.Status != status.Infeasible {
			if !errors.Is(err, ErrInvalid) {
				t.Fatalf("%v: %v", r.Status, err)
			}
			return
		}
		if err != nil || !irreducible {
			t.Fatal(found, err)
		}
		conflicts, largest = conflicts+1, max(largest, len(found))
		if st, _ := p.only(found, -1).reference(); st != status.Infeasible {
			t.Fatalf("the conflict %v is %v", found, st)
		}
		for i, b := range found {
			if st, _ := p.only(found, i).reference(); st == status.Infeasible {
				t.Fatalf("%v is infeasible without %v too", found, b)
			}
		}
	})
	if !testing.Short() && (conflicts < 10 || largest < 3) {
		t.Errorf("%d conflicts of at most %d bounds: too few to tell", conflicts, largest)
	}
}

// TestIISOf: what the conflict of a program is that has one.
func TestIISOf(t *testing.T) {
	lp := LP{ // x + y ≥ 5 and x − z ≤ 9 with x ≤ 2 and y = 1; z is of no matter
		Lo: []float64{0, 1, 0}, Up: []float64{2, 1, 9}, RowLo: []float64{-inf, 5}, RowUp: []float64{9, inf},
		A: NewDense(2, 3, []float64{1, 0, -1, 1, 1, 0})}
	s, err := New(lp, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := s.Solve(context.Background())
	found, irreducible, err := IIS(context.Background(), lp, r, Options{})
	want := []Bound{{Index: 0, Upper: true}, {Index: 1, Upper: true}, {Row: true, Index: 1}}
	if d := cmp.Diff(want, found); err != nil || d != "" || !irreducible {
		t.Error(err, d)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if found, irreducible, err = IIS(ended, lp, r, Options{}); err != nil || irreducible || len(found) != 3 {
		t.Errorf("after the end of the context: %+v, %v", found, err)
	}
	r.Farkas[1] = 0
	if _, _, err = IIS(context.Background(), lp, r, Options{}); !errors.Is(err, ErrCertificate) {
		t.Errorf("with a false proof: %v", err)
	}
}

// TestIISOfFiles: conflicts of published infeasible programs, each bound of which is needed.
func TestIISOfFiles(t *testing.T) {
	for _, c := range netlib {
		if c.st != status.Infeasible {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			lp := readProgram(t, testutil.Shared(t, "lp/"+c.name+".mps.gz"))
			s, err := New(lp, Options{})
			if err != nil {
				t.Fatal(err)
			}
			found, irreducible, err := IIS(context.Background(), lp, s.Solve(context.Background()), Options{})
			if err != nil || !irreducible {
				t.Fatal(found, err)
			}
			t.Logf("%d bounds", len(found))
			f := lp.filled()
			for leave := -1; leave < len(found); leave++ {
				_, n := f.A.Dims()
				free := LP{A: f.A, Lo: orFill(nil, n, -inf), RowLo: orFill(nil, len(f.RowLo), -inf), RowUp: orFill(nil, len(f.RowLo), inf)}
				free.Up = orFill(nil, n, inf)
				for k, b := range found {
					if k != leave {
						*slot(&free, b) = *slot(&f, b)
					}
				}
				s, err := New(free, Options{Method: Primal})
				if err != nil {
					t.Fatal(err)
				}
				r := s.Solve(context.Background())
				if (r.Status == status.Infeasible) != (leave < 0) || Check(free, r) != nil {
					t.Errorf("without the %d-th bound: %v, %v", leave, r.Status, Check(free, r))
				}
			}
		})
	}
}
