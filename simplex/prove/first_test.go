package prove_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/simplex/prove"
	"github.com/sparsekm/sparsekm/status"
)

// roundedProgram draws a program whose optimum is degenerate but for rounding errors of its right-hand sides.
func roundedProgram(rng *rand.Rand) simplex.LP {
	const m, n = 9, 14
	a := &simplex.Sparse{Rows: m}
	lp := simplex.LP{A: a, C: make([]float64, n), RowLo: make([]float64, m), RowUp: make([]float64, m)}
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

// proverOf reads a program as package simplex does.
func proverOf(t *testing.T, lp simplex.LP) *prove.Prover {
	t.Helper()
	cols := lp.A.(*simplex.Sparse)
	_, n := cols.Dims()
	rows := cols.Transpose()
	p, err := prove.New(prove.Program{Cols: prove.Lines{Start: cols.Start, Index: cols.Index, Value: cols.Value},
		Rows: prove.Lines{Start: rows.Start, Index: rows.Index, Value: rows.Value}, C: lp.C,
		Lower: slices.Concat(make([]float64, n), lp.RowLo),
		Upper: slices.Concat(slices.Repeat([]float64{math.Inf(1)}, n), lp.RowUp)}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestApproach: doubled precision makes the pivots that rounding errors ask for, so that one exact solution is enough.
func TestApproach(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	early, proved := 0, 0
	const trials = 100
	for range trials {
		lp := roundedProgram(rng)
		r, err := simplex.Solve(t.Context(), lp, simplex.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != status.Optimal {
			continue
		}
		p := proverOf(t, lp)
		var first []prove.Position
		for _, position := range slices.Concat(r.Basis.Cols, r.Basis.Rows) {
			first = append(first, prove.Position(position))
		}
		if p.ProvesAtOnce(t, first) {
			early++
		}
		if p.ProvesAtOnce(t, p.Approach(t.Context(), first)) {
			proved++
		}
	}
	t.Logf("of %d bases %d are optimal at once, %d after the approach", trials, early, proved)
	if early > trials/2 || proved < early+20 {
		t.Errorf("of %d bases %d are optimal at once, %d after the approach", trials, early, proved)
	}
}
