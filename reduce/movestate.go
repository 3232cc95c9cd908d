package reduce

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/centres"
)

const (
	drawnShare = 7    // samples drawn for each that there is
	drawnMost  = 8000 // samples up to which some are drawn
	leastCount = 0.1  // what a sample counts where the given model decides nothing
	sided      = 2    // a target that asks for a side; see centres.Follow
)

// state makes the problem: samples, what the given models decide there, and what each counts.
func (v *mover) state(ctx context.Context, most int) error {
	q := v.pool
	e := v.data
	if e == nil {
		e = &evaluated{x: q.vectors, n: q.n}
	}
	n := e.n
	loss, price := centres.Follow, movePrice
	if v.values {
		loss, price = centres.Squared, valuePrice
	}
	if v.teacher == nil {
		n += max(0, min(drawnShare*e.n, drawnMost-e.n))
	}
	p := &centres.Problem{N: n, D: q.d, Kernel: q.parts.Kernel, Outputs: q.m, Loss: loss,
		Widths: centres.Each, Penalty: price, Threads: v.opt.Threads}
	if v.opt.OneWidth {
		p.Widths = centres.One
	}
	v.problem = p
	submodels := 2 * 8 * int64(most+1) * int64(q.d+q.m) // the best of the searches so far, and the one under way
	bytes := centres.Bytes(p, most) + 8*int64(n)*int64(q.d+3*q.m+2) + submodels
	if err := v.opt.Budget("reduce", n, q.d).Take(bytes); err != nil {
		return err
	}
	y := e.y
	if y == nil && v.teacher != nil {
		y = v.taught()
	}
	if v.values {
		y = make([]int, e.n) // of one kind
	}
	if y == nil {
		var err error
		if y, err = e.classes(ctx, v.given, v.opt.Threads); err != nil {
			return err
		}
	}
	p.X, v.class = v.draw(e.x[:e.n*q.d], y, n)
	follow := func() error { return v.follow(ctx, len(y)) }
	if v.values {
		follow = func() error { return v.followValues(ctx) }
	}
	if err := follow(); err != nil {
		return err
	}
	if v.values {
		return nil
	}
	var total float64
	for _, w := range p.Weight {
		total += w
	}
	p.Norm = max(moveNorm*total/float64(len(y)*p.Outputs), math.SmallestNonzeroFloat64)
	return nil
}

// draw returns the samples x of classes y with others up to n, each on the line from one of them towards another, at
// most half way, and of the first one's class.
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

// follow sets targets and weights: the decisions of the given models at the samples of their two classes, with data
// their sides. The first own samples have labels if the data has.
func (v *mover) follow(ctx context.Context, own int) error {
	p, submodels := v.problem, v.pool.parts.Submodels
	labelled := v.data != nil && v.data.y != nil
	f := v.teacher
	if f == nil {
		f = make([]float64, p.N*len(submodels))
		given := plain(v.given)
		e := &evaluated{x: p.X, n: p.N}
		if err := e.each(ctx, given, func(lo, hi int, x []float64) {
			given.DecideBatch(f[lo*len(submodels):hi*len(submodels)], x, hi-lo, v.opt.Threads)
		}); err != nil {
			return err
		}
	}
	p.Target, p.Weight = make([]float64, p.N*p.Outputs), make([]float64, p.N*p.Outputs)
	for o := range submodels {
		for i := range p.N {
			t, s := f[i*len(submodels)+o], side(&submodels[o], v.class[i])
			weight := math.Abs(s)
			if v.data != nil {
				weight *= leastCount + min(1, math.Abs(t))
				if labelled && i < own && t*s < 0 {
					t, weight = s, leastCount
				}
				t = math.Copysign(sided, t)
			}
			p.Target[o*p.N+i], p.Weight[o*p.N+i] = t, weight
		}
	}
	return nil
}

// squaredNorm is Σ_o ‖F_o − b_o‖² of the models in the feature space.
func (q *pool) squaredNorm(ctx context.Context) (sum float64, err error) {
	own := make([][]float64, q.m)
	for o := range own {
		own[o] = make([]float64, q.n)
		for i := range own[o] {
			own[o][i] = q.coef[i*q.m+o]
		}
	}
	submodels := gram.Pack[float64](q.parts.Kernel, q.vectors, q.n, q.d).Expand(own...)
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
