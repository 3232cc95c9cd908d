package ssvc

import (
	"math"
	"math/big"
)

// precision of the sums below, in bits.
const precision = 400

func number(v float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(v) }

func mul(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(precision).Mul(a, b) }

func add(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(precision).Add(a, b) }

// BoxOptimum minimises ½ ‖Zᵀb‖² + pᵀb over lo ≤ b ≤ hi by trying every variable at its lower
// bound, at its upper one and between them: 3ⁿ linear systems in 400 bits. It returns the value of the best
// point that is within its bounds, which convexity makes the minimum.
func BoxOptimum(z [][]float64, p, lo, hi []float64) float64 {
	n := len(p)
	best := math.Inf(1)
	state := make([]int, n)
	for {
		if v, ok := boxCandidate(z, p, lo, hi, state); ok {
			best = min(best, v)
		}
		i := 0
		for i < n && state[i] == 2 {
			state[i] = 0
			i++
		}
		if i == n {
			return best
		}
		state[i]++
	}
}

// boxCandidate solves H_FF b_F = −p_F − H_FN b_N for the variables of state 2.
func boxCandidate(z [][]float64, p, lo, hi []float64, state []int) (float64, bool) {
	n := len(p)
	h := func(i, j int) *big.Float {
		s := number(0)
		for k, v := range z[i] {
			s = add(s, mul(number(v), number(z[j][k])))
		}
		return s
	}
	b := make([]*big.Float, n)
	var free []int
	for i, s := range state {
		switch s {
		case 0:
			b[i] = number(lo[i])
		case 1:
			b[i] = number(hi[i])
		default:
			free = append(free, i)
		}
	}
	a := make([][]*big.Float, len(free)) // with the right-hand side
	for r, i := range free {
		rhs := number(-p[i])
		for j := range n {
			if state[j] != 2 {
				rhs = add(rhs, mul(mul(number(-1), h(i, j)), b[j]))
			}
		}
		for _, j := range free {
			a[r] = append(a[r], h(i, j))
		}
		a[r] = append(a[r], rhs)
	}
	x, ok := gauss(a)
	if !ok {
		return 0, false // singular: another state has the same minimum
	}
	for r, i := range free {
		if x[r].Cmp(number(lo[i])) < 0 || x[r].Cmp(number(hi[i])) > 0 {
			return 0, false
		}
		b[i] = x[r]
	}
	value := number(0)
	for k := range z[0] {
		u := number(0)
		for i := range n {
			u = add(u, mul(number(z[i][k]), b[i]))
		}
		value = add(value, mul(mul(u, u), number(0.5)))
	}
	for i := range n {
		value = add(value, mul(number(p[i]), b[i]))
	}
	v, _ := value.Float64()
	return v, true
}

// gauss solves the system of positive definite matrix and right-hand side a.
func gauss(a [][]*big.Float) ([]*big.Float, bool) {
	m := len(a)
	for k := range m {
		if a[k][k].Cmp(number(1e-60)) < 0 {
			return nil, false
		}
		for r := range m {
			if r == k {
				continue
			}
			f := new(big.Float).SetPrec(precision).Quo(a[r][k], a[k][k])
			f.Neg(f)
			for c := k; c <= m; c++ {
				a[r][c] = add(a[r][c], mul(f, a[k][c]))
			}
		}
	}
	x := make([]*big.Float, m)
	for k := range m {
		x[k] = new(big.Float).SetPrec(precision).Quo(a[k][m], a[k][k])
	}
	return x, true
}

// Certificate computes the violation of the optimality conditions, the primal objective and
// the duality gap of the pair (u, b) from their definitions, in 400 bits:
// P(u) = ½‖u‖² + Σ max{−b g_i : lo_i ≤ b ≤ hi_i} with g = Zu + p, D(b) = −½‖Zᵀb‖² − pᵀb.
func Certificate(z [][]float64, p, lo, hi, u, b []float64) (kkt, primal, gap float64) {
	dot := func(x, y []float64) *big.Float {
		s := number(0)
		for k, v := range x {
			s = add(s, mul(number(v), number(y[k])))
		}
		return s
	}
	up := mul(dot(u, u), number(0.5))
	down := number(0)
	for k := range u {
		s := number(0)
		for i, v := range b {
			s = add(s, mul(number(z[i][k]), number(v)))
		}
		down = add(down, mul(mul(s, s), number(-0.5)))
	}
	for i, v := range b {
		g := add(dot(z[i], u), number(p[i]))
		worst := mul(mul(g, number(-1)), number(lo[i]))
		if other := mul(mul(g, number(-1)), number(hi[i])); other.Cmp(worst) > 0 {
			worst = other
		}
		up = add(up, worst)
		down = add(down, mul(number(-p[i]), number(v)))
		if f, _ := g.Float64(); f > 0 && v > lo[i] || f < 0 && v < hi[i] {
			kkt = max(kkt, math.Abs(f))
		}
	}
	gap, _ = add(up, mul(down, number(-1))).Float64()
	primal, _ = up.Float64()
	return kkt, primal, gap
}
