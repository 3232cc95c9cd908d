package smo

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/rational"
)

// Bound is what exact arithmetic proves of an iterate: that a feasible point is at most Shift away from it, and that
// its objective is at most Gap above the optimum. No rounding error is left out of either. A Gap of +Inf proves
// nothing: a number is not finite, no point is feasible, or the dual objective is −∞.
type Bound struct {
	// Gap is the objective at the feasible point minus the dual objective, rounded up. It is no less than 0.
	Gap float64
	// Shift is the sum of the differences between the iterate and the feasible point, rounded up: 0 if it is feasible.
	Shift float64
}

// unproven is the bound that proves nothing.
var unproven = Bound{Gap: math.Inf(1), Shift: math.Inf(1)}

// bounding computes a bound.
type bounding struct {
	lo, hi   []float64
	a        []float64         // the point, moved into the box
	d        []rational.Number // its reduced gradient
	gap      rational.Sum
	shift    rational.Sum
	infinite bool
}

// newBounding moves the point at into the box.
func newBounding(at, lo, hi []float64) *bounding {
	b := &bounding{lo: lo, hi: hi, a: slices.Clone(at), d: make([]rational.Number, len(at))}
	for i, v := range b.a {
		b.infinite = b.infinite || !finite(v) || !(lo[i] <= hi[i])
		if b.a[i] = min(max(v, lo[i]), hi[i]); b.infinite || b.a[i] == v {
			continue
		}
		if !finite(b.a[i]) {
			b.infinite = true
			continue
		}
		sign := math.Copysign(1, b.a[i]-v)
		b.shift.Add(sign, rational.OfFloat(b.a[i]))
		b.shift.Add(-sign, rational.OfFloat(v))
	}
	return b
}

// difference returns x − y.
func difference(x, y float64) rational.Number {
	var s rational.Sum
	s.Add(1, rational.OfFloat(x))
	s.Add(-1, rational.OfFloat(y))
	return s.Number()
}

// complement adds the share of each variable, the most that d_i (a_i − u) is for a u within its bounds.
func (b *bounding) complement() {
	for i, d := range b.d {
		at := b.lo[i]
		switch {
		case d.Sign() == 0:
			continue
		case d.Sign() < 0:
			at = b.hi[i]
		}
		if math.IsInf(at, 0) {
			b.infinite = true
			return
		}
		b.gap.AddProduct(d, difference(b.a[i], at))
	}
}

// bound rounds the sums up.
func (b *bounding) bound() Bound {
	if b.infinite {
		return unproven
	}
	return Bound{Gap: b.gap.Number().AtLeast(), Shift: b.shift.Number().AtLeast()}
}

// Bound proves how far A is from an optimum, whatever else r says, with exact sums over the float64 numbers of p: about
// 5 ns for each row of K whose a_i is not 0 and each of its elements. The feasible point is A moved into the box, with
// some variables moved further until the equality holds. The dual objective is that at (A, Rho) after the first move.
// It bounds the optimum if K is positive semidefinite, which Bound does not prove.
//
// The error is that of ctx. K must be finite and symmetric; its AddRows, asked for one row of coefficient 1, must add
// that row to zeros exactly. The bound takes [PairBoundScratch] bytes.
func (p *Pair) Bound(ctx context.Context, r *PairResult) (Bound, error) {
	n := p.K.Len()
	if len(r.A) != n || len(p.P) != n || len(p.Lo) != n || len(p.Hi) != n || p.Start != nil && len(p.Start) != n {
		panic(fmt.Sprintf("smo: matrix of order %d with vectors of length %d, %d, %d, %d, %d",
			n, len(r.A), len(p.P), len(p.Lo), len(p.Hi), len(p.Start)))
	}
	b := newBounding(r.A, p.Lo, p.Hi)
	if b.infinite || !finite(r.Rho) {
		return unproven, nil
	}
	sums := make([]rational.Products, n)
	if err := p.gradient(ctx, b.a, sums); err != nil {
		return unproven, err
	}
	var whole rational.Sum // Σ a_i − Σ start_i
	for i := range sums {
		sums[i].Add(1, p.P[i])
		sums[i].Add(-1, r.Rho)
		d, ok := sums[i].Number()
		if b.d[i] = d; !ok {
			return unproven, nil
		}
		whole.Add(1, rational.OfFloat(b.a[i]))
		if p.Start != nil {
			whole.Add(-1, rational.OfFloat(p.Start[i]))
		}
	}
	b.complement()
	p.balance(b, whole.Number())
	return b.bound(), nil
}

// boundRows is the number of rows of K in memory at a time.
const boundRows = 16

const (
	productsBytes = 1080 // of a [rational.Products]
	numberBytes   = 720  // of a variable in the box and its reduced gradient, of as many words at most
)

// PairBoundScratch returns the bytes that [Pair.Bound] takes for n variables.
func PairBoundScratch(n int) int64 { return int64(n) * (boundRows*8 + productsBytes + numberBytes) }

// BoxBoundScratch returns the bytes that [Box.Bound] takes for a [Factor] of n rows in r dimensions.
func BoxBoundScratch(n, r int) int64 { return int64(n)*numberBytes + int64(r)*productsBytes }

// gradient adds Ka to the sums.
func (p *Pair) gradient(ctx context.Context, a []float64, sums []rational.Products) error {
	n := len(a)
	rows, coef := make([]float64, 0, boundRows*n), make([]float64, 0, boundRows)
	for i, v := range a {
		if v != 0 {
			rows = rows[:len(rows)+n]
			row := rows[len(rows)-n:]
			clear(row)
			if err := p.K.AddRows(ctx, row, []int{i}, []float64{1}); err != nil {
				return err
			}
			coef = append(coef, v)
		}
		if len(coef) == boundRows || i == n-1 {
			addRows(sums, rows, coef)
			rows, coef = rows[:0], coef[:0]
		}
	}
	return ctx.Err()
}

// addRows adds the products of rows and their coefficients, column by column.
func addRows(sums []rational.Products, rows, coef []float64) {
	n := len(sums)
	for i := range sums {
		for k, c := range coef {
			sums[i].Add(c, rows[k*n+i])
		}
	}
}

// balance moves variables until their sum is what it must be, those first whose moves raise the objective least, and
// adds what that costs: d_i for a step of one, and at most half the square of all steps times the largest k_ii.
func (p *Pair) balance(b *bounding, excess rational.Number) {
	if excess.Sign() == 0 {
		return
	}
	sign := float64(-excess.Sign()) // of the steps
	var order []int
	slope := make([]float64, len(b.a))
	for i, a := range b.a {
		if slope[i] = sign * b.d[i].Float64(); sign > 0 && a < b.hi[i] || sign < 0 && a > b.lo[i] {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(slope[i], slope[j]) })
	diag := make([]float64, len(b.a))
	p.K.Diag(diag)
	most, left := 0.0, magnitude(excess)
	b.shift.AddProduct(left, rational.OfFloat(1))
	half := halfSquare(left)
	for _, i := range order {
		room := difference(b.hi[i], b.a[i])
		if sign < 0 {
			room = difference(b.a[i], b.lo[i])
		}
		step, rest := least(room, left)
		b.gap.AddProduct(step, signed(sign, b.d[i]))
		most = max(most, diag[i]) // NaN stays
		if left = rest; left.Sign() == 0 {
			break
		}
	}
	if left.Sign() != 0 || !finite(most) {
		b.infinite = true
		return
	}
	b.gap.Add(most, half)
}

// least returns the smaller of two numbers, and what is left of the second.
func least(x, of rational.Number) (smaller, left rational.Number) {
	var s rational.Sum
	s.AddProduct(of, rational.OfFloat(1))
	s.AddProduct(x, rational.OfFloat(-1))
	if left = s.Number(); left.Sign() <= 0 {
		return of, rational.Number{}
	}
	return x, left
}

func magnitude(v rational.Number) rational.Number {
	if v.Sign() < 0 {
		return v.Neg()
	}
	return v
}

func signed(sign float64, v rational.Number) rational.Number {
	if sign < 0 {
		return v.Neg()
	}
	return v
}

func halfSquare(v rational.Number) rational.Number {
	var s rational.Sum
	s.AddProduct(v, v)
	half := s.Number()
	half.Exp--
	return half
}

// Bound proves how far B is from an optimum, whatever else r says, with exact sums over the float64 numbers of p: about
// 10 ns for each element of Z. The feasible point is B moved into the box, and the dual objective is that at U. As H is
// ZZᵀ, the optimum is within Gap of the objective at that point. The error is that of ctx. The bound takes
// [BoxBoundScratch] bytes.
func (p *Box) Bound(ctx context.Context, r *BoxResult) (Bound, error) {
	f := &p.H.factor
	n, width := f.Dims()
	if len(r.B) != n || len(r.U) != width || len(p.P) != n || len(p.Lo) != n || len(p.Hi) != n {
		panic(fmt.Sprintf("smo: factor of %d rows and %d columns with vectors of length %d, %d, %d, %d, %d",
			n, width, len(r.B), len(r.U), len(p.P), len(p.Lo), len(p.Hi)))
	}
	b := newBounding(r.B, p.Lo, p.Hi)
	if b.infinite {
		return unproven, nil
	}
	image := make([]rational.Products, width) // U − Zᵀb
	for i, v := range b.a {
		if err := ctx.Err(); err != nil {
			return unproven, err
		}
		var g rational.Products
		for k, z := range f.Row(i) {
			g.Add(z, r.U[k])
			image[k].Add(z, -v)
		}
		g.Add(1, p.P[i])
		d, ok := g.Number()
		if b.d[i] = d; !ok {
			return unproven, nil
		}
	}
	b.complement()
	for k := range image {
		image[k].Add(1, r.U[k])
		v, ok := image[k].Number()
		if !ok {
			return unproven, nil
		}
		b.gap.AddProduct(halfSquare(v), rational.OfFloat(1))
	}
	return b.bound(), nil
}
