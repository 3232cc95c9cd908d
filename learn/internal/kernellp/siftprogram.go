package kernellp

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/simplex"
)

// loadSifted gives the program the centre's multipliers outside, and the costs.
func (s *sift) loadSifted(ctx context.Context, p Costs) error {
	if s.sifted == nil {
		return s.beginSifted(ctx, p)
	}
	if err := s.narrow(p); err != nil {
		return err
	}
	if err := s.fix(ctx); err != nil {
		return err
	}
	if s.moved {
		s.moved = false
		if err := s.sifted.SetColBounds(s.siftedColumnBounds()); err != nil {
			return err
		}
	}
	if s.k.Limited() {
		if err := s.sifted.SetCost(s.siftedCosts()); err != nil {
			return err
		}
	}
	return s.sifted.SetRowBounds(s.rowBounds(p))
}

// beginSifted makes the program of the working rows and of the margins closest to 1 at the centre.
func (s *sift) beginSifted(ctx context.Context, p Costs) error {
	near := make([]int, len(s.y))
	for j := range near {
		near[j] = j
	}
	distance := func(j int) float64 { return math.Abs(s.slack(s.centre.f, j)) }
	slices.SortFunc(near, func(a, b int) int {
		return cmp.Or(cmp.Compare(distance(a), distance(b)), cmp.Compare(a, b))
	})
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

// largest is the limit that the centre asks for.
func (s *sift) largest() float64 {
	most := max(1, 100*math.Abs(s.centre.bias))
	for _, a := range s.centre.a {
		most = max(most, 100*math.Abs(a))
	}
	return most
}

// firstWidth is the number of margins of n that the program begins with, and that of the samples that say where.
func firstWidth(n int) int { return min(n, max(16, min(1500, n/4))) }

// box makes columns of the samples.
func (s *sift) box(ctx context.Context, samples []int) (*box, error) {
	if err := s.paySifted(0, len(samples)); err != nil {
		return nil, err
	}
	b := &box{samples: slices.Clone(samples), rows: [][]float64{slices.Repeat([]float64{1}, len(samples))}}
	b.threads = parallel.Workers(s.opt.Threads)
	rows, err := s.k.Block(ctx, s.working, samples)
	if err != nil {
		return nil, err
	}
	b.rows = append(b.rows, rows...)
	for _, j := range b.samples {
		s.inside[j] = true
	}
	s.width += len(b.samples)
	return b, nil
}

// addColumns makes margins columns that cross 1 closest to t on the way to the last solution.
func (s *sift) addColumns(ctx context.Context, crossings []crossing, t float64) (bool, error) {
	samples := s.closest(crossings, t)
	if len(samples) == 0 {
		return false, nil
	}
	b, err := s.box(ctx, samples)
	if err != nil {
		return false, err
	}
	s.parts = append(s.parts, part{b, b, nil})
	from := len(s.siftedCosts()) - len(samples)
	lo, up := s.siftedColumnBounds()
	return true, s.sifted.AddColumns(s.siftedCosts()[from:], lo[from:], up[from:], b)
}

// closest returns the margins outside that cross closest to t, as many as join at a time.
func (s *sift) closest(crossings []crossing, t float64) (samples []int) {
	out := slices.DeleteFunc(crossings, func(c crossing) bool { return c.sample < 0 || s.inside[c.sample] })
	slices.SortFunc(out, func(a, b crossing) int {
		return cmp.Or(cmp.Compare(math.Abs(a.t-t), math.Abs(b.t-t)), cmp.Compare(a.sample, b.sample))
	})
	for _, c := range out[:min(len(out), max(firstWidth(len(s.y))/3, s.width/2))] {
		samples = append(samples, c.sample)
	}
	return samples
}

// apart returns the first of the samples idx that are not close to one before, as many as join at a time: the rows of
// neighbours say nearly the same.
func (s *sift) apart(ctx context.Context, idx []int) (rows []int, err error) {
	const close = 0.95 // the cosine of their images
	if s.diag == nil {
		s.diag = make([]float64, len(s.y))
		s.k.Diag(s.diag)
	}
	for len(idx) > 0 && len(rows) < s.batch() {
		i := idx[0]
		rows, idx = append(rows, i), idx[1:]
		k, err := s.k.Block(ctx, []int{i}, idx)
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

// addSiftedRows makes the samples idx working rows.
func (s *sift) addSiftedRows(ctx context.Context, p Costs, idx []int) error {
	if err := s.paySifted(len(idx), 0); err != nil {
		return err
	}
	from := len(s.working)
	rows, err := s.across(ctx, idx)
	if err != nil {
		return err
	}
	for r, i := range idx {
		s.working = append(s.working, i)
		s.row[i] = len(s.working)
		all := rows[r]
		for b := range s.boxes() {
			n := len(b.samples)
			b.rows = append(b.rows, all[:n:n])
			all = all[n:]
		}
	}
	for _, part := range s.parts {
		if part.limits != nil {
			part.limits.Rows = 1 + len(s.working)
		}
	}
	lo, up := s.rowBounds(p)
	if err := s.sifted.AddRows(lo[1+from:], up[1+from:]); err != nil {
		return err
	}
	limits := s.limits(1 + from)
	s.parts = append(s.parts, part{limits, nil, limits})
	first := len(s.siftedCosts()) - 2*len(idx)
	lo, up = s.siftedColumnBounds()
	return s.sifted.AddColumns(s.siftedCosts()[first:], lo[first:], up[first:], limits)
}

// across returns the kernel values of the samples idx, a row each, for those of all boxes side by side.
func (s *sift) across(ctx context.Context, idx []int) (rows [][]float64, err error) {
	samples := make([]int, 0, s.width)
	for b := range s.boxes() {
		samples = append(samples, b.samples...)
	}
	return s.k.Block(ctx, idx, samples)
}

// limits makes two columns for each row from the given one on, by which it may give way at the cost of the limit.
func (s *sift) limits(from int) *simplex.Sparse {
	l := &simplex.Sparse{Rows: 1 + len(s.working)}
	for r := from; r < l.Rows; r++ {
		l.Append([]int32{int32(r)}, []float64{1})
		l.Append([]int32{int32(r)}, []float64{-1})
	}
	return l
}

// siftedCosts returns those of all columns. The dual variable of a row is at most the cost of its first limit and at
// least minus that of the second, and minus it is the coefficient: it stays within the limit and within the radius of
// the centre's.
func (s *sift) siftedCosts() (c []float64) {
	r := 0 // row of the next limits
	for _, part := range s.parts {
		if b := part.margins; b != nil {
			for _, j := range b.samples {
				c = append(c, -s.margin*s.y[j])
			}
			continue
		}
		_, n := part.Dims()
		for range n / 2 {
			at := s.centre.bias
			if r > 0 {
				at = s.centre.a[s.working[r-1]]
			}
			c = append(c, min(s.limit, s.radius-at), min(s.limit, s.radius+at))
			r++
		}
	}
	return c
}

// siftedColumnBounds returns those of all columns. Rows need not give way by more than all hinge costs together.
func (s *sift) siftedColumnBounds() (lo, up []float64) {
	var most float64
	for _, c := range s.cap {
		most += c
	}
	for _, part := range s.parts {
		b := part.margins
		if b == nil {
			_, n := part.Dims()
			lo = append(lo, make([]float64, n)...)
			up = append(up, slices.Repeat([]float64{2 * most}, n)...)
			continue
		}
		for _, j := range b.samples {
			lo = append(lo, min(0, s.y[j]*s.cap[j]))
			up = append(up, max(0, s.y[j]*s.cap[j]))
		}
	}
	return lo, up
}

// rowBounds returns those of all rows, which lack what the multipliers outside give.
func (s *sift) rowBounds(p Costs) (lo, up []float64) {
	within := make([]float64, 1+len(s.working)) // of the multipliers inside
	for b := range s.boxes() {
		x := make([]float64, len(b.samples))
		for t, j := range b.samples {
			x[t] = s.m[j]
		}
		b.MulAdd(within[:len(b.rows)], x)
	}
	var sum float64
	for _, m := range s.m {
		sum += m
	}
	lo, up = make([]float64, len(within)), make([]float64, len(within))
	outside := sum - within[0]
	lo[0], up[0] = -p.Bias-outside, p.Bias-outside
	for r, i := range s.working {
		outside = s.g[i] - within[r+1]
		lo[r+1], up[r+1] = s.bounds(p, i)
		lo[r+1], up[r+1] = lo[r+1]-outside, up[r+1]-outside
	}
	return lo, up
}

// fix brings the multipliers outside to the bounds that the centre's margins have.
func (s *sift) fix(ctx context.Context) error {
	var idx []int
	var by []float64
	for j, y := range s.y {
		if s.inside[j] {
			continue
		}
		want := 0.0
		if s.slack(s.centre.f, j) > 0 {
			want = y * s.cap[j]
		}
		if want != s.m[j] {
			idx = append(idx, j)
			by = append(by, want-s.m[j])
			s.m[j] = want
		}
	}
	return s.update(ctx, idx, by)
}

// takeSolution takes multipliers and model of a solution.
func (s *sift) takeSolution(ctx context.Context, p Costs, res *simplex.Result) error {
	var idx []int
	var by []float64
	x := res.X
	s.limited = false
	for _, part := range s.parts {
		_, n := part.Dims()
		if b := part.margins; b != nil {
			for t, j := range b.samples {
				if x[t] != s.m[j] {
					idx = append(idx, j)
					by = append(by, x[t]-s.m[j])
					s.m[j] = x[t]
				}
			}
		} else {
			s.limited = s.limited || slices.ContainsFunc(x[:n], func(v float64) bool { return v > 0 })
		}
		x = x[n:]
	}
	if err := s.update(ctx, idx, by); err != nil {
		return err
	}
	idx, by = idx[:0], by[:0]
	for r, i := range s.working {
		if a := s.coefficient(-res.Y[r+1], s.y[i], p.Coef[i]); a != s.last.a[i] {
			idx = append(idx, i)
			by = append(by, a-s.last.a[i])
			s.last.a[i] = a
		}
	}
	s.last.shift(s.coefficient(-res.Y[0], 0, p.Bias) - s.last.bias)
	return s.k.AddRows(ctx, s.last.f, idx, by)
}

// paySifted takes more rows and columns from the budget, beyond what [Bytes] counts.
func (s *sift) paySifted(rows, columns int) error {
	if s.opt.Budget == nil {
		return nil
	}
	m, n := int64(1+len(s.working)+rows), int64(s.width+columns)
	counted := rowsBytes(len(s.y), 0, s.k.workingRows())
	if need := 8*m*(n+m) - counted - s.paid; need > 0 {
		if err := s.opt.Budget.Take(need); err != nil {
			return err
		}
		s.paid += need
	}
	return nil
}
