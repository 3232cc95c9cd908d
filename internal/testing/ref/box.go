package ref

import (
	"math"
	"math/big"
)

// ssvcPrecision of the sums below, in bits.
const ssvcPrecision = 400

func ssvcNumber(v float64) *big.Float { return new(big.Float).SetPrec(ssvcPrecision).SetFloat64(v) }

func ssvcMul(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(ssvcPrecision).Mul(a, b) }

func ssvcAdd(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(ssvcPrecision).Add(a, b) }

// SSVCBoxOptimum minimises ½ ‖Zᵀb‖² + pᵀb over lo ≤ b ≤ hi by trying every variable at its lower
// bound, at its upper one and between them: 3ⁿ linear systems in 400 bits. It returns the value of the best
// point that is within its bounds, which convexity makes the minimum.
func SSVCBoxOptimum(z [][]float64, p, lo, hi []float64) float64 {
	n := len(p)
	best := math.Inf(1)
	state := make([]int, n)
	for {
		if v, ok := ssvcBoxCandidate(z, p, lo, hi, state); ok {
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

// ssvcBoxCandidate solves H_FF b_F = −p_F − H_FN b_N for the variables of state 2.
func ssvcBoxCandidate(z [][]float64, p, lo, hi []float64, state []int) (float64, bool) {
	n := len(p)
	h := func(i, j int) *big.Float {
		s := ssvcNumber(0)
		for k, v := range z[i] {
			s = ssvcAdd(s, ssvcMul(ssvcNumber(v), ssvcNumber(z[j][k])))
		}
		return s
	}
	b := make([]*big.Float, n)
	var free []int
	for i, s := range state {
		switch s {
		case 0:
			b[i] = ssvcNumber(lo[i])
		case 1:
			b[i] = ssvcNumber(hi[i])
		default:
			free = append(free, i)
		}
	}
	a := make([][]*big.Float, len(free)) // with the right-hand side
	for r, i := range free {
		rhs := ssvcNumber(-p[i])
		for j := range n {
			if state[j] != 2 {
				rhs = ssvcAdd(rhs, ssvcMul(ssvcMul(ssvcNumber(-1), h(i, j)), b[j]))
			}
		}
		for _, j := range free {
			a[r] = append(a[r], h(i, j))
		}
		a[r] = append(a[r], rhs)
	}
	x, ok := ssvcGauss(a)
	if !ok {
		return 0, false // singular: another state has the same minimum
	}
	for r, i := range free {
		if x[r].Cmp(ssvcNumber(lo[i])) < 0 || x[r].Cmp(ssvcNumber(hi[i])) > 0 {
			return 0, false
		}
		b[i] = x[r]
	}
	value := ssvcNumber(0)
	for k := range z[0] {
		u := ssvcNumber(0)
		for i := range n {
			u = ssvcAdd(u, ssvcMul(ssvcNumber(z[i][k]), b[i]))
		}
		value = ssvcAdd(value, ssvcMul(ssvcMul(u, u), ssvcNumber(0.5)))
	}
	for i := range n {
		value = ssvcAdd(value, ssvcMul(ssvcNumber(p[i]), b[i]))
	}
	v, _ := value.Float64()
	return v, true
}

// ssvcGauss solves the system of positive definite matrix and right-hand side a.
func ssvcGauss(a [][]*big.Float) ([]*big.Float, bool) {
	m := len(a)
	for k := range m {
		if a[k][k].Cmp(ssvcNumber(1e-60)) < 0 {
			return nil, false
		}
		for r := range m {
			if r == k {
				continue
			}
			f := new(big.Float).SetPrec(ssvcPrecision).Quo(a[r][k], a[k][k])
			f.Neg(f)
			for c := k; c <= m; c++ {
				a[r][c] = ssvcAdd(a[r][c], ssvcMul(f, a[k][c]))
			}
		}
	}
	x := make([]*big.Float, m)
	for k := range m {
		x[k] = new(big.Float).SetPrec(ssvcPrecision).Quo(a[k][m], a[k][k])
	}
	return x, true
}

// SSVCCertificate computes the violation of the optimality conditions, the primal objective and
// the duality gap of the pair (u, b) from their definitions, in 400 bits:
// P(u) = ½‖u‖² + Σ max{−b g_i : lo_i ≤ b ≤ hi_i} with g = Zu + p, D(b) = −½‖Zᵀb‖² − pᵀb.
func SSVCCertificate(z [][]float64, p, lo, hi, u, b []float64) (kkt, primal, gap float64) {
	dot := func(x, y []float64) *big.Float {
		s := ssvcNumber(0)
		for k, v := range x {
			s = ssvcAdd(s, ssvcMul(ssvcNumber(v), ssvcNumber(y[k])))
		}
		return s
	}
	up := ssvcMul(dot(u, u), ssvcNumber(0.5))
	down := ssvcNumber(0)
	for k := range u {
		s := ssvcNumber(0)
		for i, v := range b {
			s = ssvcAdd(s, ssvcMul(ssvcNumber(z[i][k]), ssvcNumber(v)))
		}
		down = ssvcAdd(down, ssvcMul(ssvcMul(s, s), ssvcNumber(-0.5)))
	}
	for i, v := range b {
		g := ssvcAdd(dot(z[i], u), ssvcNumber(p[i]))
		worst := ssvcMul(ssvcMul(g, ssvcNumber(-1)), ssvcNumber(lo[i]))
		if other := ssvcMul(ssvcMul(g, ssvcNumber(-1)), ssvcNumber(hi[i])); other.Cmp(worst) > 0 {
			worst = other
		}
		up = ssvcAdd(up, worst)
		down = ssvcAdd(down, ssvcMul(ssvcNumber(-p[i]), ssvcNumber(v)))
		if f, _ := g.Float64(); f > 0 && v > lo[i] || f < 0 && v < hi[i] {
			kkt = max(kkt, math.Abs(f))
		}
	}
	gap, _ = ssvcAdd(up, ssvcMul(down, ssvcNumber(-1))).Float64()
	primal, _ = up.Float64()
	return kkt, primal, gap
}
