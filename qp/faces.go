package qp

import (
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/simplex"
)

// LeastSquares is the program min ½‖Ax − b‖² with x ≥ 0, the default of Lo; bounds and rows can be set. Its Q is AᵀA,
// so that its optimum loses twice the digits that A's condition number has, and a heavy row all digits of others. For
// bounds alone use [BVLS], which loses none.
func LeastSquares(a *simplex.Dense, b []float64) (QP, error) {
	g, err := newGram(a, b, nil)
	if err != nil {
		return QP{}, err
	}
	lp := simplex.LP{C: g.c, Offset: g.offset, A: simplex.NewDense(0, g.n, nil)}
	return QP{LP: lp, Q: simplex.NewDense(g.n, g.n, g.q)}, nil
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
// (Held, Wolfe and Crowder, 1974). It sorts, n log n operations, and needs no solver. Each element is rounded once, so
// that the sum is right to a rounding error, however large or small z and total are.
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
	_, exponent := math.Frexp(total)
	top := sorted[len(sorted)-1]
	// below is how far v is below the largest element, as a part of the total, which a positive one is not below.
	below := func(v float64) dense.Doubled {
		if !(top-v < total) {
			return dense.Doubled{Hi: inf}
		}
		d := dense.Doubled{Hi: top}
		d.Add(-v)
		return dense.Doubled{Hi: math.Ldexp(d.Hi, -exponent), Lo: math.Ldexp(d.Lo, -exponent)}
	}
	sum, largest := dense.Doubled{Hi: math.Ldexp(total, -exponent)}, dense.Doubled{}
	for k := 1; k <= len(sorted); k++ {
		d := below(sorted[len(sorted)-k])
		if k > 1 && !(largest.Hi > d.Hi) {
			break
		}
		sum = sum.Plus(d)
		largest = sum.Over(dense.Doubled{Hi: float64(k)})
	}
	for i, v := range z {
		if z[i] = 0; top-v < total {
			x := largest.Plus(below(v).Times(-1))
			z[i] = math.Ldexp(max(x.Hi, 0), exponent)
		}
	}
	return nil
}

// Isotonic overwrites y with the nearest vector that does not fall, by the squares with these weights, nil for equal
// ones (pool adjacent violators: Ayer and others, 1955). It takes n operations and needs no solver. Means are computed
// in doubled precision, and do not overflow. Weights may be as much as 1e270 times others.
func Isotonic(y, weights []float64) error {
	if weights != nil && len(weights) != len(y) {
		return invalid("%d weights for %d values", len(weights), len(y))
	}
	smallest, largest := inf, 0.0
	for i, v := range y {
		if !finite(v) {
			return invalid("value %d is %v", i, v)
		}
		if weights != nil {
			w := weights[i]
			if !(w > 0 && finite(w)) {
				return invalid("weight %d is %v, want a finite number > 0", i, w)
			}
			smallest, largest = min(smallest, w), max(largest, w)
		}
	}
	_, low := math.Frexp(smallest)
	_, high := math.Frexp(largest)
	if weights != nil && high-low > 900 {
		return invalid("weights from %v to %v: one is more than 1e270 times the other", smallest, largest)
	}
	pools := make([]pool, 0, len(y))
	for i, v := range y {
		p := pool{dense.Doubled{Hi: v}, dense.Doubled{Hi: 1}, 1}
		if weights != nil {
			p.weight.Hi = math.Ldexp(weights[i], -(low+high)/2)
		}
		for k := len(pools) - 1; k >= 0 && !pools[k].below(p); k-- {
			p = pools[k].with(p)
			pools = pools[:k]
		}
		pools = append(pools, p)
	}
	i := 0
	for _, p := range pools {
		for range p.count {
			y[i] = p.mean.Value()
			i++
		}
	}
	return nil
}

// pool is a run of values with the same fitted value.
type pool struct {
	mean, weight dense.Doubled
	count        int
}

func (p pool) below(q pool) bool {
	return p.mean.Hi < q.mean.Hi || p.mean.Hi == q.mean.Hi && p.mean.Lo < q.mean.Lo
}

// with moves the mean of the heavier pool by at most half the way to the other one, so that nothing overflows.
func (p pool) with(q pool) pool {
	if p.weight.Hi < q.weight.Hi {
		p, q = q, p
	}
	all := p.weight.Plus(q.weight)
	share, half := q.weight.Over(all), q.mean.Times(0.5).Plus(p.mean.Times(-0.5))
	var way dense.Doubled
	way.AddProduct(2*share.Hi, half)
	way.Lo += 2 * share.Lo * half.Hi
	return pool{p.mean.Plus(way), all, p.count + q.count}
}
