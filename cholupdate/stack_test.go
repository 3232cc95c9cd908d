package cholupdate_test

import (
	"context"
	"testing"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// stackOrder leaves a rest next to the tiles of every level.
const stackOrder = 21

// positive writes a positive definite matrix of order stackOrder.
func positive(a []float64) {
	testutil.Fill(a, 1)
	for i := range stackOrder {
		a[i*stackOrder+i] = stackOrder
	}
}

// must stops at an error that the matrix cannot cause.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// TestStackGrowth calls every exported function that reaches assembly, with arguments on a stack that moves.
func TestStackGrowth(t *testing.T) {
	const n = stackOrder
	with := func(f func(ctx context.Context, a, x []float64)) func() float64 {
		return func() float64 {
			var a [n * n]float64
			var x [n]float64
			positive(a[:])
			testutil.Fill(x[:], 2)
			f(context.Background(), a[:], x[:])
			return testutil.WeightedSum(a[:]) + testutil.WeightedSum(x[:])
		}
	}
	testutil.StackGrowth(t, func() map[string]func() float64 {
		return map[string]func() float64{
			"Cholesky and Solve": with(func(ctx context.Context, a, x []float64) {
				must(cholupdate.Cholesky(ctx, a, n, n, 1))
				cholupdate.Solve(a, n, n, x)
			}),
			"Invert": with(func(ctx context.Context, a, _ []float64) { must(cholupdate.Invert(ctx, a, n, n, 1)) }),
			"Pivot": with(func(ctx context.Context, a, x []float64) {
				p, err := cholupdate.Pivot(ctx, a, n, n, cholupdate.PivotOptions{Threads: 1, KeepFactor: true})
				must(err)
				copy(x, p.Pivots)
			}),
			"Factor":  with(changeFactor),
			"Inverse": with(changeInverse),
		}
	})
}

// changeFactor calls all methods of a Factor that compute.
func changeFactor(ctx context.Context, a, x []float64) {
	const n = stackOrder
	var f cholupdate.Factor
	must(f.Factorize(ctx, a, n-1, n, 1))
	f.Update(x[:n-1])
	must(f.Downdate(x[:n-1]))
	row := a[(n-1)*n:]
	pivot := f.Try(row[:n-1], row[n-1])
	_, err := f.Append(row[:n-1], row[n-1], 0)
	must(err)
	f.Solve(x)
	f.Delete(3)
	x[0] += f.LogDet() + pivot
}

// changeInverse calls all methods of an Inverse that compute.
func changeInverse(ctx context.Context, a, x []float64) {
	const n = stackOrder
	v, err := cholupdate.NewInverse(ctx, a, n, n, 0.5, 1)
	must(err)
	must(v.Remove(4))
	must(v.RemoveBlock(ctx, []int{0, 7, 8}, 1))
	var y, column, diag [n - 4]float64
	v.MulVec(y[:], x[:n-4])
	must(v.Renew(ctx, 1))
	v.Column(column[:], 2)
	v.Diag(diag[:])
	x[0] += testutil.WeightedSum(y[:]) + testutil.WeightedSum(column[:]) + testutil.WeightedSum(diag[:])
}
