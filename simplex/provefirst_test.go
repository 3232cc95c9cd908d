package simplex

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/status"
)

// roundedProgram draws a program whose optimum is degenerate but for rounding errors of its right-hand sides.
func roundedProgram(rng *rand.Rand) LP {
	const m, n = 9, 14
	a := &Sparse{Rows: m}
	lp := LP{A: a, C: make([]float64, n), RowLo: make([]float64, m), RowUp: make([]float64, m)}
	y := make([]float64, m)
	for i := range y {
		y[i] = rng.NormFloat64()
	}
	for j := range n {
		var index []int32
		var value []float64
		for i := range m {
			if rng.IntN(2) == 0 {
				index = append(index, int32(i))
				value = append(value, rng.Float64())
			}
		}
		a.Append(index, value)
		x := float64(max(0, rng.IntN(5)-2)) / 3
		for t, i := range index {
			lp.C[j] += y[i] * value[t]
			lp.RowLo[i] += x * value[t]
		}
		if x == 0 {
			lp.C[j] += rng.Float64()
		}
	}
	copy(lp.RowUp, lp.RowLo)
	return lp
}

// TestApproach: doubled precision makes the pivots that rounding errors ask for, so that one exact solution is enough.
func TestApproach(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	early, proved := 0, 0
	const trials = 100
	for range trials {
		lp := roundedProgram(rng)
		f := lp.filled()
		s, err := New(lp, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := s.Solve(t.Context())
		if r.Status != status.Optimal {
			continue
		}
		p, err := newProver(&f)
		if err != nil {
			t.Fatal(err)
		}
		first := p.possible(append(slices.Clone(r.Basis.Cols), r.Basis.Rows...))
		for k, position := range [][]Position{first, p.approach(t.Context(), slices.Clone(first))} {
			v, err := p.vertex(t.Context(), position)
			if err != nil {
				t.Fatal(err)
			}
			if proof, err := v.proof(); err != nil {
				t.Fatal(err)
			} else if proof != nil && k == 0 {
				early++
			} else if proof != nil {
				proved++
			}
		}
		if p.noise != 0 || p.pivots != 0 {
			t.Fatal("the approach left its noise")
		}
	}
	t.Logf("of %d bases %d are optimal at once, %d after the approach", trials, early, proved)
	if early > trials/2 || proved < early+20 {
		t.Errorf("of %d bases %d are optimal at once, %d after the approach", trials, early, proved)
	}
}

// TestProveWithin: a budget refuses the copies of the program or the numbers of the proof, and a larger one neither.
func TestProveWithin(t *testing.T) {
	lp := roundedProgram(rand.New(rand.NewPCG(17, 18)))
	s, err := New(lp, Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := s.Solve(t.Context())
	for _, c := range []struct {
		bytes int64
		says  string
	}{{100, "its program takes"}, {8000, "basic columns take up to"}, {1 << 20, ""}, {0, ""}} {
		_, err := ProveWithin(t.Context(), lp, r, c.bytes)
		if c.says == "" && err != nil ||
			c.says != "" && (!errors.Is(err, ErrMemory) || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%d bytes: %v", c.bytes, err)
		}
	}
}
