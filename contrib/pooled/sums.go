package pooled

import (
	"context"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
)

// Model is one function per output, over the same vectors.
type Model struct {
	Kernel  gram.Kernel
	Task    learn.Task // Classify or Regress
	Vectors []float64  // K×D, row-major
	K, D    int
	Coef    []float64 // Outputs×K
	Bias    []float64 // one per output: 1 for two classes and for regression, else one per class
}

// Samples are some of the training samples. They are only read.
type Samples struct {
	X      []float64 // N×D, row-major
	N      int
	Y      []float64 // classes, from 0, or regression targets
	Weight []float64 // v of (1), ≥ 0; nil for all 1
}

// largest bounds features if the kernel is not bounded: products of two are finite.
const largest = 1e150

const block = 256 // samples evaluated at a time

// Length is the number of sums of a model of k vectors and the given number of outputs.
func Length(k, outputs int) int { return 2 + outputs*(2*(3+k)+(k+1)*(k+1)) }

// sums are sums over samples, without C: the number of samples, of misclassified ones, and the sums of each output.
type sums struct {
	samples, wrong *float64
	outputs        []outputSums
}

// outputSums has the sums of an output over the samples with β > 0 and with β < 0, where β_i = −v_i ∂ℓ/∂f, and the
// second derivatives.
type outputSums struct {
	side [2]side
	hess []float64 // (K+1)×(K+1), lower triangle: Σ v_i ℓ″ (k_i, 1)(k_i, 1)ᵀ
}

type side struct {
	loss, beta, betaY *float64  // Σ v ℓ, Σ β, Σ β y
	grad              []float64 // Σ β k_i
}

// view gives names to flat sums.
func view(flat []float64, k, outputs int) sums {
	cut := func(n int) []float64 { part := flat[:n:n]; flat = flat[n:]; return part }
	head := cut(2)
	s := sums{samples: &head[0], wrong: &head[1], outputs: make([]outputSums, outputs)}
	for o := range s.outputs {
		for i := range s.outputs[o].side {
			three := cut(3)
			s.outputs[o].side[i] = side{&three[0], &three[1], &three[2], cut(k)}
		}
		s.outputs[o].hess = cut((k + 1) * (k + 1))
	}
	return s
}

// zero reports whether the model is f = 0. All outputs then have the same second derivatives, and only those of the
// first are summed.
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

// Sums adds the sums over the samples p to flat, of length [Length]; flat may hold the sums over other samples. Calls
// with different slices may run in parallel. Errors are invalid samples or the context's; flat is meaningless after
// one.
func (m *Model) Sums(ctx context.Context, flat []float64, p *Samples) error {
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
	for pos := 0; pos < p.N; pos += block {
		if err := w.add(ctx, p, pos, min(pos+block, p.N)); err != nil {
			return err
		}
	}
	return nil
}

func (m *Model) check(p *Samples) error {
	if len(m.Vectors) != m.K*m.D || len(m.Coef) != m.K*len(m.Bias) || len(m.Bias) == 0 {
		panic("pooled: vectors, coefficients and biases of a model do not fit together")
	}
	if len(p.X) != p.N*m.D || len(p.Y) != p.N || p.Weight != nil && len(p.Weight) != p.N {
		panic("pooled: features, targets and weights of samples do not fit together")
	}
	for i, y := range p.Y {
		if y-y != 0 || m.Task == learn.Classify && (y != math.Trunc(y) || y < 0 || y >= float64(max(2, len(m.Bias)))) {
			return fmt.Errorf("pooled: sample %d has the target %v", i, y)
		}
	}
	for i, x := range p.X {
		if !m.Kernel.Bounded() && !(math.Abs(x) <= largest) {
			return fmt.Errorf("pooled: feature %d of sample %d is %v, want a number of size at most %v: scale the features",
				i%m.D+1, i/m.D, x, largest)
		}
	}
	for i, v := range p.Weight {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("pooled: sample %d has the weight %v", i, v)
		}
	}
	return nil
}

// worker adds blocks of samples to sums.
type worker struct {
	*Model
	into         sums
	packed       *gram.Samples[float64]
	rows, active []float64 // (k, 1) of a block's samples; the same times √curve, where that is not 0
	f            []float64 // decision values of one sample
	beta, curve  []float64 // β and v ℓ″ of a block's samples
	zero         bool
}

// add adds the samples from lo to hi.
func (w *worker) add(ctx context.Context, p *Samples, lo, hi int) error {
	n, order := hi-lo, w.K+1
	w.packed.Cross(w.rows, order, p.X[lo*w.D:hi*w.D], n)
	for i := range n {
		w.rows[i*order+w.K] = 1
		v := 1.0
		if p.Weight != nil {
			v = p.Weight[lo+i]
		}
		w.sample(i, p.Y[lo+i], v)
	}
	for o := range w.into.outputs {
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
		if err := dense.MulLower(ctx, 1, 1, a.T(), a, dense.Of(w.into.outputs[o].hess, order, order, order)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// sample adds everything of a block's i-th sample except second derivatives.
func (w *worker) sample(i int, y, v float64) {
	row := w.rows[i*(w.K+1):][:w.K]
	for o, b := range w.Bias {
		f := b + dense.Dot(w.Coef[o*w.K:(o+1)*w.K], row)
		t := w.target(o, y)
		w.f[o] = f
		miss, curve := t-f, 2*v
		if w.Task == learn.Classify && t*f >= 1 { // false if f is NaN, which the sums then show
			miss, curve = 0, 0
		}
		beta := 2 * v * miss
		w.curve[o*block+i] = curve
		s := &w.into.outputs[o].side[0]
		if beta < 0 {
			s = &w.into.outputs[o].side[1]
		}
		*s.loss += v * miss * miss
		*s.beta += beta
		*s.betaY += beta * t
		if beta != 0 {
			dense.Axpy(beta, row, s.grad)
		}
	}
	*w.into.samples++
	if w.Task == learn.Classify && w.class() != int(y) {
		*w.into.wrong++
	}
}

// target is y of (1) for output o.
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

// class is the predicted class for the decision values f: the first of the largest.
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
