package centres

import (
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

// Ridge is ρ of (1): it keeps the convex part definite when vectors coincide.
const Ridge = 1e-9

// Widths says which widths w of (1) are free.
type Widths uint8

const (
	Fixed Widths = iota // w = 1
	One                 // one width for all features
	Each                // one width per feature
)

// count is the number of free widths.
func (w Widths) count(d int) int {
	switch w {
	case One:
		return min(d, 1)
	case Each:
		return d
	}
	return 0
}

// of is the index of feature k's width among them.
func (w Widths) of(k int) int {
	if w == One {
		return 0
	}
	return k
}

// Problem is a fitting problem. It is only read.
type Problem struct {
	X       []float64 // N×D, row-major
	N, D    int
	Kernel  gram.Kernel // with slopes
	Outputs int         // number of functions over the same vectors
	Target  []float64   // Outputs×N: y of (1)
	Weight  []float64   // Outputs×N: v of (1), ≥ 0
	Group   []int       // group of each sample, for cross-validation; nil for none
	Loss    Loss
	Norm    float64 // ν of (1)
	Widths  Widths
	Penalty float64 // η of (1)
	Plane   bool    // with p of (1)
	Free    bool    // steps may turn to any direction, instead of keeping the features that they begin with
	Order   *Order  // of X, shared by problems with the same samples; nil for one of its own
	Threads int
	Levels  *Levels // of features whose values are free; nil for none
}

// Model is an expansion over K vectors and S steps: a, b, c, p, s and u of (1), and the kernel. All are in the units
// of Problem.X.
type Model struct {
	Kernel  gram.Kernel // with the learned widths as weights
	K, S    int
	Vectors []float64 // K×D
	Coef    []float64 // Outputs×(K+S): of vectors, then of steps
	Bias    []float64 // one per output
	Steps   []float64 // S×(D+1): the direction and the offset of each step
	Plane   []float64 // Outputs×D; nil without a plane
	Values  []float64 // of the problem's levels
}

// Units is the number of vectors and steps.
func (m *Model) Units() int { return m.K + m.S }

// Subset is the problem restricted to the given rows.
func (p *Problem) Subset(rows []int) *Problem {
	q := *p
	q.Order, q.Group, q.N, q.X = nil, deal.Pick(p.Group, rows), len(rows), make([]float64, 0, len(rows)*p.D)
	q.Target, q.Weight = make([]float64, 0, len(rows)*p.Outputs), make([]float64, 0, len(rows)*p.Outputs)
	for _, i := range rows {
		q.X = append(q.X, p.X[i*p.D:(i+1)*p.D]...)
	}
	for o := range p.Outputs {
		q.Target = append(q.Target, deal.Pick(p.Target[o*p.N:(o+1)*p.N], rows)...)
		q.Weight = append(q.Weight, deal.Pick(p.Weight[o*p.N:(o+1)*p.N], rows)...)
	}
	return &q
}

func (p *Problem) check() {
	if err := p.Kernel.ValidateSlopes(); err != nil {
		panic("centres: " + err.Error())
	}
	if len(p.X) < p.N*p.D || len(p.Target) != p.N*p.Outputs || len(p.Weight) != p.N*p.Outputs {
		panic(fmt.Sprintf("centres: %d values, %d targets, %d weights for %d samples of dimension %d and %d outputs",
			len(p.X), len(p.Target), len(p.Weight), p.N, p.D, p.Outputs))
	}
}

// rates is √γ_k, feature by feature.
func rates(k gram.Kernel, d int) []float64 {
	r := make([]float64, d)
	for i := range r {
		r[i] = math.Sqrt(gammaOf(k, i))
	}
	return r
}

// Decisions returns the decision values f_o at the problem's samples.
func (m *Model) Decisions(p *Problem, o int) []float64 {
	const rows = 512 // at a time
	p = p.At(m)
	f := make([]float64, p.N)
	coef := m.Coef[o*m.Units() : (o+1)*m.Units()]
	if m.K > 0 {
		e := gram.Pack[float64](m.Kernel, m.Vectors, m.K, p.D).Expand(coef[:m.K])
		parallel.Chunks(parallel.Workers(p.Threads), p.N, rows, func(_, lo, hi int) {
			e.Eval(f[lo:hi], p.X[lo*p.D:hi*p.D], hi-lo)
		})
	}
	axes := m.axes()
	for i := range f {
		x := p.X[i*p.D : (i+1)*p.D]
		for j, a := range coef[m.K:] {
			f[i] += a * m.step(j, axes[j], x)
		}
		if m.Plane != nil {
			f[i] += dense.Dot(m.Plane[o*p.D:(o+1)*p.D], x)
		}
		f[i] += m.Bias[o]
	}
	return f
}

// Slopes returns v_oi ∂ℓ/∂f at decision values f of the problem's samples.
func (p *Problem) Slopes(f []float64, o int) []float64 {
	r := make([]float64, p.N)
	p.Loss.terms(r, nil, f, p.Target[o*p.N:(o+1)*p.N], p.Weight[o*p.N:(o+1)*p.N])
	return r
}

// Without is a copy without unit j: a vector, or from K on a step.
func (m *Model) Without(j int) *Model {
	c := m.Clone()
	if j < m.K {
		d := len(m.Vectors) / m.K
		c.K, c.Vectors = m.K-1, slices.Delete(c.Vectors, j*d, (j+1)*d)
	} else {
		d, step := len(m.Steps)/m.S, j-m.K
		c.S, c.Steps = m.S-1, slices.Delete(c.Steps, step*d, (step+1)*d)
	}
	for o := range m.Bias {
		c.Coef = slices.Delete(c.Coef, o*c.Units()+j, o*c.Units()+j+1)
	}
	return c
}
