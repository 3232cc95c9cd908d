package simplex

// attractive lists the variables of a sparse program whose reduced costs have the wrong sign, so that
// primalWeights.chooseEntering need not search for them. Pivots change few of them. Variables with the right sign leave
// the list when it is read.
type attractive struct {
	costs   *reducedCosts
	weights *primalWeights

	list   []int32
	listed []bool // by variable
	stale  bool   // the list must be computed again when it is read
}

// compute makes the list.
func (s *attractive) compute() {
	s.listed, s.list, s.stale = grow(s.listed, len(s.costs.d)), s.list[:0], false
	clear(s.listed)
	for v := range s.costs.d {
		s.see(int32(v))
	}
}

// see adds v to the list if it belongs there.
func (s *attractive) see(v int32) {
	if !s.listed[v] && s.costs.violation(int(v)) > 0 {
		s.listed[v] = true
		s.list = append(s.list, v)
	}
}

// follow sees the variables whose reduced costs a pivot with the given row has changed.
func (s *attractive) follow(row *updateRow, leaving int32) {
	if s.stale {
		return
	}
	for _, v := range row.listed {
		s.see(v)
	}
	s.see(leaving)
}

// choose returns the variable to enter, −1 if every reduced cost has the right sign or is excluded.
func (s *attractive) choose(out *exclusions) (entering int32) {
	if s.stale {
		s.compute()
	}
	entering = -1
	best, kept := 0.0, s.list[:0]
	for _, v := range s.list {
		e := s.costs.violation(int(v))
		if e == 0 {
			s.listed[v] = false
			continue
		}
		kept = append(kept, v)
		if score := e * e / s.weights.weight[v]; score > best && !out.has(v) {
			best, entering = score, v
		}
	}
	s.list = kept
	return entering
}
