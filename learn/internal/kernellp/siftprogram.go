package kernellp

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/simplex"
)

// load sets the program's costs and bounds for the centre and p. It builds the first program.
func (s *sift) load(ctx context.Context, p Costs) error {
	if s.sifted == nil {
		return s.begin(ctx, p)
	}
	if err := s.narrow(p); err != nil {
		return err
	}
	if err := s.fix(ctx); err != nil {
		return err
	}
	if s.recosted {
		s.recosted = false
		if err := s.sifted.SetColBounds(s.columnBounds()); err != nil {
			return err
		}
	}
	if s.overCandidates {
		if err := s.sifted.SetCost(s.costs()); err != nil {
			return err
		}
	}
	return s.sifted.SetRowBounds(s.rowBounds(p))
}

// begin builds the program of the working rows and the margins closest to 1 at the centre.
func (s *sift) begin(ctx context.Context, p Costs) error {
	distance := make([]float64, len(s.solver.y))
	for j := range distance {
		distance[j] = math.Abs(s.slack(s.centre.f, j))
	}
	near := deal.Ascending(distance)
	b, err := s.box(ctx, near[:firstWidth(len(near))])
	if err != nil {
		return err
	}
	if err = s.fix(ctx); err != nil {
		return err
	}
	s.radius, s.limit = math.Inf(1), s.largest()
	return s.build(p, b)
}

// largest returns a limit far above the coefficients of the centre.
func (s *sift) largest() float64 {
	return max(1, 100*math.Abs(s.centre.bias), 100*dense.Largest(s.centre.a))
}

// firstWidth is the number of margins that the first program has, of n, and of samples that give the first centre.
func firstWidth(n int) int { return min(n, max(16, min(1500, n/4))) }

// box returns columns for the given samples, which are inside from now on.
func (s *sift) box(ctx context.Context, samples []int) (*box, error) {
	if err := s.reserveBox(0, len(samples)); err != nil {
		return nil, err
	}
	b := &box{samples: slices.Clone(samples), rowMatrix: rowMatrix{threads: parallel.Workers(s.solver.opt.Threads)}}
	rows, err := s.solver.k.Block(ctx, s.solver.working, samples)
	if err != nil {
		return nil, err
	}
	b.rows = append([][]float64{slices.Repeat([]float64{1}, len(samples))}, rows...)
	for _, j := range b.samples {
		s.inside[j] = true
	}
	s.width += len(b.samples)
	return b, nil
}

// addColumns adds the margins that cross 1 closest to t on the way to the last solution.
func (s *sift) addColumns(ctx context.Context, crossings []samples.Crossing, t float64) (bool, error) {
	join := s.closest(crossings, t)
	if len(join) == 0 {
		return false, nil
	}
	b, err := s.box(ctx, join)
	if err != nil {
		return false, err
	}
	s.parts = append(s.parts, b)
	from := len(s.costs()) - len(join)
	lo, up := s.columnBounds()
	return true, s.sifted.AddColumns(s.costs()[from:], lo[from:], up[from:], b)
}

// closest returns the margins outside that cross 1 closest to t, as many as join at a time.
func (s *sift) closest(crossings []samples.Crossing, t float64) (join []int) {
	out := slices.DeleteFunc(crossings, func(c samples.Crossing) bool { return c.Index < 0 || s.inside[c.Index] })
	deal.Sort(out, func(a, b samples.Crossing) int {
		return cmp.Or(cmp.Compare(math.Abs(a.Share-t), math.Abs(b.Share-t)), cmp.Compare(a.Index, b.Index))
	})
	for _, c := range out[:min(len(out), max(firstWidth(len(s.solver.y))/3, s.width/2))] {
		join = append(join, c.Index)
	}
	return join
}

// apart returns the first samples of idx whose images are not close to that of an earlier one, as many as join at a
// time. The rows of close samples are nearly the same.
func (s *sift) apart(ctx context.Context, idx []int) (rows []int, err error) {
	const close = 0.95 // the cosine of their images
	if s.diag == nil {
		s.diag = make([]float64, len(s.solver.y))
		s.solver.k.Diag(s.diag)
	}
	for len(idx) > 0 && len(rows) < s.solver.batch() {
		i := idx[0]
		rows, idx = append(rows, i), idx[1:]
		k, err := s.solver.k.Block(ctx, []int{i}, idx)
		if err != nil {
			return nil, err
		}
		rest := idx[:0]
		for t, j := range idx {
			if v := k[0][t]; !(v > 0 && v*v > close*close*s.diag[i]*s.diag[j]) {
				rest = append(rest, j)
			}
		}
		idx = rest
	}
	return rows, nil
}

// addRows adds the working rows of the samples idx.
func (s *sift) addRows(ctx context.Context, p Costs, idx []int) error {
	if err := s.reserveBox(len(idx), 0); err != nil {
		return err
	}
	from := len(s.solver.working)
	samples := make([]int, 0, s.width) // of all boxes
	for b := range s.boxes() {
		samples = append(samples, b.samples...)
	}
	rows, err := s.solver.k.Block(ctx, idx, samples)
	if err != nil {
		return err
	}
	for r, i := range idx {
		s.solver.working = append(s.solver.working, i)
		s.solver.row[i] = len(s.solver.working)
		all := rows[r]
		for b := range s.boxes() {
			n := len(b.samples)
			b.rows = append(b.rows, all[:n:n])
			all = all[n:]
		}
	}
	for _, part := range s.parts {
		if l, ok := part.(*simplex.Sparse); ok {
			l.Rows = 1 + len(s.solver.working)
		}
	}
	lo, up := s.rowBounds(p)
	if err := s.sifted.AddRows(lo[1+from:], up[1+from:]); err != nil {
		return err
	}
	limits := s.limits(1 + from)
	s.parts = append(s.parts, limits)
	first := len(s.costs()) - 2*len(idx)
	lo, up = s.columnBounds()
	return s.sifted.AddColumns(s.costs()[first:], lo[first:], up[first:], limits)
}

// limits returns two columns for each row from the given one on. They relax the row at a cost that bounds its dual.
func (s *sift) limits(from int) *simplex.Sparse {
	l := &simplex.Sparse{Rows: 1 + len(s.solver.working)}
	for r := from; r < l.Rows; r++ {
		l.Append([]int32{int32(r)}, []float64{1})
		l.Append([]int32{int32(r)}, []float64{-1})
	}
	return l
}

// costs returns the costs of all columns. A row's dual is at most the cost of its first limit, and at least minus that
// of the second. The coefficient is minus the dual. So it stays within the limit, and within the radius of the
// centre's coefficient.
func (s *sift) costs() (c []float64) {
	r := 0 // row of the next limits
	for _, part := range s.parts {
		if b, ok := part.(*box); ok {
			for _, j := range b.samples {
				c = append(c, -s.margin*s.solver.y[j])
			}
			continue
		}
		_, n := part.Dims()
		for range n / 2 {
			centre := s.centre.bias
			if r > 0 {
				centre = s.centre.a[s.solver.working[r-1]]
			}
			c = append(c, min(s.limit, s.radius-centre), min(s.limit, s.radius+centre))
			r++
		}
	}
	return c
}

// columnBounds returns the bounds of all columns. No row needs more relaxation than all hinge costs together.
func (s *sift) columnBounds() (lo, up []float64) {
	largest := dense.Sum(s.solver.cap)
	for _, part := range s.parts {
		b, ok := part.(*box)
		if !ok {
			_, n := part.Dims()
			lo = append(lo, make([]float64, n)...)
			up = append(up, slices.Repeat([]float64{2 * largest}, n)...)
			continue
		}
		for _, j := range b.samples {
			lo = append(lo, min(0, s.solver.y[j]*s.solver.cap[j]))
			up = append(up, max(0, s.solver.y[j]*s.solver.cap[j]))
		}
	}
	return lo, up
}

// rowBounds returns the bounds of all rows, less what the multipliers outside contribute.
func (s *sift) rowBounds(p Costs) (lo, up []float64) {
	within := make([]float64, 1+len(s.solver.working)) // the activities of the multipliers inside
	for b := range s.boxes() {
		b.MulAdd(within[:len(b.rows)], deal.Pick(s.solver.m, b.samples))
	}
	sum := dense.Sum(s.solver.m)
	lo, up = s.solver.rowBounds(p, s.solver.working)
	for r := range lo {
		outside := sum - within[0]
		if r > 0 {
			outside = s.solver.g[s.solver.working[r-1]] - within[r]
		}
		lo[r] -= outside
		up[r] -= outside
	}
	return lo, up
}

// fix sets the multipliers outside to the bounds that belong to the centre's margins.
func (s *sift) fix(ctx context.Context) error {
	var moved changes
	for j, y := range s.solver.y {
		if s.inside[j] {
			continue
		}
		want := 0.0
		if s.slack(s.centre.f, j) > 0 {
			want = y * s.solver.cap[j]
		}
		moved.set(s.solver.m, j, want)
	}
	return s.solver.update(ctx, moved)
}

// takeSolution stores the multipliers and the model of a solution.
func (s *sift) takeSolution(ctx context.Context, p Costs, res *simplex.Result) error {
	var moved, altered changes
	x := res.X
	s.limited = false
	for _, part := range s.parts {
		_, n := part.Dims()
		if b, ok := part.(*box); ok {
			for t, j := range b.samples {
				moved.set(s.solver.m, j, x[t])
			}
		} else {
			s.limited = s.limited || slices.ContainsFunc(x[:n], func(v float64) bool { return v > 0 })
		}
		x = x[n:]
	}
	if err := s.solver.update(ctx, moved); err != nil {
		return err
	}
	for r, i := range s.solver.working {
		altered.set(s.last.a, i, s.solver.coefficient(-res.Y[r+1], s.solver.y[i], p.Coef[i]))
	}
	s.last.shift(s.solver.coefficient(-res.Y[0], 0, p.Bias) - s.last.bias)
	return s.solver.k.AddRows(ctx, s.last.f, altered.idx, altered.by)
}

// reserveBox takes memory for more rows and columns from the budget.
func (s *sift) reserveBox(rows, columns int) error {
	m, n := int64(1+len(s.solver.working)+rows), int64(s.width+columns)
	return s.reserve(8 * m * (n + m))
}

// reserve takes so many bytes from the budget, less those that are paid and those that [ChosenBytes] counts.
func (s *sift) reserve(bytes int64) error {
	if s.solver.opt.Budget == nil {
		return nil
	}
	if need := bytes - rowsBytes(len(s.solver.y), 0, s.solver.k.workingRows()) - s.paid; need > 0 {
		if err := s.solver.opt.Budget.Take(need); err != nil {
			return err
		}
		s.paid += need
	}
	return nil
}

// box holds columns of the program: the bias row and the kernel values of the working rows, for some samples.
type box struct {
	rowMatrix
	samples []int
	part    [][]float64 // scratch of MulAdd
}

// boxes yields the parts of margins.
func (s *sift) boxes() iter.Seq[*box] {
	return func(yield func(*box) bool) {
		for _, p := range s.parts {
			if b, ok := p.(*box); ok && !yield(b) {
				return
			}
		}
	}
}

// Dims implements simplex.Columns.
func (b *box) Dims() (m, n int) { return len(b.rows), len(b.samples) }

// MulAdd does dst += A·x.
func (b *box) MulAdd(dst, x []float64) {
	m := len(b.rows)
	b.part = slices.Grow(b.part[:0], m)[:m]
	if m*len(x) < apieceWork {
		b.mulAdd(dst, x, 0, m)
		return
	}
	parallel.Chunks(b.threads, m, apieceRows, func(_, lo, hi int) { b.mulAdd(dst, x, lo, hi) })
}

// mulAdd is MulAdd of some rows. After bound flips most of x is 0, so it skips stretches of zeros.
func (b *box) mulAdd(dst, x []float64, from, to int) {
	const stretch = 64
	for lo := 0; lo < len(x); {
		if zeros(x[lo:min(lo+stretch, len(x))]) {
			lo += stretch
			continue
		}
		hi := min(lo+stretch, len(x))
		for hi < len(x) && !zeros(x[hi:min(hi+stretch, len(x))]) {
			hi = min(hi+stretch, len(x))
		}
		if lo == 0 && hi == len(x) {
			dense.AddMulGathered(dst[from:to], b.rows[from:to], x)
			return
		}
		for r := from; r < to; r++ {
			b.part[r] = b.rows[r][lo:hi]
		}
		dense.AddMulGathered(dst[from:to], b.part[from:to], x[lo:hi])
		lo = hi
	}
}

// zeros reports whether all of x are.
func zeros(x []float64) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}

// Many margins join while the program's model is far from the optimum, and end far from 1. A pivot reads rows × margins
// numbers, so margins leave when they are several times as many as matter. Rows whose coefficients a reweighting has
// set to 0 for ever leave too, once there are many.

const (
	marginsPerRow = 4   // margins a row that stay: those nearest to 1 at the centre, besides the basic ones
	wideFor       = 3   // the others leave if the margins are so many times as many
	maxNarrowed   = 200 // limits how often margins leave, so that the rounds end
	manyDead      = 128 // rows leave if there are so many to leave,
	deadShare     = 4   // and if they are a quarter of all
)

// narrow removes margins far from 1 and dead rows from a program over candidates. The basis stays the same.
func (s *sift) narrow(p Costs) error {
	if !s.overCandidates {
		return nil
	}
	basis := s.sifted.Basis(simplex.Basis{})
	dead := s.dead(p, basis.Rows)
	if len(dead) < max(manyDead, len(s.solver.working)/deadShare) {
		dead = nil
	}
	stay := max(firstWidth(len(s.solver.y)), marginsPerRow*(len(s.solver.working)-len(dead)))
	wide := s.width >= wideFor*stay && s.narrowed < maxNarrowed
	if !wide && dead == nil {
		return nil
	}
	s.narrowed++
	within := s.nearest(stay)
	b := &box{rowMatrix: rowMatrix{make([][]float64, 1+len(s.solver.working)), parallel.Workers(s.solver.opt.Threads)}}
	var rest simplex.Basis
	var limits []simplex.Position
	cols := basis.Cols
	for _, part := range s.parts {
		_, n := part.Dims()
		if old, ok := part.(*box); ok {
			for t, j := range old.samples {
				if s.inside[j] = cols[t] == simplex.Basic || math.Abs(s.slack(s.centre.f, j)) <= within; s.inside[j] {
					b.samples = append(b.samples, j)
					rest.Cols = append(rest.Cols, cols[t])
				}
			}
			s.copyRows(b, old)
		} else {
			limits = append(limits, cols[:n]...)
		}
		cols = cols[n:]
	}
	rest.Rows, limits = s.bury(dead, b, basis.Rows, limits)
	rest.Cols = append(rest.Cols, limits...)
	s.width = len(b.samples)
	if err := s.build(p, b); err != nil {
		return err
	}
	return s.sifted.SetBasis(rest)
}

// dead lists the working rows, ascending, whose costs forbid a coefficient. Such a row can leave without a change to
// the others if it is basic and its limits are not.
func (s *sift) dead(p Costs, positions []simplex.Position) (rows []int) {
	for r, i := range s.solver.working {
		if math.IsInf(p.Coef[i], 1) && positions[r+1] == simplex.Basic && s.last.a[i] == 0 {
			rows = append(rows, r)
		}
	}
	return rows
}

// bury removes dead rows from the box and from the working rows. It returns the positions of the other rows and limits.
func (s *sift) bury(dead []int, b *box, rows, limits []simplex.Position) (rest, limit []simplex.Position) {
	rest, limit = rows[:1:1], limits[:2:2]
	working, values := s.solver.working[:0:0], b.rows[:1:1]
	for r, i := range s.solver.working {
		if len(dead) > 0 && dead[0] == r {
			dead = dead[1:]
			s.solver.row[i] = 0
			continue
		}
		working = append(working, i)
		values = append(values, b.rows[r+1])
		s.solver.row[i] = len(working)
		rest = append(rest, rows[r+1])
		limit = append(limit, limits[2*r+2:2*r+4]...)
	}
	s.solver.working, b.rows = working, values
	return rest, limit
}

// copyRows appends the values of the samples of the old box that stay.
func (s *sift) copyRows(b, old *box) {
	for r, row := range old.rows {
		for t, j := range old.samples {
			if s.inside[j] {
				b.rows[r] = append(b.rows[r], row[t])
			}
		}
	}
}

// nearest returns the distance from 1, at the centre, that count of the program's margins do not exceed.
func (s *sift) nearest(count int) float64 {
	var all []float64
	for b := range s.boxes() {
		for _, j := range b.samples {
			all = append(all, math.Abs(s.slack(s.centre.f, j)))
		}
	}
	slices.Sort(all)
	return all[min(count, len(all)-1)]
}

// build states the program of a box of margins and all working rows.
func (s *sift) build(p Costs, b *box) (err error) {
	limits := s.limits(0)
	s.parts = []simplex.Columns{b, limits}
	lo, up := s.columnBounds()
	rowLo, rowUp := s.rowBounds(p)
	a := simplex.Blocks{b, limits}
	s.sifted, err = simplex.New(simplex.LP{C: s.costs(), Lo: lo, Up: up, RowLo: rowLo, RowUp: rowUp, A: a},
		simplex.Options{Method: simplex.Dual, NoScaling: true, Tolerance: tolerance, Unit: 1})
	return err
}
