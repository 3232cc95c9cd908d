// Package prove proves the status of a linear program in exact arithmetic, without any tolerance: package simplex calls
// it with the basis where a solve ended, and package qp writes its proofs with it.
//
// A [Prover] solves with the block of basic columns and tight rows exactly, and checks bounds and reduced costs by
// float64 numbers where those are certain, by fractions where not. Where the basis is optimal within the tolerance of a
// solver only, pivots lead on from it: first in doubled precision, then exact ones.
package prove

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/sparsekm/sparsekm/internal/rational"
	"github.com/sparsekm/sparsekm/status"
)

// Sentinels that errors.Is finds in the errors of this package.
var (
	// ErrCertificate: pivots led to no proof.
	ErrCertificate = errors.New("prove: nothing is proved")
	// ErrMemory: a proof may take more memory than its budget.
	ErrMemory = rational.ErrMemory
)

// refusal is an [ErrCertificate] that says why.
type refusal string

func (e refusal) Error() string        { return "prove: " + string(e) }
func (e refusal) Is(target error) bool { return target == ErrCertificate }

func unproven(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

// Proof proves a status: its numbers are fractions, and the program's float64 numbers are what they are. [Proof.Write]
// writes what a reader can check without this package.
type Proof struct {
	Status     status.Status // Optimal, Infeasible or Unbounded
	Objective  *big.Rat      // of an optimum
	Rows, Cols int           // m and n of the program

	X   []rational.Number // n: an optimum, or a feasible point of an unbounded program
	Y   []rational.Number // m: dual values of an optimum, or multipliers that prove infeasibility
	Ray []rational.Number // n: a direction of falling cost
}

// Position is where a variable rests, numbered as in package simplex.
type Position uint8

const (
	Basic   Position = iota // one of the m basic variables
	AtLower                 // nonbasic at its lower bound
	AtUpper                 // nonbasic at its upper bound
	AtZero                  // nonbasic and free
)

// Program is min Cᵀx + Offset, where x and then Ax are within Lower and Upper. Its numbers are finite, but for bounds.
type Program struct {
	Cols, Rows   rational.Lines // A by columns and by rows
	C            []float64
	Offset       float64
	Lower, Upper []float64 // of columns, then of rows
}

// Prover makes exact pivots in a program.
type Prover struct {
	Program
	MaxWork float64 // limit of the exact arithmetic; 0 means none

	m, n          int
	memory        int64 // bytes for exact solutions; 0 means no limit
	pivots        int
	work          float64 // of exact arithmetic
	noise         float64 // sums below it, relative to their terms, count as 0; 0 in exact arithmetic
	scratch, also rational.Sum
}

// New returns a prover for a memory budget in bytes, 0 for none. Before more is taken, the prover returns an
// [ErrMemory]: of the copies of the program, and of numbers of as many digits as the basis's determinant may have.
func New(program Program, maxBytes int64) (*Prover, error) {
	n := len(program.C)
	p := &Prover{Program: program, n: n, m: len(program.Lower) - n}
	if maxBytes > 0 {
		const entry, line = 2 * 12, 12 * 8 // of the matrix by columns and by rows; of vectors and numbers that are 0
		bytes := entry*int64(len(p.Rows.Value)) + line*int64(p.m+p.n)
		if p.memory = maxBytes - bytes; p.memory <= 0 {
			return nil, &rational.BudgetError{Need: bytes, Have: maxBytes}
		}
	}
	return p, nil
}

// maxPivots limits the pivots of a proof.
const maxPivots = 1000

// Prove makes exact pivots to a proof, from the positions of columns and then of rows, and returns the last ones.
func (p *Prover) Prove(ctx context.Context, position []Position) (*Proof, []Position, error) {
	position = p.possible(position)
	for range maxPivots {
		v, err := p.vertex(ctx, position)
		if err != nil {
			return nil, nil, err
		}
		proof, err := v.proof()
		if proof == nil && err == nil {
			proof, err = v.step(ctx)
		}
		if proof != nil || err != nil {
			return proof, v.position, err
		}
		position = v.position
		p.pivots++
	}
	return nil, nil, unproven("no proof after %d exact pivots", maxPivots)
}

// vertex is the exact solution of a basis.
type vertex struct {
	*Prover
	position []Position // of columns, then of rows
	basics   []int32    // basic columns S
	tight    []int32    // rows R that are not basic
	factors  solver
	x, y     *rational.Vector

	below, above []float64 // by how much variables are above their lower and below their upper bounds
	d            []float64 // reduced costs
}

// solver solves with A[R,S] and its transpose.
type solver interface {
	Solve(ctx context.Context, b []rational.Number) ([]rational.Number, error)
	SolveTransposed(ctx context.Context, c []rational.Number) ([]rational.Number, error)
}

// minus returns Σ value·x[index] − b by float64 numbers where its sign is certain.
func (p *Prover) minus(index []int32, value []float64, x *rational.Vector, b float64) float64 {
	return x.Minus(index, value, b, p.noise, &p.scratch)
}

// vertex returns the solution of the basis with the given positions. Columns that depend on others leave it.
func (p *Prover) vertex(ctx context.Context, position []Position) (*vertex, error) {
	v := &vertex{Prover: p, position: position}
	for {
		v.split()
		if len(v.basics) != len(v.tight) {
			return nil, unproven("basis of %d variables for %d rows", len(v.basics)+p.m-len(v.tight), p.m)
		}
		core := v.core()
		if p.work += work(core); p.MaxWork > 0 && p.work > p.MaxWork {
			return nil, unproven("too many digits after %d exact pivots", p.pivots)
		}
		core.Memory = p.memory
		factors, err := rational.Factor(ctx, core)
		var singular *rational.SingularError
		switch {
		case err == nil:
			v.factors = factors
			return v, v.solve(ctx)
		case !errors.As(err, &singular):
			return nil, err
		}
		for _, k := range singular.Cols {
			position[v.basics[k]] = p.rest(int(v.basics[k]))
		}
		for _, k := range singular.Rows {
			position[p.n+int(v.tight[k])] = Basic
		}
	}
}

// split finds the basic columns and the rows that are not basic.
func (v *vertex) split() {
	v.basics, v.tight = nil, nil
	for u, rest := range v.position {
		switch {
		case u < v.n && rest == Basic:
			v.basics = append(v.basics, int32(u))
		case u >= v.n && rest != Basic:
			v.tight = append(v.tight, int32(u-v.n))
		}
	}
}

// possible changes the positions that the bounds do not allow.
func (p *Prover) possible(position []Position) []Position {
	for u, where := range position {
		noLower, noUpper := math.IsInf(p.Lower[u], 0), math.IsInf(p.Upper[u], 0)
		if where == AtLower && noLower || where == AtUpper && noUpper || where == AtZero && !(noLower && noUpper) {
			position[u] = p.rest(u)
		}
	}
	return position
}

// rest returns a position that the bounds of a variable allow.
func (p *Prover) rest(u int) Position {
	switch {
	case !math.IsInf(p.Lower[u], 0):
		return AtLower
	case !math.IsInf(p.Upper[u], 0):
		return AtUpper
	}
	return AtZero
}

// core returns A[R,S].
func (v *vertex) core() *rational.Matrix {
	place := make([]int32, v.m)
	for k, i := range v.tight {
		place[i] = int32(k) + 1
	}
	a := &rational.Matrix{N: len(v.tight), Lines: rational.Lines{Start: []int{0}}}
	for _, j := range v.basics {
		index, value := v.Cols.Entries(int(j))
		for t, i := range index {
			if place[i] > 0 && value[t] != 0 {
				a.Index = append(a.Index, place[i]-1)
				a.Value = append(a.Value, value[t])
			}
		}
		a.Start = append(a.Start, len(a.Index))
	}
	return a
}

// bound returns the bound that nonbasic variable u rests on.
func (v *vertex) bound(u int) float64 {
	value := 0.0
	switch v.position[u] {
	case AtLower:
		value = v.Lower[u]
	case AtUpper:
		value = v.Upper[u]
	}
	return value
}

// solve finds x and y, and what bounds and signs they violate.
func (v *vertex) solve(ctx context.Context) error {
	x := make([]rational.Number, v.n)
	for j := range x {
		if v.position[j] != Basic {
			x[j] = rational.OfFloat(v.bound(j))
		}
	}
	right := make([]rational.Number, len(v.tight))
	for k, i := range v.tight {
		v.scratch.Reset()
		v.scratch.Add(v.bound(v.n+int(i)), rational.OfFloat(1))
		index, value := v.Rows.Entries(int(i))
		for t, j := range index {
			v.scratch.Add(-value[t], x[j])
		}
		right[k] = v.scratch.Number()
	}
	basic, err := v.factors.Solve(ctx, right)
	if err != nil {
		return err
	}
	costs := make([]rational.Number, len(v.basics))
	for k, j := range v.basics {
		x[j], costs[k] = basic[k], rational.OfFloat(v.C[j])
	}
	dual, err := v.factors.SolveTransposed(ctx, costs)
	if err != nil {
		return err
	}
	v.x, v.y = rational.NewVector(x), rational.NewVector(spread(dual, v.tight, v.m))
	v.measure()
	return nil
}

// spread returns n numbers, those given at their places.
func spread(values []rational.Number, places []int32, n int) []rational.Number {
	all := make([]rational.Number, n)
	for k, i := range places {
		all[i] = values[k]
	}
	return all
}

// measure fills below, above and d.
func (v *vertex) measure() {
	size := v.n + v.m
	v.below, v.above, v.d = make([]float64, size), make([]float64, size), make([]float64, size)
	for u := range size {
		if v.position[u] == Basic {
			v.below[u], v.above[u] = v.distance(u, v.Lower[u]), -v.distance(u, v.Upper[u])
			continue
		}
		val := v.bound(u)
		v.below[u], v.above[u] = val-v.Lower[u], v.Upper[u]-val
		if u < v.n {
			index, value := v.Cols.Entries(u)
			v.d[u] = -v.minus(index, value, v.y, v.C[u])
		} else {
			v.d[u] = v.y.Exact[u-v.n].Float64()
		}
	}
}

// distance returns by how much a variable is above b.
func (v *vertex) distance(u int, b float64) float64 {
	if math.IsInf(b, 0) {
		return -b
	}
	index, value := v.line(u)
	return v.minus(index, value, v.x, b)
}

// line returns the terms of a variable in the columns.
func (v *vertex) line(u int) ([]int32, []float64) {
	if u < v.n {
		return []int32{int32(u)}, []float64{1}
	}
	return v.Rows.Entries(u - v.n)
}

// attraction returns by how much the cost falls when nonbasic variable u moves off its bound by one, 0 if it does not.
func (v *vertex) attraction(u int) float64 {
	d := v.d[u]
	switch {
	case v.position[u] == Basic || v.Lower[u] == v.Upper[u]:
		return 0
	case v.position[u] == AtLower:
		return max(0, -d)
	case v.position[u] == AtUpper:
		return max(0, d)
	}
	return math.Abs(d)
}

// proof returns the proof that the vertex is an optimum, nil if it is none.
func (v *vertex) proof() (*Proof, error) {
	for u := range v.d {
		if v.below[u] < 0 || v.above[u] < 0 || v.attraction(u) > 0 {
			return nil, nil
		}
	}
	v.scratch.Reset()
	for j, c := range v.C {
		v.scratch.Add(c, v.x.Exact[j])
	}
	v.scratch.Add(v.Offset, rational.OfFloat(1))
	return &Proof{Status: status.Optimal, Objective: v.scratch.Number().Rat(), Rows: v.m, Cols: v.n, X: v.x.Exact,
		Y: v.y.Exact}, nil
}

// work estimates the work of a solution with a matrix: the digits of a solution are those of all columns, and each
// of them takes a product with the inverse.
func work(a *rational.Matrix) float64 {
	const digits = 53
	lowest, highest := math.MaxInt, math.MinInt
	for _, v := range a.Value {
		_, exp := math.Frexp(v)
		lowest, highest = min(lowest, exp), max(highest, exp)
	}
	n := float64(a.N)
	return 1000 + n*n*n*(1+float64(max(0, highest-lowest))/digits)
}
