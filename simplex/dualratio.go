package simplex

import "math"

// candidate is a nonbasic variable whose reduced cost the dual step drives towards 0.
type candidate struct {
	v     int32
	alpha float64 // |pivot row entry|
	d     float64 // distance of the reduced cost from 0, ≥ 0
}

// chooseEnteringDual is the bound-flipping ratio test (Maros, 2003, section 10.2)
// with Harris's tolerance, for a leaving variable that is delta beyond its bound.
// Boxed variables that the step passes go to s.flips as long as the leaving
// variable stays beyond its bound. q is −1 when no step is long enough: the row
// proves infeasibility.
func (s *Solver) chooseEnteringDual(delta float64) (q int32) {
	sign := 1.0
	if delta < 0 {
		sign = -1
	}
	s.collect(sign)
	s.flips = s.flips[:0]
	return s.passFine(s.passCoarse(math.Abs(delta)))
}

// pivotZero is the size below which a pivot row entry is no candidate.
const pivotZero = 1e-9

// A variable at position p is a candidate where entry·heading[p] + |entry|·either[p] is positive.
var (
	heading = [4]float64{AtLower: 1, AtUpper: -1}
	either  = [4]float64{AtZero: 1}
)

func (s *Solver) candidate(v int, sign float64) candidate {
	p := s.pos[v] & 3
	return candidate{int32(v), s.arow[v]*sign*heading[p] + math.Abs(s.arow[v])*either[p], max(s.d[v]*heading[p], 0)}
}

// collect lists the candidates of the pivot row.
func (s *Solver) collect(sign float64) {
	n := s.mx.n
	s.cands = s.candBuf[:n+len(s.rho.index)]
	k := 0
	for j := range n { // half of them are candidates: no branch to mispredict
		c := s.candidate(j, sign)
		s.cands[k] = c
		if c.alpha > pivotZero {
			k++
		}
	}
	for _, r := range s.rho.index {
		c := s.candidate(n+int(r), sign)
		s.cands[k] = c
		if c.alpha > pivotZero {
			k++
		}
	}
	s.cands = s.cands[:k]
	if s.anyFixed {
		s.dropFixed()
	}
}

// dropFixed removes the candidates that cannot move: their reduced costs may have any sign.
func (s *Solver) dropFixed() {
	k := 0
	for _, c := range s.cands {
		if s.wlo[c.v] < s.wup[c.v] {
			s.cands[k] = c
			k++
		}
	}
	s.cands = s.cands[:k]
}

// drop is by how much the slope falls when the step passes c.
func (s *Solver) drop(c candidate) float64 { return c.alpha * (s.wup[c.v] - s.wlo[c.v]) }

// passCoarse flips candidates in steps of ten times the least ratio left, while
// all of a step can go; the first step that cannot stays in s.cands alone.
func (s *Solver) passCoarse(slope float64) float64 {
	for len(s.cands) > 8 {
		limit := math.Inf(1)
		for _, c := range s.cands {
			limit = min(limit, (c.d+s.tolD)/c.alpha)
		}
		k, drop := s.partition(10 * limit)
		if slope-drop <= s.tolP || k == 0 || k == len(s.cands) { // k is 0 only for NaNs
			s.cands = s.cands[:k]
			break
		}
		slope -= drop
		s.pass(k)
	}
	return slope
}

// partition brings the candidates with ratios up to limit to the front and
// returns their number and the sum of their drops.
func (s *Solver) partition(limit float64) (k int, drop float64) {
	for i, c := range s.cands {
		if c.d <= limit*c.alpha {
			drop += s.drop(c)
			s.cands[i], s.cands[k] = s.cands[k], c
			k++
		}
	}
	return k, drop
}

// pass moves the first k candidates to the flips.
func (s *Solver) pass(k int) {
	for _, c := range s.cands[:k] {
		s.flips = append(s.flips, c.v)
	}
	s.cands = s.cands[k:]
}

// passFine goes on in groups of equal ratios within tolerance, up to the group
// that the slope does not outlast, and takes the entry of largest size there. An
// earlier group is taken where that entry is too small to pivot on safely.
func (s *Solver) passFine(slope float64) (q int32) {
	type mark struct {
		q     int32
		size  float64
		flips int
	}
	var marks []mark
	var most float64
	for len(s.cands) > 0 {
		limit := math.Inf(1)
		for _, c := range s.cands {
			limit = min(limit, (c.d+s.tolD)/c.alpha)
		}
		k, drop := s.partition(limit)
		if k == 0 {
			return -1
		}
		m := mark{q: -1, flips: len(s.flips)}
		for _, c := range s.cands[:k] {
			if c.alpha > m.size {
				m.q, m.size = c.v, c.alpha
			}
		}
		most = max(most, m.size)
		marks = append(marks, m)
		if slope-drop <= s.tolP { // the leaving variable would be within its bounds
			for i := len(marks) - 1; i >= 0; i-- {
				if m := marks[i]; m.size >= min(0.1*most, 1) {
					s.flips = s.flips[:m.flips]
					return m.q
				}
			}
		}
		slope -= drop
		s.pass(k)
	}
	return -1
}
