package qp

import (
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/simplex"
)

// LeastSquares is the program min ½‖Ax − b‖² with x ≥ 0, the default of Lo; bounds and rows can be set. Its Q is AᵀA,
// so that its optimum loses twice the digits that A's condition number has.
func LeastSquares(a *simplex.Dense, b []float64) (QP, error) {
	of, err := newGram(a, b, nil)
	if err != nil {
		return QP{}, err
	}
	return of.qp(), nil
}

// checkShape refuses a dense matrix whose data are too short.
func checkShape(a *simplex.Dense) error {
	if a == nil {
		return invalid("no matrix")
	}
	if a.Rows < 0 || a.Cols < 0 || a.Stride < a.Cols || a.Rows > 0 && len(a.Data) < (a.Rows-1)*a.Stride+a.Cols {
		return invalid("%d values for a %d×%d matrix with rows %d apart", len(a.Data), a.Rows, a.Cols, a.Stride)
	}
	return nil
}

// Projection is the program whose optimum is the vector nearest to z: min ½‖x − z‖². Its variables are free until
// bounds and rows are set.
func Projection(z []float64) QP {
	n := len(z)
	var p QP
	p.C, p.Lo, p.A = make([]float64, n), make([]float64, n), simplex.NewDense(0, n, nil)
	unit := &simplex.Sparse{Rows: n}
	for j, v := range z {
		unit.Append([]int32{int32(j)}, []float64{1})
		p.C[j], p.Lo[j] = -v, -inf
		p.Offset += v * v / 2
	}
	p.Q = unit
	return p
}

// ProjectSimplex overwrites z with the nearest vector of elements that are not negative and have the sum total > 0
// (Held, Wolfe and Crowder, 1974). It sorts, n log n operations, and needs no solver.
func ProjectSimplex(z []float64, total float64) error {
	if !(total > 0) || math.IsInf(total, 1) || len(z) == 0 {
		return invalid("%d elements with the sum %v, want elements and a finite sum > 0", len(z), total)
	}
	for i, v := range z {
		if !finite(v) {
			return invalid("element %d is %v", i, v)
		}
	}
	sorted := slices.Sorted(slices.Values(z))
	sum, shift := -total, 0.0
	for k := len(sorted) - 1; k >= 0; k-- {
		sum += sorted[k]
		next := sum / float64(len(sorted)-k)
		if next >= sorted[k] {
			break
		}
		shift = next
	}
	for i, v := range z {
		z[i] = max(v-shift, 0)
	}
	return nil
}

// Isotonic overwrites y with the nearest vector that does not fall, by the squares with these weights, nil for equal
// ones (pool adjacent violators: Ayer and others, 1955). It takes n operations and needs no solver.
func Isotonic(y, weights []float64) error {
	if weights != nil && len(weights) != len(y) {
		return invalid("%d weights for %d values", len(weights), len(y))
	}
	for i, v := range y {
		if !finite(v) {
			return invalid("value %d is %v", i, v)
		}
		if weights != nil && !(weights[i] > 0 && finite(weights[i])) {
			return invalid("weight %d is %v, want a finite number > 0", i, weights[i])
		}
	}
	type pool struct {
		mean, weight float64
		count        int
	}
	pools := make([]pool, 0, len(y))
	for i, v := range y {
		p := pool{v, 1, 1}
		if weights != nil {
			p.weight = weights[i]
		}
		for k := len(pools) - 1; k >= 0 && pools[k].mean >= p.mean; k-- {
			q := pools[k]
			w := q.weight + p.weight
			p = pool{q.mean + (p.mean-q.mean)*(p.weight/w), w, q.count + p.count}
			pools = pools[:k]
		}
		pools = append(pools, p)
	}
	i := 0
	for _, p := range pools {
		for range p.count {
			y[i] = p.mean
			i++
		}
	}
	return nil
}
