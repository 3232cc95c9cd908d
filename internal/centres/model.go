package centres

import (
	"cmp"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

// Decisions returns the decision values f_o at the problem's samples.
func (m *Model) Decisions(p *Problem, o int) []float64 {
	return m.Decide(p.X, p.N, p.D, o, p.Threads)
}

// Decide returns the decision values f_o at n samples of dimension d (row-major), with up to threads goroutines.
func (m *Model) Decide(x []float64, n, d, o, threads int) []float64 {
	const rows = 512 // at a time
	f := make([]float64, n)
	if m.K > 0 {
		e := gram.Pack[float64](m.Kernel, m.Vectors, m.K, d).Expand(m.Coef[o*m.K : (o+1)*m.K])
		parallel.For(parallel.Workers(threads), (n+rows-1)/rows, func(_, b int) {
			lo, hi := b*rows, min((b+1)*rows, n)
			e.Eval(f[lo:hi], x[lo*d:hi*d], hi-lo)
		})
	}
	for i := range f {
		f[i] += m.Bias[o]
	}
	return f
}

// Slopes returns v_oi ∂ℓ/∂f at decision values f of the problem's samples.
func (p *Problem) Slopes(f []float64, o int) []float64 {
	r := make([]float64, p.N)
	p.Loss.slope(r, f, p.Target[o*p.N:(o+1)*p.N], p.Weight[o*p.N:(o+1)*p.N])
	return r
}

// Shares splits k in proportion to the sizes, by largest remainders. Every positive size gets at least one if k is
// large enough.
func Shares(k int, sizes []float64) []int {
	count := make([]int, len(sizes))
	var total float64
	some := 0
	for _, s := range sizes {
		total += s
		if s > 0 {
			some++
		}
	}
	if some == 0 {
		return count
	}
	left := k
	due := make([]int, 0, len(sizes)) // indices of the positive sizes
	for i, s := range sizes {
		count[i] = int(float64(k) * s / total)
		if s > 0 {
			due = append(due, i)
			if k >= some {
				count[i] = max(1, count[i])
			}
		}
		left -= count[i]
	}
	lack := func(i int) float64 { return float64(k)*sizes[i]/total - float64(count[i]) }
	for ; left != 0; left -= int(math.Copysign(1, float64(left))) {
		step := int(math.Copysign(1, float64(left)))
		at := slices.MaxFunc(due, func(a, b int) int { return cmp.Compare(float64(step)*lack(a), float64(step)*lack(b)) })
		count[at] += step
	}
	return count
}

// Without is a copy without vector j.
func (m *Model) Without(j int) *Model {
	c := m.Clone()
	d := len(m.Vectors) / m.K
	c.K, c.Vectors, c.Coef = m.K-1, slices.Delete(c.Vectors, j*d, (j+1)*d), c.Coef[:0]
	for o := range m.Bias {
		row := m.Coef[o*m.K : (o+1)*m.K]
		c.Coef = append(append(c.Coef, row[:j]...), row[j+1:]...)
	}
	return c
}
