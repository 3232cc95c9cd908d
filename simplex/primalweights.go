package simplex

// primalWeights is Devex pricing (Harris, 1973): the entering variable has the largest d²/weight.
type primalWeights struct {
	matrix *matrix
	weight []float64
}

// reset begins a reference framework of the present nonbasic variables.
func (w *primalWeights) reset() {
	for v := range w.weight {
		w.weight[v] = 1
	}
}

// chooseEntering returns −1 if every reduced cost has the right sign or is excluded.
func (w *primalWeights) chooseEntering(c *reducedCosts, out *exclusions) (entering int32) {
	entering = -1
	best, tolerance := 0.0, c.program.dualTolerance
	d, lower, upper := c.d, c.program.lower, c.program.upper
	for v, p := range c.values.position {
		e := wrong(p, d[v])
		if !(e > tolerance) || lower[v] == upper[v] || out.has(int32(v)) {
			continue
		}
		if score := e * e / w.weight[v]; score > best {
			best, entering = score, int32(v)
		}
	}
	return entering
}

// wornWeight is the weight at which a reference framework is far enough from the present basis to begin another.
const wornWeight = 1e7

// update follows the exchange e with the pivot row (Forrest and Goldfarb, 1992, section 4).
func (w *primalWeights) update(e exchange, row *updateRow) {
	n := w.matrix.n
	entering := w.weight[e.entering] / (e.pivot * e.pivot)
	largest := 1.0 // of the structural variables
	see := func(v int, a float64) {
		weight := max(w.weight[v], a*a*entering)
		if w.weight[v] = weight; v < n {
			largest = max(largest, weight)
		}
	}
	if !w.matrix.sparse() {
		for j, a := range row.entry[:n] {
			see(j, a)
		}
	}
	for _, v := range row.listed {
		see(int(v), row.entry[v])
	}
	w.weight[e.leaving] = max(entering, 1)
	if largest > wornWeight {
		w.reset()
	}
}

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
