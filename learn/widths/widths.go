// Package widths learns a width for each feature, for any method with an RBF kernel to train with.
//
// A model of a few trained centres is fitted to the samples together with the weights w_k of the kernel
// exp(−γ Σ_k w_k (x_k − z_k)²), as package direct does it after Wu, Schölkopf & Bakır (2006), and its vectors are
// dropped. What stays says which features matter beside which: the weights are scaled so that the mean squared distance
// of the training samples is what it was, and γ keeps its meaning.
package widths

import (
	"context"
	"fmt"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/direct"
)

// cost is direct's C: of 0.1, 1 and 3 the one with the least test error of ssvc-b over eight open sets
// and one in which 6 of 60 features matter.
const cost = 0.1

// Of real values C is 1, and as many vectors begin at once, beyond what direct chooses: while there are two or four, a
// feature that the values depend on evenly, such as (x − ½)², loses its weight, and does not get it back. In
// Friedman's first problem that happened in 5 of 12 trainings.
const (
	valueCost = 1
	vectors   = 32
)

func init() { learn.RegisterWidths(Learn) }

// Learn returns p's kernel, which must be Gaussian, with weights learnt from p's samples. The widths are a local
// optimum. It takes its memory from p's budget while it runs. A context that ends on the way is an error.
func Learn(ctx context.Context, p *learn.Problem) (gram.Kernel, error) {
	if !p.Kernel.Gaussian() {
		return gram.Kernel{}, fmt.Errorf("learn: found the kernel %v, want rbf: widths are learnt for Gaussians", p.Kernel.Kind)
	}
	v := variances(p)
	before := 0.0
	for k := range v {
		before += weightOf(p.Kernel, k) * v[k]
	}
	q := *p
	q.Validation = nil // it is the method's, for another question
	t := direct.Trainer{C: cost, FeatureWidths: true}
	if p.Task == learn.Regress && before > 0 {
		t.C, t.MaxSV, q.Kernel.Gamma = valueCost, vectors, 1/before
	}
	r, err := t.Train(ctx, &q)
	learn.Collect(t.EstimateMemory(p.N, p.D))
	if err == nil && ctx.Err() != nil {
		err = learn.Nothing(ctx, "direct")
	}
	if err != nil {
		return gram.Kernel{}, fmt.Errorf("learning widths: %w", err)
	}
	weights := make([]float64, p.D)
	after := 0.0
	for k := range v {
		weights[k] = weightOf(*r.Kernel, k)
		after += weights[k] * v[k]
	}
	if after > 0 {
		for k := range weights {
			weights[k] *= before / after
		}
	}
	return gram.WeightedRBF(p.Kernel.Gamma, weights), nil
}

func weightOf(k gram.Kernel, feature int) float64 {
	if k.Weights == nil {
		return 1
	}
	return k.Weights[feature]
}

// variances are those of the features, by the samples' weights.
func variances(p *learn.Problem) []float64 {
	v := make([]float64, p.D)
	var total float64
	for i := range p.N {
		total += p.WeightOf(i)
	}
	for k := range v {
		var mean float64
		for i := range p.N {
			mean += p.WeightOf(i) / total * p.X[i*p.D+k]
		}
		for i := range p.N {
			d := p.X[i*p.D+k] - mean
			v[k] += p.WeightOf(i) / total * d * d
		}
	}
	return v
}
