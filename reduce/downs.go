package reduce

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// defaultTolerance changes decision values in about the eighth digit.
const defaultTolerance = 1e-10

// SimplifyOptions are the options of [Simplify].
type SimplifyOptions struct {
	// Tolerance is the squared distance in feature space, relative to the largest k(x,x), up to
	// which a vector counts as a combination of others; 0 means 1e-10, which changes decision values in about the eighth
	// digit.
	Tolerance float64
	learn.Resources
}

// Simplify is the exact simplification of Downs, Gates and Masters (2001): it removes vectors that are linear
// combinations of others in feature space and changes the coefficients of the others so that every decision value stays
// the same up to the tolerance. The paper finds dependent columns of the kernel matrix by row reduction; this function
// uses a Cholesky factorisation with diagonal pivoting, which stops at the tolerance.
//
// With a Gaussian kernel only equal vectors are dependent in theory; the tolerance determines how many more are
// removed. data, which may be nil, is for the report only. Errors are as for [Prune].
func Simplify(ctx context.Context, c *model.Classifier, data *dataset.Set, o SimplifyOptions) (*Result, error) {
	if c.Sparse() {
		in, sets, err := newNumbered(c, data)
		if err != nil {
			return nil, err
		}
		return in.result(Simplify(ctx, in.inner, sets[0], o))
	}
	if o.Tolerance == 0 {
		o.Tolerance = defaultTolerance
	}
	if !(o.Tolerance > 0 && o.Tolerance < 1) {
		return nil, fmt.Errorf("reduce: tolerance is %v, want a number between 0 and 1", o.Tolerance)
	}
	q, err := newPool(c)
	if err != nil {
		return nil, err
	}
	if err = o.Budget("reduce", q.n, q.d).Take(estimateMemory(q.n, o.Threads)); err != nil {
		return nil, err
	}
	r := &Result{Report: Report{Method: "downs", SVBefore: c.NumVectors(), Merged: len(q.merged)}}
	j := &job{given: c, opt: Options{Resources: o.Resources}, result: r}
	if err = j.load(data); err != nil {
		return nil, err
	}
	keep, coef, err := q.independent(ctx, o.Tolerance, parallel.Workers(o.Threads))
	if err != nil {
		return nil, err
	}
	r.SVAfter, r.Stopped = len(keep), fmt.Sprintf("tolerance %g", o.Tolerance)
	r.Order = slices.Clone(q.merged)
	for i, from := range q.from {
		if _, kept := slices.BinarySearch(keep, i); !kept {
			r.Order = append(r.Order, from)
		}
	}
	r.Classifier = c
	if len(r.Order) == 0 {
		r.Message = "nothing can be removed within " + r.Stopped
	} else {
		if r.Classifier, err = q.classifier(keep, coef, q.bias()); err != nil {
			return nil, err
		}
		r.PlattStale = r.Classifier.Parts().PlattStale
	}
	if j.data != nil {
		if err = j.losses(ctx); err != nil {
			return nil, err
		}
		if err = j.judge(ctx); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// independent returns the pool indices, ascending, of vectors of which the others are combinations, and their
// coefficients. With K ≈ GᵀG from the pivoted factorisation, S the vectors that stay and D the others,
//
//	c_S ← c_S + K_SS⁻¹·K_SD·c_D = c_S + G_S⁻¹·(G_D·c_D)
func (q *pool) independent(
	ctx context.Context, tolerance float64, threads int,
) (keep []int, coef []float64, err error) {
	n := q.n
	k := make([]float64, n*n)
	if err = q.gram(ctx, k, threads); err != nil {
		return nil, nil, err
	}
	var largest float64
	for i := range n {
		largest = max(largest, k[i*n+i])
	}
	if math.IsNaN(largest) || math.IsInf(largest, 0) {
		return nil, nil, fmt.Errorf("reduce: kernel values are not finite")
	}
	p, err := cholupdate.Pivot(ctx, k, n, n,
		cholupdate.PivotOptions{Threshold: tolerance * largest, Threads: threads, KeepFactor: true})
	if pivot := (*cholupdate.PivotError)(nil); errors.As(err, &pivot) {
		return nil, nil, fmt.Errorf("reduce: kernel values are not finite")
	}
	if err != nil {
		return nil, nil, err
	}
	s := len(p.Order)
	kept := make([]bool, n)
	for _, i := range p.Order {
		kept[i] = true
	}
	moved := make([]float64, s*q.m) // G_D·c_D, then G_S⁻¹ of it, by place in Order
	g := make([]float64, s*s)       // G_S, upper triangular
	for row := range s {
		gr := p.Rows[row*n : (row+1)*n]
		for place, i := range p.Order {
			g[row*s+place] = gr[i]
		}
		for i, ok := range kept {
			if !ok {
				for m := range q.m {
					moved[row*q.m+m] += gr[i] * q.coef[i*q.m+m]
				}
			}
		}
	}
	if err := dense.SolveUpper(ctx, threads, dense.Of(g, s, s, s), dense.Of(moved, s, q.m, q.m)); err != nil {
		return nil, nil, err
	}
	for _, r := range deal.Ascending(p.Order) {
		i := p.Order[r]
		keep = append(keep, i)
		for m := range q.m {
			coef = append(coef, q.coef[i*q.m+m]+moved[r*q.m+m])
		}
	}
	return keep, coef, nil
}
