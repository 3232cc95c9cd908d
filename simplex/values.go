package simplex

// refactor inverts the basis afresh and recomputes values and reduced costs.
func (s *Solver) refactor() {
	if s.b.factor(s.pos) {
		s.dualWeightsOn = false
		s.settle()
	}
	clear(s.skipped)
	s.skips = 0
	s.computeValues()
	s.computeReducedCosts()
}

// load makes the basis from pos.
func (s *Solver) load() {
	s.b.load(s.pos)
	s.loaded = true
	s.dualWeightsOn = false
}

// settle puts every nonbasic variable on a bound that it has.
func (s *Solver) settle() {
	for v, p := range s.pos {
		if p != Basic {
			s.pos[v] = s.rest(v, p)
			s.place(v)
		}
	}
}

// place sets the value of nonbasic variable v from its position.
func (s *Solver) place(v int) {
	switch s.pos[v] {
	case AtLower:
		s.x[v] = s.wlo[v]
	case AtUpper:
		s.x[v] = s.wup[v]
	case AtZero:
		s.x[v] = 0
	}
}

// computeValues solves B·x_B = −N·x_N.
func (s *Solver) computeValues() {
	n := s.mx.n
	x := append([]float64(nil), s.x[:n]...)
	for j := range x {
		if s.pos[j] == Basic {
			x[j] = 0
		}
	}
	clear(s.col)
	s.mx.mulAdd(s.col, x)
	for i := range s.col {
		s.col[i] = -s.col[i]
		if s.pos[n+i] != Basic {
			s.col[i] += s.x[n+i]
		}
	}
	s.b.ftran(s.col, s.cols)
	for r, v := range s.b.cover {
		if v >= 0 {
			s.x[v] = s.col[r]
		}
	}
	for i, v := range s.b.vars {
		s.x[v] = s.cols[i]
	}
}

// refineValues is one step of iterative refinement: B·δ = −(A·x − s).
func (s *Solver) refineValues() {
	n := s.mx.n
	clear(s.col)
	s.mx.mulAdd(s.col, s.x[:n])
	for i := range s.col {
		s.col[i] = s.x[n+i] - s.col[i]
	}
	s.b.ftran(s.col, s.cols)
	for r, v := range s.b.cover {
		if v >= 0 {
			s.x[v] += s.col[r]
		}
	}
	for i, v := range s.b.vars {
		s.x[v] += s.cols[i]
	}
}

// computeReducedCosts solves Bᵀ·y = c_B with one step of refinement and sets
// d = c − Aᵀy; a logical's column is −e_r, so its d is c + y_r.
func (s *Solver) computeReducedCosts() {
	y := s.duals()
	s.reducedCosts(y)
	if len(s.b.vars) > 0 {
		dy := make([]float64, s.mx.m)
		s.b.btran(dy, func(v int32) float64 { return s.d[v] })
		for i := range y {
			y[i] += dy[i]
		}
		s.reducedCosts(y)
	}
	for v, p := range s.pos {
		if p == Basic {
			s.d[v] = 0
		}
	}
}

// duals returns y of Bᵀ·y = c_B, scaled.
func (s *Solver) duals() []float64 {
	y := make([]float64, s.mx.m)
	s.b.btran(y, func(v int32) float64 { return s.wcost[v] })
	return y
}

func (s *Solver) reducedCosts(y []float64) {
	n := s.mx.n
	s.rho.index, s.rho.value = s.rho.index[:0], s.rho.value[:0]
	for i, v := range y {
		s.d[n+i] = s.wcost[n+i] + v
		if v != 0 {
			s.rho.index = append(s.rho.index, int32(i))
			s.rho.value = append(s.rho.value, v)
		}
	}
	s.mx.price(s.d[:n], s.rho.index, s.rho.value)
	for j := range n {
		s.d[j] = s.wcost[j] - s.d[j]
	}
}

// violation returns how far x_v is above its upper (> 0) or below its lower bound
// (< 0), 0 within tolerance.
func (s *Solver) violation(v int32) float64 {
	x := s.x[v]
	if e := x - s.wup[v]; e > s.tolP {
		return e
	}
	if e := x - s.wlo[v]; e < -s.tolP {
		return e
	}
	return 0
}

// dualViolation returns by how much the sign of d_v is wrong for a nonbasic variable.
func (s *Solver) dualViolation(v int) float64 {
	if s.wlo[v] == s.wup[v] {
		return 0
	}
	var e float64
	switch s.pos[v] {
	case AtLower:
		e = -s.d[v]
	case AtUpper:
		e = s.d[v]
	case AtZero:
		e = max(s.d[v], -s.d[v])
	}
	if e > s.tolD {
		return e
	}
	return 0
}

func (s *Solver) primalFeasible() bool {
	for v, p := range s.pos {
		if p == Basic && s.violation(int32(v)) != 0 {
			return false
		}
	}
	return true
}

func (s *Solver) dualFeasible() bool {
	for v := range s.pos {
		if s.dualViolation(v) != 0 {
			return false
		}
	}
	return true
}
