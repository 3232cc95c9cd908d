package svc

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
)

// decisions returns f of the samples for [recompute]: in double precision where f decides about the objectives or the
// violation, else from the gradient of the solver, whose kernel values are in single precision.
//
// The objectives have terms of support vectors and of samples with a loss. A sample is neither if its coefficient is 0
// and, for each of its variables, f + p is so far on the side without loss that no error can change the side: by more
// than the bound of [run.decisionError]. All it adds is 0, whichever f it has. The violation is a difference of two
// extremes. A sample whose variables stay more than the bound below the one extreme, and above the other, is neither.
//
// The bound is proved. Nevertheless it is compared with every f that is known twice; if one exceeded it, all samples
// would be evaluated.
func decisions(ctx context.Context, p *learn.Problem, rows []int, run *run, r *learn.Result) []float64 {
	bound := run.decisionError()
	if math.IsInf(bound, 1) {
		return p.Decisions(ctx, &r.Expansion, rows)
	}
	d := &doubled{q: run.q, a: run.sol.A, f: make([]float64, len(rows)), exact: make([]bool, len(rows)), bound: bound}
	for k := range rows {
		d.f[k] = run.sol.G[k] - run.q.P[k] - run.sol.Rho
	}
	near := d.near()
	if sums := amongSupport(ctx, p, &r.Expansion); sums != nil {
		near = d.take(near, run.sol.A, sums, r.Bias)
	}
	if !d.evaluate(ctx, p, rows, r, near) || !d.evaluate(ctx, p, rows, r, d.extreme(r.Bias)) {
		return p.Decisions(ctx, &r.Expansion, rows)
	}
	return d.f
}

// decisionError bounds the difference between f by the solver's gradient and f in double precision, for any sample. A
// gradient is Σ a k + p, so errors of kernel values of at most ε add up to ε Σ|a|. To that come the roundings of the
// solver's sums, and of Σ a k, −p and −ρ afterwards: each is a share 2⁻⁵³ of a number of at most Σ|a| + |p| + |ρ|. The
// errors of kernel values in double precision are a share 2⁻²⁹ of the others, and are part of the bound's 1 %. It is
// +Inf where it is unknown.
func (r *run) decisionError() float64 {
	if r.bound == nil || r.bits != 32 {
		return math.Inf(1)
	}
	var size, largest float64
	support := 0
	for v, a := range r.sol.A {
		size += math.Abs(a)
		largest = max(largest, math.Abs(r.q.P[v]))
		if a != 0 {
			support++
		}
	}
	sums := 0x1p-52 * float64(support+8) * (size + largest + math.Abs(r.sol.Rho))
	return r.bound()*size + r.q.Rounding(r.sol) + sums
}

// decide passes on f of the samples by the solver's gradient, where the error has a bound.
func (r *run) decide(p *learn.Problem, rows []int, result *learn.Result) {
	bound := r.decisionError()
	if len(r.sol.G) != len(rows) || math.IsInf(bound, 1) {
		return
	}
	values := slices.Repeat([]float64{math.NaN()}, p.N)
	for k, i := range rows {
		values[i] = r.sol.G[k] - r.q.P[k] - r.sol.Rho
	}
	result.Decided(values, bound)
}

// doubled holds f of each sample, some of them in double precision.
type doubled struct {
	q     *smo.Pair
	a     []float64
	f     []float64 // within bound of that in double precision
	exact []bool    // f is in double precision
	bound float64
}

// near returns the samples whose f may change an objective.
func (d *doubled) near() (near []int) {
	n := len(d.f)
	for k, f := range d.f {
		for v := k; v < len(d.a); v += n {
			t := f + d.q.P[v]
			if clear := (d.q.Hi[v] <= 0 || t > d.bound) && (d.q.Lo[v] >= 0 || t < -d.bound); d.a[v] != 0 || !clear {
				near = append(near, k)
				break
			}
		}
	}
	return near
}

// extreme returns the other samples whose f may change an extreme of the gradient without the bias, −w − p.
func (d *doubled) extreme(bias float64) (extreme []int) {
	up, low := math.Inf(-1), math.Inf(1)
	for v := 0; v < len(d.a); v += len(d.f) {
		for k, f := range d.f {
			if d.exact[k] {
				g := bias - f - d.q.P[v+k]
				if d.a[v+k] < d.q.Hi[v+k] {
					up = max(up, g)
				}
				if d.a[v+k] > d.q.Lo[v+k] {
					low = min(low, g)
				}
			}
		}
	}
	for v := 0; v < len(d.a); v += len(d.f) {
		for k, f := range d.f {
			g := bias - f - d.q.P[v+k]
			outside := !(g+d.bound <= up) && d.a[v+k] < d.q.Hi[v+k] || !(g-d.bound >= low) && d.a[v+k] > d.q.Lo[v+k]
			if outside && !d.exact[k] && (len(extreme) == 0 || extreme[len(extreme)-1] != k) {
				extreme = append(extreme, k)
			}
		}
	}
	return extreme
}

// take sets f of the support vectors from their sums of kernel values, and returns the others of places.
func (d *doubled) take(places []int, a, sums []float64, bias float64) (rest []int) {
	n, s := len(d.f), 0
	for k := range d.f {
		if coefficient(a, n, k) != 0 {
			d.f[k], d.exact[k] = sums[s]+bias, true
			s++
		}
	}
	for _, k := range places {
		if !d.exact[k] {
			rest = append(rest, k)
		}
	}
	return rest
}

// evaluate computes f of the samples at places, indices of rows, in double precision. It returns false if the bound
// does not hold.
func (d *doubled) evaluate(ctx context.Context, p *learn.Problem, rows []int, r *learn.Result, places []int) bool {
	some := p.Decisions(ctx, &r.Expansion, deal.Pick(rows, places))
	ended := ctx.Err() != nil
	for s, f := range some {
		if k := places[s]; !(math.Abs(f-d.f[k]) <= d.bound) && !ended {
			return false
		}
		d.f[places[s]], d.exact[places[s]] = f, true
	}
	return true
}

// amongSupport returns Σ_t coef[t]·k(x_s, x_t) for each support vector s. Each kernel value serves two sums. It returns
// nil where that does not pay or takes too much memory, and if ctx ends.
func amongSupport(ctx context.Context, p *learn.Problem, e *learn.Expansion) []float64 {
	const (
		least, most     = 512, 4 << 20 // support vectors, and bytes of their features
		height, columns = 32, 512      // of a tile: 128 KiB stay in a second-level cache
	)
	n := len(e.Support)
	if n < least || 8*n*p.D > most || !p.Kernel.Vectorised() {
		return nil
	}
	pts := gram.Pack[float64](p.Kernel, p.Samples(e.Support), n, p.D)
	idx := deal.All(n)
	sums, direct := make([]float64, n), make([]float64, (n+columns-1)/columns*height)
	tiles := make([][]float64, parallel.Workers(p.Threads))
	for begin := 0; begin < n; begin += height {
		if ctx.Err() != nil {
			return nil
		}
		end := min(begin+height, n)
		strips := (n - begin + columns - 1) / columns
		parallel.For(p.Threads, strips, func(w, b int) {
			if tiles[w] == nil {
				tiles[w] = make([]float64, height*columns)
			}
			lo := begin + b*columns
			hi := min(lo+columns, n)
			pts.Tile(tiles[w], columns, idx[begin:end], lo, hi)
			dense.MulVec(direct[b*height:][:end-begin], tiles[w], columns, e.Coef[lo:hi])
			if from := max(lo, end); from < hi {
				var rows [height][]float64
				for r := range end - begin {
					rows[r] = tiles[w][r*columns+from-lo:][:hi-from]
				}
				dense.AddGathered(sums[from:hi], e.Coef[begin:end], rows[:end-begin])
			}
		})
		for b := range strips {
			dense.Axpy(1, direct[b*height:][:end-begin], sums[begin:end])
		}
	}
	return sums
}
