package kernellp

import (
	"cmp"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/simplex"
)

// A margin that joined as it crossed 1 on the way to a model that was far off is mostly far from 1 at the centre. A
// pivot over all of them reads rows × margins numbers, and so they leave where they are several times as many as
// matter. So do rows whose coefficient a round has made 0 for ever, where they are many.

const (
	marginsPerRow = 4   // margins that stay, nearest to 1 at the centre, in addition to the basic ones
	wideFor       = 3   // times these and more, the others leave
	mostNarrowed  = 200 // times: in the end the program grows, and the rounds come to their end
	manyDead      = 128 // rows that leave together, and
	deadShare     = 4   // a quarter of all at least
)

// narrow takes margins far from 1 and rows without a coefficient out of a program over candidates. The basis stays what
// it was.
func (s *sift) narrow(p Costs) error {
	if !s.k.Limited() {
		return nil
	}
	basis := s.sifted.Basis()
	dead := s.dead(p, basis.Rows)
	if len(dead) < max(manyDead, len(s.working)/deadShare) {
		dead = nil
	}
	stay := max(firstWidth(len(s.y)), marginsPerRow*(len(s.working)-len(dead)))
	wide := s.width >= wideFor*stay && s.narrowed < mostNarrowed
	if !wide && dead == nil {
		return nil
	}
	s.narrowed++
	within := s.nearest(stay)
	b := &box{threads: parallel.Workers(s.opt.Threads), rows: make([][]float64, 1+len(s.working))}
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

// dead lists the working rows, ascending, that no cost lets have a coefficient. A row that is basic, with limits that
// are not, can leave without a change to the others.
func (s *sift) dead(p Costs, at []simplex.Position) (rows []int) {
	for r, i := range s.working {
		if math.IsInf(p.Coef[i], 1) && at[r+1] == simplex.Basic && s.last.a[i] == 0 {
			rows = append(rows, r)
		}
	}
	return rows
}

// bury takes dead rows out of the box and of the working rows. It returns where the other rows, and their limits, rest.
func (s *sift) bury(dead []int, b *box, rows, limits []simplex.Position) (at, limit []simplex.Position) {
	at, limit = rows[:1:1], limits[:2:2]
	working, values := s.working[:0:0], b.rows[:1:1]
	for r, i := range s.working {
		if len(dead) > 0 && dead[0] == r {
			dead = dead[1:]
			s.row[i] = 0
			continue
		}
		working = append(working, i)
		values = append(values, b.rows[r+1])
		s.row[i] = len(working)
		at = append(at, rows[r+1])
		limit = append(limit, limits[2*r+2:2*r+4]...)
	}
	s.working, b.rows = working, values
	return at, limit
}

// copyRows appends the values of those samples of the old box that stay.
func (s *sift) copyRows(b, old *box) {
	for r, row := range old.rows {
		for t, j := range old.samples {
			if s.inside[j] {
				b.rows[r] = append(b.rows[r], row[t])
			}
		}
	}
}

// nearest returns how far from 1 the margins of the program are at the centre of which so many are nearer.
func (s *sift) nearest(count int) float64 {
	var all []float64
	for b := range s.boxes() {
		for _, j := range b.samples {
			all = append(all, math.Abs(s.slack(s.centre.f, j)))
		}
	}
	slices.SortFunc(all, cmp.Compare[float64])
	return all[min(count, len(all)-1)]
}

// build makes the program of a box of margins and of all working rows.
func (s *sift) build(p Costs, b *box) (err error) {
	limits := s.limits(0)
	s.parts = []part{{b, b, nil}, {limits, nil, limits}}
	lo, up := s.siftedColumnBounds()
	rowLo, rowUp := s.rowBounds(p)
	a := simplex.Blocks{b, limits}
	s.sifted, err = simplex.New(simplex.LP{C: s.siftedCosts(), Lo: lo, Up: up, RowLo: rowLo, RowUp: rowUp, A: a},
		simplex.Options{Method: simplex.Dual, NoScaling: true, Tolerance: s.opt.Tolerance, Unit: 1})
	return err
}
