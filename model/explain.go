package model

import (
	"cmp"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
)

// Share is the contribution of one support vector to a decision value: coefficient times kernel value.
type Share struct {
	Vector int     `json:"vector"`        // index into Parts.Vectors
	Row    *int    `json:"row,omitempty"` // the vector's row in the training file, from 0; nil when unknown
	Kernel float64 `json:"kernel"`        // k(x, vector)
	Coef   float64 `json:"coef"`
	Share  float64 `json:"share"` // Coef·Kernel, in units of the decision
}

// Explanation is a decision value as a sum: Decision = Bias + Extra + Σ Share up to rounding. A classifier of Gaussian
// processes has the mean here, which together with the variance gives the decision value.
type Explanation struct {
	Pos, Neg int // classes, as in [learn.Submodel]
	Decision float64
	Bias     float64
	Extra    float64 // of the plane and the steps
	Shares   []Share // one for each vector of the submodel, the largest |Share| first
}

// Explain returns the decision value of every submodel for a row of raw features as a sum over support vectors. It
// panics if the row has another number of features.
func (c *Classifier) Explain(x []float64) []Explanation {
	c.checkRow(x)
	p := &c.parts
	f := make([]float64, len(p.Submodels))
	c.DecideTo(f, x)
	z := slices.Clone(x)
	if p.Scaling != nil {
		p.Scaling.ApplyTo(z, x)
	}
	all := c.explain(f, func(k gram.Kernel, j int) float64 { return k.Eval(z, p.Vector(j)) })
	for i := range all {
		all[i].Extra = p.Submodels[i].Extra(z)
	}
	return all
}

// ExplainSet is [Classifier.Explain] for sample i of a set. Of sparse samples and vectors it stores no zeros.
func (c *Classifier) ExplainSet(set *dataset.Set, i int) []Explanation {
	if set.Sparse == nil || c.parts.Sparse == nil {
		return c.Explain(set.Row(i))
	}
	f := make([]float64, len(c.parts.Submodels))
	c.DecideSet(f, set, i, 1, 1)
	rows := set.Sparse.Subset([]int{i}).Append(c.parts.Sparse)
	return c.explain(f, func(k gram.Kernel, j int) float64 {
		return k.On(rows).Eval([]float64{0}, []float64{float64(1 + j)})
	})
}

// explain takes the decision values f apart; value is a kernel's for vector j.
func (c *Classifier) explain(f []float64, value func(k gram.Kernel, j int) float64) []Explanation {
	all := make([]Explanation, len(f))
	for i := range all {
		m := &c.parts.Submodels[i]
		all[i] = Explanation{Pos: m.Pos, Neg: m.Neg, Decision: f[i], Bias: m.Bias, Shares: c.shares(m, value)}
		if c.parts.Latent != nil {
			all[i].Decision = m.Bias
			for _, s := range all[i].Shares {
				all[i].Decision += s.Share
			}
		}
	}
	return all
}

// shares evaluates the submodel's vectors one by one.
func (c *Classifier) shares(m *learn.Submodel, value func(k gram.Kernel, j int) float64) []Share {
	p, kernel := &c.parts, *c.parts.kernelOf(m)
	shares := make([]Share, len(m.Support))
	for s, j := range m.Support {
		k := value(kernel, j)
		shares[s] = Share{Vector: j, Kernel: k, Coef: m.Coef[s], Share: m.Coef[s] * k}
		if p.Rows != nil {
			row := p.Rows[j]
			shares[s].Row = &row
		}
	}
	deal.Sort(shares, func(a, b Share) int { return cmp.Compare(math.Abs(b.Share), math.Abs(a.Share)) })
	return shares
}
