package pooled

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/centres"
	"github.com/sparsekm/sparsekm/internal/dense"
)

// dependent is the share of a candidate's own curvature that the vectors selected before it must leave.
const dependent = 1e-10

// norm is K_zz + ρI.
func (m *Model) norm() []float64 {
	n := make([]float64, m.K*m.K)
	gram.Pack[float64](m.Kernel, m.Vectors, m.K, m.D).Cross(n, m.K, m.Vectors, m.K)
	for j := range m.K {
		n[j*(m.K+1)] += centres.Ridge
	}
	return n
}

// quadratic is the matrix of the quadratic model of (1) at a model, of order K+1.
type quadratic struct {
	order int
	mat   []float64 // order×order, symmetric
}

// model adds the norm to the second derivatives hess of an output.
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
	if q.mat[q.order*q.order-1] == 0 { // no sample is within the margin: leave the bias
		q.mat[q.order*q.order-1] = 1
	}
	return q
}

// downhill is minus the gradient of (1) at z: C Σ β (k_i, 1) less the gradient of the norm.
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

// choose selects up to most candidates at f = 0. The next is the one that decreases the quadratic model most, over all
// outputs, until the decrease is less than the share gain of the rest.
func (m *Model) choose(s sums, c, gain float64, limit int) []int {
	q := m.model(m.norm(), s.outputs[0].hess, c)
	n := q.order
	left := 0.0
	right, diag, own := make([][]float64, len(s.outputs)), make([]float64, n), make([]float64, n)
	for o := range right {
		right[o] = s.outputs[o].downhill(make([]float64, n), make([]float64, m.K*m.K), c)
		left += c * (*s.outputs[o].side[0].loss + *s.outputs[o].side[1].loss)
	}
	for j := range n {
		diag[j] = q.mat[j*(n+1)]
		own[j] = diag[j]
	}
	var factor [][]float64 // rows of Lᵀ for the selected ones
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
		factor = append(factor, row)
		diag[p] = 0
	}
	take(m.K) // the bias
	var chosen []int
	for len(chosen) < limit {
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

// of is the model f = 0 over the chosen vectors.
func (m *Model) of(chosen []int) *Model {
	r := *m
	r.K, r.Vectors = len(chosen), make([]float64, 0, len(chosen)*m.D)
	for _, j := range chosen {
		r.Vectors = append(r.Vectors, m.Vectors[j*m.D:(j+1)*m.D]...)
	}
	r.Coef, r.Bias = make([]float64, r.K*len(m.Bias)), make([]float64, len(m.Bias))
	return &r
}

// restrict returns the sums at f = 0 for the chosen vectors alone.
func (s *outputSums) restrict(hess []float64, chosen []int) outputSums {
	k, all := len(chosen), len(s.side[0].grad)
	r := view(make([]float64, Length(k, 1)), k, 1).outputs[0]
	valueOf := func(i int) int {
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
			hi, lo := max(valueOf(i), valueOf(j)), min(valueOf(i), valueOf(j))
			r.hess[i*(k+1)+j] = hess[hi*(all+1)+lo]
		}
	}
	return r
}

// solve overwrites g with the step to the minimum of the model. If rounding makes the matrix indefinite, its diagonal
// is increased by the size of rounding.
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
	return centres.SolveFactored(ctx, factor, g)
}
