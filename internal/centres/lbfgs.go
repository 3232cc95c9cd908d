package centres

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/status"
)

const (
	pairs     = 20   // of steps and gradient changes that are stored
	descent   = 1e-4 // Nocedal and Wright (2006), eq. (3.4)
	curvature = 0.9  // eq. (3.6a), weak
	trials    = 30   // evaluations of one line search
)

// search minimises a function by L-BFGS: Nocedal and Wright, Numerical Optimization
// (2nd ed., 2006), Algorithms 7.4 and 7.5. Steps satisfy the weak Wolfe conditions; bisection finds them
// (Lewis and Overton, Math. Program. 141, 2013, Algorithm 2.6).
type search struct {
	f           func(x, grad []float64) (float64, bool)
	x, g        []float64
	value       float64
	evaluations int // calls of f

	s, y   [pairs][]float64
	rho    [pairs]float64
	alpha  [pairs]float64
	stored int // number of pairs stored so far; the last is at (stored−1) mod pairs
	dir    []float64
	xt, gt []float64
}

func newSearch(x []float64, f func(x, grad []float64) (float64, bool)) *search {
	n := len(x)
	m := &search{f: f, x: x, g: make([]float64, n), dir: make([]float64, n), xt: make([]float64, n), gt: make([]float64, n)}
	for i := range m.s {
		m.s[i], m.y[i] = make([]float64, n), make([]float64, n)
	}
	return m
}

// searchBytes is the memory of a search over n variables.
func searchBytes(n int) int64 { return 8 * int64(n) * (2*pairs + 5) }

// run takes up to steps steps, until the norm of the gradient is within tolerance of max(1, |value|) or visit returns
// false. Its status is Numerical if no step decreases the value any more.
func (m *search) run(ctx context.Context, steps int, tolerance float64, visit func(step int) bool) status.Status {
	var ok bool
	if m.value, ok = m.eval(m.x, m.g); !ok {
		return status.FromContext(ctx)
	}
	for step := range steps {
		if norm(m.g) <= tolerance*math.Max(1, math.Abs(m.value)) {
			return status.Optimal
		}
		m.direction()
		moved := m.line(ctx)
		if ctx.Err() != nil {
			return status.FromContext(ctx)
		}
		if !moved {
			if m.stored == 0 {
				return status.Numerical
			}
			m.stored = 0 // the stored pairs mislead: retry along the gradient
			continue
		}
		if !visit(step + 1) {
			break
		}
	}
	return status.IterationLimit
}

func (m *search) eval(x, g []float64) (float64, bool) {
	m.evaluations++
	return m.f(x, g)
}

// direction writes −H g, Algorithm 7.4.
func (m *search) direction() {
	for i, v := range m.g {
		m.dir[i] = -v
	}
	first := max(0, m.stored-pairs)
	for q := m.stored - 1; q >= first; q-- {
		i := q % pairs
		m.alpha[i] = m.rho[i] * dense.Dot(m.s[i], m.dir)
		dense.Axpy(-m.alpha[i], m.y[i], m.dir)
	}
	scale := 1 / math.Max(norm(m.g), math.SmallestNonzeroFloat64)
	if m.stored > 0 {
		i := (m.stored - 1) % pairs
		scale = 1 / (m.rho[i] * dense.Dot(m.y[i], m.y[i])) // eq. (7.20)
	}
	for i := range m.dir {
		m.dir[i] *= scale
	}
	for q := first; q < m.stored; q++ {
		i := q % pairs
		dense.Axpy(m.alpha[i]-m.rho[i]*dense.Dot(m.y[i], m.dir), m.s[i], m.dir)
	}
}

// line searches along the direction; false if no step satisfies the conditions.
func (m *search) line(ctx context.Context) bool {
	slope := dense.Dot(m.g, m.dir)
	if !(slope < 0) {
		return false
	}
	lo, hi, t := 0.0, math.Inf(1), 1.0
	for range trials {
		copy(m.xt, m.x)
		dense.Axpy(t, m.dir, m.xt)
		value, ok := m.eval(m.xt, m.gt)
		switch {
		case !ok:
			return false
		case !(value <= m.value+descent*t*slope):
			hi = t
		case !(dense.Dot(m.gt, m.dir) >= curvature*slope):
			lo = t
		default:
			m.accept(value)
			return true
		}
		if t = 2 * lo; !math.IsInf(hi, 1) {
			t = (lo + hi) / 2
		}
		if ctx.Err() != nil {
			return false
		}
	}
	return false
}

// accept moves to the trial iterate and stores the pair.
func (m *search) accept(value float64) {
	i := m.stored % pairs
	for j := range m.x {
		m.s[i][j], m.y[i][j] = m.xt[j]-m.x[j], m.gt[j]-m.g[j]
	}
	if sy := dense.Dot(m.s[i], m.y[i]); sy > 0 { // the Wolfe conditions imply it, up to rounding
		m.rho[i] = 1 / sy
		m.stored++
	}
	m.x, m.xt = m.xt, m.x
	m.g, m.gt = m.gt, m.g
	m.value = value
}
