package simplex

import (
	"context"
	"slices"
)

// dualWeights is dual steepest edge (Forrest and Goldfarb, 1992): the leaving
// variable has the largest violation²/weight, weight = ‖eᵀB⁻¹‖².
type dualWeights struct {
	basis  *basis
	weight []float64
	valid  bool // they belong to the present basis
	from   int  // the weights from here on are those of rows added since, to be computed; 0 for none

	followed int // updates since the last reset

	row inverseRow  // scratch of reset
	tau basicVector // B⁻¹ρ, of update
}

// minWeight keeps cancellation in update from making a weight 0 or negative.
const minWeight = 1e-4

// resize makes room for the given number of variables.
func (w *dualWeights) resize(variables int) {
	w.weight = slices.Grow(w.weight, max(0, variables-len(w.weight)))[:variables]
	w.tau, w.valid, w.from = w.basis.newVector(), false, 0
}

// reset computes the weights of the present basis. They are 1 for the slack basis; otherwise they cost |S|² a row,
// about as much as one pivot for every |S| rows. They are not valid if ctx ends before.
func (w *dualWeights) reset(ctx context.Context) {
	w.from = 0
	for v := range w.weight {
		w.weight[v] = 1
	}
	if w.basis.sparse() { // a row of the inverse for every row would cost more than pivots that are not the best
		w.valid, w.followed = true, 0
		return
	}
	for _, list := range [2][]int32{w.basis.vars, w.basis.cover} {
		for _, v := range list {
			if v >= 0 {
				if ctx.Err() != nil {
					return
				}
				w.basis.btranUnit(v, &w.row)
				w.weight[v] = max(w.row.squaredNorm(), minWeight)
			}
		}
	}
	w.valid, w.followed = true, 0
}

// extend keeps the weights of the variables before from: rows that have been added leave their
// rows of B⁻¹ as they are. From there on are the logicals of such rows, whose weights renew computes.
func (w *dualWeights) extend(from int) { w.valid, w.from = true, from }

// renew computes the weights that are missing: all of them, or those of added rows. They are not valid if ctx ends
// before.
func (w *dualWeights) renew(ctx context.Context) {
	if !w.valid {
		w.reset(ctx)
		return
	}
	for ; w.from > 0 && w.from < len(w.weight); w.from++ {
		if ctx.Err() != nil {
			w.valid = false
			return
		}
		w.basis.btranUnit(int32(w.from), &w.row)
		w.weight[w.from] = max(w.row.squaredNorm(), minWeight)
	}
	w.from = 0
}

// driftFactor is how far a weight may be from the exact one. On the programs of the tests rounding changes weights by
// 5 % at most, but for one basis drawn at random, where cancellation took seven digits of two of them.
const driftFactor = 2

// driftPause is the number of pivots between resets for drift: one takes a row of
// the inverse for every row of the program, a pivot three solves.
const driftPause = 100

// drifted holds the weight of basic variable v against the exact one, which its row
// gives for nothing. Where following has lost it, that weight is set right, all of
// them are to be reset if they have been followed for long, and v should be chosen anew.
func (w *dualWeights) drifted(v int32, row *inverseRow) bool {
	exact := max(row.squaredNorm(), minWeight)
	if ratio := w.weight[v] / exact; ratio <= driftFactor && ratio*driftFactor >= 1 {
		return false
	}
	w.weight[v] = exact
	w.valid = w.followed < driftPause || w.basis.sparse()
	return true
}

// chooseLeaving returns the basic variable to leave and how far it is beyond its
// bound, −1 if none is or all that are have been excluded.
func (w *dualWeights) chooseLeaving(s *values, out *exclusions) (leaving int32, beyond float64) {
	leaving = -1
	best, tolerance := 0.0, s.program.primalTolerance
	lower, upper := s.program.lower, s.program.upper
	for _, list := range [2][]int32{w.basis.cover, w.basis.vars} {
		for _, v := range list {
			if v < 0 {
				continue
			}
			x := s.x[v]
			e := x - upper[v]
			if e <= tolerance {
				if e = x - lower[v]; e >= -tolerance {
					continue
				}
			}
			if e*e > best*w.weight[v] && !out.has(v) {
				best, leaving, beyond = e*e/w.weight[v], v, e
			}
		}
	}
	return leaving, beyond
}

// begin writes ρ, the row of the leaving variable, where update expects τ = B⁻¹ρ.
func (w *dualWeights) begin(row *inverseRow) {
	w.tau.clear()
	if x := w.tau.nonzero; x != nil {
		for t, r := range row.Index {
			x.Set(r, row.Value[t])
		}
		return
	}
	for t, r := range row.Index {
		w.tau.covered[r] = row.Value[t]
	}
}

// update follows the exchange e, before the basis makes it. With ρ the row of the
// leaving variable, α the direction, τ = B⁻¹ρ and k_i = α_i/α_p the weights become
// w_i − 2k_i τ_i + k_i² ‖ρ‖², and ‖ρ‖²/α_p² (Forrest and Goldfarb, 1992).
func (w *dualWeights) update(e exchange) {
	w.followed++
	norm := e.row.squaredNorm()
	if d := e.direction.nonzero; d != nil {
		for _, r := range d.Index {
			w.follow(w.basis.cover[r], d.Value[r], e.pivot, w.tau.covered[r], norm)
		}
	} else {
		for r, v := range w.basis.cover {
			if v >= 0 {
				w.follow(v, e.direction.covered[r], e.pivot, w.tau.covered[r], norm)
			}
		}
		for i, v := range w.basis.vars {
			w.follow(v, e.direction.block[i], e.pivot, w.tau.block[i], norm)
		}
	}
	w.weight[e.entering] = max(norm/(e.pivot*e.pivot), minWeight)
}

func (w *dualWeights) follow(v int32, alpha, pivot, tau, norm float64) {
	if alpha == 0 {
		return
	}
	k := alpha / pivot
	w.weight[v] = max(w.weight[v]-2*k*tau+k*k*norm, minWeight)
}

// violations knows for every place of a sparse program's basis what dualWeights.chooseLeaving would have to
// find out: violation²/weight of the basic variable, 0 within bounds. Pivots change few of them.
type violations struct {
	basis   *basis
	values  *values
	weights *dualWeights

	score []float64 // by place
	best  []float64 // of every scoreBlock places, once settled; −1 where it may have fallen
	stale bool      // all of them are to be computed afresh, once they are read
}

// scoreBlock is a number of places whose best score is known, so that a choice need not look at all places.
const scoreBlock = 64

// compute sets all scores.
func (s *violations) compute() {
	s.score, s.stale = grow(s.score, len(s.basis.cover)), false
	s.best = grow(s.best, (len(s.score)+scoreBlock-1)/scoreBlock)
	clear(s.score)
	clear(s.best)
	for p := range s.score {
		s.set(int32(p))
	}
}

func (s *violations) set(place int32) {
	v := s.basis.cover[place]
	e := s.values.beyond(v)
	if e != 0 {
		e *= e / s.weights.weight[v]
	}
	switch b := place / scoreBlock; {
	case s.best[b] < 0:
	case e >= s.best[b]:
		s.best[b] = e
	case s.score[place] == s.best[b]:
		s.best[b] = -1
	}
	s.score[place] = e
}

// block returns the scores of a block.
func (s *violations) block(b int) []float64 {
	return s.score[b*scoreBlock : min((b+1)*scoreBlock, len(s.score))]
}

// settle finds the best scores of the blocks where they may have fallen, and returns the first block with the best
// of all, −1 if no score is above 0.
func (s *violations) settle() (block int) {
	block = -1
	var largest float64
	for b, best := range s.best {
		if best < 0 {
			best = 0
			for _, e := range s.block(b) {
				if e > best {
					best = e
				}
			}
			s.best[b] = best
		}
		if best > largest {
			largest, block = best, b
		}
	}
	return block
}

// follow sets the scores where a vector has changed the basic values.
func (s *violations) follow(x basicVector) {
	if x.nonzero == nil || s.stale {
		return
	}
	for _, p := range x.nonzero.Index {
		s.set(p)
	}
}

// see sets the score of basic variable v, whose weight has changed.
func (s *violations) see(v int32) {
	if !s.stale {
		s.set(s.basis.representation.(*factored).indices[v]) // its place
	}
}

// choose returns the basic variable to leave and how far it is beyond its bound, −1 if none
// is or all that are have been excluded.
func (s *violations) choose(out *exclusions) (leaving int32, beyond float64) {
	if s.stale {
		s.compute()
	}
	from, scores := 0, s.score
	if out.count == 0 {
		b := s.settle()
		if b < 0 {
			return -1, 0
		}
		from, scores = b*scoreBlock, s.block(b)
	}
	leaving = -1
	best := 0.0
	for k, e := range scores {
		if e > best {
			if v := s.basis.cover[from+k]; !out.has(v) {
				best, leaving = e, v
			}
		}
	}
	if leaving < 0 {
		return leaving, 0
	}
	return leaving, s.values.beyond(leaving)
}
