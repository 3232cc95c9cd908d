package lssvm

import (
	"context"
	"errors"

	"github.com/sparsekm/sparsekm/cholupdate"
)

// GridPoint is one γ of [Dual.Grid] and its leave-one-out figures.
type GridPoint struct {
	GammaReg float64 `json:"gamma_reg"`
	Error    float64 `json:"loo_error"`   // weighted error rate
	Squared  float64 `json:"loo_squared"` // weighted mean of the squared residuals
}

// best is the γ with the smallest error; on ties, with the smallest squared residuals; then the first.
func best(grid []GridPoint) float64 {
	top := grid[0]
	for _, g := range grid[1:] {
		if g.Error < top.Error || g.Error == top.Error && g.Squared < top.Squared {
			top = g
		}
	}
	return top.GammaReg
}

// scan computes the leave-one-out residuals for every γ, each from its own inverse. An inverse costs 2n³ operations in
// large products, which stop within milliseconds of the context, and no more memory than the training for one γ. One
// eigendecomposition for all γ took as long as 100 inverses (gonum's, 1200 samples) and could not be stopped. A γ whose
// matrix is not positive definite is skipped; refused is the last such error.
func (k *kkt) scan(ctx context.Context, gammas []float64) (grid []GridPoint, refused, err error) {
	for _, gamma := range gammas {
		var pivot *cholupdate.PivotError
		err = k.invert(ctx, gamma)
		if errors.As(err, &pivot) {
			refused = err
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		var point GridPoint
		if point, err = k.gridPoint(ctx); err != nil {
			return nil, nil, err
		}
		grid = append(grid, point)
	}
	if len(grid) == 0 {
		return nil, nil, refused
	}
	return grid, refused, nil
}

func (k *kkt) gridPoint(ctx context.Context) (GridPoint, error) {
	bo := k.border()
	c, _, _, err := k.solve(ctx, bo)
	if err != nil {
		return GridPoint{}, err
	}
	r := k.leaveOneOut(c, bo)
	p := GridPoint{GammaReg: k.gamma, Error: k.errorRate(r)}
	for i, v := range r {
		p.Squared += k.copies[i].weight / k.Total * v * v
	}
	return p, nil
}
