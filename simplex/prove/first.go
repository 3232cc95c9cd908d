package prove

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/rational"
	"github.com/sparsekm/sparsekm/simplex/internal/lu"
)

// Approach makes the pivots of Prove that numbers of doubled precision ask for. A basis is optimal within 1e-9 of what
// its program is, and exact pivots from there cost an exact solution each. What is below the errors of these numbers
// counts as 0, and is left to exact pivots: nothing is proved here. It ends where it learns no more.
func (p *Prover) Approach(ctx context.Context, position []Position) []Position {
	position = p.possible(position)
	p.noise = noise
	defer func() { p.noise, p.pivots = 0, 0 }()
	for range maxPivots / 2 {
		v := &vertex{Prover: p, position: position}
		v.split()
		if len(v.basics) != len(v.tight) || len(v.basics) == 0 {
			break
		}
		f := refine(ctx, v.core())
		if f == nil {
			break
		}
		v.factors = f
		before := slices.Clone(position)
		if err := v.solve(ctx); err != nil {
			break
		}
		if proof, err := v.proof(); proof != nil || err != nil {
			break
		}
		if proof, err := v.step(ctx); proof != nil || err != nil {
			return before
		}
		p.pivots++
	}
	return position
}

// noise is the error of refined solutions, relative to the terms of a sum: far above 2^-106 times ordinary condition
// numbers, and far below what rounding a program's numbers changes.
const noise = 0x1p-80

// refined solves with factors in float64 numbers, and refines the solutions in doubled precision.
type refined struct {
	core    *rational.Matrix
	factors *lu.Factors
	places  []int32 // column → the row that it was pivoted on
	work    *lu.Vector
}

// refine factors a matrix; nil if it is singular as far as float64 numbers show.
func refine(ctx context.Context, core *rational.Matrix) *refined {
	f := &refined{core: core, factors: lu.New(core.N), work: lu.NewVector(core.N)}
	places, ok := f.factors.Factor(ctx, core.Entries)
	if !ok {
		return nil
	}
	f.places = append(f.places, places...)
	return f
}

// errUnrefined ends an approach.
var errUnrefined = unproven("corrections do not shrink")

// Solve implements solver.
func (f *refined) Solve(_ context.Context, b []rational.Number) ([]rational.Number, error) {
	return f.refine(b, func(v *lu.Vector) { f.factors.Ftran(v, nil) }, false)
}

// SolveTransposed implements solver.
func (f *refined) SolveTransposed(_ context.Context, c []rational.Number) ([]rational.Number, error) {
	return f.refine(c, func(v *lu.Vector) { f.factors.Btran(v, nil) }, true)
}

// refine corrects the solution until corrections are below its errors.
func (f *refined) refine(right []rational.Number, solve func(v *lu.Vector), transposed bool) (
	[]rational.Number, error) {
	const most = 6 // corrections
	x, b := make([]dense.Doubled, f.core.N), make([]dense.Doubled, f.core.N)
	for i, v := range right {
		b[i] = doubledOf(v)
	}
	r := slices.Clone(b)
	for range most {
		f.work.Clear()
		for i := range r {
			pos := int32(i)
			if transposed {
				pos = f.places[i]
			}
			f.work.Value[pos] = r[i].Value()
		}
		f.work.Gather()
		solve(f.work)
		largest, change := 0.0, 0.0
		for j := range x {
			index := int32(j)
			if !transposed {
				index = f.places[j]
			}
			v := f.work.Value[index]
			x[j].Add(v)
			x[j].Add(0)
			largest, change = max(largest, math.Abs(x[j].Hi)), max(change, math.Abs(v))
		}
		if !(largest <= 1e290) {
			return nil, errUnrefined
		}
		if change <= noise/64*largest {
			return numbersOf(x), nil
		}
		copy(r, b)
		f.subtract(r, x, transposed)
	}
	return nil, errUnrefined
}

// subtract takes A·x from r, or Aᵀ·x.
func (f *refined) subtract(r, x []dense.Doubled, transposed bool) {
	for j := range f.core.N {
		index, value := f.core.Entries(j)
		for t, i := range index {
			if transposed {
				r[j].AddProduct(-value[t], x[i])
			} else {
				r[i].AddProduct(-value[t], x[j])
			}
		}
	}
}

// doubledOf rounds v.
func doubledOf(v rational.Number) dense.Doubled {
	if v.Sign() == 0 {
		return dense.Doubled{}
	}
	if v.Den == rational.One && v.Num.BitLen() <= 53 && v.Exp > -1000 && v.Exp < 900 {
		return dense.Doubled{Hi: math.Ldexp(float64(v.Num.Int64()), v.Exp)}
	}
	high := v.Float64()
	var rest rational.Sum
	rest.Add(1, v)
	rest.Add(-1, rational.OfFloat(high))
	return dense.Doubled{Hi: high, Lo: rest.Number().Float64()}
}

// numbersOf returns the sums, and 0 for those below the noise.
func numbersOf(x []dense.Doubled) []rational.Number {
	numbers, largest := make([]rational.Number, len(x)), 0.0
	for _, v := range x {
		largest = max(largest, math.Abs(v.Hi))
	}
	for j, v := range x {
		if math.Abs(v.Hi) <= noise*largest {
			continue
		}
		numbers[j] = rational.OfFloat(v.Hi)
		if v.Lo != 0 {
			var sum rational.Sum
			sum.Add(1, numbers[j])
			sum.Add(1, rational.OfFloat(v.Lo))
			numbers[j] = sum.Number()
		}
	}
	return numbers
}
