package ssvc

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn/internal/merged"
	"github.com/sparsekm/sparsekm/smo"
	"github.com/sparsekm/sparsekm/status"
)

// Of many rows, few have margins near their edges, and only their multipliers are between the bounds. So each round's
// program is sifted, like the linear programs of ssvc-b. The multipliers outside are fixed at the bounds that belong to
// the margins at the centre, the best model so far. One more row stands for all of them: their sum, whose multiplier is
// fixed. So image, objective and gap are those of all rows, except for margins outside that are on the other side of
// their edges. Rows with such margins join. Each program starts at the dual point of the one before, so the dual
// objective never falls. The next centre is the best model on the line from the centre to the program's. In the end gap
// and violation are those of all rows.

// sifted is the penalty of [diagonal] over streamed rows.
type sifted struct {
	*diagonal // without rows: the scales and the reach of the columns
	stream    *streamed
	all       []int
	limit     int // largest number of kernel values inside
	// before is the gradient at the end of the last round, perhaps with columns that were dropped since. It says which
	// rows are inside at first.
	before []float64
}

func newSifted(ctx context.Context, v *streamed, s *merged.Samples, p float64) *sifted {
	ld := v.width()
	d := &diagonal{n: ld, p: p, scale: slices.Repeat([]float64{1}, ld), f: smo.NewFactor(nil, 0, ld, ld),
		reach: v.reach(ctx, s)}
	return &sifted{diagonal: d, stream: v, all: merged.All(len(s.Row)), limit: sieveElements}
}

// level does nothing: streamed rows belong to large sets.
func (z *sifted) level(context.Context) (again bool, err error) { return false, nil }

func (z *sifted) reweight(ctx context.Context, keep []int, alpha, size []float64) ([]float64, error) {
	image, err := z.diagonal.reweight(ctx, keep, alpha, size)
	if err == nil {
		z.stream.keep(keep)
	}
	return image, err
}

// sieve is a program while it is sifted.
type sieve struct {
	*sifted
	q      *smo.Box // of all its rows, with neither matrix nor start
	rows   []int    // its rows among those of the training
	b      []float64
	u, g   []float64 // image and gradient of the centre
	inside []int     // places among rows
	result smo.BoxResult
}

const (
	// sieveElements is limit: 512 MiB.
	sieveElements = 1 << 26
	// mostSieves limits the programs of a round.
	mostSieves = 200
)

// solve is q.Solve over streamed rows.
func (z *sifted) solve(ctx context.Context, q *smo.Box, opt smo.Options) *smo.BoxResult {
	r := z.sieve(q, z.all).solve(ctx, opt)
	z.before = r.G
	return r
}

func (z *sifted) sieve(q *smo.Box, rows []int) *sieve {
	return &sieve{sifted: z, q: q, rows: rows}
}

// room is the largest number of rows inside, begin the number at first.
func (s *sieve) room() int  { return max(64, s.limit/s.stream.width()) }
func (s *sieve) begin() int { return min(s.room()/2, 8*s.stream.width()+8192) }

// solve solves the program.
func (s *sieve) solve(ctx context.Context, opt smo.Options) *smo.BoxResult {
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
	for range mostSieves {
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
func (s *sieve) guess(ctx context.Context) []float64 {
	if len(s.rows) <= s.begin() {
		return make([]float64, s.stream.width())
	}
	var rows []int
	q := &smo.Box{}
	for i := 0; i < len(s.rows); i += 8 {
		rows = append(rows, s.rows[i])
		q.P = append(q.P, s.q.P[i])
		q.Lo = append(q.Lo, s.q.Lo[i])
		q.Hi = append(q.Hi, s.q.Hi[i])
	}
	if r := s.sieve(q, rows).solve(ctx, smo.Options{Gap: firstGap}); r.U != nil {
		return r.U
	}
	return make([]float64, s.stream.width())
}

// coefs are the coefficients for an image.
func (s *sieve) coefs(u []float64) []float64 {
	alpha := make([]float64, len(u))
	s.coefficients(alpha, u)
	return alpha
}

// gradient returns Zu + p. If ctx ends it is of no use.
func (s *sieve) gradient(ctx context.Context, u []float64) []float64 {
	g := make([]float64, len(s.rows))
	alpha := s.coefs(u)
	if len(s.rows) == len(s.all) {
		f := make([]float64, 1+slices.Max(s.stream.of))
		s.stream.outputs(ctx, f, alpha)
		for i, r := range s.rows {
			g[i] = f[s.stream.of[r]] + s.q.P[i]
		}
		return g
	}
	part := *s.stream
	part.columns.X = make([]float64, 0, len(s.rows)*len(s.stream.columns.Sample(0)))
	for _, r := range s.rows {
		part.columns.X = append(part.columns.X, s.stream.columns.Sample(s.stream.of[r])...)
	}
	part.outputs(ctx, g, alpha)
	dense.Axpy(1, s.q.P, g)
	return g
}

// free reports whether row i's multiplier is between its bounds.
func (s *sieve) free(i int) bool { return s.b[i] > s.q.Lo[i] && s.b[i] < s.q.Hi[i] && s.b[i] != 0 }

// enclose puts the rows closest to their edges at the centre inside. All others get the bound of their side.
func (s *sieve) enclose() {
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
			s.b[i] = s.side(i, g)
		}
	}
}

// side is the bound of row i's multiplier at the gradient g.
func (s *sieve) side(i int, g float64) float64 {
	if g < 0 {
		return s.q.Hi[i]
	}
	return s.q.Lo[i]
}
