package svc

import (
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/multiclass"
)

// train trains a model for each pair of classes, the greater one positive.
func (s setting) train(tb testing.TB, set *dataset.Set, probes [][]float64) []machine {
	tb.Helper()
	p := &multiclass.Problem{Classes: len(set.Labels), Pairs: true}
	p.X, p.N, p.D, p.Kernel = set.X, set.N, set.D, s.kernel
	for _, c := range set.Y {
		p.Y = append(p.Y, float64(c))
	}
	if s.weight != nil {
		p.Weight = make([]float64, set.N)
		for i := range p.Weight {
			p.Weight[i] = s.limit(set, i) / s.c
		}
	}
	r, err := multiclass.Train(tb.Context(), Trainer{C: s.c, Tolerance: s.tolerance()}, p)
	if err != nil {
		tb.Fatal(err)
	}
	var machines []machine
	for _, m := range r.Submodels {
		pos, neg, sign := m.Pos, m.Neg, 1.0
		if pos < neg {
			pos, neg, sign = neg, pos, -1
		}
		coef := map[int]float64{}
		for v, a := range m.Coef {
			coef[r.Rows[m.Support[v]]] = sign * a
		}
		got := s.figures(set, probes, pos, neg, coef, sign*m.Bias)
		if reported := boundedSV(&m.Report); reported != got.Bounded {
			tb.Errorf("%d coefficients at their limit, reported %d", got.Bounded, reported)
		}
		machines = append(machines, got)
	}
	return machines
}

// boundedSV and kernelBits are the figures of a report that only this method has.
func boundedSV(r *learn.Report) int  { return r.Figures.(Figures).BoundedSV }
func kernelBits(r *learn.Report) int { return r.Figures.(Figures).KernelBits }
