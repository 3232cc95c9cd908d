package simplex

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/status"
)

// small solves a program of few rows again and again. It keeps all of B⁻¹N: a pivot is one sweep over it, and nothing
// that larger programs need is prepared. What it does not finish or cannot prove is left to the solver's other parts,
// which start from its basis.
type small struct {
	tableau
	program *program
	scaled  []float64 // R·A·C by rows, stride apart
	raw     Dense     // A, likewise
	lp      LP        // the program's, with raw for its matrix
	current bool      // the tableau is that of the solver's positions
	pivots  int       // since the last factorisation
	budget  int       // of this solve

	smallBasics
	smallRests
	smallRatio
	proof Checker
}

// smallBasics belong to the rows of the tableau.
type smallBasics struct {
	x, lower, upper []float64
	cost            []float64
	tolerance       float64 // of x
}

// smallRests belong to the columns of the tableau.
type smallRests struct {
	where         []Position
	towards, free []float64 // of smallRatio's candidates; 0 for fixed variables and padding
	devex         []float64 // weights of the primal method
	dualTolerance float64
	priced        bool // the reduced costs are those of the true costs
}

// Small programs have this many rows at most, and this many elements of the tableau.
const (
	smallRows    = 64
	smallEntries = 1 << 14
)

// isSmall reports whether a tableau serves the program.
func (s *Solver) isSmall() bool {
	m, n := s.matrix.m, s.matrix.n
	if m == 0 || n == 0 || m > smallRows || m*n > smallEntries || s.opt.Unit != 0 {
		return false
	}
	for _, p := range s.matrix.parts {
		_, isDense := p.a.(*Dense)
		if !isDense && p.sparse == nil {
			return false
		}
	}
	return true
}

func newSmall(p *program) *small {
	m, n := p.matrix.m, p.matrix.n
	k := &small{tableau: newTableau(m, n), program: p}
	stride := k.stride
	k.scaled = make([]float64, m*stride)
	k.raw = Dense{Rows: m, Cols: n, Stride: stride, Data: make([]float64, m*stride)}
	column := make([]float64, m)
	for j := range n {
		p.lp.A.Column(column, j)
		for i, v := range column {
			k.raw.Data[i*stride+j] = v
			k.scaled[i*stride+j] = v * p.matrix.scaleOfRow(i) * p.matrix.scaleOfCol(j)
		}
	}
	k.lp = p.lp
	k.lp.A = &k.raw
	b := &k.smallBasics
	for _, v := range []*[]float64{&b.x, &b.lower, &b.upper, &b.cost} {
		*v = make([]float64, m)
	}
	r := &k.smallRests
	r.where, r.devex = make([]Position, n), make([]float64, n)
	r.towards, r.free = make([]float64, stride), make([]float64, stride)
	k.candidates = make([]smallCandidate, stride)
	return k
}

// restart factors the basis of the given positions. It reports whether that succeeded.
func (k *small) restart(position []Position) bool {
	basics := 0
	for _, p := range position {
		if p == Basic {
			basics++
		}
	}
	k.pivots, k.priced = 0, false
	if k.current = basics == k.m && k.factor(k.scaled, position); !k.current {
		return false
	}
	for q, v := range k.nonbasic {
		k.where[q] = position[v]
	}
	return true
}

// weigh computes the squares of the rows, which an exchange keeps up.
func (k *small) weigh() {
	for r := range k.m {
		row := k.row(r)
		k.squares[r] = dense.Dot(row, row)
	}
}

// oftenEnough is the number of pivots after which the tableau is computed afresh.
const oftenEnough = 2000

// run finds an optimal basis, a row that may prove that there is no solution, or a column that may prove that there is
// no optimum; Unknown says that it did nothing of these.
func (k *small) run(ctx context.Context, dualFirst bool) (st status.Status, pos int) {
	k.prepare()
	for range 4 {
		if k.infeasible() || dualFirst {
			k.makeDualFeasible()
			if st, pos = k.dual(ctx); st != status.Optimal {
				return st, pos
			}
			if !k.priced {
				k.reprice()
			}
		}
		if dualFirst = false; k.dualFeasible() {
			return status.Optimal, -1
		}
		if st, pos = k.primal(ctx); st != status.Optimal {
			return st, pos
		}
	}
	return status.Unknown, -1
}

// prepare computes everything from the tableau, for the program's present numbers.
func (k *small) prepare() {
	k.budget = 20*(k.m+k.n) + 100
	p := k.program
	for q, v := range k.nonbasic {
		k.where[q] = p.rest(int(v), k.where[q])
		k.setRest(q, v)
	}
	k.evaluate()
	for r, v := range k.basic {
		k.lower[r], k.upper[r] = p.trueLower[v], p.trueUpper[v]
	}
	if !k.priced {
		k.reprice()
	}
}

// setRest notes which way variable v of column q can go.
func (k *small) setRest(q int, v int32) {
	k.towards[q], k.free[q] = 0, 0
	if k.program.trueLower[v] != k.program.trueUpper[v] {
		k.towards[q], k.free[q] = towards[k.where[q]], eitherWay[k.where[q]]
	}
}

// resting returns the value of variable v at a position.
func (k *small) resting(v int32, position Position) float64 {
	return bounded(position, k.program.trueLower[v], k.program.trueUpper[v])
}

// smallTolerance is relative to the largest number of a kind. It is close to the rounding errors of these programs,
// because their results have certificates of about that size.
const smallTolerance = 1e-12

// evaluate computes x_B = −T·x_N.
func (k *small) evaluate() {
	for q, v := range k.nonbasic {
		k.vector[q] = k.resting(v, k.where[q])
	}
	k.times(k.x, k.vector)
	for r, v := range k.x {
		k.x[r] = -v
	}
	k.tolerance = smallTolerance * max(dense.Largest(k.vector), dense.Largest(k.x))
}

// costOf returns the scaled cost of a variable.
func (k *small) costOf(v int32) float64 {
	if int(v) >= k.n {
		return 0
	}
	return k.lp.C[v] * k.program.matrix.scaleOfCol(int(v))
}

// reprice computes the reduced costs of the true costs.
func (k *small) reprice() {
	for r, v := range k.basic {
		k.cost[r] = k.costOf(v)
	}
	k.price(k.cost, k.costOf)
	k.dualTolerance = smallTolerance * max(dense.Largest(k.cost), dense.Largest(k.row(k.m)))
	k.priced = true
}

// infeasible reports whether some basic variable is beyond its bounds.
func (k *small) infeasible() bool {
	for r, x := range k.x {
		if !(x >= k.lower[r]-k.tolerance && x <= k.upper[r]+k.tolerance) {
			return true
		}
	}
	return false
}

// wrong returns by how much the reduced cost of column q has the wrong sign.
func (k *small) wrong(q int) float64 {
	d := k.t[k.m*k.stride+q]
	return max(-d*k.towards[q], math.Abs(d)*k.free[q])
}

func (k *small) dualFeasible() bool {
	for q := range k.nonbasic {
		if !(k.wrong(q) <= k.dualTolerance) {
			return false
		}
	}
	return true
}

// makeDualFeasible flips boxed variables whose reduced costs have the wrong sign, and shifts the other costs.
func (k *small) makeDualFeasible() {
	d := k.row(k.m)
	flipped := false
	for q, v := range k.nonbasic {
		switch {
		case k.wrong(q) == 0:
		case k.wrong(q) > k.dualTolerance && k.free[q] == 0 && k.width(v) < inf:
			k.where[q] = k.where[q].opposite()
			k.setRest(q, v)
			flipped = true
		default:
			d[q], k.priced = 0, false
		}
	}
	if flipped {
		k.evaluate()
	}
}

// width returns how far the bounds of variable v are apart, which may be infinitely far.
func (k *small) width(v int32) float64 { return k.program.trueUpper[v] - k.program.trueLower[v] }

// out reports whether the methods are to end: by the context, looked at now and then, or by the number of pivots.
func (k *small) out(ctx context.Context) bool {
	k.budget--
	return k.budget < 0 || k.budget&15 == 0 && ctx.Err() != nil
}

// pivot exchanges the basic variable of row r, which goes to a bound, for that of column q, which goes a step. The
// column is loaded.
func (k *small) pivot(r, q int, step float64, to Position) {
	entering := k.nonbasic[q]
	x := k.resting(entering, k.where[q]) + step
	dense.Axpy(-step, k.column[:k.m], k.x)
	k.exchange(r, q)
	p := k.program
	k.x[r], k.lower[r], k.upper[r] = x, p.trueLower[entering], p.trueUpper[entering]
	k.where[q] = to
	k.setRest(q, k.nonbasic[q])
	k.pivots++
}
