package qp

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// gram is ½‖Ax − b‖² as a quadratic function: ½xᵀAᵀAx + cᵀx + offset.
type gram struct {
	a      *simplex.Dense
	b      []float64
	n      int
	q, c   []float64
	offset float64
}

func newGram(a *simplex.Dense, b []float64, from *arena) (*gram, error) {
	if err := checkShape(a); err != nil {
		return nil, err
	}
	m, n := a.Dims()
	if len(b) != m {
		return nil, invalid("%d values for %d rows", len(b), m)
	}
	memory := from.slab(n*n + n)
	s := &gram{a: a, b: b, n: n, q: memory.take(n * n), c: memory.take(n), offset: dense.Dot(b, b) / 2}
	if m > 0 && n > 0 {
		dense.AddRows(s.c, b, a.Data, a.Stride)
		view := dense.Of(a.Data, m, n, a.Stride)
		if err := dense.MulLower(context.Background(), 1, 1, view.T(), view, dense.Of(s.q, n, n, n)); err != nil {
			return nil, err
		}
	}
	whole := finite(s.offset)
	for i := range n {
		s.c[i] = -s.c[i]
		for j, v := range s.q[i*n : i*n+i] {
			s.q[j*n+i] = v
		}
		whole = whole && finite(s.q[i*n+i]) // a sum of squares of all entries of the column
	}
	if !whole {
		return s, s.notFinite()
	}
	return s, nil
}

// notFinite names the entry or the value that is not finite, if it is not a sum that overflows.
func (s *gram) notFinite() error {
	for i, v := range s.b {
		if !finite(v) {
			return invalid("value %d is %v", i, v)
		}
		for j, e := range s.a.Row(i) {
			if !finite(e) {
				return invalid("entry of row %d and column %d is %v", i, j, e)
			}
		}
	}
	return nil
}

// guess is block principal pivoting by AᵀA: free elements of x solve their least squares, the others are at a bound.
type guess struct {
	*gram
	bounds
	proof
	free    []int32   // the free elements, ascending
	isFree  []bool    // n
	u       []float64 // by rows, n+1 apart: UᵀU is AᵀA of the free columns, and behind it stands U⁻ᵀ times −base of them
	min     float64   // the least pivot of UᵀU, relative to the diagonal of AᵀA
	x, y    []float64 // n: y is the slope AᵀAx + c
	base    []float64 // n: the slope without the free elements
	w       []float64 // n
	slack   []float64 // n: the slope that counts as 0
	lengths []float64 // n: ‖a_j‖
	moves   int
}

type bounds struct {
	lo, up   []float64
	fromZero bool // no element is at a bound but 0
}

type proof struct {
	residual []float64 // m: Ax − b
	size     float64   // ‖Ax − b‖
	rounded  float64   // what rounding errors may add to a slope, relative to ‖a_j‖·‖Ax − b‖
	worst    float64   // what the certificate calls the dual residual
	gap      float64
}

// settled is the slope, relative to ‖a_j‖·‖b‖, that is a rounding error; so is that share of ‖b‖/‖a_j‖ as a value.
const settled = 1e-13

func newGuess(g *gram, from *arena) *guess {
	n := g.n
	memory, result := from.slab(n*(n+1)+6*n+len(g.b)), make(slab, 2*n)
	lengths := memory.take(n)
	for j := range lengths {
		lengths[j] = math.Sqrt(g.q[j*n+j])
	}
	return &guess{gram: g, bounds: bounds{lo: memory.take(n), up: memory.take(n)},
		proof: proof{residual: memory.take(len(g.b))}, free: make([]int32, 0, n), isFree: make([]bool, n),
		u: memory.take(n * (n + 1)), min: 1, x: result.take(n), y: result.take(n), base: memory.take(n),
		w: memory.take(n), slack: memory.take(n), lengths: lengths}
}

// pivot reports whether the guesses have settled.
func (s *guess) pivot(ctx context.Context) bool {
	size := math.Sqrt(2 * s.offset)
	for j, x := range s.x {
		size += math.Abs(x) * s.lengths[j]
	}
	for j := range s.n {
		s.slack[j] = settled * size * s.lengths[j]
	}
	s.slope()
	for fewest, patience := s.n+1, 3; ; patience-- {
		wrong := s.exchange()
		s.moves += wrong
		if wrong == 0 {
			return true
		}
		if wrong < fewest {
			fewest, patience = wrong, 4
		}
		if patience == 0 || ctx.Err() != nil {
			return false
		}
		s.solve()
		s.slope()
	}
}

// slope sets y from AᵀA.
func (s *guess) slope() {
	dense.MulVec(s.y, s.q, s.n, s.x)
	dense.Axpy(1, s.c, s.y)
}

// oneByOne is the method of Lawson and Hanson from the start, by AᵀA.
func (s *guess) oneByOne(ctx context.Context) bool {
	s.start()
	from := make([]float64, s.n)
	return s.descend(ctx, 3*s.n, func() bool {
		copy(from, s.x)
		s.solve()
		return s.stop(s.free, from, func(j int32) float64 { return s.x[j] })
	}, func() int {
		s.slope()
		next, steepest := -1, 1.0
		for j, v := range s.y {
			if v = math.Abs(s.wrong(j, s.x[j], v)); !s.isFree[j] && v > steepest*s.slack[j] {
				next, steepest = j, v/s.slack[j]
			}
		}
		return next
	})
}

// descend goes towards the least squares of the free elements until the first of these is at a bound, where it stays,
// as often as step says so. Then it frees the next element, the one of the steepest slope by the length of its column.
// It reports whether, among so many at most, there is none in the end: −1.
func (s *guess) descend(ctx context.Context, most int, step func() (stopped bool), next func() int) bool {
	for range most {
		for step() {
		}
		if ctx.Err() != nil {
			return false
		}
		j := next()
		if j < 0 {
			return true
		}
		s.isFree[j] = true
		s.moves++
	}
	return false
}

// stop moves the live elements of x from where they were towards a goal, and reports whether a bound was in the way.
// The elements there are free no longer.
func (s *guess) stop(live []int32, from []float64, goal func(j int32) float64) (stopped bool) {
	way := 1.0
	for _, j := range live {
		way = min(way, s.part(j, from[j], goal(j)))
	}
	for _, j := range live {
		x, z := from[j], goal(j)
		beyond := z < s.lo[j] || z > s.up[j]
		value := min(max(x+way*(z-x), s.lo[j]), s.up[j])
		if beyond && (s.part(j, x, z) <= way || value == s.lo[j] || value == s.up[j]) {
			if value = s.lo[j]; z > value {
				value = s.up[j]
			}
			s.isFree[j], stopped = false, true
			s.moves++
		} else if way == 1 {
			value = z
		}
		s.x[j] = value
	}
	return stopped
}

// part is the part of the way from x to z at which element j is at a bound, 1 if it is not before z.
func (s *guess) part(j int32, x, z float64) float64 {
	switch {
	case z < s.lo[j]:
		return (s.lo[j] - x) / (z - x)
	case z > s.up[j]:
		return (s.up[j] - x) / (z - x)
	}
	return 1
}

// exchange moves the elements whose value or slope has the wrong sign, and counts them.
func (s *guess) exchange() (wrong int) {
	for j, free := range s.isFree {
		x, lo, up, q := s.x[j], s.lo[j], s.up[j], s.q[j*s.n+j]
		switch {
		case free && x < lo && (lo-x)*q > s.slack[j]:
			s.x[j] = lo
		case free && x > up && (x-up)*q > s.slack[j]:
			s.x[j] = up
		case !free && math.Abs(s.wrong(j, x, s.y[j])) > s.slack[j]:
		default:
			continue
		}
		s.isFree[j] = !free
		wrong++
	}
	return wrong
}

// fixed sets the slope that the elements at bounds make.
func (s *guess) fixed() {
	copy(s.base, s.c)
	if s.fromZero {
		return
	}
	for j, x := range s.x {
		if x != 0 && !s.isFree[j] {
			dense.Axpy(x, s.q[j*s.n:][:s.n], s.base)
		}
	}
}

// solve factors AᵀA of the free columns and sets x. A column that depends on those before it stays 0.
func (s *guess) solve() {
	n, ld := s.n, s.n+1
	s.fixed()
	s.free, s.min = s.free[:0], 1
	for j, free := range s.isFree {
		if free {
			s.free = append(s.free, int32(j))
		}
	}
	k := len(s.free)
	for i, j := range s.free {
		row, from := s.u[i*ld:][:k+1], s.q[int(j)*n:][:n]
		for t := i; t < k; t++ {
			row[t] = from[s.free[t]]
		}
		row[k] = -s.base[j]
		for t := range i {
			s.w[t] = -s.u[t*ld+i]
		}
		dense.AddRows(row[i:], s.w[:i], s.u[i:], ld)
		if !(row[i] > besideOthers*from[j]) {
			clear(row[i:])
			if row[i] = inf; !s.fromZero {
				s.min = 0
			}
			continue
		}
		s.min = min(s.min, row[i]/from[j])
		length := math.Sqrt(row[i])
		for t := i; t <= k; t++ {
			row[t] /= length
		}
	}
	for i := range k {
		s.w[i] = s.u[i*ld+k]
	}
	s.backward()
	for i, j := range s.free {
		s.x[j] = s.w[i]
	}
}

// besideOthers is the pivot of AᵀA, relative to its diagonal, below which a column depends on others.
const besideOthers = 1e-11

// forward does w = U⁻ᵀw.
func (s *guess) forward() {
	k, ld := len(s.free), s.n+1
	for i := range k {
		row := s.u[i*ld:][:k]
		s.w[i] /= row[i]
		dense.Axpy(-s.w[i], row[i+1:], s.w[i+1:])
	}
}

// backward does w = U⁻¹w.
func (s *guess) backward() {
	k, ld := len(s.free), s.n+1
	for i := k - 1; i >= 0; i-- {
		row := s.u[i*ld:][:k]
		s.w[i] = (s.w[i] - dense.Dot(row[i+1:], s.w[i+1:])) / row[i]
	}
}

// refine corrects x by the residuals of A, and reports whether they prove it. One step gives nearly what an orthogonal
// factor of A does (Björck, 1987), unless columns nearly depend on others.
func (s *guess) refine() bool {
	for j := range s.x {
		s.x[j] = min(max(s.x[j], s.lo[j]), s.up[j])
	}
	if !(s.min > 1e-8) {
		return false
	}
	for _, proven := range [...]float64{polishedSlope, polishedSlope, provenSlope} {
		if s.residuals() || s.slopes(proven) {
			return true
		}
		s.backward()
		for i, j := range s.free {
			s.x[j] = min(max(s.x[j]-s.w[i], s.lo[j]), s.up[j])
		}
	}
	return false
}

// Slopes relative to the length of the column and the residual: that refinement is content with, and that proves x.
const polishedSlope, provenSlope = 1e-14, 1e-13

// slopes sets the slopes by the residual, and reports whether they prove x: the free columns cannot reduce the
// residual, and no slope has a wrong sign. It leaves U⁻ᵀ times the slopes of the free columns in w.
func (s *guess) slopes(proven float64) bool {
	clear(s.y)
	dense.AddRows(s.y, s.residual, s.a.Data, s.a.Stride)
	for i, j := range s.free {
		s.w[i] = s.y[j]
	}
	s.forward()
	k := len(s.free)
	reducible := relative(math.Sqrt(dense.Dot(s.w[:k], s.w[:k])), s.size, 0)
	s.worst, s.gap = 0, reducible*reducible
	for j, v := range s.y {
		if v = math.Abs(s.wrong(j, s.x[j], v)); v == 0 {
			continue
		}
		part := v / (s.size * s.lengths[j])
		s.worst = max(s.worst, part)
		atBound := s.x[j] == s.lo[j] || s.x[j] == s.up[j] // its column may nearly depend on the free ones
		if atBound && !(part <= 4e-15 && v <= proven*s.sizeOf(j)) {
			return false
		}
	}
	proved := s.worst <= proven && reducible <= proven
	s.worst += s.rounded
	return proved
}

// sizeOf is Σ_i |a_ij·r_i|.
func (s *guess) sizeOf(j int) (size float64) {
	for i, v := range s.residual {
		size += math.Abs(v * s.a.Data[i*s.a.Stride+j])
	}
	return size
}

// residuals sets Ax − b, in doubled precision unless rounding errors are below 1e-11 of it, and reports whether the
// rounding of x explains it.
func (s *guess) residuals() bool {
	dense.MulVec(s.residual, s.a.Data, s.a.Stride, s.x)
	dense.Axpy(-1, s.b, s.residual)
	s.size = math.Sqrt(dense.Dot(s.residual, s.residual))
	terms := math.Sqrt(2 * s.offset)
	for j, x := range s.x {
		terms += math.Abs(x) * s.lengths[j]
	}
	s.rounded = 0x1p-53 * float64(len(s.b)+s.n+2)
	s.worst, s.gap = 0, 0
	if s.rounded*terms <= 1e-11*s.size {
		s.rounded *= 1 + terms/s.size
		return false
	}
	small := true
	for i, v := range s.b {
		row, hi, lo, size := s.a.Row(i), -v, 0.0, math.Abs(v)
		for j, x := range s.x { // as dense.Doubled, whose methods the compiler does not inline
			if x == 0 {
				continue
			}
			p := float64(row[j] * x)
			sum := hi + p
			part := sum - hi
			lo += (hi - (sum - part)) + (p - part) + math.FMA(row[j], x, -p)
			hi = sum
			size += math.Abs(p)
		}
		s.residual[i] = hi + lo
		small = small && math.Abs(hi+lo) <= 0x1p-50*size
	}
	s.size = math.Sqrt(dense.Dot(s.residual, s.residual))
	return small
}

func (s *guess) result() *Result {
	r := &Result{Status: status.Optimal, Objective: dense.Dot(s.residual, s.residual) / 2, X: s.x, Activity: []float64{},
		Y: []float64{}, BoundDuals: s.y, Iterations: s.moves}
	r.DualResidual, r.Gap = s.worst, s.gap
	for j, v := range s.y {
		if s.wrong(j, s.x[j], v) != 0 {
			s.y[j] = 0
		}
	}
	return r
}
