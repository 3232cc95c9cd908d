package model

import (
	"cmp"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn"
)

// Share is what one vector adds to a machine's decision: coefficient times kernel value.
type Share struct {
	Vector int     `json:"vector"`        // from 0, of Parts.Vectors
	Row    *int    `json:"row,omitempty"` // of the vector in the training file, from 0; nil when unknown
	Kernel float64 `json:"kernel"`        // k(x, vector)
	Coef   float64 `json:"coef"`
	Share  float64 `json:"share"` // Coef·Kernel, in units of the decision
}

// Explanation is a machine's decision, taken apart: Decision = Bias + Σ Share but for rounding.
type Explanation struct {
	Pos, Neg int // classes, as those of a [learn.Submodel]
	Decision float64
	Bias     float64
	Shares   []Share // of every vector of the machine, the largest |Share| first
}

// Explain takes the decisions for a row of raw features apart, those of every machine. It panics if
// the row has another number of features.
func (c *Classifier) Explain(x []float64) []Explanation {
	c.checkRow(x)
	p := &c.parts
	f := make([]float64, len(p.Submodels))
	c.DecideTo(f, x)
	z := slices.Clone(x)
	if p.Scaling != nil {
		p.Scaling.ApplyTo(z, x)
	}
	all := make([]Explanation, len(p.Submodels))
	for i := range p.Submodels {
		m := &p.Submodels[i]
		all[i] = Explanation{Pos: m.Pos, Neg: m.Neg, Decision: f[i], Bias: m.Bias, Shares: c.shares(m, z)}
	}
	return all
}

// shares evaluates the machine's vectors one by one, at scaled features z.
func (c *Classifier) shares(m *learn.Submodel, z []float64) []Share {
	p, kernel := &c.parts, c.parts.Kernel
	if m.Kernel != nil {
		kernel = *m.Kernel
	}
	shares := make([]Share, len(m.Support))
	for s, j := range m.Support {
		k := kernel.Eval(z, p.Vector(j))
		shares[s] = Share{Vector: j, Kernel: k, Coef: m.Coef[s], Share: m.Coef[s] * k}
		if p.Rows != nil {
			row := p.Rows[j]
			shares[s].Row = &row
		}
	}
	slices.SortStableFunc(shares, func(a, b Share) int { return cmp.Compare(math.Abs(b.Share), math.Abs(a.Share)) })
	return shares
}
