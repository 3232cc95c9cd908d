package kernellp

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/simplex"
)

// firstRows is how many working rows the first program starts with: samples spread evenly over the data. With none, the
// first solutions put every multiplier on its bound and say nothing about which rows bind.
const firstRows = 24

// first returns the samples of the first working rows, half of each class when the data allow it.
func (s *Solver) first(p Costs) []int {
	var class [2][]int
	for i, y := range s.y {
		if c := (1 + int(y)) / 2; !math.IsInf(p.Coef[i], 1) {
			class[c] = append(class[c], i)
		}
	}
	var idx []int
	for _, c := range class {
		k := min(len(c), firstRows/2)
		for t := range k {
			idx = append(idx, c[t*len(c)/k])
		}
	}
	return idx
}

// excess is by how much sample i's row is violated, at most 0 where it is not.
func (s *Solver) excess(p Costs, i int) float64 {
	g := s.g[i]
	if s.shape.OneSided {
		return s.y[i]*g - s.lambda - p.Coef[i]
	}
	return math.Abs(g) - p.Coef[i]
}

// violated returns the samples outside the working set whose rows are violated, the
// worst ones first, as many as join at a time.
func (s *Solver) violated(p Costs) []int {
	idx := s.allViolated(p)
	return idx[:min(s.batch(), len(idx))]
}

// batch is the number of rows that join at a time.
func (s *Solver) batch() int {
	if s.opt.Batch > 0 {
		return s.opt.Batch
	}
	return max(32, len(s.working)/4)
}

// allViolated is violated without a limit.
func (s *Solver) allViolated(p Costs) []int {
	return s.worst(p, func(i int) (float64, bool) {
		v := s.excess(p, i)
		if !(v > tolerance) { // most
			return 0, false
		}
		v /= math.Max(1, p.Coef[i])
		return v, v > tolerance
	})
}

// worst returns the samples outside the working set that may have coefficients and count, by descending excess.
func (s *Solver) worst(p Costs, excess func(i int) (v float64, counts bool)) []int {
	type outside struct {
		sample int
		excess float64
	}
	var all []outside
	for i := range s.y {
		if s.row[i] > 0 || math.IsInf(p.Coef[i], 1) {
			continue
		}
		if v, counts := excess(i); counts {
			all = append(all, outside{i, v})
		}
	}
	deal.Sort(all, func(a, b outside) int {
		return cmp.Or(cmp.Compare(b.excess, a.excess), cmp.Compare(a.sample, b.sample))
	})
	idx := make([]int, len(all))
	for k, o := range all {
		idx[k] = o.sample
	}
	return idx
}

// take makes the samples idx working rows of the matrix, or the first of them if ctx ends before: taken says how many.
func (s *Solver) take(ctx context.Context, idx []int) (taken int, err error) {
	if err := s.reserveRows(len(idx)); err != nil {
		return 0, err
	}
	_ = eachRow(ctx, s.k, idx, func(t int, row []float64) {
		i := idx[t]
		s.mx.append(slices.Clone(row), -s.y[i], s.mx.scaleOf(i))
		s.working = append(s.working, i)
		s.row[i], taken = len(s.working), t+1
	})
	for _, b := range s.eta.blocks {
		b.Rows = len(s.mx.rows)
	}
	return taken, nil
}

// reserveRows takes add more working rows from the budget, those beyond the ones that [Bytes] counts.
func (s *Solver) reserveRows(add int) error {
	have := max(len(s.working), s.k.workingRows())
	if add += len(s.working) - have; add <= 0 || s.opt.Budget == nil {
		return nil
	}
	return s.opt.Budget.Take(rowsBytes(len(s.y), have, add))
}

// rowsAtOnce and entriesAtOnce limit what is asked of the kernel matrix in one call; a caller's
// kernel may take a microsecond an entry.
const (
	rowsAtOnce    = 16
	entriesAtOnce = 1 << 16
)

// eachRow hands the rows idx to f, until ctx ends.
func eachRow(ctx context.Context, k Kernel, idx []int, f func(r int, row []float64)) error {
	largest := max(1, min(rowsAtOnce, entriesAtOnce/k.Len()))
	for lo := 0; lo < len(idx); lo += largest {
		if err := ctx.Err(); err != nil {
			return err
		}
		for t, row := range k.Rows(idx[lo:min(lo+largest, len(idx))]) {
			f(lo+t, row)
		}
	}
	return nil
}

// addRows takes the samples idx into the program.
func (s *Solver) addRows(ctx context.Context, p Costs, idx []int) error {
	taken, err := s.take(ctx, idx)
	if err != nil {
		return err
	}
	lo, up := s.rowBounds(p, idx[:taken])
	return s.lp.AddRows(lo[1:], up[1:])
}

// ceilings are the columns that let a working row give way at the cost Ceiling, the dual of the bound |a_i| ≤ Ceiling:
// y_i (Km)_i − η_i ≤ cost_i. A row gets one when its coefficient first exceeds the ceiling.
type ceilings struct {
	blocks []*simplex.Sparse
	has    map[int]bool // rows that have a column
}

// addCeilings adds columns for the coefficients above the ceiling and reports whether there are any.
func (s *Solver) addCeilings(res *simplex.Result) (bool, error) {
	if s.eta.has == nil {
		s.eta.has = map[int]bool{}
	}
	block := &simplex.Sparse{Rows: len(s.mx.rows)}
	var cost []float64
	for t, i := range s.working {
		r := t + 1
		if s.eta.has[r] || math.Abs(res.Y[r]) <= s.shape.Ceiling*(1+tolerance) {
			continue
		}
		s.eta.has[r] = true
		block.Append([]int32{int32(r)}, []float64{-s.y[i]})
		cost = append(cost, s.shape.Ceiling)
	}
	if len(cost) == 0 {
		return false, nil
	}
	s.eta.blocks = append(s.eta.blocks, block)
	return true, s.lp.AddColumns(cost, nil, nil, block)
}

// grown is the constraint matrix, which gains rows between solves. Its columns are m_1..m_n and, with a sum
// constraint, λ. Row 0 is the bias row of ones.
type grown struct {
	n         int
	rowMatrix           // working rows of the kernel matrix
	sign      []float64 // coefficient of λ in each row: −y of its sample
	sum       bool      // there is a column λ

	scale    []float64 // of the samples: kernel entries times both samples' are at most 1; nil where they are
	rowScale []float64 // of the rows, where scale is not nil
}

var _ simplex.Scaler = (*grown)(nil)

// newGrown returns the matrix of the bias row alone.
func newGrown(n int, sum bool, scale []float64) *grown {
	g := &grown{n: n, sum: sum, scale: scale}
	g.append(slices.Repeat([]float64{1}, n), 0, 1/g.largestScale())
	return g
}

// without returns the matrix of the bias row and the rows that are not basic.
func (g *grown) without(position []simplex.Position) *grown {
	f := newGrown(g.n, g.sum, g.scale)
	f.threads = g.threads
	for r := 1; r < len(position); r++ {
		if position[r] != simplex.Basic {
			f.append(g.rows[r], g.sign[r], g.rowScale[r])
		}
	}
	return f
}

// first returns the matrix of the first rows.
func (g *grown) first(rows int) *grown {
	f := *g
	f.rows, f.sign, f.rowScale = slices.Clip(g.rows[:rows]), slices.Clip(g.sign[:rows]), slices.Clip(g.rowScale[:rows])
	return &f
}

// largestExponent bounds the exponents of scales: bounds from 1e20 on would be infinite.
const largestExponent = 60

// scalesOf returns powers of two close to 1/√|k_ii|, or nil if the diagonal is close to 1.
//
// The tolerances of package simplex are absolute, for entries of about 1. A kernel of 1e8 would have pivots of 1e-8
// that count as zeros, and programs that look unbounded.
func scalesOf(k Kernel) []float64 {
	scale := make([]float64, k.Len())
	k.Diag(scale)
	near := true
	for i, v := range scale {
		scale[i] = 1
		if v = math.Abs(v); v > 0 && v <= math.MaxFloat64 {
			scale[i] = math.Exp2(max(-largestExponent, min(largestExponent, -math.Round(math.Log2(v)/2))))
		}
		near = near && scale[i] >= 0.25 && scale[i] <= 4
	}
	if near {
		return nil
	}
	return scale
}

// scaleOf returns the scale of sample i.
func (g *grown) scaleOf(i int) float64 {
	if g.scale == nil {
		return 1
	}
	return g.scale[i]
}

// largestScale returns the largest scale of the samples, or 1 without scales.
func (g *grown) largestScale() float64 {
	if g.scale == nil {
		return 1
	}
	return slices.Max(g.scale)
}

// Scales implements simplex.Scaler.
func (g *grown) Scales() (row, col []float64) {
	if g.scale == nil {
		return nil, nil
	}
	col = slices.Clone(g.scale)
	if g.sum {
		col = append(col, 1/g.largestScale())
	}
	return g.rowScale, col
}

// Dims implements simplex.Columns.
func (g *grown) Dims() (m, n int) {
	n = g.n
	if g.sum {
		n++
	}
	return len(g.rows), n
}

// append adds a row with the coefficient lambda in λ's column.
func (g *grown) append(row []float64, lambda, scale float64) {
	g.rows = append(g.rows, row)
	g.sign = append(g.sign, lambda)
	g.rowScale = append(g.rowScale, scale)
}

// Column implements simplex.Columns.
func (g *grown) Column(dst []float64, j int) {
	if j == g.n {
		copy(dst, g.sign)
		return
	}
	g.rowMatrix.Column(dst, j)
}

// Price implements simplex.Columns.
func (g *grown) Price(dst []float64, rows []int32, y []float64) {
	g.rowMatrix.Price(dst[:g.n], rows, y)
	if g.sum {
		dst[g.n] = 0
		for t, r := range rows {
			dst[g.n] += y[t] * g.sign[r]
		}
	}
}

// MulAdd does dst += A·x.
func (g *grown) MulAdd(dst, x []float64) {
	m := len(g.rows)
	if m*g.n < apieceWork {
		dense.AddMulGathered(dst[:m], g.rows, x[:g.n])
	} else {
		parallel.Chunks(g.threads, m, apieceRows, func(_, lo, hi int) {
			dense.AddMulGathered(dst[lo:hi], g.rows[lo:hi], x[:g.n])
		})
	}
	if g.sum {
		dense.Axpy(x[g.n], g.sign, dst)
	}
}

// Goroutines share a pass over apieceWork numbers or more, in parts of so many columns or rows. The parts are the same
// for any number of goroutines, and so are the bits.
const apieceWork, apieceColumns, apieceRows = 1 << 15, 256, 32

// rowMatrix is a matrix of rows that lie apart.
type rowMatrix struct {
	rows    [][]float64
	threads int // goroutines of a long pass; 0 means GOMAXPROCS
}

// Column implements simplex.Columns.
func (a *rowMatrix) Column(dst []float64, j int) {
	for r, row := range a.rows {
		dst[r] = row[j]
	}
}

// Price implements simplex.Columns: dst[j] = Σ_t y[t]·rows[rows[t]][j].
func (a *rowMatrix) Price(dst []float64, rows []int32, y []float64) {
	if len(rows)*len(dst) < apieceWork {
		a.price(dst, rows, y, 0, len(dst))
		return
	}
	parallel.Chunks(a.threads, len(dst), apieceColumns, func(_, lo, hi int) { a.price(dst, rows, y, lo, hi) })
}

// price writes columns lo to hi.
func (a *rowMatrix) price(dst []float64, rows []int32, y []float64, lo, hi int) {
	clear(dst[lo:hi])
	sum := dense.NewGather()
	for t, r := range rows {
		sum.Add(y[t], a.rows[r][lo:hi])
	}
	sum.AddTo(dst[lo:hi])
}
