//go:build !race

package simplex

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/status"
)

// TestWarmSolvesAllocateNothing changes a small program in every way, solves it into the same result and checks that.
func TestWarmSolvesAllocateNothing(t *testing.T) {
	lp, rights := smallProgram(20, 30, 0.5)
	lp.Lo = make([]float64, 30)
	rng := rand.New(rand.NewPCG(5, 6))
	other := make([]float64, 30)
	for j := range other {
		other[j] = rng.NormFloat64()
	}
	for name, change := range map[string]func(s *Solver, turn int) error{
		"row bounds": func(s *Solver, turn int) error { return s.SetRowBounds(lp.RowLo, rights[turn%20]) },
		"costs": func(s *Solver, turn int) error {
			return s.SetCost([][]float64{lp.C, other}[turn%2])
		},
		"column bounds": func(s *Solver, turn int) error {
			return s.SetColBounds(lp.Lo, [][]float64{lp.Up, lp.Lo}[turn%2])
		},
		"one cost": func(s *Solver, turn int) error { return s.SetCostAt(turn%30, other[turn*7%30]) },
		"one column": func(s *Solver, turn int) error {
			return s.SetColBoundsAt(turn%30, 0, float64(turn%5))
		},
		"one row":   func(s *Solver, turn int) error { return s.SetRowBoundsAt(turn%20, -inf, 1+float64(turn%3)) },
		"one entry": func(s *Solver, turn int) error { return s.SetEntry(turn%20, turn*7%30, float64(turn%4)) },
		"infeasible": func(s *Solver, turn int) error {
			return s.SetRowBoundsAt(turn%2, []float64{1000, -inf}[turn%2], inf)
		},
		"unbounded": func(s *Solver, turn int) error {
			return errors.Join(s.SetColBoundsAt(0, -inf, 3), s.SetCostAt(0, []float64{-1, 1}[turn%2]))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := New(lp, Options{})
			if err != nil {
				t.Fatal(err)
			}
			var r Result
			var c Checker
			ends := map[status.Status]bool{}
			turn := 0
			solve := func() {
				turn++
				if err := change(s, turn); err != nil {
					t.Fatal(err)
				}
				s.SolveInto(context.Background(), &r)
				now := s.program.lp
				if err := c.Check(now, &r); err != nil {
					t.Fatal(err)
				}
				ends[r.Status] = true
			}
			for range 60 {
				solve()
			}
			// AllocsPerRun takes whole averages: at least one more allocation a solve shows.
			if n := testing.AllocsPerRun(60, solve); n != 0 {
				t.Errorf("%v allocations a solve", n)
			}
			if st, ok := map[string]status.Status{"infeasible": status.Infeasible, "unbounded": status.Unbounded}[name]; ok && !ends[st] {
				t.Errorf("no solve ended %v", st)
			}
		})
	}
}
