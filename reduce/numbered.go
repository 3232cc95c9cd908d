package reduce

import (
	"errors"
	"fmt"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/model"
)

// numbered is a model of sparse vectors, with data, as a model whose vectors and samples are row numbers
// ([gram.Kernel.On]): equal rows have one number.
type numbered struct {
	given *model.Classifier
	rows  *csr.Matrix // the vectors, then the data
	first []int
	inner *model.Classifier
}

func newNumbered(c *model.Classifier, data ...*dataset.Set) (*numbered, []*dataset.Set, error) {
	p := c.Parts()
	r := &numbered{given: c, rows: p.Sparse}
	for _, s := range data {
		if s == nil {
			continue
		}
		if s.D != p.D {
			return nil, nil, fmt.Errorf("reduce: data of %d features, the model has %d", s.D, p.D)
		}
		m := s.Sparse
		if m == nil {
			m = csr.FromDense(s.X, s.N, s.D)
		}
		r.rows = r.rows.Append(m)
	}
	r.first = r.rows.First()
	row := 0
	number := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(r.first[row+i])
		}
		row += n
		return x
	}
	p.Vectors, p.Sparse, p.D, p.Features, p.Kernel = number(p.N), nil, 1, 1, p.Kernel.On(r.rows)
	var err error
	if r.inner, err = model.New(p); err != nil {
		return nil, nil, err
	}
	sets := make([]*dataset.Set, len(data))
	for k, s := range data {
		if s != nil {
			t := *s
			t.Sparse, t.X, t.D, t.Features, t.Columns = nil, number(s.N), 1, nil, nil
			sets[k] = &t
		}
	}
	return r, sets, nil
}

// back returns a model of row numbers as a model of sparse vectors.
func (r *numbered) back(c *model.Classifier) (*model.Classifier, error) {
	if c == r.inner {
		return r.given, nil
	}
	p := c.Parts()
	rows := make([]int, p.N)
	for i, v := range p.Vectors {
		rows[i] = int(v)
	}
	p.Kernel, p.Vectors, p.Sparse, p.D, p.Features = p.Kernel.Off(), nil, r.rows.Subset(rows), r.rows.D, r.rows.D
	return model.New(p)
}

// result makes the result of a reduction of the inner model one of the given model.
func (r *numbered) result(result *Result, err error) (*Result, error) {
	if result == nil || result.Classifier == nil {
		return result, err
	}
	var failed error
	result.Classifier, failed = r.back(result.Classifier)
	return result, errors.Join(err, failed)
}
