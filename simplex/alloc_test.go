//go:build !race

// Under the race detector a sync.Pool drops what it is given, now and then.

package simplex

import (
	"context"
	"math/rand/v2"
	"testing"
)

// TestPivotsAllocateNothing solves warm again and again between two versions of a
// program: once its buffers have grown, a solver's pivots need no memory.
func TestPivotsAllocateNothing(t *testing.T) {
	for _, c := range []struct {
		name  string
		p     *rowsOf
		dense bool
	}{
		{"dense", plantedAt(1, 40, 60, 1), true},
		{"sparse, scaled", plantedAt(2, 50, 60, 0.2), false},
		{"unit columns", transport(12), false},
	} {
		for _, change := range []string{"costs", "bounds"} {
			t.Run(c.name+", "+change, func(t *testing.T) {
				s, err := New(c.p.lp(c.dense), Options{})
				if err != nil {
					t.Fatal(err)
				}
				resolve, pivots := alternate(t, s, change), 0
				solve := func() { resolve(); pivots += s.iterations }
				for range 6 {
					solve()
				}
				pivots = 0
				// AllocsPerRun takes whole averages: at least one more allocation a solve shows.
				if n := testing.AllocsPerRun(20, solve); n != 0 {
					t.Errorf("%v allocations a solve, of %d pivots", n, pivots/21)
				}
				if pivots < 21*5 {
					t.Errorf("%d pivots in 21 solves: too few to tell", pivots)
				}
			})
		}
	}
}

// alternate returns a function that changes costs or row bounds to and fro and solves.
func alternate(t *testing.T, s *Solver, change string) func() {
	rng := rand.New(rand.NewPCG(12, 12))
	lp := s.program.lp
	var costs, lower, upper [2][]float64
	for k := range costs {
		costs[k] = append([]float64(nil), lp.C...)
		lower[k] = append([]float64(nil), lp.RowLo...)
		upper[k] = append([]float64(nil), lp.RowUp...)
		for j := range costs[k] {
			costs[k][j] += rng.NormFloat64()
		}
		for i := range lower[k] {
			d := 3 * rng.Float64()
			lower[k][i], upper[k][i] = lower[k][i]-d, upper[k][i]+d
		}
	}
	turn := 0
	return func() {
		turn++
		var err error
		if change == "costs" {
			err = s.SetCost(costs[turn%2])
		} else {
			err = s.SetRowBounds(lower[turn%2], upper[turn%2])
		}
		if err != nil {
			t.Fatal(err)
		}
		s.begin(context.Background())
		s.run(context.Background())
	}
}
