package plane

import "math"

// settle returns the solution that the iterate converges to. A variable goes to a bound if its distance, relative to
// its range, is smaller than the bound's multiplier. The others share the correction that makes Σ a = 0.
func (s *solver) settle() *Point {
	q := &Point{A: make([]float64, len(s.P)), KA: make([]float64, len(s.P))}
	var sum, size float64
	for v := range q.A {
		box := s.Hi[v] - s.Lo[v]
		switch a := s.value(v); {
		case s.low[v] < min(s.high[v], box*s.zlow[v]):
			q.A[v] = s.Lo[v]
		case s.high[v] < min(s.low[v], box*s.zhigh[v]):
			q.A[v] = s.Hi[v]
		default:
			q.A[v] = a
		}
		sum, size = sum+q.A[v], size+math.Abs(q.A[v])
	}
	for range 3 { // each pass leaves a smaller rounding error
		if math.Abs(sum) > 1e-15*size {
			sum -= s.spread(q.A, sum, sum > 0)
		}
	}
	w := make([]float64, s.D+1)
	s.f.gather(w, q.A)
	f := make([]float64, s.N)
	s.f.mul(f, w, 0)
	up, down := math.Inf(-1), math.Inf(1)
	for v, a := range q.A {
		q.KA[v] = f[v%s.N]
		g := q.KA[v] + s.P[v]
		if a < s.Hi[v] {
			up = max(up, -g)
		}
		if a > s.Lo[v] {
			down = min(down, -g)
		}
	}
	q.Violation = max(0, up-down)
	return q
}

// spread subtracts a sum from the variables between their bounds, in proportion to their distances from the bound, or
// from all variables if these do not suffice. It returns the sum that was subtracted.
func (s *solver) spread(a []float64, sum float64, down bool) (given float64) {
	room := func(v int) float64 {
		if down {
			return a[v] - s.Lo[v]
		}
		return s.Hi[v] - a[v]
	}
	for _, all := range []bool{false, true} {
		var total float64
		for v := range a {
			if all || a[v] > s.Lo[v] && a[v] < s.Hi[v] {
				total += room(v)
			}
		}
		if total < 2*math.Abs(sum) && !all || total == 0 {
			continue
		}
		share := sum / total
		for v, before := range a {
			if all || before > s.Lo[v] && before < s.Hi[v] {
				a[v] = min(max(before-share*room(v), s.Lo[v]), s.Hi[v])
				given += before - a[v]
			}
		}
		return given
	}
	return given
}
