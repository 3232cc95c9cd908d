package simplex

import "context"

// starts chooses between two starts of a dense program whose boxes and rows allow x = 0, as those of kernel machines
// do: the corner of the boxes that the costs prefer, for the dual method, and 0, for the primal one. The dual method
// goes first. Its first pivots move variables off that corner. If most pivots after these bring another column, and the
// objective hastens towards that of 0, the way is long, and the primal method begins again from 0.
type starts struct {
	from, after int     // pivots between which columns are counted; after is 0 for no choice, or none left
	columns     int     // of the block when the count began
	objective   float64 // of the working costs, then
}

const (
	choiceRows  = 100 // the least number of rows
	choiceFrom  = 10  // rows for each pivot before columns are counted,
	choiceAfter = 6   // and before the choice

	// The way is long if so many pivots bring another column, and the objective comes to 0 within so many pivots a row
	// if it goes on as between the two.
	nearlyAll, soon   = 0.9, 2
	largest, verySoon = 2.0 / 3, 1.0 / 3
)

// prepare readies the choice at the corner, where there is one to make.
func (t *starts) prepare(s *Solver) {
	p, m := s.program, s.matrix.m
	if m >= choiceRows && s.opt.Method == 0 && !s.matrix.sparse() && !p.boundsMoved && p.zeroRests() {
		t.from, t.after = s.iterations+m/choiceFrom, s.iterations+m/choiceAfter
		t.columns = -1
	}
}

// zero reports, once at most, that the primal method is to start from 0.
func (t *starts) zero(s *Solver) bool {
	if t.after == 0 || s.iterations < t.from {
		return false
	}
	if t.columns < 0 {
		t.columns, t.objective = len(s.basis.vars), s.objective()
	}
	if s.iterations < t.after {
		return false
	}
	pivots, objective := float64(t.after-t.from), s.objective() // negative
	grown, rate := float64(len(s.basis.vars)-t.columns)/pivots, (objective-t.objective)/pivots
	t.after = 0
	within := func(perRow float64) bool { return -objective <= perRow*float64(s.matrix.m)*rate }
	return grown >= nearlyAll && within(soon) || grown >= largest && within(verySoon)
}

// objective sums the working costs times the values.
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
