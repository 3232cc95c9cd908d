package simplex

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"

	"github.com/sparsekm/sparsekm/internal/rational"
	"github.com/sparsekm/sparsekm/status"
)

// Proof proves a status without any tolerance: its numbers are fractions, and the program's float64 numbers
// are what they are. [Proof.Write] writes what a reader can check without this package.
type Proof struct {
	Status    status.Status // Optimal, Infeasible or Unbounded
	Objective *big.Rat      // of an optimum

	x   []rational.Number // n: an optimum, or a feasible point of an unbounded program
	y   []rational.Number // m: dual values of an optimum, or multipliers that prove infeasibility
	ray []rational.Number // n: a direction of falling cost
}

// maxExactPivots limits the pivots of Prove.
const maxExactPivots = 1000

// Prove proves what the status of a program is, in exact arithmetic from the basis of a result. Where that basis is
// optimal within the tolerance of the solver only, exact pivots lead on from it. The status may then be another one
// than r says: a program that is feasible within the tolerance may be infeasible.
//
// The error is that of ctx, an [ErrInvalid], or an [ErrCertificate] where pivots lead to no proof.
func Prove(ctx context.Context, lp LP, r *Result) (*Proof, error) { return ProveWithin(ctx, lp, r, 0) }

// ProveWithin is Prove for a memory budget in bytes, 0 for none. Before more is taken it returns an error that is an
// [ErrMemory]: of the copies of the program, and of numbers of as many digits as the determinant of the basis may have.
func ProveWithin(ctx context.Context, lp LP, r *Result, maxBytes int64) (*Proof, error) {
	if err := lp.Validate(); err != nil {
		return nil, err
	}
	f := lp.filled()
	if _, crossed := f.crossed(); crossed {
		return &Proof{Status: status.Infeasible, y: make([]rational.Number, len(f.RowLo))}, nil
	}
	p, err := newProver(&f)
	if err != nil {
		return nil, err
	}
	if maxBytes > 0 {
		if p.memory = maxBytes - p.bytes(); p.memory <= 0 {
			return nil, beyondMemory("its program takes %d MB, the budget is %d MB", p.bytes()>>20, maxBytes>>20)
		}
	}
	if len(r.Basis.Cols) != p.n || len(r.Basis.Rows) != p.m {
		return nil, invalid("basis of %d columns and %d rows for a program of %d and %d", len(r.Basis.Cols),
			len(r.Basis.Rows), p.n, p.m)
	}
	position := p.possible(append(slices.Clone(r.Basis.Cols), r.Basis.Rows...))
	proof, _, err := p.prove(ctx, p.approach(ctx, position))
	return proof, err
}

// prove makes exact pivots to a proof, and returns the last positions, of columns and then of rows.
func (p *prover) prove(ctx context.Context, position []Position) (*Proof, []Position, error) {
	for range maxExactPivots {
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
	return nil, nil, unproven("no proof after %d exact pivots", maxExactPivots)
}

// prover is a program as Prove reads it.
type prover struct {
	lp            *LP
	m, n          int
	cols, rows    *Sparse // the matrix by columns and by rows
	memory        int64   // bytes for exact solutions; 0 means no limit
	pivots        int
	work, most    float64   // of exact arithmetic, and its limit; 0 for none
	noise         float64   // sums below it, relative to their terms, count as 0; 0 in exact arithmetic
	lower, upper  []float64 // of columns, then of rows
	scratch, also rational.Sum
}

// newProver reads a program, whose entries must be finite: a matrix of a caller's own type has not been validated.
func newProver(lp *LP) (*prover, error) {
	m, n := lp.A.Dims()
	p := &prover{lp: lp, m: m, n: n}
	if a, ok := lp.A.(*Sparse); ok {
		p.cols = a
	} else {
		p.cols = sparseCopy(lp.A)
	}
	if err := p.cols.check(new(validity)); err != nil {
		return nil, err
	}
	p.rows = transposed(m, n, p.cols.Entries)
	p.lower, p.upper = slices.Concat(lp.Lo, lp.RowLo), slices.Concat(lp.Up, lp.RowUp)
	return p, nil
}

// bytes are what the copies of the program and vectors of float64 numbers take.
func (p *prover) bytes() int64 {
	const entry, line = 2 * 12, 12 * 8 // of the matrix by columns and by rows; of vectors and numbers that are 0
	return entry*int64(len(p.rows.Value)) + line*int64(p.m+p.n)
}

// sparseCopy returns a matrix in compressed columns.
func sparseCopy(a Columns) *Sparse {
	m, n := a.Dims()
	cols := &Sparse{Rows: m, Start: []int{0}}
	column := make([]float64, m)
	for j := range n {
		a.Column(column, j)
		for i, v := range column {
			if v != 0 {
				cols.Index = append(cols.Index, int32(i))
				cols.Value = append(cols.Value, v)
			}
		}
		cols.Start = append(cols.Start, len(cols.Index))
	}
	return cols
}

// vertex is the exact solution of a basis.
type vertex struct {
	*prover
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
func (p *prover) minus(index []int32, value []float64, x *rational.Vector, b float64) float64 {
	return x.Minus(index, value, b, p.noise, &p.scratch)
}

// vertex returns the solution of the basis with the given positions. Columns that depend on others leave it.
func (p *prover) vertex(ctx context.Context, position []Position) (*vertex, error) {
	v := &vertex{prover: p, position: position}
	for {
		v.split()
		if len(v.basics) != len(v.tight) {
			return nil, invalid("basis of %d variables for %d rows", len(v.basics)+p.m-len(v.tight), p.m)
		}
		core := v.core()
		if p.work += exactWork(core); p.most > 0 && p.work > p.most {
			return nil, unproven("too many digits after %d exact pivots", p.pivots)
		}
		core.Memory = p.memory
		factors, err := rational.Factor(ctx, core)
		var singular *rational.SingularError
		var beyond *rational.BudgetError
		switch {
		case errors.As(err, &beyond):
			return nil, beyondMemory("numbers of up to %d digits for %d basic columns take up to %d MB, %d MB are left",
				beyond.Digits, len(v.basics), beyond.Need>>20+1, beyond.Have>>20)
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
	for u, at := range v.position {
		switch {
		case u < v.n && at == Basic:
			v.basics = append(v.basics, int32(u))
		case u >= v.n && at != Basic:
			v.tight = append(v.tight, int32(u-v.n))
		}
	}
}

// possible changes the positions that the bounds do not allow.
func (p *prover) possible(position []Position) []Position {
	for u, at := range position {
		noLower, noUpper := math.IsInf(p.lower[u], 0), math.IsInf(p.upper[u], 0)
		if at == AtLower && noLower || at == AtUpper && noUpper || at == AtZero && !(noLower && noUpper) {
			position[u] = p.rest(u)
		}
	}
	return position
}

// rest returns a position that the bounds of a variable allow.
func (p *prover) rest(u int) Position {
	switch {
	case !math.IsInf(p.lower[u], 0):
		return AtLower
	case !math.IsInf(p.upper[u], 0):
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
	a := &rational.Matrix{N: len(v.tight), Start: []int{0}}
	for _, j := range v.basics {
		index, value := v.cols.Entries(int(j))
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
	at := 0.0
	switch v.position[u] {
	case AtLower:
		at = v.lower[u]
	case AtUpper:
		at = v.upper[u]
	}
	return at
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
		index, value := v.rows.Entries(int(i))
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
		x[j], costs[k] = basic[k], rational.OfFloat(v.lp.C[j])
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
func spread(values []rational.Number, at []int32, n int) []rational.Number {
	all := make([]rational.Number, n)
	for k, i := range at {
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
			v.below[u], v.above[u] = v.distance(u, v.lower[u]), -v.distance(u, v.upper[u])
			continue
		}
		at := v.bound(u)
		v.below[u], v.above[u] = at-v.lower[u], v.upper[u]-at
		if u < v.n {
			index, value := v.cols.Entries(u)
			v.d[u] = -v.minus(index, value, v.y, v.lp.C[u])
		} else {
			v.d[u] = v.y.Exact[u-v.n].Float64()
		}
	}
}

// distance returns by how much a variable is above b.
func (v *vertex) distance(u int, b float64) float64 {
	switch {
	case math.IsInf(b, 0):
		return -b
	case u < v.n:
		return v.minus([]int32{int32(u)}, []float64{1}, v.x, b)
	}
	index, value := v.rows.Entries(u - v.n)
	return v.minus(index, value, v.x, b)
}

// attraction returns by how much the cost falls when nonbasic variable u moves off its bound by one, 0 if it does not.
func (v *vertex) attraction(u int) float64 {
	d := v.d[u]
	switch {
	case v.position[u] == Basic || v.lower[u] == v.upper[u]:
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
	for j, c := range v.lp.C {
		v.scratch.Add(c, v.x.Exact[j])
	}
	v.scratch.Add(v.lp.Offset, rational.OfFloat(1))
	return &Proof{Status: status.Optimal, Objective: v.scratch.Number().Rat(), x: v.x.Exact, y: v.y.Exact}, nil
}
