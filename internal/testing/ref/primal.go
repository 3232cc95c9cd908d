package ref

import "math"

// LSSVMPrimal solves eq. (3) and (4) of Abe (2008), with 1/C read as I/C, for the
// empirical feature space of the samples s; w are sample weights (each squared
// error counts w_i times).
func LSSVMPrimal(k [][]float64, y, w []float64, s []int, c float64) (v []float64, b float64) {
	n := len(s)
	a, right := make([][]float64, n), make([]float64, n)
	var m float64
	for _, wi := range w {
		m += wi
	}
	for p := range s {
		a[p] = make([]float64, n)
		a[p][p] = 1 / c
		for q := range s {
			var sum, sp, sq float64
			for i := range y {
				sum += w[i] * k[i][s[p]] * k[i][s[q]]
				sp += w[i] * k[i][s[p]]
				sq += w[i] * k[i][s[q]]
			}
			a[p][q] += sum - sp*sq/m
		}
		var sum, sp, sy float64
		for i := range y {
			sum += w[i] * y[i] * k[i][s[p]]
			sp += w[i] * k[i][s[p]]
			sy += w[i] * y[i]
		}
		right[p] = sum - sp*sy/m
	}
	v, _ = LSSVMSolve(a, right)
	for i := range y {
		f := y[i]
		for p := range s {
			f -= v[p] * k[i][s[p]]
		}
		b += w[i] * f / m
	}
	return v, b
}

// LSSVMIndependent returns the samples that the Cholesky factorisation of Abe (2008),
// eq. (5)-(7), keeps: row by row in the order of the data.
func LSSVMIndependent(k [][]float64, eta float64) []int {
	var chosen []int
	var l [][]float64
	for a := range k {
		row := make([]float64, len(chosen)+1)
		pivot := k[a][a]
		for p, c := range chosen {
			s := k[a][c]
			for n := range p {
				s -= l[p][n] * row[n]
			}
			row[p] = s / l[p][p]
			pivot -= row[p] * row[p]
		}
		if pivot <= eta {
			continue
		}
		row[len(chosen)] = math.Sqrt(pivot)
		l = append(l, row)
		chosen = append(chosen, a)
	}
	return chosen
}

// LSSVMDual solves the KKT system of Suykens et al. (2000), eq. (4), with weights w of
// the squared errors, in the signed coefficients a_i = y_i α_i, by elimination
// with pivoting; only the rows in use take part.
func LSSVMDual(k [][]float64, y, w []float64, use []int, gamma float64) (a []float64, b float64) {
	n := len(use) + 1
	m := make([][]float64, n) // the bordered matrix and the right side
	m[0] = make([]float64, n+1)
	for i, p := range use {
		m[0][i+1] = 1
		m[i+1] = make([]float64, n+1)
		m[i+1][0], m[i+1][n] = 1, y[p]
		for j, q := range use {
			m[i+1][j+1] = k[p][q]
		}
		m[i+1][i+1] += 1 / (gamma * w[p])
	}
	for c := range n {
		top := c
		for r := c; r < n; r++ {
			if math.Abs(m[r][c]) > math.Abs(m[top][c]) {
				top = r
			}
		}
		m[c], m[top] = m[top], m[c]
		for r := range n {
			if r == c {
				continue
			}
			f := m[r][c] / m[c][c]
			for j := c; j <= n; j++ {
				m[r][j] -= f * m[c][j]
			}
		}
	}
	for i := range n {
		m[i][n] /= m[i][i]
		if i > 0 {
			a = append(a, m[i][n])
		}
	}
	return a, m[0][n]
}
