package ref

import "math"

// SVCProgram is a dual of the ν and regression models written down literally, in multipliers that are not negative:
//
//	min ½ αᵀQα + pᵀα   subject to   0 ≤ α ≤ C,  sᵀα = sᵀα⁰ with s = ±1,  and with Both: 1ᵀα = 1ᵀα⁰ too
//
// for a start α⁰ that meets them.
type SVCProgram struct {
	Q       [][]float64
	P, S, C []float64
	Both    bool
	Start   []float64
}

// Objective is the program's value at α.
func (p *SVCProgram) Objective(alpha []float64) float64 {
	var s float64
	for i, a := range alpha {
		s += p.P[i] * a
		for j, b := range alpha {
			s += 0.5 * a * b * p.Q[i][j]
		}
	}
	return s
}

// Solve minimises over one pair of variables after the other, exactly, until a whole round gains nothing that a
// float64 can show. With Both a pair has the same sign s, so that both sums stay.
func (p *SVCProgram) Solve() []float64 {
	alpha := append([]float64(nil), p.Start...)
	for range 200000 {
		moved := 0.0
		for i := range alpha {
			for j := range alpha {
				if i != j && (!p.Both || p.S[i] == p.S[j]) {
					moved = math.Max(moved, p.pair(alpha, i, j))
				}
			}
		}
		if moved <= 1e-14 {
			break
		}
	}
	return alpha
}

// pair moves α_i by t and α_j by −s_i s_j t, and returns how far.
func (p *SVCProgram) pair(alpha []float64, i, j int) float64 {
	s := p.S[i] * p.S[j]
	slope := p.slope(alpha, i) - s*p.slope(alpha, j)
	curvature := p.Q[i][i] + p.Q[j][j] - 2*s*p.Q[i][j]
	lo, hi := -alpha[i], p.C[i]-alpha[i]
	if s > 0 {
		lo, hi = math.Max(lo, alpha[j]-p.C[j]), math.Min(hi, alpha[j])
	} else {
		lo, hi = math.Max(lo, -alpha[j]), math.Min(hi, p.C[j]-alpha[j])
	}
	t := 0.0
	switch {
	case curvature > 1e-14:
		t = math.Max(lo, math.Min(hi, -slope/curvature))
	case slope < -1e-14:
		t = hi
	case slope > 1e-14:
		t = lo
	}
	alpha[i] += t
	alpha[j] -= s * t
	return math.Abs(t)
}

func (p *SVCProgram) slope(alpha []float64, i int) float64 {
	g := p.P[i]
	for j, a := range alpha {
		g += a * p.Q[i][j]
	}
	return g
}

// SVCRegression is Smola & Schölkopf (2004), eq. (10), as a minimum in (α, α*): ε-SVR.
func SVCRegression(k [][]float64, y, c []float64, epsilon float64) *SVCProgram {
	n := len(y)
	p := &SVCProgram{Start: make([]float64, 2*n)}
	for i := range 2 * n {
		pos, sign := i%n, 1.0
		if i >= n {
			sign = -1
		}
		p.S = append(p.S, sign)
		p.C = append(p.C, c[pos])
		p.P = append(p.P, epsilon-sign*y[pos])
		row := make([]float64, 2*n)
		for j := range row {
			row[j] = sign * k[pos][j%n]
			if j >= n {
				row[j] = -row[j]
			}
		}
		p.Q = append(p.Q, row)
	}
	return p
}

// SVCNuRegression is ν-SVR of Schölkopf et al. (2000): Σ(α + α*) = C ν l, here ν Σ c, and ε has no cost of its own.
func SVCNuRegression(k [][]float64, y, c []float64, nu float64) *SVCProgram {
	p := SVCRegression(k, y, c, 0)
	p.Both = true
	n, left := len(y), 0.0
	for _, v := range c {
		left += nu * v / 2
	}
	for i, v := range c {
		p.Start[i] = math.Min(v, math.Max(left, 0))
		p.Start[n+i] = p.Start[i]
		left -= v
	}
	return p
}

// SVCNuClasses is ν-SVC of Schölkopf et al. (2000), in LIBSVM's units: α ≤ w, Σα = ν Σw.
func SVCNuClasses(k [][]float64, y, w []float64, nu float64) *SVCProgram {
	p := &SVCProgram{S: y, C: w, Both: true, P: make([]float64, len(y)), Start: make([]float64, len(y))}
	total := 0.0
	for i := range y {
		total += w[i]
		row := make([]float64, len(y))
		for j := range row {
			row[j] = y[i] * y[j] * k[i][j]
		}
		p.Q = append(p.Q, row)
	}
	left := [2]float64{nu * total / 2, nu * total / 2}
	for i := range y {
		value := &left[0]
		if y[i] < 0 {
			value = &left[1]
		}
		p.Start[i] = math.Min(w[i], math.Max(*value, 0))
		*value -= w[i]
	}
	return p
}

// SVCSingle is the one-class model of Schölkopf et al. (2001), in LIBSVM's units: α ≤ w, Σα = ν Σw.
func SVCSingle(k [][]float64, w []float64, nu float64) *SVCProgram {
	p := &SVCProgram{Q: k, C: w, P: make([]float64, len(w)), Start: make([]float64, len(w))}
	left := 0.0
	for _, v := range w {
		left += nu * v
	}
	for i, v := range w {
		p.S = append(p.S, 1)
		p.Start[i] = math.Min(v, math.Max(left, 0))
		left -= v
	}
	return p
}
