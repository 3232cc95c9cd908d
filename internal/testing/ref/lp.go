package ref

// This file is the textbook simplex method on a tableau of exact fractions with
// Bland's rule (Bland, 1977; Chvátal, 1983, chapters 2, 3 and 8). It has no tolerances and
// cannot cycle; it is the reference that tests hold package simplex against, for
// programs of about ten rows and columns.

import (
	"math"
	"math/big"
)

// LPOutcome of a program.
type LPOutcome uint8

const (
	LPOptimal LPOutcome = iota
	LPInfeasible
	LPUnbounded
)

// LPSolve minimises cᵀx subject to rowLo ≤ Ax ≤ rowUp and lo ≤ x ≤ up, any bound
// infinite; a[i] is row i. It returns an optimal x and its value.
func LPSolve(c []float64, a [][]float64, rowLo, rowUp, lo, up []float64) (LPOutcome, float64, []float64) {
	t := lpStandardForm(c, a, rowLo, rowUp, lo, up)
	if !t.phase1() {
		return LPInfeasible, 0, nil
	}
	if !t.improve() {
		return LPUnbounded, 0, nil
	}
	x := make([]float64, len(c))
	value := new(big.Rat)
	for j := range c {
		v := t.original(j)
		x[j], _ = v.Float64()
		value.Add(value, lpMul(lpRat(c[j]), v))
	}
	f, _ := value.Float64()
	return LPOptimal, f, x
}

func lpRat(v float64) *big.Rat            { return new(big.Rat).SetFloat64(v) }
func lpMul(a, b *big.Rat) *big.Rat        { return new(big.Rat).Mul(a, b) }
func lpFinite(v float64) bool             { return !math.IsInf(v, 0) }
func (t *lpTableau) at(i, j int) *big.Rat { return t.rows[i][j] }

// lpTableau is the dictionary of min c̃ᵀz, Gz + s = h, z ≥ 0, s ≥ 0, in rows of
// coefficients with h last; the cost row is the last row.
//
// x_j = shift_j + Σ sign·z over the one or two z of x_j.
type lpTableau struct {
	rows  [][]*big.Rat
	basic []int
	vars  int // columns but the last
	shift []*big.Rat
	parts [][]lpPart
}

type lpPart struct {
	z    int
	sign int64
}

func lpStandardForm(c []float64, a [][]float64, rowLo, rowUp, lo, up []float64) *lpTableau {
	t := &lpTableau{}
	nz := 0
	add := func(j int, sign int64) { t.parts[j] = append(t.parts[j], lpPart{nz, sign}); nz++ }
	for j := range c {
		t.parts = append(t.parts, nil)
		switch {
		case lpFinite(lo[j]):
			t.shift = append(t.shift, lpRat(lo[j]))
			add(j, 1)
		case lpFinite(up[j]):
			t.shift = append(t.shift, lpRat(up[j]))
			add(j, -1)
		default:
			t.shift = append(t.shift, new(big.Rat))
			add(j, 1)
			add(j, -1)
		}
	}
	var g [][]*big.Rat // rows Gz ≤ h, h last
	inequality := func(coef []float64, bound float64, sign int64) {
		row := lpZeros(nz + 1)
		s := new(big.Rat).SetInt64(sign)
		row[nz] = lpMul(s, lpRat(bound))
		for j, v := range coef {
			if v == 0 {
				continue
			}
			row[nz].Sub(row[nz], lpMul(s, lpMul(lpRat(v), t.shift[j])))
			for _, p := range t.parts[j] {
				row[p.z] = lpMul(s, lpMul(lpRat(v), new(big.Rat).SetInt64(p.sign)))
			}
		}
		g = append(g, row)
	}
	for i, row := range a {
		if lpFinite(rowUp[i]) {
			inequality(row, rowUp[i], 1)
		}
		if lpFinite(rowLo[i]) {
			inequality(row, rowLo[i], -1)
		}
	}
	for j := range c {
		if lpFinite(lo[j]) && lpFinite(up[j]) {
			unit := make([]float64, len(c))
			unit[j] = 1
			inequality(unit, up[j], 1)
		}
	}
	cost := lpZeros(nz + 1)
	for j, v := range c {
		for _, p := range t.parts[j] {
			cost[p.z] = lpMul(lpRat(v), new(big.Rat).SetInt64(p.sign))
		}
	}
	t.slacks(g, cost, nz)
	return t
}

func lpZeros(n int) []*big.Rat {
	v := make([]*big.Rat, n)
	for i := range v {
		v[i] = new(big.Rat)
	}
	return v
}

// slacks makes the slack variables the basis.
func (t *lpTableau) slacks(g [][]*big.Rat, cost []*big.Rat, nz int) {
	m := len(g)
	t.vars = nz + m
	for i, row := range append(g, cost) {
		full := append(append(append([]*big.Rat(nil), row[:nz]...), lpZeros(m)...), row[nz])
		if i < m {
			full[nz+i].SetInt64(1)
			t.basic = append(t.basic, nz+i)
		}
		t.rows = append(t.rows, full)
	}
}

// phase1 makes the basis feasible with one artificial variable z₀ that every row
// has with −1 (Chvátal, chapter 3); it reports whether z₀ can be 0.
func (t *lpTableau) phase1() bool {
	m := len(t.basic)
	worst := -1
	for i := range m {
		if t.at(i, t.vars).Sign() < 0 && (worst < 0 || t.at(i, t.vars).Cmp(t.at(worst, t.vars)) < 0) {
			worst = i
		}
	}
	if worst < 0 {
		return true
	}
	z0 := t.vars
	for i, row := range t.rows {
		v := new(big.Rat)
		if i < m {
			v.SetInt64(-1)
		}
		t.rows[i] = append(row[:z0:z0], v, row[z0])
	}
	t.vars++
	cost := lpZeros(t.vars + 1)
	cost[z0].SetInt64(1)
	t.rows = append(t.rows, cost)
	t.pivot(worst, z0)
	t.improve()
	if t.rows[m+1][t.vars].Sign() != 0 {
		return false
	}
	for i, b := range t.basic {
		if b == z0 {
			for j := range z0 {
				if t.at(i, j).Sign() != 0 {
					t.pivot(i, j)
					break
				}
			}
		}
	}
	t.rows = t.rows[:m+1]
	for i, row := range t.rows {
		t.rows[i] = append(row[:z0:z0], row[z0+1])
	}
	t.vars--
	return true
}

// improve pivots by Bland's rule until the last row has no negative cost; false
// means that it has no bound.
func (t *lpTableau) improve() bool {
	m := len(t.basic)
	for {
		cost := t.rows[len(t.rows)-1]
		q := -1
		for j := 0; j < t.vars && q < 0; j++ {
			if cost[j].Sign() < 0 {
				q = j
			}
		}
		if q < 0 {
			return true
		}
		p := -1
		var best *big.Rat
		for i := range m {
			if t.at(i, q).Sign() <= 0 {
				continue
			}
			ratio := new(big.Rat).Quo(t.at(i, t.vars), t.at(i, q))
			if p < 0 || ratio.Cmp(best) < 0 || (ratio.Cmp(best) == 0 && t.basic[i] < t.basic[p]) {
				p, best = i, ratio
			}
		}
		if p < 0 {
			return false
		}
		t.pivot(p, q)
	}
}

func (t *lpTableau) pivot(p, q int) {
	pivot := t.rows[p]
	inv := new(big.Rat).Inv(pivot[q])
	for j := range pivot {
		pivot[j] = lpMul(pivot[j], inv)
	}
	for i, row := range t.rows {
		if i == p || row[q].Sign() == 0 {
			continue
		}
		f := row[q]
		for j := range row {
			if pivot[j].Sign() != 0 {
				row[j] = new(big.Rat).Sub(row[j], lpMul(f, pivot[j]))
			}
		}
	}
	t.basic[p] = q
}

// original returns x_j.
func (t *lpTableau) original(j int) *big.Rat {
	x := new(big.Rat).Set(t.shift[j])
	for _, p := range t.parts[j] {
		for i, b := range t.basic {
			if b == p.z {
				x.Add(x, lpMul(new(big.Rat).SetInt64(p.sign), t.at(i, t.vars)))
			}
		}
	}
	return x
}
