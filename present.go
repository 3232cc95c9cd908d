package sparsekm

import (
	"context"
	"fmt"
	"slices"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
)

// drop finds the samples of weight 0: they are absent for scaling and the choice of γ as well.
func (t *task) drop() error {
	if !slices.Contains(t.weight, 0) {
		return nil
	}
	weight := make([]float64, 0, t.set.N)
	for i, w := range t.weight {
		if w != 0 {
			t.rows, weight = append(t.rows, i), append(weight, w)
		}
	}
	if t.rows == nil {
		return fmt.Errorf("sparsekm: %w (every sample has weight 0), want two", learn.ErrOneClass)
	}
	t.weight = weight
	return nil
}

// prepare makes the samples that are trained on: the caller's, or a scaled copy of those that are present.
func (t *task) prepare(ctx context.Context) (err error) {
	own := t.rows != nil
	if own {
		t.set = t.set.Subset(t.rows)
	}
	if t.scaling, err = dataset.Fit(ctx, t.set, t.Scale); err != nil || t.scaling == nil {
		return err
	}
	if !own {
		scaled := *t.set
		scaled.X = slices.Clone(t.set.X[:t.set.N*t.set.D])
		t.set = &scaled
	}
	if err := t.scaling.ApplyInPlace(ctx, t.set); err != nil || !t.RoundScaled {
		return err
	}
	for i, x := range t.set.X {
		t.set.X[i] = float64(float32(x))
	}
	return nil
}

// bytes is what the task has of its own: present samples, scaled, with their numbers, signs or classes, and weights;
// held-out samples.
func (t *task) bytes() int64 {
	n := int64(t.set.N)
	b := 8 * n
	if t.rows != nil {
		n = int64(len(t.rows))
		b = 32 * n // signs or classes, numbers, weights
	} else if len(t.ClassWeight) > 0 {
		b += 8 * n
	}
	scaled := t.Scale != dataset.ScaleNone
	if t.set.Sparse != nil {
		if b += 24 * n; t.rows != nil {
			b += t.set.Sparse.Bytes()
		}
	} else if scaled || t.rows != nil {
		b += 8 * n * int64(t.set.D)
	}
	if v := t.Validation; v != nil {
		b += 16 * int64(v.N)
		if scaled {
			b += 8 * int64(len(v.X))
		}
	}
	return b
}

// fits refuses a training whose samples alone are more than the budget, before any of them is copied.
func (t *task) fits() error {
	n := t.set.N
	if t.rows != nil {
		n = len(t.rows)
	}
	b := t.resources().Budget(t.Trainer.Name(), n, t.stored())
	if b.Left() >= 0 {
		return nil
	}
	if t.machines() > 1 {
		return b.Take(0) // several models share what is left, and may have fewer samples each
	}
	return b.Take(t.Trainer.EstimateMemory(n, t.stored()))
}

// original returns where rows of the task's set are in the caller's; the rows themselves where none is absent,
// and nil, for vectors that are no rows, as it is.
func (t *task) original(rows []int) []int {
	if t.rows == nil || rows == nil {
		return rows
	}
	o := make([]int, len(rows))
	for k, i := range rows {
		o[k] = t.rows[i]
	}
	return o
}
