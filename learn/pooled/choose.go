package pooled

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
)

const (
	// ridge is ρ of (1): it keeps the matrix definite when vectors coincide.
	ridge = 1e-9
	// dependent is the part of a candidate's own curvature that must be left beside those selected before it.
	dependent = 1e-10
)

// norm is K_zz + ρI.
func (m *Model) norm() []float64 {
	n := make([]float64, m.K*m.K)
	gram.Pack[float64](m.Kernel, m.Vectors, m.K, m.D).Cross(n, m.K, m.Vectors, m.K)
	for j := range m.K {
		n[j*(m.K+1)] += ridge
	}
	return n
}

// quadratic is (1) near a machine, of order K+1: matrix, and what is to be lowered by a step.
type quadratic struct {
	order int
	mat   []float64 // order×order, symmetric
}

// model adds the norm to the second derivatives of an output.
func (m *Model) model(norm, hess []float64, c float64) quadratic {
	q := quadratic{m.K + 1, make([]float64, (m.K+1)*(m.K+1))}
	for i := range q.order {
		for j := range i + 1 {
			v := c * hess[i*q.order+j]
			if i < m.K {
				v += norm[i*m.K+j]
			}
			q.mat[i*q.order+j], q.mat[j*q.order+i] = v, v
		}
	}
	if q.mat[q.order*q.order-1] == 0 { // no point is within the margin: the bias stays
		q.mat[q.order*q.order-1] = 1
	}
	return q
}

// downhill is C Σ β (k_i, 1) less the norm's gradient at z: minus the gradient of (1).
func (s *outputSums) downhill(z, norm []float64, c float64) []float64 {
	k := len(z) - 1
	g := make([]float64, k+1)
	for i := range s.side {
		dense.Axpy(c, s.side[i].grad, g[:k])
		g[k] += c * *s.side[i].beta
	}
	for j := range k {
		g[j] -= dense.Dot(norm[j*k:(j+1)*k], z[:k])
	}
	return g
}

// value is (1) at z.
func (s *outputSums) value(z, norm []float64, c float64) float64 {
	k := len(z) - 1
	v := c * (*s.side[0].loss + *s.side[1].loss)
	for j := range k {
		v += z[j] * dense.Dot(norm[j*k:(j+1)*k], z[:k]) / 2
	}
	return v
}

// choose selects up to most candidates at f = 0: the one that takes the most off the quadratic model, all outputs
// together, is next, until that is less than the part gain of what is left.
func (m *Model) choose(s sums, c, gain float64, most int) []int {
	q := m.model(m.norm(), s.of[0].hess, c)
	n := q.order
	left := 0.0
	right, diag, own := make([][]float64, len(s.of)), make([]float64, n), make([]float64, n)
	for o := range right {
		right[o] = s.of[o].downhill(make([]float64, n), make([]float64, m.K*m.K), c)
		left += c * (*s.of[o].side[0].loss + *s.of[o].side[1].loss)
	}
	for j := range n {
		diag[j] = q.mat[j*(n+1)]
		own[j] = diag[j]
	}
	var factor [][]float64 // rows of Lᵀ for those taken
	take := func(p int) {
		row, l := make([]float64, n), math.Sqrt(diag[p])
		copy(row, q.mat[p*n:(p+1)*n])
		for _, f := range factor {
			dense.Axpy(-f[p], f, row)
		}
		for j := range row {
			row[j] /= l
			diag[j] -= row[j] * row[j]
		}
		for _, r := range right {
			z := r[p] / l
			left -= z * z / 2
			dense.Axpy(-z, row, r)
		}
		factor, diag[p] = append(factor, row), 0
	}
	take(m.K) // the bias
	var chosen []int
	for len(chosen) < most {
		best, by := -1, 0.0
		for j := range m.K {
			if !(diag[j] > dependent*own[j]) {
				continue
			}
			var off float64
			for _, r := range right {
				off += r[j] * r[j] / (2 * diag[j])
			}
			if off > by {
				best, by = j, off
			}
		}
		if best < 0 || !(by >= gain*left) {
			break
		}
		take(best)
		chosen = append(chosen, best)
	}
	return chosen
}

// of is the machine of some of the vectors, at f = 0.
func (m *Model) of(chosen []int) *Model {
	r := *m
	r.K, r.Vectors = len(chosen), make([]float64, 0, len(chosen)*m.D)
	for _, j := range chosen {
		r.Vectors = append(r.Vectors, m.Vectors[j*m.D:(j+1)*m.D]...)
	}
	r.Coef, r.Bias = make([]float64, r.K*len(m.Bias)), make([]float64, len(m.Bias))
	return &r
}

// restrict is the sums at f = 0 that the chosen vectors alone would have.
func (s *outputSums) restrict(hess []float64, chosen []int) outputSums {
	k, all := len(chosen), len(s.side[0].grad)
	r := view(make([]float64, Length(k, 1)), k, 1).of[0]
	at := func(i int) int {
		if i < k {
			return chosen[i]
		}
		return all
	}
	for i := range s.side {
		*r.side[i].loss, *r.side[i].beta, *r.side[i].betaY = *s.side[i].loss, *s.side[i].beta, *s.side[i].betaY
		for j := range k {
			r.side[i].grad[j] = s.side[i].grad[chosen[j]]
		}
	}
	for i := range k + 1 {
		for j := range i + 1 {
			hi, lo := max(at(i), at(j)), min(at(i), at(j))
			r.hess[i*(k+1)+j] = hess[hi*(all+1)+lo]
		}
	}
	return r
}

// solve overwrites g with the step that leads to the minimum of the model. Where rounding makes the matrix indefinite,
// the diagonal gets what rounding may have taken.
func (q quadratic) solve(ctx context.Context, g []float64) error {
	factor := slices.Clone(q.mat)
	err := cholupdate.Cholesky(ctx, factor, q.order, q.order, 1)
	if pivot := (*cholupdate.PivotError)(nil); errors.As(err, &pivot) {
		factor = slices.Clone(q.mat)
		for i := range q.order {
			factor[i*(q.order+1)] *= 1 + float64(q.order+1)*0x1p-48
		}
		err = cholupdate.Cholesky(ctx, factor, q.order, q.order, 1)
	}
	if err != nil {
		return fmt.Errorf("pooled: the vectors' equations: %w", err)
	}
	return back(ctx, factor, g)
}

// back overwrites x with (L Lᵀ)⁻¹ x.
func back(ctx context.Context, l, x []float64) error {
	n := len(x)
	lower, b := dense.Of(l, n, n, n), dense.Of(x, n, 1, 1)
	if err := dense.SolveLower(ctx, 1, lower, b); err != nil {
		return err
	}
	return dense.SolveUpper(ctx, 1, lower.T(), b)
}
