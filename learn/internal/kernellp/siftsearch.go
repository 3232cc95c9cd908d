package kernellp

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// crossing is where the slope of the objective changes between the centre and the last solution.
type crossing struct {
	t      float64 // share of the way
	sample int     // whose margin crosses 1; −1 for a coefficient that changes its sign
	by     float64
}

// search returns the share t of the way from the centre to the last solution at which the objective is least, and all
// crossings. On the way the objective is convex and piecewise linear.
func (s *sift) search(p Costs) (t float64, crossings []crossing) {
	var slope float64
	for j := range s.of.y {
		z, to := s.slack(s.centre.f, j), s.slack(s.last.f, j)
		d := to - z
		by := s.of.cap[j] * math.Abs(d)
		if z > 0 || z == 0 && d > 0 {
			slope += s.of.cap[j] * d
		}
		if (z > 0) != (to > 0) && d != 0 {
			if z == 0 { // counted in the slope
				by = 0
			}
			crossings = append(crossings, crossing{z / -d, j, by})
		}
	}
	size := func(a, to, price float64) {
		d := to - a
		switch {
		case d == 0:
			return
		case a > 0 || a == 0 && d > 0:
			slope += price * d
		default:
			slope -= price * d
		}
		if a != 0 && (a > 0) != (to > 0) {
			crossings = append(crossings, crossing{-a / d, -1, 2 * price * math.Abs(d)})
		}
	}
	for i, a := range s.centre.a {
		size(a, s.last.a[i], p.Coef[i])
	}
	size(s.centre.bias, s.last.bias, p.Bias)
	slices.SortFunc(crossings, func(a, b crossing) int {
		return cmp.Or(cmp.Compare(a.t, b.t), cmp.Compare(a.sample, b.sample))
	})
	if slope >= 0 {
		return 0, crossings
	}
	for _, c := range crossings {
		if slope += c.by; slope >= 0 {
			return c.t, crossings
		}
	}
	return 1, crossings
}

// sample trains on some samples, evenly spaced. Their model becomes the first centre, its vectors the working rows.
func (s *sift) sample(ctx context.Context, p Costs) error {
	size, from := s.sampled()
	idx := spaced(len(s.of.y), size)
	margins := make(map[int]bool, size) // the other candidates have no losses
	for _, i := range idx {
		margins[i] = true
	}
	idx, of := s.of.k.among(idx)
	y, price := make([]float64, len(idx)), make([]float64, len(idx))
	costs := Costs{Margin: p.Margin, Bias: p.Bias, Coef: make([]float64, len(idx))}
	var all, some float64
	for _, c := range s.of.cap {
		all += c
	}
	for r, i := range idx {
		if y[r], costs.Coef[r] = s.of.y[i], p.Coef[i]; margins[i] {
			price[r] = s.of.cap[i]
		}
		some += price[r]
	}
	if from > len(s.of.y) {
		for r := range price {
			price[r] *= all / some
		}
	}
	opt := Options{Tolerance: s.of.opt.Tolerance, SiftFrom: from, InteriorFrom: s.of.opt.InteriorFrom, Threads: s.of.opt.Threads}
	sol, err := New(of, y, price, s.of.shape, opt).Solve(ctx, costs)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	for r, i := range idx {
		if s.centre.a[i] = sol.A[r]; sol.A[r] != 0 {
			s.of.working = append(s.of.working, i)
			s.of.row[i] = len(s.of.working)
		}
	}
	s.centre.bias = sol.Bias
	return s.centre.evaluate(ctx, s.of.k)
}

// sampled returns the number of samples for the first centre, and the number from which their program is sifted. With
// candidates it is an eighth of all, at their own costs: few margins are then between their model and the optimum. At
// eight times these costs their program would take longer than that of all samples.
func (s *sift) sampled() (size, from int) {
	n := len(s.of.y)
	if size = n / 8; s.few && size > 2*firstWidth(n) {
		return size, s.of.opt.SiftFrom
	}
	return firstWidth(n), 2*n + 1
}

// spaced returns size numbers below n, ascending, evenly spaced.
func spaced(n, size int) []int {
	idx := make([]int, size)
	for r := range idx {
		idx[r] = r * n / size
	}
	return idx
}

// submatrix is the kernel matrix of some samples.
type submatrix struct {
	k    Kernel
	idx  []int
	rows [][]float64
}

// Len implements [Kernel].
func (k *submatrix) Len() int { return len(k.idx) }

// Diag implements [Kernel].
func (k *submatrix) Diag(dst []float64) {
	all := make([]float64, k.k.Len())
	k.k.Diag(all)
	for r, i := range k.idx {
		dst[r] = all[i]
	}
}

// Rows implements [Kernel].
func (k *submatrix) Rows(idx []int) [][]float64 {
	k.rows = k.rows[:0]
	for _, r := range idx {
		row := make([]float64, len(k.idx))
		of := k.k.Rows([]int{k.idx[r]})[0]
		for c, j := range k.idx {
			row[c] = of[j]
		}
		k.rows = append(k.rows, row)
	}
	return k.rows
}

// AddRows implements [Kernel].
func (k *submatrix) AddRows(ctx context.Context, g []float64, idx []int, coef []float64) error {
	for t, r := range idx {
		if err := ctx.Err(); err != nil {
			return err
		}
		for c, v := range k.Rows([]int{r})[0] {
			g[c] += coef[t] * v
		}
	}
	return nil
}
