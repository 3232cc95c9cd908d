package kernellp

import (
	"cmp"
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// Begin is a solution of a similar program, from which a first program starts.
type Begin struct {
	M     []float64 // of every sample: its signed multiplier
	A     []float64 // of every sample: its coefficient
	Bias  float64
	Image []float64 // of every sample: the larger, the likelier does its coefficient stay
}

// beginning is how a first program begins, and ends.
type beginning struct {
	near    *Begin        // what it begins from
	brief   bool          // it ends as soon as it is long
	long    bool          // it was
	limited bool          // its pivots are limited
	ended   bool          // it has ended
	lost    bool          // it has not, and never will
	whole   *learn.Budget // before it
}

// lost limits the pivots of a program that begins near a solution, for each of its rows and for so many rows more. Most
// take fewer than one a row; of 221 none takes more than two. Where coefficients of a million and costs of a millionth
// make pivots unsafe, there may be no end.
var lost = struct{ pivots, rows int }{8, 100}

// Begin makes the next program start from b, with the rows of b's coefficients and no others. If b is nil, it starts
// from none.
func (s *Solver) Begin(b *Begin) {
	s.forget()
	s.lp, s.near = nil, b
	s.limited, s.ended, s.lost = false, false, false
	s.mx = newGrown(len(s.y), s.shape.SumToOne, s.mx.scale)
	s.mx.threads = s.opt.Threads
	if s.whole != nil { // the rows of the program before are given back
		s.opt.Budget = s.whole
	}
	s.Brief(false)
}

const (
	// A program is long if it takes so many pivots a working row, and has so many rows: nearly all of them will join, and
	// few of their coefficients stay.
	longPivots, longRows = 6, 150
)

// Brief makes the next program, if it starts without rows, end with the status IterationLimit as soon as it is long.
func (s *Solver) Brief(brief bool) {
	s.brief, s.long = brief && s.lp == nil && s.sift == nil, false
	s.whole = copyOf(s.opt.Budget)
}

// tired reports whether the program is long, and should end then.
func (s *Solver) tired() bool {
	if rows := len(s.working); s.brief && rows >= longRows && s.pivots >= longPivots*rows {
		s.long = true
	}
	return s.long
}

// Lost reports whether the program that [Solver.Begin] began did not end.
func (s *Solver) Lost() bool { return s.lost }

// mostPivots is the limit of the program's pivots, 0 if it has none.
func (s *Solver) mostPivots() int {
	if !s.limited {
		return 0
	}
	return lost.pivots * (lost.rows + len(s.working))
}

// optimum is that of the program. A limited program that ended before goes on without its limit.
func (s *Solver) optimum(ctx context.Context, p Costs) (*simplex.Result, error) {
	res := s.lp.Solve(ctx)
	if !s.limited || res.Status != status.IterationLimit {
		s.ended = true
		return res, nil
	}
	if s.lost = !s.ended; s.lost {
		return res, nil
	}
	basis := s.lp.Basis(simplex.Basis{})
	s.limited = false
	if err := s.program(p); err != nil {
		return nil, err
	}
	if err := s.lp.SetBasis(basis); err != nil {
		return nil, err
	}
	return s.lp.Solve(ctx), nil
}

// Room is the number of bytes left in the budget.
func (s *Solver) Room() int64 {
	if s.opt.Budget == nil {
		return math.MaxInt64
	}
	return s.opt.Budget.Left()
}

// free reports whether multiplier j is between its bounds.
func (s *Solver) free(m []float64, j int) bool { return m[j] != 0 && math.Abs(m[j]) < s.cap[j] }

// rows lists the samples with coefficients, the likeliest first.
func (b *Begin) rows() []int {
	idx, _ := Nonzero(b.A)
	deal.Sort(idx, func(i, j int) int { return cmp.Compare(math.Abs(b.Image[j]), math.Abs(b.Image[i])) })
	return idx
}

// basisNear returns positions of the multipliers of samples, and of the bias's row and the given rows. Free multipliers
// are basic, and as many rows are not.
func (s *Solver) basisNear(b *Begin, samples, rows []int) simplex.Basis {
	var basis simplex.Basis
	left := 1 + len(rows) // rows that may be at a bound
	for _, j := range samples {
		at := simplex.AtLower
		switch high := math.Abs(b.M[j]) > s.cap[j]/2; {
		case left > 0 && s.free(b.M, j):
			at = simplex.Basic
			left--
		case high == (s.y[j] > 0):
			at = simplex.AtUpper
		}
		basis.Cols = append(basis.Cols, at)
	}
	tight := 1 + len(rows) - left
	place := func(a float64) simplex.Position {
		switch {
		case a == 0 || tight == 0:
			return simplex.Basic
		case a < 0:
			tight--
			return simplex.AtLower
		}
		tight--
		return simplex.AtUpper
	}
	basis.Rows = append(basis.Rows, place(b.Bias))
	for _, i := range rows {
		basis.Rows = append(basis.Rows, place(b.A[i]))
	}
	return basis
}

// startNear makes the program of the rows of a solution nearby, with its basis.
func (s *Solver) startNear(ctx context.Context, p Costs) error {
	rows := s.near.rows()
	taken, err := s.take(ctx, rows)
	if err != nil {
		return err
	}
	s.limited = true
	if err := s.program(p); err != nil {
		return err
	}
	return s.lp.SetBasis(s.basisNear(s.near, spaced(len(s.y), len(s.y)), rows[:taken]))
}
