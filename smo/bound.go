package smo

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/rational"
	"github.com/sparsekm/sparsekm/smo/internal/duals"
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
var unproven = Bound{Gap: math.Inf(1)}

// Bound proves how far A is from an optimum, whatever else r says, with exact sums over the float64 numbers of p: about
// 5 ns for each row of K whose a_i is not 0 and each of its elements. The feasible point is A moved into the box, with
// some variables moved further until the equality holds. The dual objective is that at (A, Rho) after the first move.
// It bounds the optimum if K is positive semidefinite, which Bound does not prove.
//
// The error is that of ctx. K must be finite and symmetric; its AddRows, asked for one row of coefficient 1, must add
// that row to zeros exactly. The bound takes [BoundBytes].
func (p *Pair) Bound(ctx context.Context, r *Result) (Bound, error) {
	n := p.K.Len()
	if len(r.A) != n || len(p.P) != n || len(p.Lo) != n || len(p.Hi) != n || p.Start != nil && len(p.Start) != n {
		panic(fmt.Sprintf("smo: matrix of order %d with vectors of length %d, %d, %d, %d, %d",
			n, len(r.A), len(p.P), len(p.Lo), len(p.Hi), len(p.Start)))
	}
	b := duals.NewSums(r.A, p.Lo, p.Hi)
	if b.Infinite || !finite(r.Rho) {
		return unproven, nil
	}
	sums := make([]rational.Products, n)
	if err := p.gradient(ctx, b.A, sums); err != nil {
		return unproven, err
	}
	var whole rational.Sum // Σ a_i − Σ start_i
	for i := range sums {
		sums[i].Add(1, p.P[i])
		sums[i].Add(-1, r.Rho)
		d, ok := sums[i].Number()
		if b.D[i] = d; !ok {
			return unproven, nil
		}
		whole.Add(1, rational.OfFloat(b.A[i]))
		if p.Start != nil {
			whole.Add(-1, rational.OfFloat(p.Start[i]))
		}
	}
	b.Complement()
	p.balance(b, whole.Number())
	gap, shift := b.Rounded()
	return Bound{gap, shift}, nil
}

// boundRows is the number of rows of K in memory at a time.
const boundRows = 16

// BoundBytes returns what [Pair.Bound] takes for n variables.
func BoundBytes(n int) int64 {
	return int64(n) * (boundRows*8 + duals.ProductsBytes + duals.NumberBytes)
}

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
func (p *Pair) balance(b *duals.Sums, excess rational.Number) {
	if excess.Sign() == 0 {
		return
	}
	sign := float64(-excess.Sign()) // of the steps
	var order []int
	slope := make([]float64, len(b.A))
	for i, a := range b.A {
		if slope[i] = sign * b.D[i].Float64(); sign > 0 && a < p.Hi[i] || sign < 0 && a > p.Lo[i] {
			order = append(order, i)
		}
	}
	deal.Sort(order, func(i, j int) int { return cmp.Compare(slope[i], slope[j]) })
	diag := make([]float64, len(b.A))
	p.K.Diag(diag)
	largest, left := 0.0, magnitude(excess)
	b.Shift.AddProduct(left, rational.OfFloat(1))
	half := duals.HalfSquare(left)
	for _, i := range order {
		room := duals.Difference(p.Hi[i], b.A[i])
		if sign < 0 {
			room = duals.Difference(b.A[i], p.Lo[i])
		}
		step, rest := smaller(room, left)
		b.Gap.AddProduct(step, signed(sign, b.D[i]))
		largest = max(largest, diag[i]) // NaN stays
		if left = rest; left.Sign() == 0 {
			break
		}
	}
	if left.Sign() != 0 || !finite(largest) {
		b.Infinite = true
		return
	}
	b.Gap.Add(largest, half)
}

// smaller returns the smaller of two numbers, and what is left of the second.
func smaller(x, y rational.Number) (smaller, left rational.Number) {
	var s rational.Sum
	s.AddProduct(y, rational.OfFloat(1))
	s.AddProduct(x, rational.OfFloat(-1))
	if left = s.Number(); left.Sign() <= 0 {
		return y, rational.Number{}
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
