package simplex

import (
	"cmp"
	"slices"

	"github.com/sparsekm/sparsekm/simplex/internal/lu"
)

// How a solve works. Row activities are variables of their own (logicals s, Ax − s = 0), so a basis has one variable
// per row. Most basic variables own a single row: logicals, and structural columns with one entry. They are never
// stored. The other basic columns S meet the rows R that no such variable covers. Their square block A[R,S] is held
// as an explicit dense inverse (blockBasis), so that a pivot costs in proportion to |S|: the number of support
// vectors in the programs of sparse kernel models. A sparse program has its whole basis factored instead (factored,
// internal/lu: Markowitz pivots, Forrest-Tomlin updates), and its matrix copied by rows. A small one keeps a
// tableau, all of B⁻¹N, from its second solve on (small); what that cannot prove is left to the other methods.
//
// The dual method uses steepest-edge pricing (Forrest and Goldfarb, 1992) and long steps that flip boxed variables
// (Maros, 2003, chapter 10; Koberstein, 2005), the primal method Devex pricing (Harris, 1973). Both use Harris's
// ratio test, perturb when they stall, and remove the perturbations afterwards; costs whose reduced costs the dual
// ratio test lets pass 0 are shifted. Phase 1 is dual steps under shifted costs, then primal steps under the true
// ones. An optimum is what the certificate proves to the tolerance; if it does not, smaller tolerances, another
// scaling and exact pivots are tried.

// Solver solves one linear program and its changed versions. Variables are
// numbered with the n structural ones first, then the m logicals (row activities).
//
// It conducts its parts: each owns one role, and knows the other parts that its constructor was given.
type Solver struct {
	opt       Options
	program   *program // what is solved
	matrix    *matrix  // that of program
	basis     *basis   // what solves with B
	values    *values  // x, and where every variable rests
	costs     *reducedCosts
	row       *updateRow  // pivot row
	direction basicVector // pivot column

	choices
	perturbation *perturbation

	start
	counts
	farkas, ray []float64 // proofs of an infeasible program, by row, and of an unbounded one, by column
}

// start is what is known of the present basis.
type start struct {
	loaded bool // basis holds the positions of values
	cold   bool // they are the slack basis, no pivot made yet
	ranged bool // they are an optimal basis of the unchanged program, as Ranging requires
	starts starts

	small     *small // its tableau; nil before the second solve
	noTableau bool   // the program is too large for one, or grows
}

// choices are the parts that choose pivots.
type choices struct {
	dualWeights   *dualWeights   // leaving variable, dual method
	violations    *violations    // the same in sparse programs
	dualRatio     *dualRatio     // entering variable, dual method
	primalWeights *primalWeights // entering variable, primal method
	attractive    *attractive    // the same in sparse programs
	primalRatio   *primalRatio   // leaving variable, primal method
	excluded      *exclusions
	flips         []int32 // scratch of makeDualFeasible
}

// counts are those of a solve.
type counts struct {
	iterations, maxIterations int
	reduced                   int // iterations of a presolved program, which the next solve begins with
	before                    int // iterations of a presolved program, which this solve began with
	repairs                   int // singular bases
	distrust                  int // inverses in a row of the dual method that did not last
}

// New returns a solver of lp, or an error ([ErrInvalid]) that says what in lp is wrong.
func New(lp LP, opt Options) (*Solver, error) {
	if err := cmp.Or(lp.Validate(), opt.check()); err != nil {
		return nil, err
	}
	if !opt.NoScaling {
		if err := checkScales(lp.A); err != nil {
			return nil, err
		}
	}
	return newSolver(newProgram(lp, opt), opt), nil
}

// newSolver returns a solver of p that starts from the slack basis.
func newSolver(p *program, opt Options) *Solver {
	s := &Solver{opt: opt, program: p, matrix: p.matrix, start: start{cold: true}}
	s.basis = newBasis(s.matrix)
	s.connect()
	slack := make([]Position, s.program.variables())
	for j := range s.matrix.n {
		slack[j] = s.program.rest(j, AtLower)
	}
	s.resize(slack)
	return s
}

// connect makes the parts, each with those that its role needs.
func (s *Solver) connect() {
	p, b := s.program, s.basis
	s.values = &values{program: p, basis: b}
	s.costs = &reducedCosts{program: p, basis: b, values: s.values}
	s.row = &updateRow{matrix: s.matrix, basis: b}
	s.dualWeights = &dualWeights{basis: b}
	s.violations = &violations{basis: b, values: s.values, weights: s.dualWeights}
	s.dualRatio = &dualRatio{program: p, values: s.values, costs: s.costs, row: s.row}
	s.primalWeights = &primalWeights{matrix: s.matrix}
	s.attractive = &attractive{costs: s.costs, weights: s.primalWeights}
	s.primalRatio = &primalRatio{program: p, basis: b, values: s.values}
	s.perturbation = newPerturbation(p, s.values, s.costs, s.opt.Seed)
	s.excluded = &exclusions{}
}

// resize gives the parts the present size of the program, in their own memory where it suffices.
func (s *Solver) resize(position []Position) {
	all := s.program.variables()
	s.values.resize(position)
	s.costs.resize()
	s.row.entry, s.row.listed = zeros(s.row.entry, all), s.row.listed[:0]
	s.dualWeights.resize(all)
	s.dualRatio.buffer = grow(s.dualRatio.buffer, all)
	s.primalWeights.weight = grow(s.primalWeights.weight, all)
	s.excluded.out = zeros(s.excluded.out, all)
	s.violations.stale, s.attractive.stale = true, true
	s.direction = s.basis.newVector()
	s.direction.spike = &lu.Entries{}
	s.loaded = false
}

// SetCost replaces the n costs; the next Solve starts from the present basis, which stays primal feasible.
func (s *Solver) SetCost(c []float64) error {
	if err := checkCosts(c, s.matrix.n); err != nil {
		return err
	}
	copy(s.program.lp.C, c)
	s.costsChange()
	return s.changed(nil)
}

// costsChange notes that the costs are others now.
func (s *Solver) costsChange() {
	s.program.costsUnsettled = true
	if s.small != nil {
		s.small.priced = false
	}
}

// SetRowBounds replaces the m bounds of Ax; the next Solve starts from the present basis, which stays dual feasible.
// Bounds that cross make the program infeasible, and those from 1e20 on are infinite.
func (s *Solver) SetRowBounds(lo, up []float64) error {
	return s.changed(s.program.setBounds("row", lo, up))
}

// SetColBounds replaces the n bounds of x; see [Solver.SetRowBounds].
func (s *Solver) SetColBounds(lo, up []float64) error {
	return s.changed(s.program.setBounds("column", lo, up))
}

// changed takes note of a change, unless it was refused.
func (s *Solver) changed(err error) error {
	s.ranged = s.ranged && err != nil
	return err
}

// AddColumns appends columns with their costs and bounds (nil lo is 0, nil up is +Inf); they start nonbasic, so that
// the present basis stays primal feasible when 0 is one of their bounds.
func (s *Solver) AddColumns(c, lo, up []float64, a Columns) error {
	from, sparse := s.matrix.n, s.matrix.sparse()
	if err := s.changed(s.program.addColumns(c, lo, up, a)); err != nil {
		return err
	}
	if s.matrix.sparse() != sparse {
		*s.basis = *newBasis(s.matrix)
	}
	s.noTableau, s.small = true, nil
	s.settleMatrix()
	added := make([]Position, s.matrix.n-from)
	for j := range added {
		added[j] = s.program.rest(from+j, AtLower)
	}
	s.resize(slices.Insert(s.values.position, from, added...))
	return nil
}

// AddRows adds rows that the caller has appended to the program's matrix, with the bounds of their activities (nil
// for none). The matrix's Dims must count them already, and the entries of the older rows must not have changed. The
// new activities start basic, so that the present basis stays dual feasible.
func (s *Solver) AddRows(lo, up []float64) error {
	from := s.matrix.m
	if err := s.changed(s.program.addRows(lo, up)); err != nil {
		return err
	}
	s.noTableau, s.small = true, nil
	s.settleMatrix()
	weighted, unweighted := s.dualWeights.valid, s.dualWeights.from
	extends := s.loaded && s.basis.addRows()
	if !extends {
		*s.basis = *newBasis(s.matrix)
	}
	s.resize(append(s.values.position, make([]Position, s.matrix.m-from)...))
	if s.loaded = extends; extends && weighted {
		s.dualWeights.extend(cmp.Or(unweighted, s.matrix.n+from))
	}
	return nil
}

// leaveTableau notes that the tableau is not that of the positions.
func (s *Solver) leaveTableau() {
	if s.small != nil {
		s.small.current = false
	}
}

// Basis returns where every variable rests now, in the vectors of dst where they are long enough.
func (s *Solver) Basis(dst Basis) Basis {
	position, n := s.values.position, s.matrix.n
	return Basis{Cols: append(dst.Cols[:0], position[:n]...), Rows: append(dst.Rows[:0], position[n:]...)}
}

// SetBasis starts the next Solve from b. A basis that is singular, or has too many
// or too few basic variables, is repaired with logicals.
func (s *Solver) SetBasis(b Basis) error {
	n, m := s.matrix.n, s.matrix.m
	if len(b.Cols) != n || len(b.Rows) != m {
		return invalid("basis of %d columns and %d rows for a program of %d and %d", len(b.Cols), len(b.Rows), n, m)
	}
	position := append(slices.Clone(b.Cols), b.Rows...)
	for v, p := range position {
		if p > AtZero {
			return invalid("basis has unknown position %d for variable %d", p, v)
		}
	}
	copy(s.values.position, position)
	s.loaded, s.cold, s.dualWeights.valid = false, false, false
	s.leaveTableau()
	return s.changed(nil)
}
