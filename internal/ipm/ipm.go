// Package ipm takes the steps of the primal-dual interior-point method of Mehrotra (1992). The caller states the
// optimality conditions by sides, whose products go to 0 together, and solves their Newton equations: it knows how to
// factor them. [LP] and [Dual] are two such programs.
package ipm

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// Side holds the distances X > 0 of variables from a bound and the bound's multipliers Z > 0, of which the products
// X·Z → 0 at the optimum, and a direction DX, DZ. Ratio is Z/X.
type Side struct{ X, Z, DX, DZ, Ratio []float64 }

// Resize makes a side of n variables of any values. It keeps the memory of a larger one.
func (s *Side) Resize(n int) {
	for _, v := range []*[]float64{&s.X, &s.Z, &s.DX, &s.DZ, &s.Ratio} {
		*v = slices.Grow((*v)[:0], n)[:n]
	}
}

// Box holds variables between two bounds: Low.X + High.X is the distance of the bounds.
type Box struct{ Low, High Side }

// Resize makes a box of n variables of any values. It keeps the memory of a larger one.
func (b *Box) Resize(n int) {
	b.Low.Resize(n)
	b.High.Resize(n)
}

// Center puts variable j, between bounds so far apart, where Low.Z − High.Z = d and both products are mu.
func (b *Box) Center(j int, width, d, mu float64) {
	wd := width * math.Abs(d)
	near := 2 * mu * width / (wd + 2*mu + math.Hypot(wd, 2*mu))
	if far := width - near; d >= 0 {
		b.Low.X[j], b.High.X[j] = near, far
	} else {
		b.Low.X[j], b.High.X[j] = far, near
	}
	b.Low.Z[j], b.High.Z[j] = mu/b.Low.X[j], mu/b.High.X[j]
}

// Value returns variable j between lo and hi, computed from the nearer bound.
func (b *Box) Value(j int, lo, hi float64) float64 {
	if b.Low.X[j] < b.High.X[j] {
		return lo + b.Low.X[j]
	}
	return hi - b.High.X[j]
}

// Share is what variable j gains for each unit that Low.Z − High.Z loses while both products stay.
func (b *Box) Share(j int) float64 { return 1 / (b.Low.Ratio[j] + b.High.Ratio[j]) }

// Pull is what Low.Z − High.Z is to gain where variable j stays, before Move.
func (b *Box) Pull(j int) float64 { return b.Low.DZ[j] - b.High.DZ[j] }

// Move makes the direction along which variable j gains dx.
func (b *Box) Move(j int, dx float64) {
	b.Low.DX[j], b.High.DX[j] = dx, -dx
	b.Low.DZ[j] -= b.Low.Ratio[j] * dx
	b.High.DZ[j] += b.High.Ratio[j] * dx
}

// Newton is a program at an iterate.
type Newton interface {
	// Factor factors the equations. The sides' ratios and the DZ that the first call of Direction finds are set.
	Factor(ctx context.Context) error
	// Direction solves the equations. It finds in each DZ what Z is to gain where X stays, and leaves the direction:
	// there DZ is less by Ratio·DX. The second call, of the corrector, may read the predictor's DX first.
	Direction(corrector bool)
	// Move moves the variables without sides, after the sides.
	Move(x, z float64)
}

// Method takes steps.
type Method struct {
	Parts []*Side
	// Apart allows X and Z steps of different lengths, as for linear programs.
	Apart bool
	// Center, if not 0, is the share of the mean product that a step aims at, without a predictor: that of an objective
	// that is not quadratic says little.
	Center float64
	// Within, if not nil, returns the longest step up to the given one for what has no side. NaN ends the steps.
	Within func(step float64) float64
}

// NewMethod returns a method for boxes.
func NewMethod(boxes ...*Box) Method {
	var m Method
	for _, b := range boxes {
		m.Parts = append(m.Parts, &b.Low, &b.High)
	}
	return m
}

func (m *Method) products() (n float64) {
	for _, s := range m.Parts {
		n += float64(len(s.X))
	}
	return n
}

// inside is the share of the way to the nearest bound that a step goes.
const inside = 0.995

var errNotFinite = errors.New("ipm: a direction that is not finite")

// Step is a predictor, a corrector and the step along both, of at most 1. The error is that of the factorisation, of
// a direction that is not finite, or the context's.
func (m *Method) Step(ctx context.Context, n Newton) error {
	var mean float64
	for _, s := range m.Parts {
		for j, z := range s.Z {
			s.Ratio[j], s.DZ[j] = z/s.X[j], -z
			mean += s.X[j] * z
		}
	}
	mean /= m.products()
	if err := n.Factor(ctx); err != nil {
		return err
	}
	center := m.Center * mean
	if m.Center == 0 {
		n.Direction(false)
		center = math.Pow(m.after(m.reach())/mean, 3) * mean
	} else {
		for _, s := range m.Parts {
			clear(s.DX)
		}
	}
	for _, s := range m.Parts {
		for j, dx := range s.DX {
			s.DZ[j] = (center-dx*s.DZ[j])/s.X[j] - s.Z[j]
		}
	}
	n.Direction(true)
	x, z := m.reach()
	if x-x != 0 {
		return errNotFinite
	}
	x, z = min(1, inside*x), min(1, inside*z)
	for _, s := range m.Parts {
		dense.Axpy(x, s.DX, s.X)
		dense.Axpy(z, s.DZ, s.Z)
	}
	n.Move(x, z)
	return ctx.Err()
}

// after is the mean product after steps along the direction.
func (m *Method) after(x, z float64) (sum float64) {
	for _, s := range m.Parts {
		for j, dx := range s.DX {
			sum += (s.X[j] + x*dx) * (s.Z[j] + z*s.DZ[j])
		}
	}
	return sum / m.products()
}

// reach is the longest steps up to 1 that keep distances, and multipliers, from being negative.
func (m *Method) reach() (x, z float64) {
	x, z = 1, 1
	for _, s := range m.Parts {
		x, z = within(x, s.X, s.DX), within(z, s.Z, s.DZ)
	}
	if m.Within != nil {
		x = m.Within(x)
	}
	if !m.Apart {
		x = min(x, z)
		z = x
	}
	return x, z
}

// within divides only where a step is too long, which is rare.
func within(t float64, x, dx []float64) float64 {
	for j, d := range dx {
		if x[j]+t*d < 0 {
			t = -x[j] / d
		}
	}
	return t
}
