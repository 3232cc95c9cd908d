package simplex

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestCrash: the basis that a solve starts from has a column in every equation that could have one, can be factored as
// it is, and is the slack basis where that is dual feasible.
func TestCrash(t *testing.T) {
	count, taken, equations, left := 400, 0, 0, 0
	if testing.Short() {
		count = 100
	}
	for seed := range uint64(count) {
		rng := rand.New(rand.NewPCG(seed, 61))
		m, n := 1+rng.IntN(40), 1+rng.IntN(60)
		p, _ := planted(rng, m, n, (0.5+3*rng.Float64())/float64(n), seed%2 == 0)
		for i := range p.a {
			if rng.IntN(2) == 0 && !math.IsInf(p.rowLo[i], -1) {
				p.rowUp[i] = p.rowLo[i]
			}
		}
		s, err := newFactoredSolver(p.lp(false), Options{NoScaling: true})
		if err != nil {
			t.Fatal(err)
		}
		s.program.restoreBounds()
		s.program.restoreCosts()
		copy(s.costs.d, s.program.cost)
		feasible, slack := s.costs.feasibleByFlips(), s.Basis()
		s.crash()
		b, before := s.Basis(), slices.Clone(s.values.position)
		if s.basis.load(context.Background(), s.values.position); !slices.Equal(before, s.values.position) {
			t.Errorf("seed %d: the basis was repaired", seed)
		}
		if feasible {
			if !slices.Equal(b.Rows, slack.Rows) {
				t.Errorf("seed %d: the slack basis is dual feasible, and was left", seed)
			}
			continue
		}
		for i := range p.a {
			if p.rowLo[i] != p.rowUp[i] {
				continue
			}
			equations++
			if b.Rows[i] != Basic {
				taken++
			} else if p.couldHave(i, b) {
				left++
			}
		}
	}
	t.Logf("%d of %d equations have a column, %d could", taken, equations, left)
	if left > 0 || 3*taken < equations {
		t.Errorf("%d of %d equations have a column, %d could", taken, equations, left)
	}
}

// TestCrashChoice: bounds count first, then the sign of the reduced cost, then how many equations a column closes.
func TestCrashChoice(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(p *rowsOf)
		want   []int // basic columns
	}{
		{"equations", func(*rowsOf) {}, []int{0, 1}},
		{"a free column", func(p *rowsOf) { p.lo[2] = -inf }, []int{2}},
		{"a boxed column", func(p *rowsOf) { p.up[0] = 9 }, []int{1}},
		{"a fixed column", func(p *rowsOf) { p.a[0], p.lo[0], p.up[0] = []float64{1, 0, 0, 0, 0}, 2, 2 }, []int{1}},
		{"a small entry", func(p *rowsOf) { p.a[0][0], p.a[2][0] = 1, 11 }, []int{1}},
		{"costs", func(p *rowsOf) { p.c[0], p.c[1] = 1, 1 }, []int{2}},
	} {
		p := &rowsOf{a: [][]float64{{1, 1, 1, 0, 0}, {0, 1, 1, 1, 1}, {1, 0, 0, 0, 1}}, c: []float64{-1, -1, -1, -1, -1},
			lo: make([]float64, 5), up: []float64{inf, inf, inf, inf, inf}, rowLo: []float64{1, 1, -inf}, rowUp: []float64{1, 1, 9}}
		c.change(p)
		s, err := newFactoredSolver(p.lp(false), Options{NoScaling: true})
		if err != nil {
			t.Fatal(err)
		}
		s.program.restoreBounds()
		s.program.restoreCosts()
		s.crash()
		var basic []int
		for j, at := range s.Basis().Cols {
			if at == Basic {
				basic = append(basic, j)
			}
		}
		if !slices.Equal(basic, c.want) {
			t.Errorf("%s: columns %v, want %v", c.name, basic, c.want)
		}
	}
}

// couldHave reports whether row i has an entry to pivot on, and none in a basic column.
func (p *rowsOf) couldHave(i int, b Basis) (could bool) {
	for j, v := range p.a[i] {
		most := 0.0
		for _, row := range p.a {
			most = max(most, math.Abs(row[j]))
		}
		if v != 0 && b.Cols[j] == Basic {
			return false
		}
		could = could || v != 0 && math.Abs(v) >= 0.1*most && p.lo[j] < p.up[j]
	}
	return could
}
