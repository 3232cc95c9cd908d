package simplex

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
	for v, at := range s.values.position {
		switch {
		case s.costs.violation(v) == 0 || p.boxed(v):
		case at == AtLower:
			p.upper[v], p.boundsMoved = p.lower[v]+far, true
		case at == AtUpper:
			p.lower[v], p.boundsMoved = p.upper[v]-far, true
		}
	}
}
