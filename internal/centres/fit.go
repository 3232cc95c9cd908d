package centres

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/status"
)

// Fitter searches for vectors of one problem; it keeps the samples in the layout for evaluations.
type Fitter struct {
	order *Order
	p     *Problem
	s     *store
}

// Result describes how a search ended.
type Result struct {
	Status      status.Status // Optimal: the gradient is within the tolerance
	Objective   float64       // (1) as the search computes it
	Gradient    float64       // Euclidean norm of the gradient, in the units of the exponent
	Steps       int
	Evaluations int
}

// NewFitter packs the samples. The error is the context's, or wraps [ErrRange] if squared distances overflow.
func NewFitter(ctx context.Context, p *Problem) (*Fitter, error) {
	p.check()
	s, err := newStore(ctx, p)
	if err != nil {
		return nil, err
	}
	order := p.Order
	if order == nil {
		order = new(Order)
	}
	return &Fitter{order: order, p: p, s: s}, nil
}

// Bytes is the memory of a Fitter, a search and a refit of k vectors.
func Bytes(p *Problem, k int) int64 {
	return bytes(p, k) + searchBytes(p.Outputs*(k+1)+k*p.D+p.D) + max(refitBytes(p, k), 24*int64(p.N))
}

// NewModel returns a model with the given vectors (row-major; the model keeps them) and coefficients 0.
func (p *Problem) NewModel(vectors []float64) *Model {
	k := 0
	if p.D > 0 {
		k = len(vectors) / p.D
	}
	m := &Model{Kernel: p.Kernel, K: k, Vectors: vectors, Coef: make([]float64, p.Outputs*k),
		Bias: make([]float64, p.Outputs)}
	if p.Levels != nil {
		m.Values = slices.Clone(p.Levels.Start)
	}
	if p.Plane {
		m.Plane = make([]float64, p.Outputs*p.D)
	}
	return m
}

// Fit optimises all free variables of m, for at most steps steps or until the gradient is within tolerance of max(1,
// J), and leaves the best in m. visit, if not nil, is called with J after each step and returns whether to go on.
func (f *Fitter) Fit(ctx context.Context, m *Model, steps int, tolerance float64,
	visit func(step int, objective float64) bool) Result {
	o := newObjective(f.p, f.s, m)
	x := make([]float64, o.size())
	f.load(o.view(x), m)
	done := 0
	search := newSearch(x, func(x, grad []float64) (float64, bool) { return o.eval(ctx, x, grad) })
	st := search.run(ctx, steps, tolerance, func(step int) bool {
		done = step
		return visit == nil || visit(step, search.value)
	})
	f.unload(m, o.view(search.x))
	return Result{Status: st, Objective: search.value, Gradient: norm(search.g), Steps: done,
		Evaluations: search.evaluations}
}

func (f *Fitter) load(v variables, m *Model) {
	copy(v.coef, m.Coef)
	copy(v.bias, m.Bias)
	f.s.inward(v.vec, m.Vectors)
	f.loadSteps(v, m)
	f.loadLevels(v, m)
	f.widths(v.log, m)
}

// widths writes log w of a model.
func (f *Fitter) widths(log []float64, m *Model) {
	for k, rate := range f.s.rate {
		if index := f.p.Widths.of(k); index < len(log) && rate > 0 {
			log[index] = math.Log(gammaOf(m.Kernel, k)/(rate*rate)) / 2
		}
	}
}

// gammaOf is γ times the weight of a feature.
func gammaOf(k gram.Kernel, feature int) float64 {
	if k.Weights == nil {
		return k.Gamma
	}
	return k.Gamma * k.Weights[feature]
}

func (f *Fitter) unload(m *Model, v variables) {
	copy(m.Coef, v.coef)
	copy(m.Bias, v.bias)
	f.s.outward(m.Vectors, v.vec)
	f.unloadSteps(m, v)
	f.unloadLevels(m, v)
	switch f.p.Widths {
	case Fixed:
		return
	case One:
		m.Kernel = f.p.Kernel
		if len(v.log) > 0 {
			m.Kernel.Gamma *= math.Exp(2 * v.log[0])
		}
		return
	}
	w := make([]float64, len(v.log))
	for k, log := range v.log {
		w[k] = f.s.rate[k] * f.s.rate[k] / f.p.Kernel.Gamma * math.Exp(2*log)
	}
	m.Kernel = f.p.Kernel
	m.Kernel.Weights = w
}

// Penalty is what (1) has for the widths and the levels of a model.
func (f *Fitter) Penalty(m *Model) float64 {
	log, values := make([]float64, f.p.Widths.count(f.p.D)), 0.0
	f.widths(log, m)
	if f.p.Levels != nil {
		l := &levels{Levels: f.p.Levels, share: f.s.rarity(f.p.Levels.Size())}
		v, g := variables{level: make([]float64, len(l.share))}, variables{level: make([]float64, len(l.share))}
		f.loadLevels(v, m)
		values = l.penalty(v, g)
	}
	return f.p.Penalty/2*dense.Dot(log, log) + values
}

// Clone is a deep copy.
func (m *Model) Clone() *Model {
	c := *m
	c.Vectors, c.Coef, c.Bias = slices.Clone(m.Vectors), slices.Clone(m.Coef), slices.Clone(m.Bias)
	c.Kernel.Weights = slices.Clone(m.Kernel.Weights)
	c.Steps, c.Plane = slices.Clone(m.Steps), slices.Clone(m.Plane)
	c.Values = slices.Clone(m.Values)
	return &c
}
