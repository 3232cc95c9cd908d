package lssvm

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
)

// GridPoint is one γ of [Dual.Grid] and its leave-one-out figures.
type GridPoint struct {
	Gamma   float64 `json:"gamma_reg"`
	Error   float64 `json:"loo_error"`   // weighted error rate
	Squared float64 `json:"loo_squared"` // weighted mean of the squared residuals
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
	return top.Gamma
}

// scan computes the leave-one-out residuals for every γ from one
// eigendecomposition: with the weights W and W^½ K W^½ = U Λ U',
//
//	A⁻¹ = W^½ U (Λ + I/γ)⁻¹ U' W^½,
//
// of which a γ needs the diagonal and the products with 1 and y.
func (t *task) scan(gammas []float64) ([]GridPoint, error) {
	k, err := t.matrix()
	if err != nil {
		return nil, err
	}
	n := t.n
	for i, v := range t.root {
		for j, w := range t.root {
			k.a[i*n+j] *= v * w
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(mat.NewSymDense(n, k.a), true) {
		return nil, errors.New("lssvm: the kernel matrix has no eigendecomposition that converges")
	}
	lambda := eigen.Values(nil)
	var u mat.Dense
	eigen.VectorsTo(&u)
	uy, u1 := make([]float64, n), make([]float64, n) // U'W^½ y and U'W^½ 1
	for i := range n {
		for j, v := range u.RawRowView(i) {
			uy[j] += v * t.root[i] * t.y[i]
			u1[j] += v * t.root[i]
		}
	}
	grid := make([]GridPoint, len(gammas))
	for g, gamma := range gammas {
		grid[g] = t.gridPoint(gamma, lambda, &u, uy, u1)
	}
	return grid, nil
}

func (t *task) gridPoint(gamma float64, lambda []float64, u *mat.Dense, uy, u1 []float64) GridPoint {
	var yy, oneSum float64 // 1'A⁻¹y and 1'A⁻¹1
	inverse := make([]float64, t.n)
	for j, l := range lambda {
		inverse[j] = 1 / (math.Max(l, 0) + 1/gamma)
		yy += u1[j] * inverse[j] * uy[j]
		oneSum += u1[j] * inverse[j] * u1[j]
	}
	b := yy / oneSum
	r := make([]float64, t.n)
	p := GridPoint{Gamma: gamma}
	for i := range r {
		var a, eta, h float64
		for j, v := range u.RawRowView(i) {
			s := v * inverse[j]
			a += s * (uy[j] - b*u1[j])
			eta += s * u1[j]
			h += s * v
		}
		w := t.root[i]
		r[i] = w * a / (w*w*h - w*w*eta*eta/oneSum)
		p.Squared += t.w[i] / t.total * r[i] * r[i]
	}
	p.Error = errorRate(t, r)
	return p
}
