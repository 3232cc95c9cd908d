package model

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// Vector returns support vector j, every zero stored: a view of Vectors, or a copy of a sparse vector.
func (p *Parts) Vector(j int) []float64 {
	if p.Sparse != nil {
		x := make([]float64, p.D)
		p.Sparse.WriteRow(x, j)
		return x
	}
	return p.Vectors[j*p.D : (j+1)*p.D]
}

// FirstVector returns the first support vector as a set of one sample, stored as the model stores its vectors; of a
// model without vectors a sample of zeros.
func (c *Classifier) FirstVector() *dataset.Set {
	p := &c.parts
	s := &dataset.Set{N: 1, D: p.D}
	switch {
	case p.Sparse != nil && p.N > 0:
		s.Sparse = p.Sparse.Subset([]int{0})
	case p.Sparse != nil:
		s.Sparse = &csr.Matrix{N: 1, D: p.D, Start: []int{0, 0}}
	case p.N > 0:
		s.X = slices.Clone(p.Vectors[:p.D])
	default:
		s.X = make([]float64, p.D)
	}
	return s
}

// Sparse reports whether the support vectors are stored without their zeros ([Parts.Sparse]).
func (c *Classifier) Sparse() bool { return c.parts.Sparse != nil }

// validateSparse reports what is wrong with sparse vectors.
func (p *Parts) validateSparse() error {
	m := p.Sparse
	switch {
	case m.N != p.N || m.D != p.D || len(p.Vectors) > 0:
		return fmt.Errorf("model: %d values and %d sparse vectors of %d features for %d of %d", len(p.Vectors), m.N, m.D,
			p.N, p.D)
	case p.Scaling != nil:
		return errors.New("model: a scaling of sparse vectors, whose zeros it would not keep")
	}
	return m.Validate()
}

// Dense returns the classifier with every zero of its vectors stored, or the classifier itself if it is dense. Vectors
// of more than limit bytes are an error.
func (c *Classifier) Dense(limit int64) (*Classifier, error) {
	p := &c.parts
	if p.Sparse == nil {
		return c, nil
	}
	if need := 8 * float64(p.N) * float64(p.D); need > float64(limit) {
		return nil, fmt.Errorf("model: %d sparse vectors of %d features take %.1f GiB when every zero is stored, which this "+
			"needs", p.N, p.D, need/(1<<30))
	}
	b := c.budget.Whole()
	if err := b.Take(int64(p.N), 8*int64(p.D)); err != nil {
		return nil, err
	}
	q := c.Parts()
	q.Vectors, q.Sparse = q.Sparse.Dense(), nil
	return newWithin(q, b)
}

// DecideSet writes the decision values of the rows lo ≤ i < lo+n of a set of raw samples of NumFeatures features to dst
// (n×NumSubmodels), on the given number of threads; 0 means GOMAXPROCS. Samples with a feature of 0 and 1 for each
// category get the values that the model has learnt.
func (c *Classifier) DecideSet(dst []float64, set *dataset.Set, lo, n, threads int) {
	submodels, d := len(c.parts.Submodels), c.parts.D
	if set.D != d && c.TakesPlain(set) {
		c.DecideBatch(dst, c.parts.Columns.Coded(set, lo, n), n, threads)
		return
	}
	if set.D != d {
		c.panicRow(set.D)
	}
	if set.Sparse == nil {
		c.DecideBatch(dst, set.X[lo*d:(lo+n)*d], n, threads)
		return
	}
	dst = dst[:n*submodels]
	c.batch(n, threads, func(from, to int, s *scratch) {
		c.decideRows(dst[from*submodels:to*submodels], set.Sparse, lo+from, to-from, s)
	})
}

// TakesPlain reports whether the set has a feature of 0 and 1 for each category where the model has learnt values.
func (c *Classifier) TakesPlain(set *dataset.Set) bool {
	return c.parts.Columns.Valued() && set.D == c.parts.Columns.NumPlain()
}

// decideRows is decide for m rows of a sparse matrix, from row lo.
func (c *Classifier) decideRows(dst []float64, rows *csr.Matrix, lo, m int, s *scratch) {
	submodels := len(c.parts.Submodels)
	if c.parts.Sparse == nil {
		if s.row == nil {
			s.row = make([]float64, c.parts.D)
		}
		for q := range m {
			rows.WriteRow(s.row, lo+q)
			c.decide(dst[q*submodels:(q+1)*submodels], s.row, 1, s)
		}
		return
	}
	for i := range c.groups {
		g := &c.groups[i]
		part := s.part[:m*len(g.submodels)]
		g.evalRows(part, rows, lo, m, s)
		g.spread(dst, part, m, submodels)
	}
}

// evalRows is eval for m rows of a sparse matrix, from row lo.
func (g *group) evalRows(dst []float64, rows *csr.Matrix, lo, m int, s *scratch) {
	switch {
	case g.planes != nil:
		for q := range m {
			for o, w := range g.planes {
				dst[q*len(g.planes)+o] = rows.Dot(lo+q, w)
			}
		}
	case g.sums != nil:
		g.sums.EvalRows(dst, rows, lo, m)
	case g.sparse != nil:
		n := g.sparse.vectors.Len()
		for q := 0; q < m; q += sparseRows {
			k := min(sparseRows, m-q)
			g.sparse.vectors.CrossRows(s.k, n, rows, lo+q, k)
			g.sparse.sum(dst[q*len(g.sparse.terms):], s.k, k)
		}
	default:
		clear(dst)
	}
}

// Plane returns the weight of every feature in a submodel of an additive kernel, w = Σ Coef_s z_s.
func (p *Parts) Plane(m *learn.Submodel) []float64 {
	w := make([]float64, p.D)
	for s, j := range m.Support {
		if p.Sparse != nil {
			p.Sparse.AddTo(w, j, m.Coef[s])
			continue
		}
		for k, v := range p.Vectors[j*p.D : (j+1)*p.D] {
			w[k] += m.Coef[s] * v
		}
	}
	return w
}

// maxPlanes bounds the weights of all planes together, since a small file may claim very many features.
const maxPlanes = 1 << 22

// planesOf sums the sparse vectors of each submodel of an additive kernel to one weight a feature. It returns nil if
// that takes too much memory.
func (p *Parts) planesOf(submodels []int) [][]float64 {
	if p.Sparse == nil || !p.Kernel.Additive() || len(submodels) > p.N || len(submodels)*p.D > maxPlanes ||
		p.D > 1<<16+64*len(p.Sparse.Value) {
		return nil
	}
	planes := make([][]float64, len(submodels))
	for o, i := range submodels {
		planes[o] = p.Plane(&p.Submodels[i])
	}
	return planes
}

// pack packs the vectors idx, or all of them for nil.
func (p *Parts) pack(kernel gram.Kernel, idx []int) *gram.Samples[float64] {
	switch {
	case p.Sparse != nil && idx == nil:
		return gram.PackRows[float64](kernel, p.Sparse)
	case p.Sparse != nil:
		return gram.PackRows[float64](kernel, p.Sparse.Subset(idx))
	case idx == nil:
		return gram.Pack[float64](kernel, p.Vectors, p.N, p.D)
	}
	return gram.Pack[float64](kernel, p.gather(idx), len(idx), p.D)
}
