package simplex

// violations knows for every place of a sparse program's basis what dualWeights.chooseLeaving would have to
// find out: violation²/weight of the basic variable, 0 within bounds. Pivots change few of them.
type violations struct {
	basis   *basis
	values  *values
	weights *dualWeights

	score []float64 // by place
	stale bool      // all of them are to be computed afresh, once they are read
}

// compute sets all scores.
func (s *violations) compute() {
	s.score, s.stale = grow(s.score, len(s.basis.cover)), false
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
	s.score[place] = e
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
		s.set(s.basis.home(v))
	}
}

// choose returns the basic variable to leave and how far it is beyond its bound, −1 if none
// is or all that are have been excluded.
func (s *violations) choose(out *exclusions) (leaving int32, beyond float64) {
	if s.stale {
		s.compute()
	}
	leaving = -1
	best := 0.0
	for p, e := range s.score {
		if e > best {
			if v := s.basis.cover[p]; out.count == 0 || !out.has(v) {
				best, leaving = e, v
			}
		}
	}
	if leaving < 0 {
		return leaving, 0
	}
	return leaving, s.values.beyond(leaving)
}
