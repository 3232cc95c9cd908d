package pooled

import (
	"context"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
)

// Machine is what sums are asked for: functions over the same vectors.
type Model struct {
	Kernel  gram.Kernel
	Task    learn.Task // Classify or Regress
	Vectors []float64  // K×D, row-major
	K, D    int
	Coef    []float64 // Outputs×K
	Bias    []float64 // one an output: 1 for two classes and for values, one a class for more
}

// Points are some of the points. They are only read.
type Points struct {
	X      []float64 // N×D, row-major
	N      int
	Y      []float64 // classes, from 0, or values
	Weight []float64 // v of (1), ≥ 0; nil for all 1
}

// largest is what a feature of a kernel without a bound may be: products of two of them are finite.
const largest = 1e150

const block = 256 // points whose kernel values are there at a time

// Length is the number of sums of a machine of k vectors and so many outputs.
func Length(k, outputs int) int { return 2 + outputs*(2*(3+k)+(k+1)*(k+1)) }

// sums are Σ over points, without C: the number of points, those that are of another class than the machine says, and
// each output's.
type sums struct {
	points, wrong *float64
	of            []outputSums
}

// outputSums has what is needed of an output: with β_i = −v_i ∂ℓ/∂f, the points of β > 0 and of β < 0, and the second
// derivatives.
type outputSums struct {
	side [2]side
	hess []float64 // (K+1)×(K+1), lower triangle: Σ v_i ℓ″ (k_i, 1)(k_i, 1)ᵀ
}

type side struct {
	loss, beta, betaY *float64  // Σ v ℓ, Σ β, Σ β y
	grad              []float64 // Σ β k_i
}

// view shows flat sums by name.
func view(flat []float64, k, outputs int) sums {
	cut := func(n int) []float64 { part := flat[:n:n]; flat = flat[n:]; return part }
	head := cut(2)
	s := sums{points: &head[0], wrong: &head[1], of: make([]outputSums, outputs)}
	for o := range s.of {
		for i := range s.of[o].side {
			three := cut(3)
			s.of[o].side[i] = side{&three[0], &three[1], &three[2], cut(k)}
		}
		s.of[o].hess = cut((k + 1) * (k + 1))
	}
	return s
}

// zero reports whether the machine is f = 0. All outputs have the same second derivatives there, and only
// those of the first are summed.
func (m *Model) zero() bool {
	for _, v := range m.Coef {
		if v != 0 {
			return false
		}
	}
	for _, v := range m.Bias {
		if v != 0 {
			return false
		}
	}
	return true
}

// Sums adds the sums of points to those in flat, of length [Length], which may be those of others or zeros. Calls with
// slices of their own may run side by side. Errors are the points' and the context's; the sums are of no use then.
func (m *Model) Sums(ctx context.Context, flat []float64, p *Points) error {
	if err := m.check(p); err != nil {
		return err
	}
	if len(flat) != Length(m.K, len(m.Bias)) {
		panic(fmt.Sprintf("pooled: %d sums for %d vectors and %d outputs", len(flat), m.K, len(m.Bias)))
	}
	order := m.K + 1
	w := &worker{Model: m, into: view(flat, m.K, len(m.Bias)), packed: gram.Pack[float64](m.Kernel, m.Vectors, m.K, m.D),
		rows: make([]float64, block*order), active: make([]float64, block*order), f: make([]float64, len(m.Bias)),
		beta: make([]float64, block*len(m.Bias)), curve: make([]float64, block*len(m.Bias)), zero: m.zero()}
	for at := 0; at < p.N; at += block {
		if err := w.add(ctx, p, at, min(at+block, p.N)); err != nil {
			return err
		}
	}
	return nil
}

func (m *Model) check(p *Points) error {
	if len(m.Vectors) != m.K*m.D || len(m.Coef) != m.K*len(m.Bias) || len(m.Bias) == 0 {
		panic("pooled: vectors, coefficients and biases of a machine do not fit together")
	}
	if len(p.X) != p.N*m.D || len(p.Y) != p.N || p.Weight != nil && len(p.Weight) != p.N {
		panic("pooled: features, targets and weights of points do not fit together")
	}
	for i, y := range p.Y {
		if y-y != 0 || m.Task == learn.Classify && (y != math.Trunc(y) || y < 0 || y >= float64(max(2, len(m.Bias)))) {
			return fmt.Errorf("pooled: point %d has the target %v", i, y)
		}
	}
	for i, x := range p.X {
		if !m.Kernel.Bounded() && !(math.Abs(x) <= largest) {
			return fmt.Errorf("pooled: feature %d of point %d is %v, want a number of size at most %v: scale the features",
				i%m.D+1, i/m.D, x, largest)
		}
	}
	for i, v := range p.Weight {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("pooled: point %d has the weight %v", i, v)
		}
	}
	return nil
}

// worker adds blocks of points to sums.
type worker struct {
	*Model
	into                         sums
	packed                       *gram.Samples[float64]
	rows, active, f, beta, curve []float64 // (k, 1) of a block's points, those that count; decisions of one; β, v ℓ″
	zero                         bool
}

// add adds the points from lo to hi.
func (w *worker) add(ctx context.Context, p *Points, lo, hi int) error {
	n, order := hi-lo, w.K+1
	w.packed.Cross(w.rows, order, p.X[lo*w.D:hi*w.D], n)
	for i := range n {
		w.rows[i*order+w.K] = 1
		v := 1.0
		if p.Weight != nil {
			v = p.Weight[lo+i]
		}
		w.point(i, p.Y[lo+i], v)
	}
	for o := range w.into.of {
		if w.zero && o > 0 {
			break
		}
		active := 0
		for i := range n {
			if c := w.curve[o*block+i]; c > 0 {
				row := w.active[active*order : (active+1)*order]
				clear(row)
				dense.Axpy(math.Sqrt(c), w.rows[i*order:(i+1)*order], row)
				active++
			}
		}
		a := dense.Of(w.active, active, order, order)
		if err := dense.MulLower(ctx, 1, 1, a.T(), a, dense.Of(w.into.of[o].hess, order, order, order)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// point adds all of a block's i-th point but the second derivatives.
func (w *worker) point(i int, y, v float64) {
	row := w.rows[i*(w.K+1):][:w.K]
	for o, b := range w.Bias {
		f := b + dense.Dot(w.Coef[o*w.K:(o+1)*w.K], row)
		t := w.target(o, y)
		w.f[o] = f
		miss, curve := t-f, 2*v
		if w.Task == learn.Classify && t*f >= 1 { // not where f is NaN, which the sums shall show
			miss, curve = 0, 0
		}
		beta := 2 * v * miss
		w.curve[o*block+i] = curve
		s := &w.into.of[o].side[0]
		if beta < 0 {
			s = &w.into.of[o].side[1]
		}
		*s.loss += v * miss * miss
		*s.beta += beta
		*s.betaY += beta * t
		if beta != 0 {
			dense.Axpy(beta, row, s.grad)
		}
	}
	*w.into.points++
	if w.Task == learn.Classify && w.class() != int(y) {
		*w.into.wrong++
	}
}

// target is y of (1).
func (m *Model) target(o int, y float64) float64 {
	switch {
	case m.Task != learn.Classify:
		return y
	case len(m.Bias) == 1:
		return 2*y - 1
	case y == float64(o):
		return 1
	}
	return -1
}

// class is that of the point whose decisions are in f: of several the first of the largest.
func (w *worker) class() (c int) {
	if len(w.f) == 1 {
		if w.f[0] > 0 {
			return 1
		}
		return 0
	}
	for o, f := range w.f {
		if f > w.f[c] {
			c = o
		}
	}
	return c
}
