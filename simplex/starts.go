package simplex

import "context"

// starts chooses between two starts of a dense program whose boxes and rows allow x = 0, as those of kernel machines
// do: the corner of the boxes that the costs prefer, for the dual method, and 0, for the primal one. The dual method
// goes first. Its objective rises from the corner's: where it is near to 0 after a while, the optimum is nearer still,
// and if nearly every pivot so far has brought another column, the way there is long. Then the primal method begins
// again from 0.
type starts struct {
	after  int     // pivots after which to choose; 0 for no choice, or none left
	corner float64 // objective there
}

const (
	choiceRows  = 100     // the least number of rows
	choiceAfter = 4       // rows for each pivot before the choice
	nearZero    = 1.0 / 8 // of the corner's objective, below which 0 is near
	stillGrows  = 2.0 / 3 // columns of the block a pivot, from which on the way is long
)

// prepare readies the choice at the corner, where there is one to make.
func (t *starts) prepare(s *Solver) {
	p, m := s.program, s.matrix.m
	if m >= choiceRows && s.opt.Method == Auto && !s.matrix.sparse() && !p.boundsMoved && p.zeroRests() {
		t.after, t.corner = s.iterations+m/choiceAfter, s.objective()
	}
}

// zero reports, once at most, that the primal method is to start from 0.
func (t *starts) zero(s *Solver) bool {
	if t.after == 0 || s.iterations < t.after {
		return false
	}
	t.after = 0
	grows := float64(len(s.basis.vars)) >= stillGrows*float64(s.iterations)
	return grows && s.objective() > nearZero*t.corner // both are negative
}

// objective is that of the working costs.
func (s *Solver) objective() (sum float64) {
	for j, c := range s.program.cost[:s.matrix.n] {
		sum += c * s.values.x[j]
	}
	return sum
}

// zeroRests reports whether every column can rest at 0, and every row allows that.
func (p *program) zeroRests() bool {
	for v, lower := range p.trueLower {
		upper := p.trueUpper[v]
		switch {
		case lower > 0 || upper < 0:
			return false
		case v < p.matrix.n && lower != 0 && upper != 0 && p.rest(v, AtLower) != AtZero:
			return false
		}
	}
	return true
}

// startAtZero begins again with all columns at 0. It breaks the basis if ctx ends before.
func (s *Solver) startAtZero(ctx context.Context) {
	for v := range s.values.position {
		s.values.position[v] = Basic
		if v < s.matrix.n {
			s.values.position[v] = s.program.rest(v, AtLower)
			if s.program.trueUpper[v] == 0 {
				s.values.position[v] = AtUpper
			}
		}
	}
	s.program.restoreBounds()
	s.program.restoreCosts()
	if s.basis.load(ctx, s.values.position); s.basis.broken {
		s.loaded = false
		return
	}
	s.excluded.clear()
	s.values.settle()
	s.values.compute()
	s.costs.compute()
}
