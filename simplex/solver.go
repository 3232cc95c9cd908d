package simplex

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Solver solves one linear program and its changed versions. Variables are
// numbered with the n structural ones first, then the m logicals (row activities).
type Solver struct {
	lp     LP // the caller's, every vector filled in
	opt    Options
	mx     *matrix
	b      *basis
	pos    []Position
	loaded bool // b holds pos
	cold   bool // pos is the slack basis, no pivot made yet

	costScale      float64
	lo, up, cost   []float64 // scaled program
	wlo, wup       []float64 // the same, perturbed or not
	wcost          []float64 // the same, perturbed and shifted or not
	perturbed      bool      // wlo, wup differ from lo, up
	shifted        bool      // wcost differs from cost
	anyFixed       bool      // some variable has equal bounds
	x, d           []float64 // values and reduced costs
	tolP, tolD     float64
	dualWeight     []float64 // steepest-edge weights of the basic variables
	dualWeightsOn  bool      // they belong to the present basis
	primalWeight   []float64 // Devex weights of the nonbasic variables
	rng            *rand.Rand
	iter, maxIter  int
	degenerate     int // degenerate steps in a row, more or less
	noPerturbation bool

	rho     sparse    // pivot row of B⁻¹
	arow    []float64 // pivot row of B⁻¹N
	w       []float64 // see basis.btranUnit
	col     []float64 // pivot column: rows part
	cols    []float64 // pivot column: S part
	tau     []float64 // B⁻¹ρ: rows part
	taus    []float64 // B⁻¹ρ: S part
	skipped []bool    // variables that pricing leaves out until the next factorisation
	skips   int
	cands   []candidate // of the present dual ratio test, in candBuf
	candBuf []candidate
	flips   []int32
	dx      []float64 // steps of flipped structural variables
	farkas  []float64 // scaled
	ray     []float64 // scaled, structural and logical
}

// New returns a solver of lp, or an error that says what in lp is wrong.
func New(lp LP, opt Options) (*Solver, error) {
	if err := lp.Validate(); err != nil {
		return nil, err
	}
	s := &Solver{lp: lp.filled(), opt: opt, mx: newMatrix(lp.A, !opt.NoScaling)}
	s.lp.C = append([]float64(nil), s.lp.C...)
	s.b = newBasis(s.mx)
	s.resize()
	s.scaleBounds()
	s.scaleCosts()
	s.slackBasis()
	return s, nil
}

// resize allocates everything that is as long as the variables.
func (s *Solver) resize() {
	total := s.mx.n + s.mx.m
	vectors := []*[]float64{&s.lo, &s.up, &s.cost, &s.wlo, &s.wup, &s.wcost, &s.x, &s.d, &s.dualWeight, &s.primalWeight, &s.arow}
	for _, v := range vectors {
		*v = make([]float64, total)
	}
	for _, v := range []*[]float64{&s.w, &s.col, &s.cols, &s.tau, &s.taus} {
		*v = make([]float64, s.mx.m)
	}
	s.dx = make([]float64, s.mx.n)
	s.candBuf = make([]candidate, total)
	s.skipped = make([]bool, total)
	s.dualWeightsOn = false
}

// slackBasis makes the logicals basic and rests every column on a bound.
func (s *Solver) slackBasis() {
	s.pos = make([]Position, s.mx.n+s.mx.m)
	for j := range s.mx.n {
		s.pos[j] = s.rest(j, AtLower)
	}
	s.loaded, s.cold = false, true
}

// rest returns a position that the bounds of nonbasic variable v allow, want if it is one.
func (s *Solver) rest(v int, want Position) Position {
	noLo, noUp := math.IsInf(s.lo[v], -1), math.IsInf(s.up[v], 1)
	switch {
	case noLo && noUp:
		return AtZero
	case noLo:
		return AtUpper
	case noUp, want != AtUpper:
		return AtLower
	}
	return AtUpper
}

// scaleBounds fills lo and up from the program: x' = x/colScale, s' = rowScale·s.
func (s *Solver) scaleBounds() {
	n := s.mx.n
	for j := range n {
		c := s.mx.scaleOfCol(j)
		s.lo[j], s.up[j] = s.lp.Lo[j]/c, s.lp.Up[j]/c
	}
	for i := range s.mx.m {
		r := s.mx.scaleOfRow(i)
		s.lo[n+i], s.up[n+i] = s.lp.RowLo[i]*r, s.lp.RowUp[i]*r
	}
	s.anyFixed = false
	for v := range s.lo {
		s.anyFixed = s.anyFixed || s.lo[v] == s.up[v]
	}
	s.tolP = s.tolerance() * max(1, min(1e3, geometricMean(s.lo, s.up)))
}

// scaleCosts fills cost: c' = costScale·colScale·c.
func (s *Solver) scaleCosts() {
	for j, c := range s.lp.C {
		s.cost[j] = c * s.mx.scaleOfCol(j)
	}
	s.costScale = 1
	if !s.opt.NoScaling {
		if g := geometricMean(s.cost, nil); g > 0 {
			s.costScale = pow2(1 / g)
		}
	}
	for j := range s.lp.C {
		s.cost[j] *= s.costScale
	}
	s.tolD = s.tolerance()
}

func (s *Solver) tolerance() float64 {
	if s.opt.Tolerance > 0 {
		return s.opt.Tolerance
	}
	return 1e-9
}

// geometricMean returns that of the finite nonzero |elements| of a and b, 0 if there are none.
func geometricMean(a, b []float64) float64 {
	var sum float64
	var k int
	for _, v := range [][]float64{a, b} {
		for _, x := range v {
			if x != 0 && !math.IsInf(x, 0) {
				sum += math.Log(math.Abs(x))
				k++
			}
		}
	}
	if k == 0 {
		return 0
	}
	return math.Exp(sum / float64(k))
}

// SetCost replaces the n costs; the next Solve starts from the present basis,
// which stays primal feasible.
func (s *Solver) SetCost(c []float64) error {
	if err := checkCosts(c, s.mx.n); err != nil {
		return err
	}
	copy(s.lp.C, c)
	s.scaleCosts()
	return nil
}

// SetRowBounds replaces the m bounds of Ax; the next Solve starts from the present
// basis, which stays dual feasible.
func (s *Solver) SetRowBounds(lo, up []float64) error {
	if err := checkBounds("row", lo, up, s.mx.m); err != nil {
		return err
	}
	s.lp.RowLo, s.lp.RowUp = append([]float64(nil), lo...), append([]float64(nil), up...)
	s.scaleBounds()
	return nil
}

// SetColBounds replaces the n bounds of x; the next Solve starts from the present
// basis, which stays dual feasible.
func (s *Solver) SetColBounds(lo, up []float64) error {
	if err := checkBounds("column", lo, up, s.mx.n); err != nil {
		return err
	}
	s.lp.Lo, s.lp.Up = append([]float64(nil), lo...), append([]float64(nil), up...)
	s.scaleBounds()
	return nil
}

// AddColumns appends columns with their costs and bounds (nil lo is 0, nil up is
// +Inf); they start nonbasic, so that the present basis stays primal feasible when
// 0 is one of their bounds.
func (s *Solver) AddColumns(c, lo, up []float64, a Columns) error {
	add := LP{C: c, Lo: lo, Up: up, A: a}
	if err := add.Validate(); err != nil {
		return err
	}
	if m, _ := a.Dims(); m != s.mx.m {
		return fmt.Errorf("simplex: added columns have %d rows, the program %d", m, s.mx.m)
	}
	add = add.filled()
	old := s.mx.n
	s.lp.A = Blocks{s.lp.A, a}
	s.lp.C = append(s.lp.C, add.C...)
	s.lp.Lo = append(append([]float64(nil), s.lp.Lo...), add.Lo...)
	s.lp.Up = append(append([]float64(nil), s.lp.Up...), add.Up...)
	s.mx.append(a)
	s.mx.findUnits(old)
	pos := append([]Position(nil), s.pos[:old]...)
	pos = append(pos, make([]Position, s.mx.n-old)...)
	pos = append(pos, s.pos[old:]...)
	s.pos = pos
	s.resize()
	s.scaleBounds()
	s.scaleCosts()
	for j := old; j < s.mx.n; j++ {
		s.pos[j] = s.rest(j, AtLower)
	}
	s.loaded = false
	return nil
}

// Basis returns where every variable rests now.
func (s *Solver) Basis() Basis {
	return Basis{Cols: append([]Position(nil), s.pos[:s.mx.n]...), Rows: append([]Position(nil), s.pos[s.mx.n:]...)}
}

// SetBasis starts the next Solve from b. A basis that is singular, or has too many
// or too few basic variables, is repaired with logicals.
func (s *Solver) SetBasis(b Basis) error {
	if len(b.Cols) != s.mx.n || len(b.Rows) != s.mx.m {
		return fmt.Errorf("simplex: basis of %d columns and %d rows for a program of %d and %d", len(b.Cols), len(b.Rows), s.mx.n, s.mx.m)
	}
	pos := append(append([]Position(nil), b.Cols...), b.Rows...)
	for v, p := range pos {
		if p > AtZero {
			return fmt.Errorf("simplex: basis has unknown position %d for variable %d", p, v)
		}
	}
	s.pos, s.loaded, s.cold, s.dualWeightsOn = pos, false, false, false
	return nil
}
