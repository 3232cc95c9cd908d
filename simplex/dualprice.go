package simplex

// Dual steepest edge (Forrest and Goldfarb, 1992): the leaving variable has the
// largest violation²/weight, weight = ‖eᵀB⁻¹‖².

// resetDualWeights computes the weights of the present basis. They are 1 for the
// slack basis; otherwise they cost |S|² a row, about as much as one pivot for every |S| rows.
func (s *Solver) resetDualWeights() {
	for v := range s.dualWeight {
		s.dualWeight[v] = 1
	}
	for _, v := range s.b.vars {
		s.b.btranUnit(v, &s.rho, s.w)
		s.dualWeight[v] = max(square(s.rho.value), 1e-4)
	}
	for _, v := range s.b.cover {
		if v >= 0 {
			s.b.btranUnit(v, &s.rho, s.w)
			s.dualWeight[v] = max(square(s.rho.value), 1e-4)
		}
	}
	s.dualWeightsOn = true
}

func square(v []float64) (sum float64) {
	for _, x := range v {
		sum += x * x
	}
	return sum
}

// chooseLeaving returns the basic variable to leave and its violation, −1 if none violates its bounds.
func (s *Solver) chooseLeaving() (p int32, delta float64) {
	p = -1
	best := 0.0
	for _, list := range [2][]int32{s.b.cover, s.b.vars} {
		for _, v := range list {
			if v < 0 {
				continue
			}
			x := s.x[v]
			e := x - s.wup[v]
			if e <= s.tolP {
				if e = x - s.wlo[v]; e >= -s.tolP {
					continue
				}
			}
			if e*e > best*s.dualWeight[v] && !s.skipped[v] {
				best, p, delta = e*e/s.dualWeight[v], v, e
			}
		}
	}
	return p, delta
}

// updateDualWeights follows the pivot of q for p; s.col holds the pivot column and
// s.rho row p of B⁻¹, both of the old basis.
func (s *Solver) updateDualWeights(p, q int32, pivot float64) {
	clear(s.tau)
	var wp float64
	for t, r := range s.rho.index {
		s.tau[r] = s.rho.value[t]
		wp += s.rho.value[t] * s.rho.value[t]
	}
	s.b.ftran(s.tau, s.taus)
	follow := func(v int32, alpha, tau float64) {
		if alpha == 0 {
			return
		}
		k := alpha / pivot
		s.dualWeight[v] = max(s.dualWeight[v]-2*k*tau+k*k*wp, 1e-4)
	}
	for r, v := range s.b.cover {
		if v >= 0 {
			follow(v, s.col[r], s.tau[r])
		}
	}
	for i, v := range s.b.vars {
		follow(v, s.cols[i], s.taus[i])
	}
	s.dualWeight[q] = max(wp/(pivot*pivot), 1e-4)
}
