package ref

import "math"

// simplex is (4): min Σ w_i ξ_i + costᵀα, Y(KYα + b1) ≥ margin − ξ, 1ᵀα = 1, ξ, α ≥ 0.
func (p SKMProblem) simplex(price []float64, margin float64) SKMSolution {
	f := p.form(price, margin, 1)
	one := make([]float64, len(f.c))
	for i := range p.Y {
		one[i] = 1
	}
	f.g = append(f.g, one)
	f.h = append(f.h, 1)
	// A first basis: α_1 = 1, and of each margin constraint the slack or the surplus.
	n := len(p.Y)
	for i := range n {
		if r := margin - p.Y[i]*p.Y[0]*p.K[i][0]; r < 0 {
			f.basis[i] += n
		}
	}
	f.basis = append(f.basis, 0)
	return p.read(f)
}

// L1 is (6): min 1ᵀα + C Σ w_i ξ_i, Y(KYα + b1) ≥ 1 − ξ, 0 ≤ α ≤ C, ξ ≥ 0.
func (p SKMProblem) L1(c float64) SKMSolution {
	n := len(p.Y)
	f := p.form(skmOnes(n), 1, c)
	for i := range n { // α_i + r_i = C
		for k := range f.g {
			f.g[k] = append(f.g[k], 0)
		}
		row := make([]float64, len(f.c)+1)
		row[i], row[len(f.c)] = 1, 1
		f.basis = append(f.basis, len(f.c))
		f.g = append(f.g, row)
		f.h = append(f.h, c)
		f.c = append(f.c, 0)
	}
	return p.read(f)
}

// L0 is (10) by the programs (11), from α* = 1, until no α moves by more than the part settled of the largest. In the
// paper δ is 0.1 (section 3, footnote 1) and no rule is printed.
func (p SKMProblem) L0(c, delta, settled float64) (all []SKMSolution) {
	star := skmOnes(len(p.Y))
	for len(all) < 50 {
		price := make([]float64, len(star))
		for i, a := range star {
			price[i] = 1 / (a + delta)
		}
		s := p.read(p.form(price, 1, c))
		all = append(all, s)
		var moved, largest float64
		for i, a := range s.Alpha {
			moved = math.Max(moved, math.Abs(a-star[i]))
			largest = math.Max(largest, a)
		}
		star = s.Alpha
		if moved <= settled*largest {
			break
		}
	}
	return all
}

// LPSVC is the model of Kecman & Hadzic (2000): min Σ|a_i| + C Σ w_i ξ_i with
// y_i (Σ_j a_j k_ij + b) ≥ 1 − ξ_i and a of either sign: a = Y(p − q), p, q ≥ 0. Alpha
// holds Ya, so that all models read f(x) = Σ α_i y_i k(x_i, x) + b.
func (p SKMProblem) LPSVC(c float64) SKMSolution {
	n := len(p.Y)
	f := p.form(skmOnes(n), 1, c)
	for j := range n { // the column of q_j is that of p_j with the other sign
		for i := range f.g {
			f.g[i] = append(f.g[i], -f.g[i][j])
		}
		f.c = append(f.c, 1)
	}
	o := f.solve()
	s := p.split(o)
	for j := range n {
		s.Alpha[j] -= o.x[3*n+2+j]
	}
	return s
}

func skmOnes(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

// form is the program that all models share, min costᵀα + C Σ w_i ξ_i with
// Y(KYα + b1) + ξ − s = margin, in the columns α, ξ, s, b⁺, b⁻; all but b = b⁺ − b⁻ are
// ≥ 0 in the papers, too. The basis is ξ.
func (p SKMProblem) form(price []float64, margin, c float64) skmProgram {
	n := len(p.Y)
	f := skmProgram{c: make([]float64, 3*n+2)}
	copy(f.c, price)
	for i, w := range p.Weight {
		f.c[n+i] = c * w
		row := make([]float64, 3*n+2)
		for j := range n {
			row[j] = p.Y[i] * p.K[i][j] * p.Y[j]
		}
		row[n+i], row[2*n+i] = 1, -1
		row[3*n], row[3*n+1] = p.Y[i], -p.Y[i]
		f.g = append(f.g, row)
		f.h = append(f.h, margin)
		f.basis = append(f.basis, n+i)
	}
	return f
}

func (p SKMProblem) read(f skmProgram) SKMSolution { return p.split(f.solve()) }

// split takes the columns apart up to b⁻. That b⁺ and b⁻ may both grow is no second solution.
func (p SKMProblem) split(o skmOptimum) SKMSolution {
	n := len(p.Y)
	s := SKMSolution{Value: o.value, Alpha: o.x[:n:n], Bias: o.x[3*n] - o.x[3*n+1], Ties: o.ties - 1}
	for i, w := range p.Weight {
		s.Loss += w * o.x[n+i]
	}
	return s
}
