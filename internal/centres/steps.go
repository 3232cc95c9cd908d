package centres

import (
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
)

// turnPenalty is ζ of (1): it keeps the directions of steps finite where they separate samples without error.
const turnPenalty = 1e-3

// step is σ of (1) for step j at a sample. axis is the only feature of the step, or −1.
func (m *Model) step(j, axis int, x []float64) float64 {
	d := len(x)
	u := m.Steps[j*(d+1) : (j+1)*(d+1)]
	if axis >= 0 {
		return sigmoid(u[axis]*x[axis] + u[d])
	}
	return sigmoid(dense.Dot(u[:d], x) + u[d])
}

// axes are the only features of the steps, −1 for those of several.
func (m *Model) axes() []int {
	axes := make([]int, m.S)
	for j := range axes {
		n := len(m.Steps) / m.S
		u := m.Steps[j*n : (j+1)*n-1]
		axes[j] = slices.IndexFunc(u, func(v float64) bool { return v != 0 })
		if axis := axes[j]; axis >= 0 && slices.ContainsFunc(u[axis+1:], func(v float64) bool { return v != 0 }) {
			axes[j] = -1
		}
	}
	return axes
}

// sigmoid is σ(s) = 1/(1 + e⁻ˢ).
func sigmoid(s float64) float64 { return 1 / (1 + math.Exp(-s)) }

// steps evaluates steps and the plane. Their variables are in the units of the problem, about the mean of the samples:
// a direction or a plane p is p_k/rate_k in the units of the store.
type steps struct {
	n     int
	lift  []float64 // 1/rate, or 0 for a feature that the kernel does not see
	fixed []bool    // steps×d: elements of directions that stay 0
	turn  []float64 // steps×d: directions in the units of the store
	plane []float64 // Outputs×d, in the same units
}

func newSteps(o *objective, m *Model) *steps {
	s := &steps{n: m.S, lift: make([]float64, o.d), turn: make([]float64, m.S*o.d)}
	for k, rate := range o.rate {
		if rate > 0 {
			s.lift[k] = 1 / rate
		}
	}
	if o.Plane {
		s.plane = make([]float64, o.Outputs*o.d)
	}
	s.fixed = make([]bool, m.S*o.d)
	for i := range s.fixed {
		s.fixed[i] = !o.Free && m.Steps[i/o.d*(o.d+1)+i%o.d] == 0
	}
	return s
}

// prepare converts directions and planes to the units of the store.
func (s *steps) prepare(o *objective, v variables) {
	for i, u := range v.turn {
		s.turn[i] = u * s.lift[i%o.d]
	}
	for i, p := range v.plane {
		s.plane[i] = p * s.lift[i%o.d]
	}
}

// values writes the steps of a block, steps×block.
func (s *steps) values(o *objective, dst []float64, v variables, z []float64) {
	if s.n == 0 {
		return
	}
	b := o.block
	dst = dst[:s.n*b]
	dense.MulRows(dst, b, v.move, s.turn, o.d, z, b, o.d, b)
	sigmoids(dst)
}

// sigmoids does x = 1/(1 + e⁻ˣ), from e to the power −|x| so that nothing overflows.
func sigmoids(x []float64) {
	const chunk = 64
	var e [chunk]float64
	for len(x) > 0 {
		part := x[:min(chunk, len(x))]
		for i, v := range part {
			e[i] = -math.Abs(v)
		}
		gram.ExpNeg(e[:len(part)], e[:len(part)])
		for i, v := range part {
			h := 1 / (1 + e[i])
			if v < 0 {
				h = 1 - h
			}
			part[i] = h
		}
		x = x[len(part):]
	}
}

// addPlane adds the plane to the outputs of a block.
func (s *steps) addPlane(o *objective, f, z []float64) {
	for out := 0; s.plane != nil && out < o.Outputs; out++ {
		dense.AddRows(f[out*o.block:(out+1)*o.block], s.plane[out*o.d:(out+1)*o.d], z, o.block)
	}
}

// moments adds the sums for directions, offsets and planes over a block to a part; r is in sc.r. It spoils the steps.
func (s *steps) moments(o *objective, p *partial, sc *scratch, z []float64) {
	b := o.block
	if s.plane != nil {
		dense.AddDots(p.plane, o.d, z, b, o.d, sc.r, b, o.Outputs, b)
	}
	if s.n == 0 {
		return
	}
	for j := range s.n {
		h, q := sc.k[(o.k+j)*b:(o.k+j+1)*b], sc.q[:b]
		clear(q)
		dense.AddRows(q, o.swap[(o.k+j)*o.Outputs:(o.k+j+1)*o.Outputs], sc.r, b)
		for i, v := range h {
			h[i] = v * (1 - v) * q[i]
		}
		p.move[j] += dense.Sum(h)
	}
	dense.AddDots(p.turn, o.d, z, b, o.d, sc.k[o.k*b:], b, s.n, b)
}

// complete converts the sums over the samples to the gradient, by (3).
func (s *steps) complete(o *objective, v, g variables) {
	for i := range g.turn {
		g.turn[i] *= s.lift[i%o.d]
		if s.fixed[i] {
			g.turn[i] = 0
		}
	}
	for i := range g.plane {
		g.plane[i] *= s.lift[i%o.d]
	}
}

// penalty returns ν/2 (Σ_o ‖s_o‖² + ‖p_o‖²) + ζ/2 ‖u‖² and adds its gradient.
func (s *steps) penalty(o *objective, v, g variables) (value float64) {
	add := func(factor float64, x, grad []float64) {
		value += factor / 2 * dense.Dot(x, x)
		dense.Axpy(factor, x, grad)
	}
	for out := range o.Outputs {
		add(o.Norm, v.coef[out*o.units+o.k:(out+1)*o.units], g.coef[out*o.units+o.k:])
	}
	add(o.Norm, v.plane, g.plane)
	add(turnPenalty, v.turn, g.turn)
	return value
}

// loadSteps writes the variables of a model's steps and planes. Offsets and biases move to the samples' mean.
func (f *Fitter) loadSteps(v variables, m *Model) {
	d := f.p.D
	copy(v.plane, m.Plane)
	for o := range v.bias {
		if m.Plane != nil {
			v.bias[o] += dense.Dot(m.Plane[o*d:(o+1)*d], f.s.mean)
		}
	}
	for j := range m.S {
		u := m.Steps[j*(d+1) : (j+1)*(d+1)]
		copy(v.turn[j*d:], u[:d])
		v.move[j] = u[d] + dense.Dot(u[:d], f.s.mean)
	}
}

// unloadSteps is the inverse of loadSteps.
func (f *Fitter) unloadSteps(m *Model, v variables) {
	d := f.p.D
	if f.p.Plane {
		m.Plane = append(m.Plane[:0], v.plane...)
		for o := range m.Bias {
			m.Bias[o] -= dense.Dot(m.Plane[o*d:(o+1)*d], f.s.mean)
		}
	}
	for j := range m.S {
		u := m.Steps[j*(d+1) : (j+1)*(d+1)]
		copy(u, v.turn[j*d:(j+1)*d])
		u[d] = v.move[j] - dense.Dot(u[:d], f.s.mean)
	}
}

// means are the means of the features.
func means(p *Problem) []float64 {
	mean := make([]float64, p.D)
	for i := range p.N {
		dense.Axpy(1/float64(p.N), p.X[i*p.D:(i+1)*p.D], mean)
	}
	return mean
}

// further fills a sample's row of the convex program behind the kernel values: steps, features about their means for a
// plane, and 1 for the bias.
func (c *convex) further(row, x []float64) {
	m := c.model
	for j := range m.S {
		row[m.K+j] = m.step(j, c.columns.axis[j], x)
	}
	for k, mean := range c.columns.mean {
		row[m.Units()+k] = x[k] - mean
	}
	row[c.k] = 1
}

// load returns the variables of the convex program of an output, which is the present one then.
func (c *convex) load(o int) []float64 {
	m := c.model
	c.output = o
	z := append(make([]float64, 0, c.k+1), m.Coef[o*m.Units():(o+1)*m.Units()]...)
	bias := m.Bias[o]
	if m.Plane != nil {
		plane := m.Plane[o*c.D : (o+1)*c.D]
		z, bias = append(z, plane...), bias+dense.Dot(plane, c.columns.mean)
	}
	return append(z, bias)
}

// unload is the inverse of load.
func (c *convex) unload(z []float64) {
	m, o := c.model, c.output
	copy(m.Coef[o*m.Units():(o+1)*m.Units()], z)
	m.Bias[o] = z[c.k]
	if m.Plane != nil {
		plane := m.Plane[o*c.D : (o+1)*c.D]
		copy(plane, z[m.Units():])
		m.Bias[o] -= dense.Dot(plane, c.columns.mean)
	}
}
