package reduce

import (
	"context"
	"slices"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/model"
)

// RefitRule says when the remaining coefficients are fitted again.
type RefitRule uint8

const (
	NoRefit     RefitRule = iota // never
	RefitBetter                  // if that gives less hinge loss on the data and no more errors on the validation data
	Refit                        // always
)

// fitAgain replaces the result by a refitted model, as the rule says.
func (j *job) fitAgain(ctx context.Context, p *path, keep []int, coef []float64) error {
	order := int64(len(keep) + 1)
	bytes := estimateMemory(p.n, j.opt.Threads) + 8*order*order + 8*chunk*(order+2*int64(p.m))
	if err := j.opt.Budget("reduce", p.n, p.d).Take(bytes); err != nil {
		if j.opt.Refit == RefitBetter {
			return nil
		}
		return err
	}
	before, now, err := j.outcomes(ctx, j.result.Classifier, j.data)
	if err != nil {
		return err
	}
	miss := slices.Clone(before.f)
	for i, f := range now.f {
		miss[i] -= f
	}
	coef, bias, err := p.refit(ctx, j.data.x, miss, keep, coef)
	if err != nil {
		return err
	}
	fitted, err := p.classifier(keep, coef, bias)
	if err != nil {
		return err
	}
	if j.opt.Refit == RefitBetter {
		var better bool
		if better, err = j.better(ctx, fitted, j.result.Classifier); err != nil || !better {
			return err
		}
	}
	j.result.Classifier, j.result.Refit = fitted, "least squares to the given model's decisions on the data"
	return nil
}

// better reports whether a has a smaller hinge loss than b on the data, and no more errors on the validation data.
func (j *job) better(ctx context.Context, a, b *model.Classifier) (bool, error) {
	var loss, wrong [2]float64
	for i, c := range []*model.Classifier{a, b} {
		m, err := j.compare(ctx, c, j.validation)
		if err != nil {
			return false, err
		}
		wrong[i] = m.ErrorAfter
		if loss[i], err = j.hinge(ctx, c); err != nil {
			return false, err
		}
	}
	return loss[0] < loss[1] && wrong[0] <= wrong[1], nil
}

// refitRidge is the weight ρ of the distance from the projected coefficients.
const refitRidge = 1e-4

// refit moves coefficients and bias of each submodel to the minimum of
//
//	1/N Σ_n (Σ_s c_s k(x_n, z_s) + b − F(x_n))² + ρ (c−c0)ᵀ(K_SS+λI)(c−c0)
//
// where F is the given model's decision value and c0 the coefficients after the removal. With their residual
// e = F − F0 at samples x, the changes solve one system for all submodels:
//
//	(AᵀA/N + ρ diag(K_SS+λI, λ)) [Δc; Δb] = Aᵀe/N,   A = [K_NS 1]
func (p *path) refit(ctx context.Context, x, e []float64, keep []int, coef []float64) (c, bias []float64, err error) {
	s, samples := len(keep), len(e)/p.m
	order, rows := s+1, min(chunk, samples)
	vectors := p.pack(keep)
	a, right := make([]float64, order*order), make([]float64, order*p.m)
	k := make([]float64, rows*order)
	for lo := 0; lo < samples; lo += rows {
		n := min(rows, samples-lo)
		vectors.Cross(k, order, x[lo*p.d:(lo+n)*p.d], n)
		for q := range n {
			k[q*order+s] = 1
		}
		kn, miss := dense.Of(k, n, order, order), dense.Of(e[lo*p.m:(lo+n)*p.m], n, p.m, p.m)
		if err = dense.MulLower(ctx, p.threads, 1, kn.T(), kn, dense.Of(a, order, order, order)); err != nil {
			return nil, nil, err
		}
		if err = dense.Mul(ctx, p.threads, 1, kn.T(), miss, dense.Of(right, order, p.m, p.m)); err != nil {
			return nil, nil, err
		}
	}
	p.addRidge(a, keep, float64(samples))
	if err = cholupdate.Cholesky(ctx, a, order, order, p.threads); err != nil {
		return nil, nil, explain(err, p.lambda)
	}
	l, b := dense.Of(a, order, order, order), dense.Of(right, order, p.m, p.m)
	if err = dense.SolveLower(ctx, p.threads, l, b); err == nil {
		err = dense.SolveUpper(ctx, p.threads, l.T(), b)
	}
	c, bias = slices.Clone(coef), p.bias()
	for i := range c {
		c[i] += right[i]
	}
	for i := range bias {
		bias[i] += right[s*p.m+i]
	}
	return c, bias, err
}

// addRidge adds N·ρ·diag(K_SS+λI, λ) to the normal matrix.
func (p *path) addRidge(a []float64, keep []int, n float64) {
	s := len(keep)
	vectors := p.pack(keep)
	row := make([]float64, s)
	for i := range s {
		vectors.Row(row, i)
		for j := range i + 1 {
			a[i*(s+1)+j] += n * refitRidge * row[j]
		}
		a[i*(s+1)+i] += n * refitRidge * p.lambda
	}
	a[s*(s+1)+s] += n * refitRidge * p.lambda
}
