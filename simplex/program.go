package simplex

import (
	"cmp"
	"math"
	"slices"
)

// program is the scaled program. The methods work on lower, upper and cost, which
// perturbations and shifts move away from the true ones for a while.
type program struct {
	source
	matrix *matrix

	trueLower, trueUpper, trueCost []float64 // n structural variables, then m logicals
	lower, upper, cost             []float64 // the working ones
	boundsMoved, costsMoved        bool      // the working ones are not the true ones

	primalTolerance, dualTolerance float64
	pivotZero                      float64 // entries of a pivot row or column up to it count as 0
}

// source is what a program was made from.
type source struct {
	lp              LP // the caller's, with every vector filled in and owned
	scaled          bool
	costScale       float64
	tolerance       float64 // of the options
	boundsTolerance float64 // first value of primalTolerance
	anyFixed        bool    // some variable has equal bounds
	anyCrossed      bool    // some variable has bounds that cross

	ownsMatrix      bool // lp.A is a copy of the caller's
	entriesChanged  bool // since the caller gave it
	matrixUnsettled bool // the scaled matrix has earlier entries
	boundsUnsettled bool // boundsTolerance belongs to earlier bounds
	costsUnsettled  bool // costScale and the true costs belong to earlier costs
}

// pivotZero is the first value of a program's pivotZero.
const pivotZero = 1e-9

func newProgram(lp LP, opt Options) *program {
	p := &program{source: source{lp: lp.filled(), scaled: !opt.NoScaling, tolerance: opt.Tolerance}}
	p.matrix = newMatrix(lp.A, p.scaled)
	if p.tolerance <= 0 {
		p.tolerance = 1e-9
	}
	for _, v := range p.lp.vectors() {
		*v = slices.Clone(*v)
	}
	p.resize()
	return p
}

// variables returns the number of variables, structural and logical.
func (p *program) variables() int { return p.matrix.n + p.matrix.m }

// resize adds the new columns and rows of lp and matrix.
func (p *program) resize() {
	vectors := []*[]float64{&p.trueLower, &p.trueUpper, &p.trueCost, &p.lower, &p.upper, &p.cost}
	for _, v := range vectors {
		*v = make([]float64, p.variables())
	}
	p.scaleBounds(0, p.variables())
	p.costsUnsettled = true
	p.settleScales()
}

// scaleBounds fills the true bounds of the variables from from to to − 1.
func (p *program) scaleBounds(from, to int) {
	for v := from; v < to; v++ {
		p.trueLower[v], p.trueUpper[v] = p.matrix.scaledBounds(&p.lp, v)
	}
	p.seeFixed()
	p.boundsUnsettled = true
}

// scaledBounds returns the bounds of variable v in the scaled program: x' = x/colScale, s' = rowScale·s.
func (mx *matrix) scaledBounds(lp *LP, v int) (lo, up float64) {
	if i := v - mx.n; i >= 0 {
		r := mx.scaleOfRow(i)
		return lp.RowLo[i] * r, lp.RowUp[i] * r
	}
	c := mx.scaleOfCol(v)
	return lp.Lo[v] / c, lp.Up[v] / c
}

// seeFixed notes whether some variable has bounds that are equal, or that cross.
func (p *program) seeFixed() {
	p.anyFixed, p.anyCrossed = false, false
	for v, lo := range p.trueLower {
		p.anyFixed, p.anyCrossed = p.anyFixed || lo == p.trueUpper[v], p.anyCrossed || lo > p.trueUpper[v]
	}
}

// settleScales computes what follows from all bounds and from all costs, where some have changed.
func (p *program) settleScales() {
	if p.costsUnsettled {
		p.scaleCosts()
	}
	if !p.boundsUnsettled {
		return
	}
	p.boundsUnsettled = false
	p.boundsTolerance = p.tolerance * max(1, min(1e3, geometricMean(p.trueLower, p.trueUpper)))
	p.restoreTolerances()
}

// scaleCosts fills the true costs: c' = costScale·colScale·c.
func (p *program) scaleCosts() {
	p.costsUnsettled = false
	for j, c := range p.lp.C {
		p.trueCost[j] = c * p.matrix.scaleOfCol(j)
	}
	p.costScale = 1
	if p.scaled {
		if g := geometricMean(p.trueCost, nil); g > 0 {
			p.costScale = pow2(1 / g)
		}
	}
	for j := range p.lp.C {
		p.trueCost[j] *= p.costScale
	}
}

// restoreTolerances sets the working tolerances from that of the options.
func (p *program) restoreTolerances() {
	p.primalTolerance = p.boundsTolerance
	p.dualTolerance, p.pivotZero = p.tolerance, pivotZero
}

// sharpen makes the working tolerances smaller.
func (p *program) sharpen() {
	p.primalTolerance *= 1e-3
	p.dualTolerance *= 1e-3
	p.pivotZero *= 1e-3
}

// geometricMean returns the geometric mean of the finite nonzero |elements| of a and b, 0 if there are none.
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

// restoreCosts ends perturbations and shifts of the costs.
func (p *program) restoreCosts() {
	copy(p.cost, p.trueCost)
	p.costsMoved = false
}

// restoreBounds ends the perturbation of the bounds.
func (p *program) restoreBounds() {
	copy(p.lower, p.trueLower)
	copy(p.upper, p.trueUpper)
	p.boundsMoved = false
}

// boxed reports whether variable v has two finite bounds.
func (p *program) boxed(v int) bool {
	return !math.IsInf(p.lower[v], -1) && !math.IsInf(p.upper[v], 1)
}

// rest returns a position that the bounds of nonbasic variable v allow, want if it is one.
func (p *program) rest(v int, want Position) Position {
	noLower, noUpper := math.IsInf(p.trueLower[v], -1), math.IsInf(p.trueUpper[v], 1)
	switch {
	case noLower && noUpper:
		return AtZero
	case noLower:
		return AtUpper
	case noUpper, want != AtUpper:
		return AtLower
	}
	return AtUpper
}

// boundsOf returns the bounds of columns or of rows, as what says, and the number of the first of these variables.
func (p *program) boundsOf(what string) (lo, up []float64, first int) {
	if what == "row" {
		return p.lp.RowLo, p.lp.RowUp, p.matrix.n
	}
	return p.lp.Lo, p.lp.Up, 0
}

// setBounds replaces the bounds of all columns or of all rows, as what says.
func (p *program) setBounds(what string, lo, up []float64) error {
	oldLo, oldUp, first := p.boundsOf(what)
	if err := checkBounds(what, lo, up, len(oldLo)); err != nil {
		return err
	}
	for i, v := range lo {
		oldLo[i], oldUp[i] = infinite(v), infinite(up[i])
	}
	p.scaleBounds(first, first+len(lo))
	return nil
}

// addColumns appends columns with their costs and bounds (nil ones by default).
func (p *program) addColumns(c, lo, up []float64, a Columns) error {
	add := LP{C: c, Lo: lo, Up: up, A: a}
	if err := add.Validate(); err != nil {
		return err
	}
	if m, _ := a.Dims(); m != p.matrix.m {
		return invalid("added columns have %d rows, the program %d", m, p.matrix.m)
	}
	add = add.filled()
	from := p.matrix.n
	p.lp.A = Blocks(append(flatten(p.lp.A), a)) // blocks inside of blocks would be asked for their sizes at every level
	p.lp.C = append(p.lp.C, add.C...)
	p.lp.Lo = append(p.lp.Lo, add.Lo...)
	p.lp.Up = append(p.lp.Up, add.Up...)
	p.ownsMatrix = false
	p.matrix.append(a)
	p.matrix.describe(from)
	p.matrix.refreshRows()
	p.resize()
	return nil
}

// addRows adds the new rows of the matrix, with their bounds.
func (p *program) addRows(lo, up []float64) error {
	if p.entriesChanged {
		return invalid("rows cannot be added after a change of entries")
	}
	m, n := p.lp.A.Dims()
	if n != p.matrix.n || m < p.matrix.m {
		return invalid("the matrix is %d×%d now, the program was %d×%d", m, n, p.matrix.m, p.matrix.n)
	}
	add := LP{RowLo: lo, RowUp: up, A: &Sparse{Rows: m - p.matrix.m}}
	if err := cmp.Or(add.Validate(), checkRows(p.lp.A, p.matrix.m)); err != nil {
		return err
	}
	if p.scaled {
		if err := checkScales(p.lp.A); err != nil {
			return err
		}
	}
	add = add.filled()
	p.lp.RowLo = append(p.lp.RowLo, add.RowLo...)
	p.lp.RowUp = append(p.lp.RowUp, add.RowUp...)
	p.matrix.addRows(p.lp.A, m-p.matrix.m)
	p.resize()
	return nil
}
