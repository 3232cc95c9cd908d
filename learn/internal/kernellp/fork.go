package kernellp

import (
	"slices"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/simplex"
)

// Mark is a basis from which a solver may start.
type Mark struct{ basis simplex.Basis }

// Same reports whether m and as are the same mark of one path.
func (m Mark) Same(as Mark) bool { return &m.basis.Cols[0] == &as.basis.Cols[0] }

// origin is the state of a fork when it was made.
type origin struct {
	Mark
	rows   int
	m, g   []float64
	lambda float64
	budget *learn.Budget
}

// Fork returns a solver of the same programs. It starts from a mark of s, with the rows that bind there and with the
// present sums of s. From then on neither solver changes the other. They share the kernel matrix, so they must take
// turns. Each takes rows from what is left of the budget now, so only one of several forks may be kept.
func (s *Solver) Fork(at Mark) *Solver {
	if s.shape.Ceiling > 0 {
		panic("kernellp: a solver with ceilings has no fork")
	}
	f := *s
	f.mx, f.working, f.row = s.mx.without(at.basis.Rows), nil, make([]int, len(s.y))
	from := at
	from.basis.Rows = nil
	for r, p := range at.basis.Rows {
		if r == 0 || p != simplex.Basic {
			from.basis.Rows = append(from.basis.Rows, p)
		}
		if r > 0 && p != simplex.Basic {
			f.working = append(f.working, s.working[r-1])
			f.row[s.working[r-1]] = len(f.working)
		}
	}
	f.sift = nil
	f.begin = origin{from, len(f.working), slices.Clone(s.m), slices.Clone(s.g), s.lambda, copyOf(s.opt.Budget)}
	f.m, f.g = make([]float64, len(s.m)), make([]float64, len(s.g))
	f.restart()
	return &f
}

// Rewind returns a fork to its state when it was made. Its next solve gives the same bits. It keeps the inverse of
// the first basis if no solve has replaced it.
func (s *Solver) Rewind() {
	if s.lp != nil && s.pivots == 0 && len(s.working) == s.begin.rows &&
		slices.Equal(s.lp.Basis().Cols, s.begin.basis.Cols) && slices.Equal(s.lp.Basis().Rows, s.begin.basis.Rows) {
		s.place()
		return
	}
	for _, i := range s.working[s.begin.rows:] {
		s.row[i] = 0
	}
	s.working = s.working[:s.begin.rows]
	s.mx = s.mx.first(1 + s.begin.rows)
	s.restart()
}

// restart makes the next Solve behave as the first one.
func (s *Solver) restart() {
	s.lp, s.pivots, s.spent = nil, 0, nil
	s.opt.Budget = copyOf(s.begin.budget)
	s.place()
}

// copyOf returns a budget with the same remainder as b; nil for nil.
func copyOf(b *learn.Budget) *learn.Budget {
	if b == nil {
		return nil
	}
	left := *b
	return &left
}

// place restores the multipliers and sums of the start.
func (s *Solver) place() {
	copy(s.m, s.begin.m)
	copy(s.g, s.begin.g)
	s.lambda = s.begin.lambda
}
