package model

import "github.com/sparsekm/sparsekm/internal/fileformat"

// DefaultMemory bounds the memory of one model with its file, for readers without a budget of their own.
const DefaultMemory = 3 * MaxBytes

// ErrMemory is in the chain of the error for a model that takes more than the memory budget.
var ErrMemory = fileformat.ErrMemory

// Budget counts the memory that a reader takes for a model, before it takes it.
type Budget = fileformat.Budget

// compiledBytes bounds the memory of the tables that [Classifier.compile] makes of valid parts. Packed vectors fill
// whole panels: a single one takes the room of panelVectors.
func (p *Parts) compiledBytes() float64 {
	uses := 0.0
	total := 512*float64(len(p.Submodels)) + workRows*8*float64(p.D)
	if p.Sparse != nil {
		total -= workRows * 8 * float64(p.D) // sparse samples are not unfolded
	}
	separate, packs := false, p.packs()
	for i := range p.Submodels {
		m := &p.Submodels[i]
		if !m.Simple() {
			const step = 128 // the step and scratch; its coefficients follow
			total += 8*float64(p.D) + float64(len(m.Steps)*(step+8*len(p.Submodels)))
		}
		if uses += float64(len(m.Support)); m.Kernel == nil {
			continue
		}
		separate = true
		total += p.packedBytes(m.Support, packs)
	}
	if q := p.Posterior; q != nil {
		total += p.packedBytes(p.Submodels[0].Support, packs)
		if q.Process != nil {
			total += 2 * stairBytes(len(p.Submodels[0].Coef))
		}
	}
	total += float64(len(p.Latent)) * (p.packedBytes(nil, packs) + 2*stairBytes(p.N))
	total += 96 * uses // terms, or a coefficient for every vector where at least an eighth of them is used
	if !separate || len(p.Submodels) > 1 {
		total += p.packedBytes(nil, packs)
	}
	return total
}

const (
	panelVectors = 16
	workRows     = 16 // rows of features that one prediction may take
)

// packs is the most copies of the vectors that a kernel makes.
func (p *Parts) packs() int {
	largest := max(1, p.Kernel.Packs())
	for i := range p.Submodels {
		largest = max(largest, p.kernelOf(&p.Submodels[i]).Packs())
	}
	return largest
}

// packedBytes bounds the memory of so many copies of the vectors idx when packed, or of all for nil.
func (p *Parts) packedBytes(idx []int, packs int) float64 {
	n := p.N
	if idx != nil {
		n = len(idx)
	}
	if p.Sparse == nil {
		rows := float64(packs) * float64(max(n, panelVectors))
		if idx != nil {
			rows += float64(n) // gathered first
		}
		return 8 * float64(p.D) * rows
	}
	entries := len(p.Sparse.Value)
	if idx != nil {
		entries = 0
		for _, i := range idx {
			entries += p.Sparse.Start[i+1] - p.Sparse.Start[i]
		}
	}
	names := 0.0 // numbers of features, see package gram
	if p.D <= 1<<16+16*entries {
		names = 4 * float64(p.D)
	}
	return names + float64(entries)*(80+40*panelVectors/float64(max(1, min(n, panelVectors))))
}

// Bytes estimates the memory of the classifier: vectors, coefficients and tables.
func (c *Classifier) Bytes() int64 {
	p := &c.parts
	total := p.compiledBytes() + 8*float64(len(p.Vectors)) + 8*float64(len(p.Rows))
	if p.Sparse != nil {
		total += float64(p.Sparse.Bytes())
	}
	if q := p.Posterior; q != nil {
		total += 8 * float64(len(q.Covariance))
		if q.Process != nil {
			total += 8 * float64(len(q.Process.Triangle)+len(q.Process.Spread))
		}
	}
	for _, q := range p.Latent {
		total += 8 * float64(len(q.Process.Triangle)+len(q.Process.Spread))
	}
	for i := range p.Submodels {
		m := &p.Submodels[i]
		total += 128 + 16*float64(len(m.Support)) + 8*float64(len(m.Plane)) + 8*float64(p.D)*float64(len(m.Steps))
	}
	return int64(min(total, 1<<62))
}

// newWithin makes a classifier of parts that the caller gives away, if its tables fit the budget.
func newWithin(p Parts, b *Budget) (*Classifier, error) {
	if err := b.Take(8*int64(p.N)+checkedBytes*int64(len(p.Labels)+len(p.Submodels)), 1); err != nil {
		return nil, err
	}
	if err := p.validate(); err != nil {
		return nil, err
	}
	if b != nil && !(p.compiledBytes() <= float64(b.Left())) {
		return nil, b.Over()
	}
	c := &Classifier{parts: p, budget: b}
	c.compile()
	return c, nil
}

// checkedBytes is what the check of a label or a submodel takes, in a map.
const checkedBytes = 128
