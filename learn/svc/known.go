package svc

import (
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn"
)

// decide passes on f of the samples by the solver's gradient, where the error has a bound.
func (r *run) decide(p *learn.Problem, rows []int, result *learn.Result) {
	if len(r.sol.G) != len(rows) {
		return
	}
	bound := r.roughError(p, len(rows))
	if !(bound < math.Inf(1)) {
		return
	}
	values := make([]float64, p.N)
	for i := range values {
		values[i] = math.NaN()
	}
	for k, i := range rows {
		values[i] = r.sol.G[k] - r.q.P[k] - r.sol.Rho
	}
	result.Decided(values, bound)
}

// roughError bounds |f by the gradient − f in double precision| of any sample, +Inf where it has no bound: an error
// of each kernel value times Σ|a|, and the roundings of the solver's sums.
//
// With u = 2⁻²⁴, packing moves a feature by u of its size at most, and so e^(−γr²) by 2uR √(2γ/e), where no sample is
// further than R from the centre. A sum of squared differences costs (d+4)u of the exponent, so at most (d+4)u/e. A sum
// of norms and products, which is chosen only if γR² ≤ 16, costs at most u(4d+6)γR². exp and its argument cost 3u.
func (r *run) roughError(p *learn.Problem, n int) float64 {
	k := p.Kernel
	if r.bits != 32 || !k.Gaussian() || k.Weights != nil || k.Rows != nil {
		return math.Inf(1)
	}
	const u, expandRadius = 0x1p-24, 16
	gamma, d, radius := k.Gamma, float64(p.D), widest(p)
	each := (d+4)/math.E + 3 + 2*radius*math.Sqrt(2*gamma/math.E)
	each = max(each, (4*d+6)*min(expandRadius, gamma*radius*radius)+3+2*radius*math.Sqrt(2*gamma/math.E))
	var size, largest float64
	for v, a := range r.sol.A {
		size += math.Abs(a)
		largest = max(largest, math.Abs(r.q.P[v]))
	}
	sums := 0x1p-52 * float64(r.sol.Added+n) * (size + r.sol.Moved + largest + math.Abs(r.sol.Rho))
	return 1.01*u*each*size + sums
}

// widest bounds the distance of a sample from the origin and from any place among the samples.
func widest(p *learn.Problem) float64 {
	lo, hi, largest := slices.Repeat([]float64{math.Inf(1)}, p.D), slices.Repeat([]float64{math.Inf(-1)}, p.D), 0.0
	for i := range p.N {
		square := 0.0
		for k, v := range p.X[i*p.D : (i+1)*p.D] {
			lo[k], hi[k], square = min(lo[k], v), max(hi[k], v), square+v*v
		}
		largest = max(largest, square)
	}
	across := 0.0
	for k := range p.D {
		across += (hi[k] - lo[k]) * (hi[k] - lo[k])
	}
	return math.Sqrt(max(largest, across))
}
