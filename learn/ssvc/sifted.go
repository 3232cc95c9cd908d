package ssvc

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/smo/boxqp"
	"github.com/sparsekm/sparsekm/status"
)

// The first rounds of a large training have nearly all columns, but few rows with multipliers. So their programs are
// solved over the rows inside: those with losses, and those whose margins are near their edges. All other rows have the
// multiplier 0. A bound proves of nearly all of them that they have no loss; of the others f is evaluated. Rows with
// losses join, and the program is solved again, until the gap over all rows is small enough. It and the violation are
// those of all rows. As soon as few columns are left, all rows are stored.

// sifted is the penalty of [diagonal] over rows that are sifted exactly, for kernels with 0 ≤ k ≤ 1.
type sifted struct {
	*diagonal // of the rows inside, and of all rows at the end
	m         *quadratic
	p         *learn.Problem
	whole     bool // all rows are inside, in their order
	inside    []int
	met       []bool                 // row → it is inside
	*streamed                        // the columns, all samples at first
	rough     *gram.Samples[float32] // the same in single precision, nil if its error has no bound
	each      float64                // largest error of a rough kernel value
	excess    []float64              // row → y f − edge as it was evaluated last
	known                            // what is proved of the rows outside
	spent     time.Duration          // on kernel values
}

// known says that row r has y f − edge ≥ min[r] − ‖α − coef‖₁ − lost, since no kernel value is above 1.
type known struct {
	min  []float64
	coef []float64 // coefficients of the live columns
	lost float64   // Σ|coef| of columns that were dropped
}

const (
	// nearFirst and near say which rows without a loss are inside at first. If these are many, it is down to nearest.
	nearFirst, near, nearest = 0.7, 1.1, 0.1
	// within says which rows that are evaluated in double precision join.
	within = 0.02
	// lookedAt is the number of samples whose sums a worker evaluates between two checks of the context.
	lookedAt = 256
	// tail is Σ|α| of the columns that a look leaves out.
	tail = 0.25
)

// sifting says what is sifted. Tests sift smaller programs.
var sifting = struct {
	stored  int64   // number of kernel values up to which all rows are stored; over candidates 8 times as many
	share   float64 // of the whole matrix; all rows are stored if more is inside
	columns int     // number of columns that stand for all in the first program
}{1 << 21, 1.0 / 3, 256}

// sifts reports whether the first rounds of a training are sifted.
func (t A) sifts(ctx context.Context, s *samples.Merged, p *learn.Problem) bool {
	large := int64(len(s.Row))*int64(s.Columns()) > sifting.stored
	bounded := p.Kernel.Bounded() && !s.Mixed
	// A proof needs all features, and the bounds of a first program are those of λ = 1.
	return large && bounded && t.Norm == 0 && t.TwoNorm == 0 && t.start == 0 && !learn.ProofAsked(ctx)
}

// newSifted packs the samples. Its error says that the context has ended.
func newSifted(ctx context.Context, m *quadratic, p *learn.Problem) (*sifted, error) {
	v, err := streamAll(ctx, p, m.Merged)
	if err != nil {
		return nil, err
	}
	ld := v.width()
	z := &sifted{m: m, p: p, streamed: v, met: make([]bool, len(m.Row)),
		diagonal: &diagonal{n: ld, threads: m.Threads, scale: slices.Repeat([]float64{1}, ld)}}
	if z.rough, err = gram.PackContext[float32](ctx, p.Kernel, v.columns.X, len(m.First), p.D); err != nil {
		return nil, learn.Nothing(ctx, m.Method)
	}
	if z.each = z.rough.ErrorBound(); math.IsInf(z.each, 1) {
		z.rough, z.each = nil, 0
	}
	return z, nil
}

func (z *sifted) features() ([]float64, int) {
	if !z.whole {
		return nil, 0
	}
	return z.diagonal.features()
}

func (z *sifted) reweight(ctx context.Context, keep []int, alpha, size []float64) ([]float64, error) {
	n := z.n
	image, err := z.diagonal.reweight(ctx, keep, alpha, size)
	if err != nil || z.whole || len(keep) == n {
		return image, err
	}
	for _, a := range z.coef {
		z.lost += math.Abs(a)
	}
	if z.coef != nil {
		for j, i := range keep {
			z.coef[j] = z.coef[i]
			z.lost -= math.Abs(z.coef[j])
		}
		z.coef = z.coef[:len(keep)]
	}
	before := z.columns.Len()
	z.keep(keep)
	if left := z.columns.Len(); left < before && z.rough != nil {
		z.rough = z.rough.Subset(keep[:left])
	}
	return image, nil
}

// solve is q.Solve. If ctx ends in the first round while rows are sifted, the result is a model of few columns.
func (z *sifted) solve(ctx context.Context, q *boxqp.Problem, opt boxqp.Options) *boxqp.Result {
	if !z.whole && int64(len(z.m.Row))*int64(z.n) <= sifting.stored && !z.store(ctx) {
		return &boxqp.Result{Status: status.FromContext(ctx), Gap: math.Inf(1)}
	}
	if z.whole {
		return z.diagonal.solve(ctx, q, opt)
	}
	start, first := q.Start, &boxqp.Result{Gap: math.Inf(1)}
	if z.excess == nil {
		var ok bool
		if start, first, ok = z.coarse(ctx, q); !ok {
			first.Status = status.FromContext(ctx)
			return first
		}
	}
	reach := near
	if q.Start == nil {
		reach = nearFirst
	}
	r := z.settle(ctx, q, opt, start, z.choose(start, reach))
	if ctx.Err() != nil && !z.whole {
		first.Status = status.FromContext(ctx)
		return first
	}
	return r
}

// settle solves the program over the rows inside and those that join, until the result is what opt asks for.
func (z *sifted) settle(ctx context.Context, q *boxqp.Problem, opt boxqp.Options, start []float64,
	join []int) *boxqp.Result {
	r := &boxqp.Result{B: slices.Clone(start)}
	image, inner := q.Image, opt
	for inner.Gap = opt.Gap / 2; ; { // the other half is for rows outside
		if len(z.inside)+len(join) > z.room() {
			if z.store(ctx) {
				return z.diagonal.solve(ctx, q, opt)
			}
			return r
		}
		if !z.join(ctx, join) {
			return r
		}
		if q.Start == nil && image == nil {
			z.middle(ctx, q, inner, r.B)
		}
		sol := z.inner(ctx, z.diagonal, q, inner, r.B, image)
		r.Status, r.U, r.KKT, r.Gap, r.Objective = sol.Status, sol.U, sol.KKT, sol.Gap, sol.Objective
		r.Passes, r.Steps, r.Newton = r.Passes+sol.Passes, r.Steps+sol.Steps, r.Newton+sol.Newton
		if ctx.Err() != nil || sol.Status == status.Unbounded {
			return r
		}
		for k, i := range z.inside {
			r.B[i] = sol.B[k]
			z.excess[i] = z.m.Y[i] * sol.G[k]
		}
		alpha := make([]float64, z.n)
		z.coefficients(alpha, sol.U)
		if join = z.look(ctx, alpha); ctx.Err() != nil {
			return r
		}
		missed := false
		for _, i := range join {
			if e := z.excess[i]; e < 0 {
				r.KKT, r.Gap, missed = max(r.KKT, -e), r.Gap-e*z.m.Cost[i], true
			}
		}
		if !missed || opt.Gap > 0 && r.Gap <= opt.Gap*dense.Dot(r.U, r.U)/2 {
			r.G = make([]float64, len(z.excess))
			for i, e := range z.excess {
				r.G[i] = z.m.Y[i] * e
			}
			return r
		}
		image = sol.U
	}
}

// coarse solves a first round with few columns, which stand for all. It returns the multipliers, and a model with the
// right gap for the case that ctx ends in the rest of the round. Not ok means that ctx has ended.
func (z *sifted) coarse(ctx context.Context, q *boxqp.Problem) (b []float64, model *boxqp.Result, ok bool) {
	model = &boxqp.Result{Gap: math.Inf(1)}
	n := z.columns.Len()
	some := make([]int, min(n, sifting.columns))
	for k := range some {
		some[k] = k * n / len(some)
	}
	factor := math.Sqrt(float64(n) / float64(len(some)))
	ld := len(some) + z.n - n
	d := &diagonal{n: ld, rows: len(z.m.Row), scale: slices.Repeat([]float64{factor}, ld)}
	if ld > len(some) {
		d.scale[ld-1] = 1
	}
	d.z = make([]float64, len(z.m.Row)*ld)
	z.evaluate(ctx, d, z.columns.Packed.Subset(some), deal.All(len(z.m.Row)))
	if ctx.Err() != nil {
		return nil, model, false
	}
	c := *q
	c.H = boxqp.NewFactor(d.z, d.rows, ld, ld)
	begin := z.m.onePass(&c, d.z, ld)
	c.Start, c.Image = begin.B, begin.U
	sol := boxqp.Solve(ctx, &c, boxqp.Options{Gap: firstGap, Tolerance: z.m.Tolerance, Threads: z.m.Threads})
	best := z.m.firstModel(d, &c, sol)
	if best != nil {
		model = &boxqp.Result{B: make([]float64, len(q.P)), G: best.G, U: make([]float64, z.n)}
		for k, i := range some {
			model.U[i] = factor * best.U[k]
		}
		copy(model.U[n:], best.U[len(some):])
		model.Gap = dense.Dot(model.U, model.U) / 2
		for i, g := range best.G {
			model.Gap += z.m.Cost[i] * max(0, -z.m.Y[i]*g)
		}
	}
	if ctx.Err() != nil {
		return nil, model, false
	}
	z.excess = make([]float64, len(sol.G))
	for i, g := range sol.G {
		z.excess[i] = z.m.Y[i] * g
	}
	return sol.B, model, true
}

// middle solves the program of the rows inside with a tenth of the columns, which stand for all, from the multipliers
// b, if that is more than the first program has. Its steps take a tenth of the time.
func (z *sifted) middle(ctx context.Context, q *boxqp.Problem, opt boxqp.Options, b []float64) {
	n := z.columns.Len()
	width := n / 10
	if width < 2*sifting.columns {
		return
	}
	ld, factor := width+z.n-n, math.Sqrt(float64(n)/float64(width))
	some := make([]float64, len(z.inside)*ld)
	for k := range z.inside {
		row, all := some[k*ld:(k+1)*ld], z.z[k*z.n:(k+1)*z.n]
		for j := range width {
			row[j] = factor * all[j*n/width]
		}
		copy(row[width:], all[n:])
	}
	opt.Gap = firstGap / 4
	d := &diagonal{z: some, n: ld, f: boxqp.NewFactor(some, len(z.inside), ld, ld)}
	sol := z.inner(ctx, d, q, opt, b, nil)
	for k, i := range z.inside {
		b[i] = sol.B[k]
	}
}

// room is the largest number of rows inside.
func (z *sifted) room() int {
	rows := float64(len(z.m.Row))
	return int(min(rows, sifting.share*rows*float64(z.m.Columns())/float64(max(1, z.n))))
}

// choose drops the rows inside that are far from their edges and returns those that come near, as far as there is room.
func (z *sifted) choose(b []float64, reach float64) (join []int) {
	for ; reach > nearest; reach /= 2 {
		n := 0
		for r, e := range z.excess {
			if b[r] != 0 || e <= reach {
				n++
			}
		}
		if 2*n <= z.room() {
			break
		}
	}
	for k := 0; k < len(z.inside); {
		r := z.inside[k]
		if b[r] != 0 || z.excess[r] <= 2*reach {
			k++
			continue
		}
		last := len(z.inside) - 1
		copy(z.z[k*z.n:(k+1)*z.n], z.z[last*z.n:(last+1)*z.n])
		z.inside[k], z.inside = z.inside[last], z.inside[:last]
		if z.met[r] = false; z.min != nil {
			z.min[r] = 0 // nothing is proved of it
		}
	}
	for r, e := range z.excess {
		if !z.met[r] && (b[r] != 0 || e <= reach) {
			join = append(join, r)
		}
	}
	return join
}

// join evaluates rows and puts them inside. It is false if ctx has ended; nothing has changed then.
func (z *sifted) join(ctx context.Context, rows []int) bool {
	if len(rows) > 0 {
		old, w := len(z.inside)*z.n, len(z.inside)+len(rows)
		if cap(z.z) < w*z.n { // leave room for rows that join later
			buf := dense.New(ctx, max(w, min(w+w/2, z.room()))*z.n)
			if buf == nil {
				return false
			}
			copy(buf, z.z[:old])
			z.z = buf
		}
		z.z = z.z[:w*z.n]
		z.evaluate(ctx, &diagonal{z: z.z[old:], n: z.n, scale: z.scale}, z.columns.Packed, rows)
		if ctx.Err() != nil {
			return false
		}
		for _, r := range rows {
			z.met[r] = true
		}
		z.inside = append(z.inside, rows...)
	}
	z.z, z.rows = z.z[:len(z.inside)*z.n], len(z.inside)
	z.f = boxqp.NewFactor(z.z, z.rows, z.n, z.n)
	return true
}

// evaluate writes the features of rows to d. If ctx ends, it writes only some.
func (z *sifted) evaluate(ctx context.Context, d *diagonal, columns *gram.Samples[float64], rows []int) {
	begin := time.Now()
	some := *z.streamed
	some.columns.Packed, some.columns.Evals = columns, 0
	some.evaluate(ctx, d.z, rows, d.scale)
	z.took(begin, some.columns.Evals)
}

// took counts kernel values, and the time since they were begun.
func (z *sifted) took(begin time.Time, evals int64) {
	z.columns.Evals += evals
	z.spent += time.Since(begin)
}

// inner solves the program of the rows inside over the features in d, from the multipliers b. A nil image is theirs.
func (z *sifted) inner(ctx context.Context, d *diagonal, q *boxqp.Problem, opt boxqp.Options,
	b, image []float64) *boxqp.Result {
	part := partOf(q, z.inside, b, 0)
	if part.H, part.Image = d.f, image; image == nil { // with an image the solver sees how far it has to go
		sum := dense.NewGather()
		for k, v := range part.Start {
			sum.Add(v, d.z[k*d.n:(k+1)*d.n])
		}
		part.Image = make([]float64, d.n)
		sum.AddTo(part.Image)
	}
	return boxqp.Solve(ctx, part, opt)
}

// look evaluates f of the rows outside that may have a loss under the coefficients alpha. It returns those that have
// one, and those evaluated without error that are close to one. If ctx ends, nothing has changed.
func (z *sifted) look(ctx context.Context, alpha []float64) (join []int) {
	if z.reach == nil && !z.survey(ctx, alpha) {
		return nil
	}
	moved := z.lost
	for i, a := range alpha {
		moved += math.Abs(a - z.coef[i])
	}
	var outside, rows []int
	for r, e := range z.min {
		if z.met[r] {
			continue
		}
		outside = append(outside, r)
		if e-moved <= 0 {
			rows = append(rows, r)
		}
	}
	next := known{z.min, z.coef, z.lost}
	if 2*len(rows) > len(outside) {
		rows, moved = outside, 0
		next.coef, next.lost = slices.Clone(alpha), 0
	}
	if len(rows) == 0 {
		return nil
	}
	big, rest := z.split(alpha)
	f, bound := z.sums(ctx, rows, big, alpha, false)
	var unsure []int
	for k, r := range rows {
		f[k] = z.m.Y[r]*f[k] - z.m.Edge[r]
		if f[k] <= bound+rest {
			unsure = append(unsure, r)
		}
	}
	exact, _ := z.sums(ctx, unsure, deal.All(z.columns.Len()), alpha, true)
	if ctx.Err() != nil {
		return nil
	}
	z.known = next
	for k, r := range rows {
		z.excess[r], z.min[r] = f[k], f[k]-bound-rest+moved
	}
	for k, r := range unsure {
		e := z.m.Y[r]*exact[k] - z.m.Edge[r]
		if z.excess[r], z.min[r] = e, e+moved; e < within {
			join = append(join, r)
		}
	}
	return join
}

// survey evaluates f of all samples under the coefficients alpha of all columns, and the reach of the columns at the
// same time. It is false if ctx has ended.
func (z *sifted) survey(ctx context.Context, alpha []float64) bool {
	s, n := z.m, z.columns.Len()
	coefs := [][]float64{alpha[:n], make([]float64, n), make([]float64, n)}
	sides := [2]float64{}
	for r, col := range s.Row {
		side := 0
		if s.Y[r] < 0 {
			side = 1
		}
		coefs[1+side][col] += s.Cost[r]
		sides[side] += s.Cost[r]
	}
	begin := time.Now()
	f := make([]float64, 3*n)
	var bounds []float64
	if z.rough != nil {
		bounds = sumsOf(ctx, z.rough, z.each, s.Threads, f, z.columns.X, coefs...)
	} else {
		bounds = sumsOf(ctx, z.columns.Packed, 0, s.Threads, f, z.columns.X, coefs...)
	}
	z.took(begin, int64(n)*int64(n))
	if ctx.Err() != nil {
		return false
	}
	z.reach = make([]float64, z.n)
	for i := range n {
		z.reach[i] = max(f[3*i+1]+bounds[1], f[3*i+2]+bounds[2])
	}
	bias := 0.0
	if z.n > n {
		z.reach[n], bias = max(sides[0], sides[1]), alpha[n]
	}
	z.coef, z.min = slices.Clone(alpha), make([]float64, len(s.Row))
	for r, col := range s.Row {
		if e := s.Y[r]*(f[3*col]+bias) - s.Edge[r]; !z.met[r] {
			z.excess[r], z.min[r] = e, e-bounds[0]
		}
	}
	return true
}

// split returns the columns without those of the smallest coefficients, and what Σ|α| of these is.
func (z *sifted) split(alpha []float64) (big []int, rest float64) {
	order := deal.All(z.columns.Len())
	deal.Sort(order, func(i, j int) int { return cmp.Compare(math.Abs(alpha[i]), math.Abs(alpha[j])) })
	k := 0
	for k < len(order) && rest+math.Abs(alpha[order[k]]) <= tail {
		rest += math.Abs(alpha[order[k]])
		k++
	}
	if 8*k < len(order) { // too few to pay
		return deal.All(len(order)), 0
	}
	big = order[k:]
	slices.Sort(big)
	return big, rest
}

// sums returns f of rows under the coefficients of some columns and the bias, in double precision or with the largest
// error. If ctx ends it is of no use.
func (z *sifted) sums(ctx context.Context, rows, columns []int, alpha []float64,
	exact bool) (f []float64, bound float64) {
	begin := time.Now()
	coef := deal.Pick(alpha, columns)
	f = make([]float64, len(rows))
	x := z.columns.Gather(deal.Pick(z.sample, rows))
	if exact || z.rough == nil {
		sumsOf(ctx, z.columns.Packed.Subset(columns), 0, z.m.Threads, f, x, coef)
	} else {
		bound = sumsOf(ctx, z.rough.Subset(columns), z.each, z.m.Threads, f, x, coef)[0]
	}
	if z.bias {
		for k := range f {
			f[k] += alpha[z.columns.Len()]
		}
	}
	z.took(begin, int64(len(rows))*int64(len(columns)))
	return f, bound
}

// sumsOf writes Σ_j c_j k(x, x_j) for each of the samples in x and each of the coefficients. It returns bounds of the
// errors if no kernel value is off by more than each. If ctx ends, it writes only some.
func sumsOf[T gram.Float](ctx context.Context, pts *gram.Samples[T], each float64, threads int, dst, x []float64,
	coefs ...[]float64) (bounds []float64) {
	e, d, outs := pts.Expand(coefs...), pts.Dim(), len(coefs)
	if pts.Len() > 0 {
		parallel.Chunks(threads, len(dst)/outs, lookedAt, func(_, lo, hi int) {
			if ctx.Err() == nil {
				e.Eval(dst[lo*outs:hi*outs], x[lo*d:hi*d], hi-lo)
			}
		})
	}
	for o := range outs {
		bounds = append(bounds, e.ErrorBound(each, o))
	}
	return bounds
}

// store evaluates all rows. It is false if ctx has ended.
func (z *sifted) store(ctx context.Context) bool {
	s := z.m
	z.z, z.f, z.rows, z.inside = nil, nil, len(s.Row), nil
	if scaled := func(v float64) bool { return v != 1 }; z.n == s.Columns() && !slices.ContainsFunc(z.scale, scaled) {
		begin := time.Now()
		z.z, _ = matrix(ctx, s.Merged, z.p, 0)
		z.took(begin, int64(len(s.First))*int64(len(s.First)+1)/2)
	} else if z.z = dense.New(ctx, len(s.Row)*z.n); z.z != nil {
		z.evaluate(ctx, &diagonal{z: z.z, n: z.n, scale: z.scale}, z.columns.Packed, deal.All(len(s.Row)))
	}
	if ctx.Err() != nil { // no row is inside any more
		z.z, z.rows, z.f = nil, 0, boxqp.NewFactor(nil, 0, z.n, z.n)
		clear(z.met)
		clear(z.min)
		return false
	}
	if z.reach == nil {
		z.reach = reachOf(ctx, s.Merged, z.z)
	}
	z.f, z.whole = boxqp.NewFactor(z.z, z.rows, z.n, z.n), true
	z.known, z.columns, z.rough = known{}, samples.Columns{Evals: z.columns.Evals}, nil
	return true
}

// release gives the matrix of all rows to later trainings.
func (z *sifted) release() {
	if z.whole {
		cpu.Release(z.z)
	}
}
