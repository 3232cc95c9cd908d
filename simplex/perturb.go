package simplex

import (
	"math"
	"math/rand/v2"
)

// stallLimit is the number of degenerate steps in a row that calls for a perturbation.
const stallLimit = 30

// watchDegeneracy counts steps that get nowhere.
func (s *Solver) watchDegeneracy(step float64) {
	if math.Abs(step) < 1e-12 {
		s.degenerate++
	} else if s.degenerate > 0 {
		s.degenerate--
	}
}

func (s *Solver) random() *rand.Rand {
	if s.rng == nil {
		s.rng = rand.New(rand.NewPCG(s.opt.Seed, 0x5eed))
	}
	return s.rng
}

// perturbCosts moves the costs of nonbasic variables so that reduced costs grow
// away from 0 by random amounts: a dual degenerate vertex falls apart.
func (s *Solver) perturbCosts() {
	s.degenerate = 0
	if s.noPerturbation {
		return
	}
	rng := s.random()
	for v, p := range s.pos {
		if p == Basic || s.wlo[v] == s.wup[v] {
			continue
		}
		e := (1 + rng.Float64()) * 5e-7 * (1 + math.Abs(s.wcost[v]))
		switch p {
		case AtUpper:
			e = -e
		case AtZero:
			continue
		}
		s.wcost[v] += e
		s.d[v] += e
	}
	s.shifted = true
}

// perturbBounds widens the bounds of basic variables by random amounts: a primal
// degenerate vertex falls apart.
func (s *Solver) perturbBounds() {
	s.degenerate = 0
	if s.noPerturbation {
		return
	}
	rng := s.random()
	for v, p := range s.pos {
		if p != Basic {
			continue
		}
		s.wlo[v] -= (1 + rng.Float64()) * 5e-7 * (1 + math.Abs(finiteOr0(s.wlo[v])))
		s.wup[v] += (1 + rng.Float64()) * 5e-7 * (1 + math.Abs(finiteOr0(s.wup[v])))
	}
	s.perturbed = true
}

func finiteOr0(v float64) float64 {
	if math.IsInf(v, 0) {
		return 0
	}
	return v
}

// trueCosts ends perturbations and shifts of the costs.
func (s *Solver) trueCosts() {
	copy(s.wcost, s.cost)
	s.shifted = false
}

// trueBounds ends the perturbation of the bounds.
func (s *Solver) trueBounds() {
	copy(s.wlo, s.lo)
	copy(s.wup, s.up)
	s.perturbed = false
}
