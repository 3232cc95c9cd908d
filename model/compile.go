package model

import (
	"sync"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
)

// group is the submodels that share a kernel: each kernel value is computed once for all of them. One of sums, sparse
// and planes evaluates it; all are nil for a group without vectors.
type group struct {
	submodels []int // of outputs 0, 1, ...
	bias      []float64
	sums      *gram.Expansion[float64] // every output sums over every vector
	sparse    *sparseSums              // every output sums over its own vectors: when most coefficients are 0
	planes    [][]float64              // every output has a weight for each feature: additive kernel, sparse vectors
	small     *gram.Small              // sums for one raw row, with scaling and biases; nil if there is no such loop
}

// sparseSums evaluates a group of many submodels with few vectors each: all kernel values, then for each output the
// sum over its own vectors.
type sparseSums struct {
	vectors *gram.Samples[float64]
	terms   []term // one an output
}

// term is Σ coef_s k(x, x_support[s]).
type term struct {
	support []int32
	coef    []float64
}

func newTerm(coef []float64, support []int) term {
	t := term{coef: coef, support: make([]int32, len(support))}
	for s, j := range support {
		t.support[s] = int32(j)
	}
	return t
}

const (
	// A sum over all vectors does eight products in the time that a sum over some takes for one.
	sparseFactor = 8
	sparseRows   = 8 // rows of kernel values that are in memory at once
)

// scratch is the memory of one evaluation. A small classifier has f and scores only.
type scratch struct {
	x        []float64   // rows×d scaled features
	row      []float64   // one row of a sparse set, every zero stored
	part     []float64   // rows×submodels decision values of one group
	f        []float64   // rows×submodels decision values
	k        []float64   // sparseRows×n kernel values
	scores   []float64   // one a class
	room     []float64   // of planes and steps
	latent   *spreadRoom // of a classifier of Gaussian processes
	coupling *coupling   // nil before the first row's probabilities
}

// compile derives the groups from the parts.
func (c *Classifier) compile() {
	p := &c.parts
	c.spread = new(laterSpread)
	c.scratch = &sync.Pool{New: func() any { return c.newScratch(1) }}
	if p.Latent != nil {
		c.latent = newProcesses(p)
		return
	}
	var shared []int // submodels with the classifier's kernel
	for i := range p.Submodels {
		m := &p.Submodels[i]
		if m.Kernel == nil {
			shared = append(shared, i)
			continue
		}
		all := []term{newTerm(m.Coef, deal.All(len(m.Coef)))}
		c.groups = append(c.groups, newGroup(p, []int{i}, all,
			func(int) *gram.Samples[float64] { return p.pack(*m.Kernel, m.Support) }))
	}
	if len(shared) > 0 {
		c.groups = append(c.groups, p.sharedGroup(shared))
	}
	if c.extra = newExtra(p); c.extra == nil || c.extra.room() <= extraRoom {
		c.compileSmall()
	}
}

// compileSmall gives every group its loop for one row, or no group if one has none. A loop writes the decision values
// of consecutive submodels. A group without vectors needs none where there are planes or steps.
func (c *Classifier) compileSmall() {
	small := make([]*gram.Small, len(c.groups))
	for i := range c.groups {
		g := &c.groups[i]
		if g.submodels[len(g.submodels)-1]-g.submodels[0] != len(g.submodels)-1 {
			return
		}
		if c.extra != nil && g.empty() {
			continue
		}
		if g.sums == nil {
			return
		}
		if small[i] = gram.NewSmall(g.sums, c.parts.affine(), g.bias); small[i] == nil {
			return
		}
	}
	for i, s := range small {
		c.groups[i].small = s
	}
	c.small = len(small) > 0
}

// affine returns the scaling as package gram takes it, nil for none.
func (p *Parts) affine() *gram.Affine {
	sc := p.Scaling
	switch {
	case sc == nil:
		return nil
	case sc.Kind == dataset.ScaleMinMax:
		return &gram.Affine{Center: sc.Center, Spread: sc.Spread, Width: sc.Hi - sc.Lo, Lo: sc.Lo}
	}
	return &gram.Affine{Center: sc.Center, Spread: sc.Spread, Width: 1}
}

// sharedGroup makes the group of the submodels with the classifier's kernel. With an additive (linear) kernel each
// becomes one vector, f(x) = wᵀx + b with w = Σ Coef_s z_s, unless there are more submodels than vectors.
func (p *Parts) sharedGroup(submodels []int) group {
	if planes := p.planesOf(submodels); planes != nil {
		g := group{submodels: submodels, planes: planes}
		for _, i := range submodels {
			g.bias = append(g.bias, p.Submodels[i].Bias)
		}
		return g
	}
	terms := make([]term, len(submodels))
	if p.Kernel.Additive() && len(submodels) <= p.N && p.Sparse == nil {
		return p.collapsed(submodels, terms)
	}
	for o, i := range submodels {
		terms[o] = newTerm(p.Submodels[i].Coef, p.Submodels[i].Support)
	}
	return newGroup(p, submodels, terms, func(n int) *gram.Samples[float64] {
		if p.Sparse != nil {
			return p.pack(p.Kernel, nil)
		}
		return gram.Pack[float64](p.Kernel, p.Vectors[:n*p.D], n, p.D)
	})
}

// collapsed makes one vector of each submodel.
func (p *Parts) collapsed(submodels []int, terms []term) group {
	var vectors []float64
	for o, i := range submodels {
		terms[o] = newTerm([]float64{1}, []int{o})
		vectors = append(vectors, p.Plane(&p.Submodels[i])...)
	}
	return newGroup(p, submodels, terms, func(n int) *gram.Samples[float64] {
		return gram.Pack[float64](p.Kernel, vectors[:n*p.D], n, p.D)
	})
}

// newGroup chooses between dense and sparse sums. pack packs at least the first n vectors.
func newGroup(p *Parts, submodels []int, terms []term, pack func(n int) *gram.Samples[float64]) group {
	g := group{submodels: submodels}
	n, uses := 0, 0
	for o, i := range submodels {
		g.bias = append(g.bias, p.Submodels[i].Bias)
		uses += len(terms[o].coef)
		for _, j := range terms[o].support {
			n = max(n, int(j)+1)
		}
	}
	if n == 0 {
		return g
	}
	vectors := pack(n)
	if n = vectors.Len(); uses*sparseFactor < n*len(terms) {
		g.sparse = &sparseSums{vectors, terms}
		return g
	}
	coefs := make([][]float64, len(terms))
	for o, t := range terms {
		coefs[o] = make([]float64, n)
		for s, j := range t.support {
			coefs[o][j] = t.coef[s]
		}
	}
	g.sums = vectors.Expand(coefs...)
	return g
}

// empty reports whether there are no vectors.
func (g *group) empty() bool { return g.sums == nil && g.sparse == nil && g.planes == nil }

// eval writes the outputs of m rows, without biases, to dst (m×outputs).
func (g *group) eval(dst, x []float64, m int, s *scratch) {
	switch {
	case g.planes != nil:
		d := len(g.planes[0])
		for q := range m {
			for o, w := range g.planes {
				dst[q*len(g.planes)+o] = dense.Dot(w, x[q*d:(q+1)*d])
			}
		}
	case g.sums != nil:
		g.sums.Eval(dst, x, m)
	case g.sparse != nil:
		g.sparse.eval(dst, x, m, s.k)
	default:
		clear(dst)
	}
}

func (g *sparseSums) eval(dst, x []float64, m int, values []float64) {
	n, d := g.vectors.Len(), g.vectors.Dim()
	for q := 0; q < m; q += sparseRows {
		rows := min(sparseRows, m-q)
		g.vectors.Cross(values, n, x[q*d:(q+rows)*d], rows)
		g.sum(dst[q*len(g.terms):], values, rows)
	}
}

// sum writes the outputs of rows with the given kernel values.
func (g *sparseSums) sum(dst, values []float64, rows int) {
	n := g.vectors.Len()
	for r := range rows {
		k := values[r*n : (r+1)*n]
		out := dst[r*len(g.terms) : (r+1)*len(g.terms)]
		for o := range g.terms {
			out[o] = g.terms[o].sum(k)
		}
	}
}

// sum is Σ coef_s k_support[s], in four interleaved parts.
func (t *term) sum(k []float64) float64 {
	var a, b, c, d float64
	idx, coef := t.support, t.coef[:len(t.support)]
	s := 0
	for ; s+4 <= len(idx); s += 4 {
		a += float64(coef[s] * k[idx[s]])
		b += float64(coef[s+1] * k[idx[s+1]])
		c += float64(coef[s+2] * k[idx[s+2]])
		d += float64(coef[s+3] * k[idx[s+3]])
	}
	for ; s < len(idx); s++ {
		a += float64(coef[s] * k[idx[s]])
	}
	return (a + b) + (c + d)
}

// gather copies the given vectors.
func (p *Parts) gather(idx []int) []float64 {
	x := make([]float64, 0, len(idx)*p.D)
	for _, j := range idx {
		x = append(x, p.Vector(j)...)
	}
	return x
}

func (c *Classifier) newScratch(rows int) *scratch {
	s := &scratch{
		f:      make([]float64, rows*len(c.parts.Submodels)),
		scores: make([]float64, len(c.parts.Labels)),
	}
	if c.small {
		return s
	}
	if c.latent != nil {
		s.latent = c.latent.room()
		return s
	}
	s.part = make([]float64, rows*len(c.parts.Submodels))
	if c.parts.Scaling != nil {
		s.x = make([]float64, rows*c.parts.D)
	}
	largest := 0
	for _, g := range c.groups {
		if g.sparse != nil {
			largest = max(largest, g.sparse.vectors.Len())
		}
	}
	s.k = make([]float64, min(rows, sparseRows)*largest)
	if c.extra != nil {
		s.room = make([]float64, c.extra.room())
	}
	return s
}
