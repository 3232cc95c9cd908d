package kernellp

import (
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/simplex"
)

// Many margins join while the program's model is far from the optimum, and end far from 1. A pivot reads rows × margins
// numbers, so margins leave when they are several times as many as matter. Rows whose coefficients a reweighting has
// set to 0 for ever leave too, once there are many.

const (
	marginsPerRow = 4   // margins a row that stay: those nearest to 1 at the centre, besides the basic ones
	wideFor       = 3   // the others leave if the margins are so many times as many
	mostNarrowed  = 200 // limits how often margins leave, so that the rounds end
	manyDead      = 128 // rows leave if there are so many to leave,
	deadShare     = 4   // and if they are a quarter of all
)

// narrow removes margins far from 1 and dead rows from a program over candidates. The basis stays the same.
func (s *sift) narrow(p Costs) error {
	if !s.few {
		return nil
	}
	basis := s.sifted.Basis()
	dead := s.dead(p, basis.Rows)
	if len(dead) < max(manyDead, len(s.of.working)/deadShare) {
		dead = nil
	}
	stay := max(firstWidth(len(s.of.y)), marginsPerRow*(len(s.of.working)-len(dead)))
	wide := s.width >= wideFor*stay && s.narrowed < mostNarrowed
	if !wide && dead == nil {
		return nil
	}
	s.narrowed++
	within := s.nearest(stay)
	b := &box{threads: parallel.Workers(s.of.opt.Threads), rows: make([][]float64, 1+len(s.of.working))}
	var at simplex.Basis
	var limits []simplex.Position
	cols := basis.Cols
	for _, part := range s.parts {
		_, n := part.Dims()
		if old := part.margins; old != nil {
			for t, j := range old.samples {
				if s.inside[j] = cols[t] == simplex.Basic || math.Abs(s.slack(s.centre.f, j)) <= within; s.inside[j] {
					b.samples = append(b.samples, j)
					at.Cols = append(at.Cols, cols[t])
				}
			}
			s.copyRows(b, old)
		} else {
			limits = append(limits, cols[:n]...)
		}
		cols = cols[n:]
	}
	at.Rows, limits = s.bury(dead, b, basis.Rows, limits)
	at.Cols = append(at.Cols, limits...)
	s.width = len(b.samples)
	if err := s.build(p, b); err != nil {
		return err
	}
	return s.sifted.SetBasis(at)
}

// dead lists the working rows, ascending, whose costs forbid a coefficient. Such a row can leave without a change to
// the others if it is basic and its limits are not.
func (s *sift) dead(p Costs, at []simplex.Position) (rows []int) {
	for r, i := range s.of.working {
		if math.IsInf(p.Coef[i], 1) && at[r+1] == simplex.Basic && s.last.a[i] == 0 {
			rows = append(rows, r)
		}
	}
	return rows
}

// bury removes dead rows from the box and from the working rows. It returns the positions of the other rows and limits.
func (s *sift) bury(dead []int, b *box, rows, limits []simplex.Position) (at, limit []simplex.Position) {
	at, limit = rows[:1:1], limits[:2:2]
	working, values := s.of.working[:0:0], b.rows[:1:1]
	for r, i := range s.of.working {
		if len(dead) > 0 && dead[0] == r {
			dead = dead[1:]
			s.of.row[i] = 0
			continue
		}
		working = append(working, i)
		values = append(values, b.rows[r+1])
		s.of.row[i] = len(working)
		at = append(at, rows[r+1])
		limit = append(limit, limits[2*r+2:2*r+4]...)
	}
	s.of.working, b.rows = working, values
	return at, limit
}

// copyRows appends the values of the samples of the old box that stay.
func (s *sift) copyRows(b, old *box) {
	for r, row := range old.rows {
		for t, j := range old.samples {
			if s.inside[j] {
				b.rows[r] = append(b.rows[r], row[t])
			}
		}
	}
}

// nearest returns the distance from 1, at the centre, that count of the program's margins do not exceed.
func (s *sift) nearest(count int) float64 {
	var all []float64
	for b := range s.boxes() {
		for _, j := range b.samples {
			all = append(all, math.Abs(s.slack(s.centre.f, j)))
		}
	}
	slices.Sort(all)
	return all[min(count, len(all)-1)]
}

// build states the program of a box of margins and all working rows.
func (s *sift) build(p Costs, b *box) (err error) {
	limits := s.limits(0)
	s.parts = []part{{b, b, nil}, {limits, nil, limits}}
	lo, up := s.columnBounds()
	rowLo, rowUp := s.rowBounds(p)
	a := simplex.Blocks{b, limits}
	s.sifted, err = simplex.New(simplex.LP{C: s.costs(), Lo: lo, Up: up, RowLo: rowLo, RowUp: rowUp, A: a},
		simplex.Options{Method: simplex.Dual, NoScaling: true, Tolerance: s.of.opt.Tolerance, Unit: 1})
	return err
}
