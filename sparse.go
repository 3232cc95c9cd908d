package sparsekm

import (
	"fmt"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/model"
)

// Points that stay sparse are to the methods what their kernel makes of them: rows of a matrix, by their numbers
// ([gram.Kernel.On]). What needs features themselves gets them with every zero stored, where the budget has room.

// featuresNeeded says what in the options and the method needs features themselves; "" if nothing does.
func (o *Options) featuresNeeded() string {
	m := registered(o.Trainer)
	switch {
	case !m.KernelOnly:
		return m.Name + " reads features"
	case !o.Kernel.Sparse():
		return fmt.Sprintf("the %v kernel reads features that are 0", o.Kernel.Kind)
	case o.Scale != dataset.ScaleNone:
		return fmt.Sprintf("scaling %v moves features away from 0", o.Scale)
	case o.KernelOf != nil || o.LearnWidths:
		return "a kernel that is made from the points reads features"
	case o.Refit:
		return "fitting again reads features"
	case o.Candidates != nil:
		return "candidates are read by features"
	case o.Validation != nil:
		return "validation data are read by features"
	}
	return ""
}

// dense stores every zero of a sparse set where something needs features.
func (t *task) dense() error {
	why := t.featuresNeeded()
	if t.set.Sparse == nil || why == "" {
		return nil
	}
	b := t.resources().Budget(t.Trainer.Name(), t.set.N, t.set.D)
	set, err := t.set.Dense(max(0, b.Left()))
	if err != nil {
		return fmt.Errorf("sparsekm: %s: %w", why, err)
	}
	t.set = set
	t.InUse += 8 * int64(set.N) * int64(set.D)
	return nil
}

// number makes the points of a sparse set the numbers of its rows, one for those that are equal.
func (t *task) number() {
	m := t.set.Sparse
	if m == nil {
		return
	}
	numbered := *t.set
	t.Kernel = t.kernel(t.set).On(m)
	t.sparse, numbered.Sparse, numbered.X, numbered.D = m, nil, make([]float64, m.N), 1
	for i, first := range m.First() {
		numbered.X[i] = float64(first)
	}
	t.set = &numbered
	t.InUse += 2 * m.Bytes() // packed, by points and by features
}

// d is the number of features of the points.
func (t *task) d() int {
	if t.sparse != nil {
		return t.sparse.D
	}
	return t.set.D
}

// stored is how many numbers a point takes, in the mean.
func (t *task) stored() int {
	if m := t.set.Sparse; m != nil {
		return 2 + 3*len(m.Value)/(2*max(1, m.N))
	}
	return t.set.D
}

// vectors makes those of the parts, which are numbers of rows, rows.
func (t *task) vectors(p *model.Parts) {
	if t.sparse == nil {
		return
	}
	rows := make([]int, p.N)
	for i, v := range p.Vectors {
		rows[i] = int(v)
	}
	p.Kernel, p.Vectors, p.Sparse = p.Kernel.Off(), nil, t.sparse.Subset(rows)
	p.D, p.Features = t.sparse.D, t.sparse.D
}
