package prove

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/rational"
	"github.com/sparsekm/sparsekm/status"
)

// step makes one exact pivot: of the dual method while a bound is violated, of the primal method then. It returns a
// proof instead where the program turns out to be infeasible or unbounded.
func (v *vertex) step(ctx context.Context) (*Proof, error) {
	leaving, worst := -1, 0.0
	for u := range v.below {
		if violation := -min(v.below[u], v.above[u]); violation > worst {
			leaving, worst = u, violation
		}
	}
	if leaving >= 0 {
		return v.dualStep(ctx, leaving)
	}
	entering, best := -1, 0.0
	for u := range v.d {
		if a := v.attraction(u); a > best && !(v.bland() && entering >= 0) {
			entering, best = u, a
		}
	}
	return v.primalStep(ctx, entering)
}

// blandPivots is the number of pivots after which the first candidate is taken instead of the best, so that no
// sequence of degenerate pivots repeats.
const blandPivots = 200

func (v *vertex) bland() bool { return v.pivots >= blandPivots }

// pivotRow returns the row f of B⁻¹ of a basic variable, with fᵀB its unit vector.
func (v *vertex) pivotRow(ctx context.Context, leaving int) (*rational.Vector, error) {
	index, value := v.line(leaving)
	f, err := v.factors.SolveTransposed(ctx, placed(v.basics, v.n, index, value, 1))
	if err != nil {
		return nil, err
	}
	all := spread(f, v.tight, v.m)
	if leaving >= v.n {
		all[leaving-v.n] = rational.OfFloat(-1)
	}
	return rational.NewVector(all), nil
}

// placed returns the multiples of a line's values at those of the places, numbers below n, that have one.
func placed(places []int32, n int, index []int32, value []float64, factor float64) []rational.Number {
	own := make([]float64, n)
	for t, i := range index {
		own[i] = factor * value[t]
	}
	numbers := make([]rational.Number, len(places))
	for k, i := range places {
		numbers[k] = rational.OfFloat(own[i])
	}
	return numbers
}

// entries returns fᵀA for the columns and −f for the rows, exactly 0 for other basic variables than the leaving one.
func (v *vertex) entries(f *rational.Vector, leaving int) []float64 {
	z := make([]float64, v.n+v.m)
	for u := range z {
		switch {
		case u == leaving:
			z[u] = 1
		case v.position[u] == Basic:
		case u < v.n:
			index, value := v.Cols.Entries(u)
			z[u] = v.minus(index, value, f, 0)
		default:
			z[u] = -f.Exact[u-v.n].Float64()
		}
	}
	return z
}

// dualStep moves a basic variable to the bound that it violates.
func (v *vertex) dualStep(ctx context.Context, leaving int) (*Proof, error) {
	f, err := v.pivotRow(ctx, leaving)
	if err != nil {
		return nil, err
	}
	z, sign, to := v.entries(f, leaving), 1.0, AtLower
	if v.above[leaving] < 0 {
		sign, to = -1, AtUpper
	}
	if p := v.infeasible(f, z, sign); p != nil {
		return p, nil
	}
	entering, smallest, largest := -1, math.Inf(1), 0.0
	for u, e := range z {
		if !v.moves(u, -sign*e) {
			continue
		}
		ratio := math.Abs(v.d[u])
		if v.attraction(u) > 0 {
			ratio = 0 // as if its cost were shifted
		}
		ratio /= math.Abs(e)
		if ratio < smallest || ratio == smallest && math.Abs(e) > largest && !v.bland() {
			entering, smallest, largest = u, ratio, math.Abs(e)
		}
	}
	if entering < 0 {
		return nil, unproven("variable %d violates a bound, but no ray proves it", leaving)
	}
	v.position[entering], v.position[leaving] = Basic, to
	return nil, nil
}

// moves reports whether a nonbasic variable can move in the direction of a sign.
func (v *vertex) moves(u int, sign float64) bool {
	switch {
	case v.position[u] == Basic || sign == 0 || v.Lower[u] == v.Upper[u]:
		return false
	case v.position[u] == AtLower:
		return sign > 0
	case v.position[u] == AtUpper:
		return sign < 0
	}
	return true
}

// infeasible returns a proof if sign·(fᵀAx − fᵀs), which is 0, is above 0 for all x and s within their bounds.
// z has the factors of x and s.
func (v *vertex) infeasible(f *rational.Vector, z []float64, sign float64) *Proof {
	ends := make([]float64, len(z))
	for u, e := range z {
		if e == 0 {
			continue
		}
		ends[u] = v.Lower[u]
		if sign*e < 0 {
			ends[u] = v.Upper[u]
		}
		if math.IsInf(ends[u], 0) {
			return nil
		}
	}
	smallest := &v.scratch // of fᵀ(A·ends − ends)
	smallest.Reset()
	for i, e := range f.Exact {
		if e.Sign() == 0 {
			continue
		}
		index, value := v.Rows.Entries(i)
		v.also.Reset()
		v.also.Add(-ends[v.n+i], rational.OfFloat(1))
		for t, j := range index {
			v.also.Add(value[t], rational.OfFloat(ends[j]))
		}
		smallest.AddProduct(e, v.also.Number())
	}
	if sign*float64(smallest.Number().Sign()) <= 0 {
		return nil
	}
	p := &Proof{Status: status.Infeasible, Rows: v.m, Cols: v.n, Y: f.Exact}
	if sign > 0 {
		for i, e := range f.Exact {
			p.Y[i] = e.Neg()
		}
	}
	return p
}

// primalStep moves a nonbasic variable in the direction of falling cost.
func (v *vertex) primalStep(ctx context.Context, entering int) (*Proof, error) {
	sign := 1.0
	if v.d[entering] > 0 {
		sign = -1
	}
	ray, err := v.direction(ctx, entering, sign)
	if err != nil {
		return nil, err
	}
	leaving, smallest, largest := entering, v.Upper[entering]-v.Lower[entering], 0.0
	up := v.position[entering] == AtLower
	for u, rest := range v.position {
		if rest != Basic {
			continue
		}
		index, value := v.line(u)
		e := v.minus(index, value, ray, 0)
		if e == 0 {
			continue
		}
		room := v.above[u]
		if e < 0 {
			room = v.below[u]
		}
		ratio := room / math.Abs(e)
		if ratio < smallest || ratio == smallest && math.Abs(e) > largest && !v.bland() {
			leaving, smallest, largest, up = u, ratio, math.Abs(e), e > 0
		}
	}
	if math.IsInf(smallest, 1) {
		return &Proof{Status: status.Unbounded, Rows: v.m, Cols: v.n, X: v.x.Exact, Ray: ray.Exact}, nil
	}
	v.position[entering], v.position[leaving] = Basic, AtLower
	if up {
		v.position[leaving] = AtUpper
	}
	return nil, nil
}

// direction returns how the columns change when a nonbasic variable changes by sign.
func (v *vertex) direction(ctx context.Context, entering int, sign float64) (*rational.Vector, error) {
	index, value, factor := []int32{int32(entering - v.n)}, []float64{1}, sign
	if entering < v.n {
		index, value = v.Cols.Entries(entering)
		factor = -sign
	}
	change, err := v.factors.Solve(ctx, placed(v.tight, v.m, index, value, factor))
	if err != nil {
		return nil, err
	}
	all := spread(change, v.basics, v.n)
	if entering < v.n {
		all[entering] = rational.OfFloat(sign)
	}
	return rational.NewVector(all), nil
}
