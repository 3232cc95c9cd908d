package dense_test

import (
	"context"
	"testing"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestStackGrowth calls every exported function that reaches assembly, with arguments on a stack that moves.
func TestStackGrowth(t *testing.T) {
	testutil.StackGrowth(t, func() map[string]func() float64 {
		calls := map[string]func() float64{}
		addVectorCalls(calls)
		addRowCalls(calls)
		addMatrixCalls(calls)
		return calls
	})
}

// Sizes that leave a rest next to whole vectors and tiles of every level.
const width, order = 77, 29

func addVectorCalls(calls map[string]func() float64) {
	calls["Dot"] = func() float64 {
		var x, y [width]float64
		testutil.Fill(x[:], 1)
		testutil.Fill(y[:], 2)
		return dense.Dot(x[:], y[:])
	}
	calls["Axpy"] = func() float64 {
		var x, y [width]float64
		testutil.Fill(x[:], 1)
		dense.Axpy(0.3, x[:], y[:])
		return testutil.WeightedSum(y[:])
	}
	calls["AddOuter"] = func() float64 {
		const rows, columns = 7, 24
		var c [rows * columns]float64
		var coef [rows]float64
		var x [columns]float64
		testutil.Fill(coef[:], 1)
		testutil.Fill(x[:], 2)
		dense.AddOuter(c[:], columns, coef[:], x[:])
		return testutil.WeightedSum(c[:])
	}
	calls["AddOuterSquares"] = func() float64 {
		const rows, columns = 7, 24
		var c [rows * columns]float64
		var coef, squares [rows]float64
		var x [columns]float64
		testutil.Fill(coef[:], 1)
		testutil.Fill(x[:], 2)
		dense.AddOuterSquares(c[:], columns, coef[:], x[:], squares[:])
		return testutil.WeightedSum(c[:]) + testutil.WeightedSum(squares[:])
	}
	calls["Scale"] = func() float64 {
		var x, y [width]float64
		testutil.Fill(x[:], 1)
		testutil.Fill(y[:], 2)
		dense.Scale(y[:], x[:])
		return testutil.WeightedSum(y[:])
	}
	calls["Largest"] = func() float64 {
		var x [width]float64
		testutil.Fill(x[:], 1)
		return dense.Largest(x[:])
	}
	calls["Gather"] = func() float64 {
		var x [6][width]float64
		var y [width]float64
		g := dense.NewGather()
		for i := range x {
			testutil.Fill(x[i][:], uint64(i))
			g.Add(float64(i)-2.5, x[i][:])
		}
		g.AddTo(y[:])
		return testutil.WeightedSum(y[:])
	}
}

// gathered returns a call of AddGathered.
func gathered[T dense.Float]() float64 {
	var x [6][width]T
	var from, y [width]float64
	var coef [6]float64
	var rows [6][]T
	testutil.Fill(coef[:], 9)
	for i := range x {
		testutil.Fill(from[:], uint64(i))
		for j, v := range from {
			x[i][j] = T(v)
		}
		rows[i] = x[i][:]
	}
	dense.AddGathered(y[:], coef[:], rows[:])
	return testutil.WeightedSum(y[:])
}

func addRowCalls(calls map[string]func() float64) {
	calls["AddGathered of float64"], calls["AddGathered of float32"] = gathered[float64], gathered[float32]
	with := func(f func(x, y, a []float64)) func() float64 {
		return func() float64 {
			var x, y [width]float64
			var a [7 * width]float64
			testutil.Fill(x[:], 1)
			testutil.Fill(y[:], 2)
			testutil.Fill(a[:], 3)
			f(x[:], y[:], a[:])
			return testutil.WeightedSum(x[:]) + testutil.WeightedSum(y[:])
		}
	}
	calls["MulVec"] = with(func(x, y, a []float64) { dense.MulVec(y[:7], a, width, x) })
	calls["AddMulVec"] = with(func(x, y, a []float64) { dense.AddMulVec(y[:7], a, width, x) })
	calls["AddRows"] = with(func(x, y, a []float64) { dense.AddRows(y, x[:7], a, width) })
	calls["AddBoth"] = with(func(x, y, a []float64) {
		var dst, coef [7]float64
		testutil.Fill(coef[:], 4)
		dense.AddBoth(dst[:], coef[:], a, width, x, y)
		y[0] += testutil.WeightedSum(dst[:])
	})
	calls["AddDots"] = with(func(x, y, a []float64) { dense.AddDots(y, 6, a, width, 5, a[5*width:], width, 2, width) })
	calls["AddMulGathered"] = with(func(x, y, a []float64) {
		rows := [3][]float64{a[:width], a[width : 2*width], a[5*width : 6*width]}
		dense.AddMulGathered(y[:3], rows[:], x)
	})
	calls["MulRows"] = with(func(x, y, a []float64) { dense.MulRows(y, 11, x[:6], x[6:], 5, a, width, 5, 11) })
}

func addMatrixCalls(calls map[string]func() float64) {
	ctx := context.Background()
	with := func(f func(a, b, c dense.Mat) error) func() float64 {
		return func() float64 {
			var a, b, c [order * order]float64
			testutil.Fill(a[:], 1)
			testutil.Fill(b[:], 2)
			for i := range order {
				a[i*order+i] = 4
			}
			valueOf := func(x []float64) dense.Mat { return dense.Of(x, order, order, order) }
			if err := f(valueOf(a[:]), valueOf(b[:]), valueOf(c[:])); err != nil {
				panic(err)
			}
			return testutil.WeightedSum(b[:]) + testutil.WeightedSum(c[:])
		}
	}
	calls["Mul"] = with(func(a, b, c dense.Mat) error { return dense.Mul(ctx, 1, -1, a, b, c) })
	calls["Mul, transposed"] = with(func(a, b, c dense.Mat) error {
		return dense.Mul(ctx, 1, 1, a.T(), b.T(), c.T())
	})
	calls["MulLower"] = with(func(a, b, c dense.Mat) error { return dense.MulLower(ctx, 1, 1, a, b, c) })
	calls["ApplyUpper"] = with(func(a, b, _ dense.Mat) error { return dense.ApplyUpper(ctx, 1, a, b) })
	calls["SolveLower"] = with(func(a, b, _ dense.Mat) error { return dense.SolveLower(ctx, 1, a, b) })
	calls["SolveUpper"] = with(func(a, b, _ dense.Mat) error { return dense.SolveUpper(ctx, 1, a, b) })
	calls["MulWeighted"] = func() float64 {
		var h [9 * 9]float64
		var a [9 * width]float64
		var b [width]float64
		var scratch [9 * dense.Strip]float64
		testutil.Fill(a[:], 1)
		testutil.Fill(b[:], 2)
		if err := dense.MulWeighted(context.Background(), 1, h[:], a[:], 9, width, b[:], scratch[:]); err != nil {
			panic(err)
		}
		return testutil.WeightedSum(h[:])
	}
}
