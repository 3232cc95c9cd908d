package simplex

import (
	"math"
	"math/rand/v2"
)

// perturbation counts degenerate steps and moves costs or bounds by random amounts
// when there are too many, which splits a degenerate vertex.
type perturbation struct {
	program *program
	values  *values
	costs   *reducedCosts
	seed    uint64
	source  *rand.PCG
	random  *rand.Rand // draws from source
	idle    int        // about the number of degenerate steps in a row
	off     bool       // the last turns of a solve use none
}

func newPerturbation(p *program, v *values, c *reducedCosts, seed uint64) *perturbation {
	source := rand.NewPCG(seed, 0x5eed)
	return &perturbation{program: p, values: v, costs: c, seed: seed, source: source, random: rand.New(source)}
}

// stallLimit is the number of degenerate steps in a row that calls for a perturbation.
const stallLimit = 30

// begin readies it for a solve, which draws the same numbers each time.
func (p *perturbation) begin() {
	p.off = false
	p.source.Seed(p.seed, 0x5eed)
}

// watch counts degenerate steps.
func (p *perturbation) watch(step float64) {
	if math.Abs(step) < 1e-12 {
		p.idle++
	} else if p.idle > 0 {
		p.idle--
	}
}

// due reports whether there has been a stall, and begins to count anew.
func (p *perturbation) due() bool {
	if p.idle <= stallLimit {
		return false
	}
	p.idle = 0
	return !p.off
}

// amount draws the size of a change of v.
func (p *perturbation) amount(v float64) float64 {
	return (1 + p.random.Float64()) * 5e-7 * (1 + math.Abs(v))
}

// moveCosts moves the costs of nonbasic variables after a stall so that reduced costs grow away from 0.
func (p *perturbation) moveCosts() {
	if !p.due() {
		return
	}
	for v, rest := range p.values.position {
		if rest == Basic || p.program.lower[v] == p.program.upper[v] {
			continue
		}
		e := p.amount(p.program.cost[v])
		switch rest {
		case AtUpper:
			e = -e
		case AtZero:
			continue
		}
		p.program.cost[v] += e
		p.costs.d[v] += e
	}
	p.program.costsMoved = true
}

// moveBounds widens the bounds of basic variables after a stall.
func (p *perturbation) moveBounds() {
	if !p.due() {
		return
	}
	for v, rest := range p.values.position {
		if rest == Basic {
			p.program.lower[v] -= p.amount(finiteOr0(p.program.lower[v]))
			p.program.upper[v] += p.amount(finiteOr0(p.program.upper[v]))
		}
	}
	p.program.boundsMoved = true
}

func finiteOr0(v float64) float64 {
	if math.IsInf(v, 0) {
		return 0
	}
	return v
}

// far is the distance of an artificial bound, in the units of the scaled program: further than most variables
// go, and near enough that values keep twelve digits.
const far = 1e4

// boxDualInfeasible gives an artificial bound to the variables whose reduced costs have the wrong sign at the first
// basis of a sparse program and that have no bound on the other side: resting there they are dual feasible under the
// true costs (the artificial bounds of Koberstein, 2005, section 4.4). The dual method then ends near an optimum, where
// one under shifted costs may need as many primal steps afterwards. The bounds go with the
// perturbations; variables that rest on one then are left to the primal method.
func (s *Solver) boxDualInfeasible() {
	if !s.basis.sparse() || s.opt.Method == Primal {
		return
	}
	p := s.program
	for v, rest := range s.values.position {
		switch {
		case s.costs.violation(v) == 0 || p.boxed(v):
		case rest == AtLower:
			p.upper[v], p.boundsMoved = p.lower[v]+far, true
		case rest == AtUpper:
			p.lower[v], p.boundsMoved = p.upper[v]-far, true
		}
	}
}
