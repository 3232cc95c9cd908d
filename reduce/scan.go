package reduce

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
)

// curve has the losses of every stage on a set of samples: element s is for s vectors, element n for the model before
// any removal.
type curve struct {
	hinge   []float64 // Σ max(0, 1 − g·f) over samples and their submodels; for regression Σ(f − y)²
	wrong   []int     // samples with a wrong class
	agree   []int     // samples with the full model's class
	off     []float64 // for regression: Σ(f − F)² with the full model's F
	samples int
	terms   int // summands of hinge

	unit, spread float64 // for regression: standard deviation of the targets, and Σ(F − F̄)²; unit is 0 for classes
}

func newCurve(n int) *curve {
	return &curve{hinge: make([]float64, n+1), off: make([]float64, n+1), wrong: make([]int, n+1), agree: make([]int, n+1)}
}

func (c *curve) add(d *curve) {
	for s := range c.hinge {
		c.hinge[s] += d.hinge[s]
		c.off[s] += d.off[s]
		c.wrong[s] += d.wrong[s]
		c.agree[s] += d.agree[s]
	}
	c.samples += d.samples
	c.terms += d.terms
}

// meanHinge returns the mean hinge loss with s vectors, eq. (9); for regression the root of the mean square error, in
// standard deviations.
func (c *curve) meanHinge(s int) float64 {
	if c.terms == 0 {
		return 0
	}
	if c.unit > 0 {
		return math.Sqrt(c.hinge[s]/float64(c.terms)) / c.unit
	}
	return c.hinge[s] / float64(c.terms)
}

// fractions returns the error and the agreement with s vectors.
func (c *curve) fractions(s int) (wrong, agree float64) {
	if c.unit > 0 {
		return c.meanHinge(s), kept(c.off[s], c.spread)
	}
	return float64(c.wrong[s]) / float64(c.samples), float64(c.agree[s]) / float64(c.samples)
}

// chunk is the number of samples that a worker takes at a time: enough that packing the factor for the triangular solve
// takes only a few percent of the time.
const chunk = 512

// evaluated is a scaled set with the model's classes.
type evaluated struct {
	x []float64 // rows×d, scaled
	n int
	y []int // classes; nil for unlabelled samples, which have the full model's class

	values []float64 // regression targets, nil if the samples have none
	before *outcome  // of the given model; see job.outcomes
}

// scan evaluates every stage of the path on the data, chunks of samples in parallel; it adds their results in order.
func (p *path) scan(ctx context.Context, e evaluated, report func(done float64)) (*curve, error) {
	vectors := p.pack(p.rank)
	total := newCurve(p.n)
	if p.parts.Task == learn.Regress {
		total.unit, total.spread = deviation(e.want()), spread(e.before.f)
	}
	workers := make([]*scanner, parallel.Workers(p.threads))
	for i := range workers {
		workers[i] = newScanner(p)
	}
	chunks := (e.n + chunk - 1) / chunk
	for c0 := 0; c0 < chunks; c0 += len(workers) {
		wave := min(len(workers), chunks-c0)
		parallel.For(len(workers), wave, func(_, i int) {
			lo := (c0 + i) * chunk
			workers[i].chunk(ctx, vectors, e, lo, min(lo+chunk, e.n))
		})
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, w := range workers[:wave] {
			total.add(w.part)
		}
		report(float64(c0+wave) / float64(chunks))
	}
	return total, nil
}

// scanner is one worker's memory.
type scanner struct {
	*path
	part    *curve
	v       []float64 // chunk×n: kernel values, then V
	f       []float64 // (n+1)×m: one sample's decision values with 0, 1, ... vectors
	classes []int     // of the sample, by each of them
}

func newScanner(p *path) *scanner {
	return &scanner{path: p, v: make([]float64, chunk*p.n), f: make([]float64, (p.n+1)*p.m),
		classes: make([]int, p.n+1)}
}

// chunk evaluates the samples [lo, hi); when ctx ends, only a part of them.
func (w *scanner) chunk(ctx context.Context, vectors *gram.Samples[float64], e evaluated, lo, hi int) {
	w.part = newCurve(w.n)
	rows := hi - lo
	v := dense.Of(w.v, rows, w.n, w.n)
	vectors.Cross(w.v, w.n, e.x[lo*w.d:hi*w.d], rows)
	if dense.SolveLower(ctx, 1, w.factor(), v.T()) != nil { // V = K_NS·L⁻ᵀ
		return
	}
	for q := range rows {
		if ctx.Err() != nil {
			return
		}
		w.decide(w.v[q*w.n : (q+1)*w.n])
		if w.parts.Task == learn.Regress {
			w.value(e.want()[lo+q])
			continue
		}
		w.given.Classes(w.classes, w.f, w.n+1)
		class := w.classes[w.n]
		if e.y != nil {
			class = e.y[lo+q]
		}
		w.sample(class)
	}
}

// decide fills f with the decision values of one sample: vector j adds V_j·u_j.
func (w *scanner) decide(v []float64) {
	m := w.m
	for i, submodel := range w.parts.Submodels {
		w.f[i] = submodel.Bias
	}
	if m == 1 {
		f := w.f[0]
		out, u := w.f[1:len(v)+1], w.u[:len(v)]
		for j, x := range v {
			f += x * u[j]
			out[j] = f
		}
		return
	}
	for j, x := range v {
		u, now, next := w.u[j*m:(j+1)*m], w.f[j*m:(j+1)*m], w.f[(j+1)*m:(j+2)*m]
		for i := range next {
			next[i] = now[i] + x*u[i]
		}
	}
}

// value adds one sample with the target want to the curve.
func (w *scanner) value(want float64) {
	c, full := w.part, w.f[w.n]
	c.samples++
	c.terms++
	for s, f := range w.f {
		c.hinge[s] += (f - want) * (f - want)
		c.off[s] += (f - full) * (f - full)
	}
}

// sample adds one sample of the given class to the curve.
func (w *scanner) sample(class int) {
	c := w.part
	c.samples++
	for i := range w.parts.Submodels {
		m := &w.parts.Submodels[i]
		g := side(m, class)
		if g == 0 {
			continue
		}
		c.terms++
		for s := range c.hinge {
			c.hinge[s] += max(0, 1-g*w.f[s*w.m+i])
		}
	}
	for s, got := range w.classes {
		if got == w.classes[w.n] {
			c.agree[s]++
		}
		if got != class {
			c.wrong[s]++
		}
	}
}
