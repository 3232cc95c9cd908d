package ref

import "math/big"

// skmPrecision of the tableau in bits. A reduced cost or a step below 2⁻¹⁶⁰ is a
// rounding error: the programs have numbers between 1e-10 and 1e10.
const skmPrecision, skmZeroExp = 256, -160

// skmProgram is min cᵀx subject to Gx = h, x ≥ 0, with a feasible basis: one column a row.
type skmProgram struct {
	c, h  []float64
	g     [][]float64
	basis []int
}

// skmOptimum is a solution of a program.
type skmOptimum struct {
	value float64
	x     []float64
	// ties is the number of columns outside the basis whose reduced cost is 0 to
	// eight digits: without any, x is the only solution.
	ties int
}

// solve is the textbook simplex method on a tableau (Chvátal, 1983, chapter 2) with
// Bland's rule, so that it cannot cycle, in 256-bit numbers, so that it cannot stall.
func (p skmProgram) solve() skmOptimum {
	t := skmNewTableau(p)
	for {
		q := t.entering()
		if q < 0 {
			return t.read(p)
		}
		t.pivot(t.leaving(q), q)
	}
}

// skmTableau holds B⁻¹G with B⁻¹h as the last column, and the reduced costs as the last row.
type skmTableau struct {
	rows  [][]big.Float
	basis []int
	n     int // columns but the last
}

func skmNewTableau(p skmProgram) *skmTableau {
	t := &skmTableau{basis: make([]int, len(p.h)), n: len(p.c)}
	for i, row := range append(append([][]float64{}, p.g...), p.c) {
		r := make([]big.Float, t.n+1)
		for j, v := range row {
			r[j].SetPrec(skmPrecision).SetFloat64(v)
		}
		r[t.n].SetPrec(skmPrecision)
		if i < len(p.h) {
			r[t.n].SetFloat64(p.h[i])
		}
		t.rows = append(t.rows, r)
	}
	for i, q := range p.basis {
		t.pivot(i, q)
	}
	for i := range p.basis {
		if skmSign(&t.rows[i][t.n]) < 0 {
			panic("ref/skm: the first basis is not feasible")
		}
	}
	return t
}

// skmSign returns −1, 0 or 1; 0 for a rounding error.
func skmSign(v *big.Float) int {
	if v.MantExp(nil) < skmZeroExp {
		return 0
	}
	return v.Sign()
}

// entering is the first column of negative reduced cost, −1 at the optimum.
func (t *skmTableau) entering() int {
	cost := t.rows[len(t.basis)]
	for j := range t.n {
		if skmSign(&cost[j]) < 0 {
			return j
		}
	}
	return -1
}

// leaving is the row of least ratio, of equal ones that of the first basic column.
func (t *skmTableau) leaving(q int) int {
	p := -1
	var best, ratio, diff big.Float
	for i, b := range t.basis {
		if skmSign(&t.rows[i][q]) <= 0 {
			continue
		}
		ratio.SetPrec(skmPrecision).Quo(&t.rows[i][t.n], &t.rows[i][q])
		s := -1
		if p >= 0 {
			s = skmSign(diff.SetPrec(skmPrecision).Sub(&ratio, &best))
		}
		if s < 0 || s == 0 && b < t.basis[p] {
			p = i
			best.Set(&ratio)
		}
	}
	if p < 0 {
		panic("ref/skm: a program without an optimum")
	}
	return p
}

func (t *skmTableau) pivot(p, q int) {
	row := t.rows[p]
	by := new(big.Float).Copy(&row[q])
	for j := range row {
		if row[j].Sign() != 0 {
			row[j].Quo(&row[j], by)
		}
	}
	var f, prod big.Float
	prod.SetPrec(skmPrecision)
	for i := range t.rows {
		if i == p || t.rows[i][q].Sign() == 0 {
			continue
		}
		f.Copy(&t.rows[i][q])
		for j := range row {
			if row[j].Sign() != 0 {
				t.rows[i][j].Sub(&t.rows[i][j], prod.Mul(&f, &row[j]))
			}
		}
	}
	t.basis[p] = q
}

func (t *skmTableau) read(p skmProgram) skmOptimum {
	o := skmOptimum{x: make([]float64, t.n)}
	basic := make([]bool, t.n)
	for i, b := range t.basis {
		o.x[b], _ = t.rows[i][t.n].Float64()
		basic[b] = true
	}
	for j, c := range p.c {
		o.value += c * o.x[j]
		if d, _ := t.rows[len(t.basis)][j].Float64(); !basic[j] && d < 1e-8 {
			o.ties++
		}
	}
	return o
}
