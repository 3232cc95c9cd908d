package reduce

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// pool has the distinct vectors of a model, with each submodel's coefficients.
type pool struct {
	given   *model.Classifier
	parts   model.Parts
	n, d, m int       // distinct vectors, features, models
	vectors []float64 // n×d
	from    []int     // pool index → index in the given classifier, the first of equals; ascending
	merged  []int     // vectors not in from: repetitions, and vectors of no submodel
	coef    []float64 // n×m: rows are vectors
}

// newPool collects the vectors of the submodels. Equal ones become one, whose coefficients are the sums (Downs et al.
// (2001): an exact linear dependence).
func newPool(c *model.Classifier) (*pool, error) {
	p := c.Parts()
	if err := sums(&p); err != nil {
		return nil, err
	}
	q := &pool{given: c, parts: p, d: p.D, m: len(p.Submodels)}
	used := make([]bool, p.N)
	for _, m := range p.Submodels {
		for s, j := range m.Support {
			used[j] = used[j] || m.Coef[s] != 0
		}
	}
	var live []int // those that some model uses, ascending
	for j, u := range used {
		if u {
			live = append(live, j)
			q.vectors = append(q.vectors, p.Vectors[j*p.D:(j+1)*p.D]...)
		}
	}
	first, copies := learn.Distinct(q.vectors, len(live), p.D)
	q.n = len(first)
	place := make([]int, p.N) // index in the given classifier → pool index
	for k, i := range first {
		q.from = append(q.from, live[i])
		copy(q.vectors[k*p.D:], q.vectors[i*p.D:(i+1)*p.D]) // k <= i
	}
	q.vectors = q.vectors[:q.n*p.D]
	for i, j := range live {
		place[j] = copies[i]
	}
	for j := range p.N {
		if _, kept := slices.BinarySearch(q.from, j); !kept {
			q.merged = append(q.merged, j)
		}
	}
	if q.n == 0 {
		return nil, errors.New("reduce: the model has no vectors (or only coefficients 0)")
	}
	q.coef = make([]float64, q.n*q.m)
	for i, m := range p.Submodels {
		for s, j := range m.Support {
			if m.Coef[s] != 0 {
				q.coef[place[j]*q.m+i] += m.Coef[s]
			}
		}
	}
	if err := p.Kernel.ValidateMatrix(q.vectors, q.n, q.d); err != nil {
		return nil, fmt.Errorf("reduce: %w", err)
	}
	return q, nil
}

// gram writes the kernel matrix of the pool to k. The error is the context's.
func (q *pool) gram(ctx context.Context, k []float64, threads int) error {
	return learn.FullMatrix(ctx, gram.Pack[float64](q.parts.Kernel, q.vectors, q.n, q.d), k, q.n, threads)
}

// pack packs the pool's vectors idx, in that order.
func (q *pool) pack(idx []int) *gram.Samples[float64] {
	return gram.Pack[float64](q.parts.Kernel, q.gather(idx), len(idx), q.d)
}

// gather copies the pool's vectors idx, in that order.
func (q *pool) gather(idx []int) []float64 {
	x := make([]float64, 0, len(idx)*q.d)
	for _, i := range idx {
		x = append(x, q.vectors[i*q.d:(i+1)*q.d]...)
	}
	return x
}

// classifier makes the given model with the pool's vectors keep, ascending, and len(keep)×m coefficients. It leaves out
// coefficients that are 0.
func (q *pool) classifier(keep []int, coef, bias []float64) (*model.Classifier, error) {
	p := q.parts
	p.N, p.Vectors, p.Rows = len(keep), q.gather(keep), deal.Pick(p.Rows, deal.Pick(q.from, keep))
	p.Submodels = make([]learn.Submodel, q.m)
	for i := range p.Submodels {
		m := learn.Submodel{Pos: q.parts.Submodels[i].Pos, Neg: q.parts.Submodels[i].Neg}
		m.Bias = bias[i]
		for s := range keep {
			if c := coef[s*q.m+i]; c != 0 {
				m.Support = append(m.Support, s)
				m.Coef = append(m.Coef, c)
			}
		}
		p.Submodels[i] = m
	}
	p.PlattStale, p.Posterior, p.Conformal, p.Marks = len(p.Platt) > 0, nil, nil, nil
	return model.New(p)
}

// bias returns the submodels' biases, which removal does not change.
func (q *pool) bias() []float64 {
	b := make([]float64, q.m)
	for i, m := range q.parts.Submodels {
		b[i] = m.Bias
	}
	return b
}
