package lssvm

import (
	"context"
	"errors"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/sparsekm/sparsekm/learn/internal/leastsq"
)

// GridPoint is one γ of [Dual.Grid] and its leave-one-out figures.
type GridPoint struct {
	GammaReg float64 `json:"gamma_reg"`
	Error    float64 `json:"loo_error"`   // weighted error rate
	Squared  float64 `json:"loo_squared"` // weighted mean of the squared residuals
}

// best is the grid point with the smallest error; if equal, the smallest squared
// residuals; if equal, the first.
func best(grid []GridPoint) float64 {
	top := grid[0]
	for _, g := range grid[1:] {
		if g.Error < top.Error || g.Error == top.Error && g.Squared < top.Squared {
			top = g
		}
	}
	return top.GammaReg
}

// spectrum is the eigendecomposition W^½ K W^½ = U Λ U' with the weights W.
type spectrum struct {
	*leastsq.Task
	lambda []float64
	u      *mat.Dense
	uy, u1 []float64 // U'W^½ y and U'W^½ 1
}

// scan computes the leave-one-out residuals for every γ from one
// eigendecomposition:
//
//	A⁻¹ = W^½ U (Λ + I/γ)⁻¹ U' W^½,
//
// of which a γ needs the diagonal and the products with 1 and y. It works in a,
// which has room for N×N, and returns the time that the kernel values took.
func scan(ctx context.Context, t *leastsq.Task, gammas, a []float64) ([]GridPoint, time.Duration, error) {
	spent, err := kernelMatrix(ctx, t, a)
	if err != nil {
		return nil, 0, err
	}
	s, err := newSpectrum(ctx, t, a)
	if err != nil {
		return nil, 0, err
	}
	grid := make([]GridPoint, len(gammas))
	for g, gamma := range gammas {
		if ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		grid[g] = s.gridPoint(gamma)
	}
	return grid, spent, nil
}

// newSpectrum decomposes the kernel matrix in a and leaves U there. Gonum's
// decomposition, n³ operations in one call, is the one step that no context ends.
func newSpectrum(ctx context.Context, t *leastsq.Task, a []float64) (*spectrum, error) {
	n := t.N
	for i, v := range t.Root {
		for j, w := range t.Root {
			a[i*n+j] *= v * w
		}
	}
	var eigen mat.EigenSym // it copies the matrix, so that a is free for the vectors
	if !eigen.Factorize(mat.NewSymDense(n, a), true) {
		return nil, errors.New("lssvm: the kernel matrix has no eigendecomposition that converges")
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	s := &spectrum{Task: t, lambda: eigen.Values(nil), u: mat.NewDense(n, n, a)}
	s.uy, s.u1 = make([]float64, n), make([]float64, n)
	eigen.VectorsTo(s.u)
	for i := range n {
		for j, v := range s.u.RawRowView(i) {
			s.uy[j] += v * t.Root[i] * t.Y[i]
			s.u1[j] += v * t.Root[i]
		}
	}
	return s, nil
}

func (s *spectrum) gridPoint(gamma float64) GridPoint {
	var yy, oneSum float64 // 1'A⁻¹y and 1'A⁻¹1
	inverse := make([]float64, s.N)
	for j, l := range s.lambda {
		inverse[j] = 1 / (math.Max(l, 0) + 1/gamma)
		yy += s.u1[j] * inverse[j] * s.uy[j]
		oneSum += s.u1[j] * inverse[j] * s.u1[j]
	}
	b := yy / oneSum
	r := make([]float64, s.N)
	p := GridPoint{GammaReg: gamma}
	for i := range r {
		var a, eta, h float64
		for j, v := range s.u.RawRowView(i) {
			q := v * inverse[j]
			a += q * (s.uy[j] - b*s.u1[j])
			eta += q * s.u1[j]
			h += q * v
		}
		w := s.Root[i]
		r[i] = w * a / (w*w*h - w*w*eta*eta/oneSum)
		p.Squared += s.W[i] / s.Total * r[i] * r[i]
	}
	p.Error = errorRate(s.Task, r)
	return p
}
