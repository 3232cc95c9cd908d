package reduce

import (
	"context"
	"fmt"
	"slices"

	"github.com/sparsekm/sparsekm/model"

	"github.com/sparsekm/sparsekm/learn"
)

// plain returns the classifier of samples that are scaled already.
func plain(c *model.Classifier) *model.Classifier {
	c, _ = c.WithoutScaling()
	return c
}

// each calls f for batches of samples, between which it looks at the context: some 2²⁷ products of
// features with those of c's vectors, which take a few hundredths of a second.
func (e *evaluated) each(ctx context.Context, c *model.Classifier, f func(lo, hi int, x []float64)) error {
	const products = 1 << 27
	d := c.NumFeatures()
	rows := max(1, products/(1+d)/(1+c.NumVectors()))
	for lo := 0; lo < e.n; lo += rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		hi := min(lo+rows, e.n)
		f(lo, hi, e.x[lo*d:hi*d])
	}
	return nil
}

// classes predicts.
func (e *evaluated) classes(ctx context.Context, c *model.Classifier, threads int) ([]int, error) {
	y := make([]int, e.n)
	c = plain(c)
	return y, e.each(ctx, c, func(lo, hi int, x []float64) { c.PredictBatch(y[lo:hi], x, hi-lo, threads) })
}

// compare predicts with both classifiers. The error is the context's.
func compare(ctx context.Context, before, after *model.Classifier, e evaluated, threads int) (*Comparison, error) {
	if before.Task() == learn.Regress {
		return compareValues(ctx, before, after, &e, threads)
	}
	a, err := e.classes(ctx, before, threads)
	if err != nil {
		return nil, err
	}
	b, err := e.classes(ctx, after, threads)
	if err != nil {
		return nil, err
	}
	c := &Comparison{N: e.n, Labelled: e.y != nil}
	want := e.y
	if want == nil {
		want = a
	}
	var agree, wrongBefore, wrongAfter int
	for i, w := range want {
		if a[i] == b[i] {
			agree++
		}
		if a[i] != w {
			wrongBefore++
		}
		if b[i] != w {
			wrongAfter++
		}
		switch {
		case a[i] == w && b[i] != w:
			c.Broken++
		case a[i] != w && b[i] == w:
			c.Fixed++
		}
	}
	total := float64(e.n)
	c.Agreement = float64(agree) / total
	c.ErrorBefore, c.ErrorAfter = float64(wrongBefore)/total, float64(wrongAfter)/total
	c.interval()
	return c, nil
}

// keptClasses is the least agreement of a reduction that passes without a warning.
const keptClasses = 0.9

// judge compares the result with the given model: on the validation data, or on the given model's own
// vectors where there is none. A message warns where a budget does not keep the decisions.
func (j *job) judge(ctx context.Context) (err error) {
	r, parts := j.result, j.given.Parts()
	of := "points"
	var c *Comparison
	if j.validation != nil {
		if c, err = compare(ctx, j.given, r.Classifier, *j.validation, j.opt.Threads); err != nil {
			return err
		}
		r.tell(c)
	} else {
		if c, err = compare(ctx, j.given, r.Classifier, evaluated{x: parts.Vectors, n: parts.N}, j.opt.Threads); err != nil {
			return err
		}
		if of = "given model's vectors"; c.values != nil {
			r.Values = c.values
		} else {
			r.VectorAgreement = &c.Agreement
		}
	}
	agreement := c.Agreement
	if agreement >= keptClasses || !slices.ContainsFunc(j.opt.Stop, Rule.budget) {
		return nil
	}
	if r.Message != "" {
		r.Message += "; "
	}
	if j.given.Task() == learn.Regress {
		r.Message += fmt.Sprintf("too few vectors: only %.3g %% of the variance at the %s is kept", 100*agreement, of)
		return nil
	}
	r.Message += fmt.Sprintf("too few vectors: only %.3g %% of the %s keep their class", 100*agreement, of)
	return nil
}

// tell takes a comparison into the report.
func (r *Report) tell(c *Comparison) {
	if r.Values = c.values; c.values == nil {
		r.Compared = c
	}
}

// hinge is the mean hinge loss of c on the data, eq. (9); unlabelled samples have the classes that given predicts.
// Of values it is the root of the mean square error in deviations. The error is the context's.
func hinge(ctx context.Context, c, given *model.Classifier, e evaluated, threads int) (float64, error) {
	if c.Task() == learn.Regress {
		v, err := compareValues(ctx, given, c, &e, threads)
		if err != nil {
			return 0, err
		}
		return v.ErrorAfter, nil
	}
	submodels := c.Parts().Submodels
	y := e.y
	if y == nil {
		var err error
		if y, err = e.classes(ctx, given, threads); err != nil {
			return 0, err
		}
	}
	f := make([]float64, e.n*len(submodels))
	c = plain(c)
	if err := e.each(ctx, c, func(lo, hi int, x []float64) {
		c.DecideBatch(f[lo*len(submodels):hi*len(submodels)], x, hi-lo, threads)
	}); err != nil {
		return 0, err
	}
	var sum float64
	terms := 0
	for q, class := range y {
		for i, m := range submodels {
			if g := side(&m, class); g != 0 {
				sum += max(0, 1-g*f[q*len(submodels)+i])
				terms++
			}
		}
	}
	if terms == 0 {
		return 0, nil
	}
	return sum / float64(terms), nil
}

// side returns +1 for the model's positive class, −1 for its negative one, 0 for others.
func side(m *learn.Submodel, class int) float64 {
	switch {
	case m.Pos == class:
		return 1
	case m.Neg == class || m.Neg == learn.Rest:
		return -1
	}
	return 0
}
