package simplex

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
	var most float64
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
		if best > most {
			most, block = best, b
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
