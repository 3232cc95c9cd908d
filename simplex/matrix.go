package simplex

import (
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// matrix is the scaled matrix R·A·C that the solver works on, R = diag(rowScale)
// and C = diag(colScale), followed by the logicals' −I.
type matrix struct {
	m, n     int
	parts    []part
	rowScale []float64 // nil where no scaling is done
	colScale []float64
	unitRow  []int32   // row of a structural column with a single entry, else −1
	unitCoef []float64 // that entry, scaled
	rowIndex []int32   // 0 … m−1: a logical's index is one of them
	spare    [][]float64
	byRow    *rowCopy // of a sparse program: R·A·C by rows; nil for others

	scaledY, scaledX, product []float64 // scratch of mulRows and mulAdd
}

// part is one block of columns, the first of them numbered from.
type part struct {
	a      Columns // what products read: of a full Sparse part, its dense copy
	from   int
	sparse *Sparse   // the caller's; nil for another type
	scaled []float64 // of a Sparse part that is not full: its values in R·A·C; nil where no scaling is done
	full   []float64 // of a full one: R·A·C, column by column; nil for others
}

// column is one column of the scaled matrix: dense (one value per row) or its entries.
type column struct {
	index []int32
	value []float64
	dense bool
}

// addTo does dst += v·column.
func (c column) addTo(dst []float64, v float64) {
	if c.dense {
		dense.Axpy(v, c.value, dst)
		return
	}
	for t, i := range c.index {
		dst[i] += v * c.value[t]
	}
}

// dot returns yᵀcolumn.
func (c column) dot(y []float64) (s float64) {
	if c.dense {
		return dense.Dot(y, c.value)
	}
	for t, i := range c.index {
		s += c.value[t] * y[i]
	}
	return s
}

func newMatrix(a Columns, scaled bool) *matrix {
	var row, col []float64
	if scaled {
		row, col = scaleFactors(a)
	}
	return scaledMatrix(a, row, col)
}

// scaledMatrix is R·A·C, A where the factors are nil.
func scaledMatrix(a Columns, row, col []float64) *matrix {
	m, _ := a.Dims()
	mx := &matrix{m: m}
	mx.append(a)
	mx.rowScale, mx.colScale = row, col
	mx.describe(0)
	if mx.hasFewEntries() {
		mx.byRow = newRowCopy(mx)
	}
	return mx
}

// append adds columns on the right; they are not scaled.
func (mx *matrix) append(a Columns) {
	for _, p := range flatten(a) {
		s, _ := p.(*Sparse)
		mx.parts = append(mx.parts, part{a: p, from: mx.n, sparse: s})
		_, k := p.Dims()
		mx.n += k
	}
	if mx.colScale != nil {
		mx.colScale = append(mx.colScale, ones(mx.n-len(mx.colScale))...)
	}
}

func ones(n int) []float64 { return slices.Repeat([]float64{1}, n) }

func (mx *matrix) scaleOfRow(i int) float64 {
	if mx.rowScale == nil {
		return 1
	}
	return mx.rowScale[i]
}

func (mx *matrix) scaleOfCol(j int) float64 {
	if mx.colScale == nil {
		return 1
	}
	return mx.colScale[j]
}

// describe notes the single-entry columns and scales the sparse ones from number from on.
func (mx *matrix) describe(from int) {
	for i := len(mx.rowIndex); i < mx.m; i++ {
		mx.rowIndex = append(mx.rowIndex, int32(i))
	}
	few := mx.hasFewEntries()
	for i := range mx.parts {
		p := &mx.parts[i]
		_, k := p.a.Dims()
		if p.from < from || k == 0 {
			continue
		}
		s := p.sparse
		if s != nil && !few && s.isFull() {
			mx.fill(p)
		} else if s != nil {
			mx.scaleSparse(p)
		}
		for j := range k {
			row, coef := int32(-1), 0.0
			if s != nil && s.Start[j+1]-s.Start[j] == 1 && s.Value[s.Start[j]] != 0 {
				row = s.Index[s.Start[j]]
				coef = s.Value[s.Start[j]] * mx.scaleOfRow(int(row)) * mx.scaleOfCol(p.from+j)
			}
			mx.unitRow = append(mx.unitRow, row)
			mx.unitCoef = append(mx.unitCoef, coef)
		}
	}
}

// fullShare is the share of nonzero entries from which on a Sparse part of a program that is not sparse is read as a
// dense one: lists of row numbers keep the processor from taking several entries at once.
const fullShare = 0.3

// isFull reports whether so many entries are nonzero.
func (a *Sparse) isFull() bool {
	m, n := a.Dims()
	return n > 0 && float64(len(a.Value)) >= fullShare*float64(m)*float64(n)
}

// scaleSparse keeps the scaled values of a sparse part, so that load hands out views.
func (mx *matrix) scaleSparse(p *part) {
	s := p.sparse
	p.a, p.full = s, nil
	if mx.rowScale == nil {
		return
	}
	p.scaled = make([]float64, len(s.Value))
	_, n := s.Dims()
	for j := range n {
		for e := s.Start[j]; e < s.Start[j+1]; e++ {
			p.scaled[e] = s.Value[e] * mx.rowScale[s.Index[e]] * mx.colScale[p.from+j]
		}
	}
}

// fill reads a full part by rows, for products, and by columns, scaled, for load. These are the caller's own if none of
// its entries is left out and none is scaled.
func (mx *matrix) fill(p *part) {
	m, n := p.sparse.Dims()
	columns := p.sparse.Value
	if mx.rowScale != nil || !p.sparse.complete() {
		columns = make([]float64, m*n)
		for j := range n {
			p.sparse.Column(columns[j*m:(j+1)*m], j)
		}
	}
	rows := NewDense(m, n, make([]float64, m*n))
	dense.Transpose(rows.Data, columns, m, n)
	p.a, p.scaled, p.full = rows, nil, columns
	if mx.rowScale == nil {
		return
	}
	for j := range n {
		scale := mx.colScale[p.from+j]
		for i, v := range columns[j*m : (j+1)*m] {
			columns[j*m+i] = v * mx.rowScale[i] * scale
		}
	}
}

// find returns the part that holds structural column j.
func (mx *matrix) find(j int) *part {
	for i := len(mx.parts) - 1; i >= 0; i-- {
		if p := &mx.parts[i]; j >= p.from {
			return p
		}
	}
	return nil
}

// unit returns the row and coefficient of a variable whose column has a single entry.
func (mx *matrix) unit(v int32) (row int32, coef float64, ok bool) {
	if int(v) >= mx.n {
		return v - int32(mx.n), -1, true
	}
	return mx.unitRow[v], mx.unitCoef[v], mx.unitRow[v] >= 0
}

var minusOne = []float64{-1}

// load returns the column of variable v: a view, or a buffer that is handed back with release.
func (mx *matrix) load(v int32) column {
	if int(v) >= mx.n {
		r := int(v) - mx.n
		return column{index: mx.rowIndex[r : r+1], value: minusOne}
	}
	if mx.unitRow[v] >= 0 {
		return column{index: mx.unitRow[v : v+1], value: mx.unitCoef[v : v+1]}
	}
	p := mx.find(int(v))
	j := int(v) - p.from
	if p.full != nil {
		dst := mx.buffer()
		copy(dst, p.full[j*mx.m:(j+1)*mx.m])
		return column{value: dst, dense: true}
	}
	if s := p.sparse; s != nil {
		index, value := s.Entries(j)
		if p.scaled != nil {
			value = p.scaled[s.Start[j]:s.Start[j+1]]
		}
		return column{index: index, value: value}
	}
	dst := mx.buffer()
	p.a.Column(dst, j)
	if mx.rowScale != nil {
		for i := range dst {
			dst[i] *= mx.rowScale[i] * mx.colScale[v]
		}
	}
	return column{value: dst, dense: true}
}

func (mx *matrix) buffer() []float64 {
	if k := len(mx.spare); k > 0 {
		b := mx.spare[k-1]
		mx.spare = mx.spare[:k-1]
		return b
	}
	return make([]float64, mx.m)
}

func (mx *matrix) release(c column) {
	if c.dense {
		mx.spare = append(mx.spare, c.value)
	}
}

// mulRows writes dst[j] = Σ_t y[t]·A[rows[t], j] for the structural columns.
func (mx *matrix) mulRows(dst []float64, rows []int32, y []float64) {
	if mx.rowScale != nil {
		mx.scaledY = append(mx.scaledY[:0], y...)
		for t, i := range rows {
			mx.scaledY[t] *= mx.rowScale[i]
		}
		y = mx.scaledY
	}
	for i := range mx.parts {
		p := &mx.parts[i]
		_, k := p.a.Dims()
		p.a.Price(dst[p.from:p.from+k], rows, y)
	}
	if mx.colScale != nil {
		for j, s := range mx.colScale {
			dst[j] *= s
		}
	}
}

// mulAdd does dst += A·x for the structural variables.
func (mx *matrix) mulAdd(dst, x []float64) {
	if mx.rowScale == nil {
		mx.mulAddRaw(dst, x)
		return
	}
	mx.scaledX, mx.product = grow(mx.scaledX, mx.n), grow(mx.product, mx.m)
	clear(mx.product)
	for j, scale := range mx.colScale {
		mx.scaledX[j] = x[j] * scale
	}
	mx.mulAddRaw(mx.product, mx.scaledX)
	for i, v := range mx.product {
		dst[i] += mx.rowScale[i] * v
	}
}

// grow returns n elements of any contents, buf's own where they suffice.
func grow[T any](buf []T, n int) []T { return slices.Grow(buf[:0], n)[:n] }

// zeros returns n zeros, in buf where they fit.
func zeros[T any](buf []T, n int) []T {
	buf = grow(buf, n)
	clear(buf)
	return buf
}

// mulAddRaw is mulAdd with the matrix as the caller gave it.
func (mx *matrix) mulAddRaw(dst, x []float64) {
	scratch := mx.buffer()
	for i := range mx.parts {
		p := &mx.parts[i]
		_, k := p.a.Dims()
		mulAdd(p.a, dst, x[p.from:p.from+k], scratch)
	}
	mx.spare = append(mx.spare, scratch)
}

// addRows takes in k rows that a, the program's matrix, has gained; they are scaled if it is a Scaler.
func (mx *matrix) addRows(a Columns, k int) {
	mx.m += k
	if mx.rowScale != nil {
		added := ones(k)
		if s, ok := a.(Scaler); ok {
			row, _ := s.Scales()
			added = row[mx.m-k:]
		}
		mx.rowScale = append(mx.rowScale, added...)
	}
	mx.spare = nil
	mx.unitRow, mx.unitCoef = mx.unitRow[:0], mx.unitCoef[:0]
	mx.describe(0)
	mx.refreshRows()
}

// A program is sparse when all of its columns are [Sparse], few of its entries are nonzero, and it has enough rows for
// that to matter. Its basis is then held by sparse LU factors ([factored]), and a
// pivot costs in proportion to the nonzeros that it meets, not to rows and columns.
const (
	sparseRows  = 50 // the least number of rows
	sparseShare = 5  // at most 1 entry in so many is nonzero
)

// sparse reports whether the program counts as sparse.
func (mx *matrix) sparse() bool { return mx.byRow != nil }

// hasFewEntries reports whether the columns are those of a sparse program.
func (mx *matrix) hasFewEntries() bool {
	entries := 0
	for _, p := range mx.parts {
		if p.sparse == nil {
			return false
		}
		entries += len(p.sparse.Value)
	}
	return mx.m >= sparseRows && entries*sparseShare <= mx.m*mx.n
}

// refreshRows renews the copy by rows when the matrix has grown. A sparse program becomes dense
// with the first dense column; a dense program stays dense.
func (mx *matrix) refreshRows() {
	switch {
	case !mx.sparse():
	case mx.hasFewEntries():
		mx.byRow = newRowCopy(mx)
	default:
		mx.byRow = nil
	}
}

// rowCopy is the scaled matrix of a sparse program by rows, entries of nonbasic columns
// before those of basic ones: a pivot row has no use for the latter.
type rowCopy struct {
	Sparse
	nonbasic []int // row → where its entries of basic columns begin
}

// newRowCopy copies the matrix; all columns count as nonbasic.
func newRowCopy(mx *matrix) *rowCopy {
	scaled := &Sparse{Rows: mx.m}
	for j := range mx.n {
		c := mx.load(int32(j))
		scaled.Append(c.index, c.value)
	}
	rows := scaled.Transpose()
	return &rowCopy{*rows, slices.Clone(rows.Start[1:])}
}

// regroup puts the entries of every row in order for the given positions of the variables.
func (r *rowCopy) regroup(position []Position) {
	for i := range r.nonbasic {
		from, to := r.Start[i], r.Start[i+1]
		for from < to {
			if position[r.Index[from]] != Basic {
				from++
				continue
			}
			to--
			r.swap(from, to)
		}
		r.nonbasic[i] = from
	}
}

func (r *rowCopy) swap(e, f int) {
	r.Index[e], r.Index[f] = r.Index[f], r.Index[e]
	r.Value[e], r.Value[f] = r.Value[f], r.Value[e]
}

// move moves the entries of column j, which has some in the given rows, when it becomes basic or is so no longer.
func (r *rowCopy) move(j int32, rows []int32, basic bool) {
	for _, i := range rows {
		from, to := r.nonbasic[i], r.Start[i+1]
		pos, end := from, from+1
		if basic {
			from, to, pos, end = r.Start[i], from, from-1, from-1
		}
		if e := slices.Index(r.Index[from:to], j); e >= 0 {
			r.swap(from+e, pos)
			r.nonbasic[i] = end
		}
	}
}

// exchange follows that of two variables of the basis.
func (r *rowCopy) exchange(mx *matrix, entering, leaving int32) {
	if int(entering) < mx.n {
		r.move(entering, mx.load(entering).index, true)
	}
	if int(leaving) < mx.n {
		r.move(leaving, mx.load(leaving).index, false)
	}
}
