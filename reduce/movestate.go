package reduce

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/centres"
	"github.com/sparsekm/sparsekm/internal/dense"
)

const (
	drawnShare = 7    // drawn samples for each given one
	drawnMost  = 8000 // most samples together with drawn ones
	minWeight  = 0.1  // weight of a sample whose decision value is 0
	sided      = 2    // a target whose sign counts alone; see centres.Follow
)

// state makes the problem: samples, targets and weights.
func (v *mover) state(ctx context.Context, limit int) error {
	q := v.pool
	e := v.data
	if e == nil {
		e = &evaluated{x: q.vectors, n: q.n}
	}
	n := e.n
	loss, penalty := centres.Follow, movePenalty
	if v.values {
		loss, penalty = centres.Squared, valuePenalty
	}
	n += max(0, min(drawnShare*e.n, drawnMost-e.n))
	p := &centres.Problem{N: n, D: q.d, Kernel: q.parts.Kernel, Outputs: q.m, Loss: loss,
		Widths: centres.Each, Penalty: penalty, Threads: v.opt.Threads}
	if v.opt.OneWidth {
		p.Widths = centres.One
	}
	v.problem = p
	submodels := 2 * 8 * int64(limit+1) * int64(q.d+q.m) // the best search so far, and the current one
	bytes := centres.Bytes(p, limit) + 8*int64(n)*int64(q.d+3*q.m+2) + submodels
	if err := v.opt.Budget("reduce", n, q.d).Take(bytes); err != nil {
		return err
	}
	y := e.y
	if v.values {
		y = make([]int, e.n) // regression: one class
	}
	if y == nil {
		before, err := e.outcome(ctx, v.given, v.opt.Threads)
		if err != nil {
			return err
		}
		y = before.class
	}
	p.X, v.class = v.draw(e.x[:e.n*q.d], y, n)
	before, err := (&evaluated{x: p.X, n: p.N}).outcome(ctx, v.given, v.opt.Threads)
	if err != nil {
		return err
	}
	if v.values {
		return v.followValues(ctx, before.f)
	}
	v.follow(before.f, len(y))
	p.Norm = max(moveNorm*dense.Sum(p.Weight)/float64(len(y)*p.Outputs), math.SmallestNonzeroFloat64)
	return nil
}

// draw adds samples to x, with classes y, until there are n: each lies on the line from one sample towards another, at
// most half way, and has the class of the first.
func (v *mover) draw(x []float64, y []int, n int) ([]float64, []int) {
	d, own := v.pool.d, len(y)
	x, y = slices.Grow(slices.Clone(x), (n-own)*d), slices.Clone(y)
	for len(y) < n {
		i, j, t := v.rng.IntN(own), v.rng.IntN(own), v.rng.Float64()/2
		for k := range d {
			x = append(x, x[i*d+k]+t*(x[j*d+k]-x[i*d+k]))
		}
		y = append(y, y[i])
	}
	return x, y
}

// follow sets targets and weights of the classes: the decision values of the given model, with data their signs. The
// first own samples have labels if the data has.
func (v *mover) follow(f []float64, own int) {
	p, submodels := v.problem, v.pool.parts.Submodels
	labelled := v.data != nil && v.data.y != nil
	p.Target, p.Weight = make([]float64, p.N*p.Outputs), make([]float64, p.N*p.Outputs)
	for o := range submodels {
		for i := range p.N {
			t, s := f[i*len(submodels)+o], side(&submodels[o], v.class[i])
			weight := math.Abs(s)
			if v.data != nil {
				weight *= minWeight + min(1, math.Abs(t))
				if labelled && i < own && t*s < 0 {
					t, weight = s, minWeight
				}
				t = math.Copysign(sided, t)
			}
			p.Target[o*p.N+i], p.Weight[o*p.N+i] = t, weight
		}
	}
}

// followValues sets the targets to the predictions of the given model, in standard deviations from their
// mean: descents and tolerances know no other unit. It sets the weight of the norm by the given model's norm, in
// its own deviations.
func (v *mover) followValues(ctx context.Context, f []float64) error {
	p := v.problem
	p.Target, p.Weight = f, make([]float64, p.N)
	norm, err := v.pool.squaredNorm(ctx)
	if err != nil {
		return err
	}
	v.unit, v.mean = deviation(f), dense.Sum(f)/float64(p.N)
	p.Norm = min(max(valueNorm*float64(p.N)/(norm/v.unit/v.unit), math.SmallestNonzeroFloat64), math.MaxFloat64)
	for i, f := range p.Target {
		p.Target[i], p.Weight[i] = (f-v.mean)/v.unit, 1
	}
	return nil
}

// squaredNorm returns Σ_o ‖F_o − b_o‖² of the submodels in the feature space.
func (q *pool) squaredNorm(ctx context.Context) (sum float64, err error) {
	own := make([]float64, q.m*q.n) // a row each submodel
	dense.Transpose(own, q.coef, q.m, q.n)
	submodels := gram.Pack[float64](q.parts.Kernel, q.vectors, q.n, q.d).Expand(slices.Collect(slices.Chunk(own, q.n))...)
	const rows = 64
	f := make([]float64, rows*q.m)
	for lo := 0; lo < q.n; lo += rows {
		if err = ctx.Err(); err != nil {
			return 0, err
		}
		n := min(rows, q.n-lo)
		submodels.Eval(f, q.vectors[lo*q.d:(lo+n)*q.d], n)
		for i, value := range f[:n*q.m] {
			sum += q.coef[lo*q.m+i] * value
		}
	}
	return sum, nil
}
