package gram

import (
	"math"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestStackGrowth calls all that reaches assembly with arguments on a stack that moves.
func TestStackGrowth(t *testing.T) { testutil.StackGrowth(t, stackCalls) }

// stackCalls are calls whose arguments are on the stack, by what they call.
func stackCalls() map[string]func() float64 {
	const n, d = 140, 40
	coef, plain := points(n, 1), points(n, d)
	few, grid, bits := slices.Clone(plain), gridPoints(n, d, 200, 0, 1), categoryPoints(n, d, 5, 0, 1)
	for i := range few {
		if i%11 != 0 {
			few[i] = 0
		}
	}
	calls := map[string]func() float64{"ExpNeg": func() float64 {
		x := [9]float64{-1, -2, -3, -4, -5, -6, -7, -8, -9}
		ExpNeg(x[:], x[:])
		return total(x[:8]) + x[8]
	}}
	for name, k := range map[string]Kernel{"rbf": RBF(0.01), "laplacian": Laplacian(0.01), "linear": Linear()} {
		s := NewSmall(Pack[float64](k, plain, 20, d).Expand(coef[:20]), nil, []float64{1})
		calls["Small.Eval of "+name] = func() float64 {
			var dst [1]float64
			x := [d]float64(plain[d:])
			s.Eval(dst[:], x[:])
			return dst[0]
		}
		for layout, x := range map[string][]float64{"panels": plain, "lists": few, "bytes": grid, "bits": bits} {
			addStackCalls[float64](calls, "float64 "+name+" "+layout, k, x, coef, n)
			addStackCalls[float32](calls, "float32 "+name+" "+layout, k, x, coef, n)
		}
	}
	addStackCalls[float64](calls, "float64 composite", mixed(d), plain, coef, n)
	m := csr.FromDense(few, n, d)
	e := PackRows[float64](RBF(0.01), m).Expand(coef)
	calls["EvalRows"] = func() float64 {
		var dst [3]float64
		e.EvalRows(dst[:], m, 4, 3)
		return dst[0] + dst[1] + dst[2]
	}
	return calls
}

// addStackCalls adds sums, rows and values of one set of samples of 40 features.
func addStackCalls[T Float](calls map[string]func() float64, name string, k Kernel, x, coef []float64, n int) {
	const d, m = 40, 3
	p := Pack[T](k, x, n, d)
	e := p.Expand(coef)
	calls["Eval, "+name] = func() float64 {
		var dst [m]float64
		q := [m * d]float64(x[5*d:])
		q[d] += 0.25 // off the grid
		e.Eval(dst[:], q[:], m)
		return dst[0] + dst[1] + dst[2]
	}
	calls["Row, "+name] = func() float64 {
		var dst [256]T
		p.Row(dst[:n], 7)
		return sumOf(dst[:n])
	}
	calls["Cross, "+name] = func() float64 {
		var dst [256]T
		q := [d]float64(x[5*d:])
		p.Cross(dst[:n], n, q[:], 1)
		return sumOf(dst[:n])
	}
}

func sumOf[T Float](x []T) (s float64) {
	for _, v := range x {
		s += float64(v)
	}
	if math.IsNaN(s) {
		return 0
	}
	return s
}
