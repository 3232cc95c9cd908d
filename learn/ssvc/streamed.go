package ssvc

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/smo/boxqp"
	"github.com/sparsekm/sparsekm/status"
)

// streamed evaluates the rows of K̄ᵀ over candidates where there is no memory for them: each pass evaluates them again.
// Passes get faster as columns are dropped.
type streamed struct {
	columns samples.Columns // the live candidates
	bias    bool            // the bias is live: the last column
	sample  []int           // row → sample
}

// evaluatedAtOnce is the number of rows in a sum that one worker adds up.
const evaluatedAtOnce = 512

// newStreamed chooses some of the columns as candidates, which become the columns of s.
func newStreamed(ctx context.Context, p *learn.Problem, s *samples.Merged, c samples.Choice) (*streamed, error) {
	v, err := streamAll(ctx, p, s)
	if err != nil {
		return nil, err
	}
	chosen := c.Of(v.columns.Packed, len(s.First))
	v.columns.Packed = v.columns.Packed.Subset(chosen)
	for c, col := range chosen {
		chosen[c] = s.First[col]
	}
	s.First = chosen
	return v, nil
}

// streamAll packs all columns. Its error says that the context has ended.
func streamAll(ctx context.Context, p *learn.Problem, s *samples.Merged) (*streamed, error) {
	v := &streamed{bias: s.Biased, sample: s.Row,
		columns: samples.Columns{X: p.Samples(s.First), Threads: parallel.Workers(p.Threads)}}
	var err error
	if v.columns.Packed, err = gram.PackContext[float64](ctx, p.Kernel, v.columns.X, len(s.First), p.D); err != nil {
		return nil, learn.Nothing(ctx, s.Method)
	}
	return v, nil
}

// keptElements is the number of kernel values up to which all rows are stored: 128 MiB.
const keptElements = 1 << 24

// whole returns the values of all rows, nil if these are more than the limit.
func (v *streamed) whole(ctx context.Context, rows int, limit int64) []float64 {
	if int64(rows)*int64(v.width()) > limit {
		return nil
	}
	z := make([]float64, rows*v.width())
	v.evaluate(ctx, z, deal.All(rows), nil)
	return z
}

// width is the number of live columns.
func (v *streamed) width() int {
	if v.bias {
		return v.columns.Len() + 1
	}
	return v.columns.Len()
}

// keep drops all columns but keep, ascending.
func (v *streamed) keep(keep []int) {
	n, m := v.columns.Len(), len(keep)
	v.bias = m > 0 && keep[m-1] == n
	if v.bias {
		m--
	}
	if m < n {
		v.columns.Packed = v.columns.Packed.Subset(keep[:m])
	}
}

// row writes row r.
func (v *streamed) row(dst []float64, r int) {
	v.columns.Row(dst, v.sample[r])
	if v.bias {
		dst[v.columns.Len()] = 1
	}
}

// evaluate writes the rows idx one after the other, with their columns scaled. If ctx ends, it writes only some.
func (v *streamed) evaluate(ctx context.Context, dst []float64, idx []int, scale []float64) {
	v.columns.Rows(ctx, dst, v.width(), deal.Pick(v.sample, idx), func(row []float64) {
		if v.bias {
			row[v.columns.Len()] = 1
		}
		for c, s := range scale {
			row[c] *= s
		}
	})
}

// each returns the total of what add adds to sums of size numbers for each of the rows idx. If ctx ends it is of no
// use.
func (v *streamed) each(ctx context.Context, idx []int, size int, add func(sum, row []float64, r int)) []float64 {
	total, _ := samples.Sum(ctx, v.columns.Threads, len(idx), evaluatedAtOnce, size, func(sum []float64, lo, hi int) {
		row := make([]float64, v.width())
		for _, r := range idx[lo:hi] {
			v.row(row, r)
			add(sum, row, r)
		}
	})
	v.columns.Evals += int64(len(idx)) * int64(v.columns.Len())
	return total
}

// bounds is reachOf of the streamed rows.
func (v *streamed) bounds(ctx context.Context, s *samples.Merged) []float64 {
	ld := v.width()
	sums := v.each(ctx, deal.All(len(s.Row)), 3*ld, func(sum, row []float64, r int) {
		addReach(s, sum[:ld], sum[ld:2*ld], sum[2*ld:], row, r)
	})
	return largerPart(s, sums[:ld], sums[ld:2*ld], sums[2*ld:])
}

// outputs writes f of every sample for the coefficients alpha of the live columns. If ctx ends, it writes only some.
func (v *streamed) outputs(ctx context.Context, dst, alpha []float64) {
	bias, n := 0.0, v.columns.Len()
	if v.bias {
		bias = alpha[n]
	}
	v.columns.Outputs(ctx, dst, alpha[:n], bias)
}

// Of many rows, few have margins near their edges, and only their multipliers are between the bounds. So each round's
// program is sifted, like the linear programs of ssvc-b. The multipliers outside are fixed at the bounds that belong to
// the margins at the centre, the best model so far. One more row stands for all of them: their sum, whose multiplier is
// fixed. So image, objective and gap are those of all rows, except for margins outside that are on the other side of
// their edges. Rows with such margins join. Each program starts at the dual point of the one before, so the dual
// objective never falls. The next centre is the best model on the line from the centre to the program's. In the end gap
// and violation are those of all rows.

// streamedPenalty is the penalty of [diagonal] over streamed rows.
type streamedPenalty struct {
	*diagonal // without rows: the scales and the reach of the columns
	stream    *streamed
	all       []int
	limit     int // largest number of kernel values inside
	// before is the gradient at the end of the last round, perhaps with columns that were dropped since. It says which
	// rows are inside at first.
	before []float64
}

func newStreamedPenalty(ctx context.Context, v *streamed, s *samples.Merged, p float64) *streamedPenalty {
	ld := v.width()
	d := &diagonal{n: ld, p: p, scale: slices.Repeat([]float64{1}, ld), f: boxqp.NewFactor(nil, 0, ld, ld),
		reach: v.bounds(ctx, s)}
	return &streamedPenalty{diagonal: d, stream: v, all: deal.All(len(s.Row)), limit: insideElements}
}

func (z *streamedPenalty) reweight(ctx context.Context, keep []int, alpha, size []float64) ([]float64, error) {
	image, err := z.diagonal.reweight(ctx, keep, alpha, size)
	if err == nil {
		z.stream.keep(keep)
	}
	return image, err
}

// partialProgram is a round's program while it is sifted: solved over the rows inside.
type partialProgram struct {
	*streamedPenalty
	q      *boxqp.Problem // of all its rows, with neither matrix nor start
	rows   []int          // its rows among those of the training
	b      []float64
	u, g   []float64 // image and gradient of the centre
	inside []int     // places among rows
	result boxqp.Result
}

const (
	// insideElements is limit: 512 MiB.
	insideElements = 1 << 26
	// maxPrograms limits the programs of a round.
	maxPrograms = 200
)

// solve is q.Solve over streamed rows.
func (z *streamedPenalty) solve(ctx context.Context, q *boxqp.Problem, opt boxqp.Options) *boxqp.Result {
	r := z.program(q, z.all).solve(ctx, opt)
	z.before = r.G
	return r
}

func (z *streamedPenalty) program(q *boxqp.Problem, rows []int) *partialProgram {
	return &partialProgram{streamedPenalty: z, q: q, rows: rows}
}

// room is the largest number of rows inside, begin the number at first.
func (s *partialProgram) room() int  { return max(64, s.limit/s.stream.width()) }
func (s *partialProgram) begin() int { return min(s.room()/2, 8*s.stream.width()+8192) }

// solve solves the program.
func (s *partialProgram) solve(ctx context.Context, opt boxqp.Options) *boxqp.Result {
	r := &s.result
	s.b = make([]float64, len(s.rows))
	copy(s.b, s.q.Start)
	if s.u = s.q.Image; s.u == nil {
		s.u = s.guess(ctx)
	}
	stale := s.q.Start != nil && s.before != nil
	if s.g = s.before; !stale {
		s.g = s.gradient(ctx, s.u)
	}
	s.enclose()
	for range maxPrograms {
		sol := s.inner(ctx, opt)
		r.Passes, r.Steps, r.Newton = r.Passes+sol.Passes, r.Steps+sol.Steps, r.Newton+sol.Newton
		r.Status = sol.Status
		if ctx.Err() != nil || sol.Status == status.Unbounded {
			return r
		}
		g := s.gradient(ctx, sol.U)
		if ctx.Err() != nil {
			r.Status = status.FromContext(ctx)
			return r
		}
		s.judge(sol, g)
		if s.done(opt) {
			return r
		}
		if stale {
			s.g, stale = s.gradient(ctx, s.u), false
		}
		if !s.advance(sol.U, g) {
			return r
		}
	}
	r.Status = status.IterationLimit
	return r
}

// guess returns the image of a model of every eighth row, or 0 if there is room for all rows.
func (s *partialProgram) guess(ctx context.Context) []float64 {
	if len(s.rows) <= s.begin() {
		return make([]float64, s.stream.width())
	}
	var some []int
	for i := 0; i < len(s.rows); i += 8 {
		some = append(some, i)
	}
	q := partOf(s.q, some, s.b, 0)
	q.Start = nil
	if r := s.program(q, deal.Pick(s.rows, some)).solve(ctx, boxqp.Options{Gap: firstGap}); r.U != nil {
		return r.U
	}
	return make([]float64, s.stream.width())
}

// coefs are the coefficients for an image.
func (s *partialProgram) coefs(u []float64) []float64 {
	alpha := make([]float64, len(u))
	s.coefficients(alpha, u)
	return alpha
}

// gradient returns Zu + p. If ctx ends it is of no use.
func (s *partialProgram) gradient(ctx context.Context, u []float64) []float64 {
	g := make([]float64, len(s.rows))
	alpha := s.coefs(u)
	if len(s.rows) == len(s.all) {
		f := make([]float64, 1+slices.Max(s.stream.sample))
		s.stream.outputs(ctx, f, alpha)
		for i, r := range s.rows {
			g[i] = f[s.stream.sample[r]] + s.q.P[i]
		}
		return g
	}
	part := *s.stream
	part.columns.X = part.columns.Gather(deal.Pick(part.sample, s.rows))
	part.outputs(ctx, g, alpha)
	dense.Axpy(1, s.q.P, g)
	return g
}

// free reports whether row i's multiplier is between its bounds.
func (s *partialProgram) free(i int) bool {
	return s.b[i] > s.q.Lo[i] && s.b[i] < s.q.Hi[i] && s.b[i] != 0
}

// enclose puts the rows closest to their edges at the centre inside. All others get the bound of their side.
func (s *partialProgram) enclose() {
	begin, size := min(len(s.rows), s.begin()), make([]float64, len(s.rows))
	for i, g := range s.g {
		size[i] = math.Abs(g)
	}
	slices.Sort(size)
	farthest := math.Inf(1)
	if begin < len(size) {
		farthest = size[begin]
	}
	for i, g := range s.g {
		if math.Abs(g) < farthest {
			s.inside = append(s.inside, i)
		} else {
			s.b[i] = side(s.q, i, g)
		}
	}
}

// side is the bound of row i's multiplier at the gradient g.
func side(q *boxqp.Problem, i int, g float64) float64 {
	if g < 0 {
		return q.Hi[i]
	}
	return q.Lo[i]
}

// inner solves the program of the rows inside.
func (s *partialProgram) inner(ctx context.Context, opt boxqp.Options) *boxqp.Result {
	n, ld := len(s.inside), s.stream.width()
	z := make([]float64, (n+1)*ld)
	q := partOf(s.q, s.inside, s.b, 1)
	q.Image = slices.Clone(s.u)
	s.stream.evaluate(ctx, z, deal.Pick(s.rows, s.inside), s.scale)
	p, times := s.outside(ctx, z[n*ld:]), 1.0
	// The longest row bounds the solver's steps, so this row is made no longer than the others.
	if own, longest := dense.Dot(z[n*ld:], z[n*ld:]), longest(z[:n*ld], ld); own > longest && longest > 0 {
		times = math.Sqrt(own / longest)
		for c := range ld {
			z[n*ld+c] /= times
		}
	}
	q.P[n], q.Lo[n], q.Hi[n], q.Start[n] = p/times, times, times, times
	if ctx.Err() != nil {
		return &boxqp.Result{Status: status.FromContext(ctx)}
	}
	q.H = boxqp.NewFactor(z, n+1, ld, ld)
	opt.Gap /= 2 // the rest is for rows outside
	return boxqp.Solve(ctx, q, opt)
}

// partOf is the program of some rows and so many more, without its matrix, from the multipliers b.
func partOf(q *boxqp.Problem, rows []int, b []float64, more int) *boxqp.Problem {
	pick := func(v []float64) []float64 { return append(deal.Pick(v, rows), make([]float64, more)...) }
	return &boxqp.Problem{P: pick(q.P), Lo: pick(q.Lo), Hi: pick(q.Hi), Start: pick(b)}
}

// longest returns the largest squared norm of a row.
func longest(z []float64, ld int) (square float64) {
	for ; len(z) > 0; z = z[ld:] {
		square = max(square, dense.Dot(z[:ld], z[:ld]))
	}
	return square
}

// outside writes the sum of the rows outside times their multipliers, and returns that of their linear terms. If ctx
// ends it is of no use.
func (s *partialProgram) outside(ctx context.Context, row []float64) (p float64) {
	var idx []int
	coef := make(map[int]float64)
	s.eachOutside(func(i int) {
		if b := s.b[i]; b != 0 {
			idx, coef[s.rows[i]] = append(idx, s.rows[i]), b
			p += b * s.q.P[i]
		}
	})
	sum := s.stream.each(ctx, idx, len(row), func(sum, row []float64, r int) { dense.Axpy(coef[r], row, sum) })
	for c, v := range s.scale {
		row[c] = v * sum[c]
	}
	return p
}

// eachOutside calls f for the rows outside, ascending.
func (s *partialProgram) eachOutside(f func(i int)) {
	next := 0
	for i := range s.b {
		if next < len(s.inside) && s.inside[next] == i {
			next++
			continue
		}
		f(i)
	}
}

// judge computes the result for all rows from that of the rows inside, and the gradient g.
func (s *partialProgram) judge(sol *boxqp.Result, g []float64) {
	r := &s.result
	r.KKT, r.Gap, r.Objective = sol.KKT, sol.Gap, sol.Objective
	for t, i := range s.inside {
		s.b[i] = sol.B[t]
		g[i] = sol.G[t]
	}
	s.eachOutside(func(i int) {
		b := s.b[i]
		switch v := g[i]; {
		case v > 0 && b > s.q.Lo[i]:
			r.KKT, r.Gap = max(r.KKT, v), r.Gap+v*(b-s.q.Lo[i])
		case v < 0 && b < s.q.Hi[i]:
			r.KKT, r.Gap = max(r.KKT, -v), r.Gap-v*(s.q.Hi[i]-b)
		}
	})
	r.B, r.G, r.U = s.b, g, sol.U
}

// done reports whether the result is what opt asks for.
func (s *partialProgram) done(opt boxqp.Options) bool {
	r := &s.result
	if opt.Gap > 0 && r.Gap <= opt.Gap*dense.Dot(r.U, r.U)/2 {
		return true
	}
	tol := opt.Tolerance
	if tol <= 0 {
		tol = 1e-6
	}
	return r.KKT <= tol && r.Gap <= samples.OptimalGap/2*max(1, r.Gap-r.Objective)
}

// advance moves the centre to the least objective on the way to the image u with gradient g. It adds rows that are on
// the wrong side there, and reports whether there were any.
func (s *partialProgram) advance(u, g []float64) bool {
	wrong := s.wrong(g)
	if len(wrong) == 0 {
		if s.result.Status == status.Optimal {
			s.result.Status = status.Numerical
		}
		return false
	}
	t := search(s.q, s.u, s.g, u, g)
	for i, v := range s.u {
		s.u[i] = v + t*(u[i]-v)
	}
	for i, v := range s.g {
		s.g[i] = v + t*(g[i]-v)
	}
	inside := slices.Clone(s.inside)
	largest := max(len(inside)/2, 1024)
	for _, c := range wrong[:min(largest, len(wrong))] {
		inside = append(inside, c.Index)
	}
	s.inside = s.trim(inside, len(s.inside))
	return true
}

// wrong lists the rows outside whose multipliers are at the bound of the other side, by the place of their crossing.
func (s *partialProgram) wrong(g []float64) (rows []samples.Crossing) {
	s.eachOutside(func(i int) {
		if s.b[i] == side(s.q, i, g[i]) || g[i] == 0 {
			return
		}
		c := samples.Crossing{Index: i}
		if from := s.g[i]; (from < 0) != (g[i] < 0) {
			c.Share = from / (from - g[i])
		}
		rows = append(rows, c)
	})
	deal.Sort(rows, samples.Sooner)
	return rows
}

// search returns the share of the way from the image u0 with the gradient g0 to u and g at which the objective
// ½‖u‖² + Σ max{−b_i g_i : lo_i ≤ b_i ≤ hi_i} is least. It is convex, and quadratic between crossings.
func search(q *boxqp.Problem, u0, g0, u, g []float64) float64 {
	var slope, bend float64
	for i, v := range u0 {
		d := u[i] - v
		slope += v * d
		bend += d * d
	}
	var crossings []samples.Crossing
	for i, from := range g0 {
		d := g[i] - from
		begin := cmp.Or(from, d)
		slope -= side(q, i, begin) * d
		if d != 0 && (begin < 0) != (g[i] < 0) {
			rise := (q.Hi[i] - q.Lo[i]) * math.Abs(d)
			crossings = append(crossings, samples.Crossing{Share: from / -d, Index: i, Rise: rise})
		}
	}
	return samples.LineSearch(slope, bend, crossings)
}

// trim drops rows if there is no room for all. It keeps the newest, which stand after the first old, those with free
// multipliers, and those closest to their edges. The dropped rows keep their multipliers.
func (s *partialProgram) trim(inside []int, old int) []int {
	if room := s.room(); len(inside) > room {
		kept := inside[:old]
		slices.SortFunc(kept, func(a, b int) int {
			if s.free(a) != s.free(b) {
				if s.free(a) {
					return -1
				}
				return 1
			}
			return cmp.Or(cmp.Compare(math.Abs(s.g[a]), math.Abs(s.g[b])), cmp.Compare(a, b))
		})
		cut := max(0, old-(len(inside)-room))
		for cut < old && s.free(kept[cut]) {
			cut++
		}
		inside = slices.Delete(inside, cut, old)
	}
	slices.Sort(inside)
	return inside
}
