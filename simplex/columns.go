package simplex

import (
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// Columns is an m×n matrix as the simplex method reads it. [Dense] and [Sparse] hold their entries; a caller's own
// type can compute entries on demand, and may have a method MulAdd as those two. Implementations need not be safe for
// concurrent use.
type Columns interface {
	// Dims returns the numbers of rows and columns.
	Dims() (m, n int)
	// Column writes column j to dst, which has m elements.
	Column(dst []float64, j int)
	// Price writes dst[j] = Σ_t y[t]·A[rows[t], j] for all n columns. Rows are
	// distinct; there are few of them, about as many as basic columns.
	Price(dst []float64, rows []int32, y []float64)
}

// multiplier is a matrix with a faster product A·x than column by column.
type multiplier interface {
	// MulAdd does dst += A·x; dst has m elements and x has n, many of them 0.
	MulAdd(dst, x []float64)
}

// Scaler is a matrix that brings its own scale factors for rows and columns, preferably powers of two, which bring its
// entries close to 1. They are asked for again after [Solver.AddRows]. Two nils
// mean no scaling, and must then be nil from the start.
type Scaler interface {
	Scales() (row, col []float64)
}

// mulAdd does dst += A·x, using scratch (m elements) for columns.
func mulAdd(a Columns, dst, x, scratch []float64) {
	if mu, ok := a.(multiplier); ok {
		mu.MulAdd(dst, x)
		return
	}
	for j, v := range x {
		if v != 0 {
			a.Column(scratch, j)
			dense.Axpy(v, scratch, dst)
		}
	}
}

// Dense is an m×n matrix in row-major order: A[i,j] = Data[i*Stride+j].
type Dense struct {
	Rows, Cols, Stride int
	Data               []float64
}

// NewDense wraps data, an m×n row-major matrix without gaps. It panics if data is too short.
func NewDense(m, n int, data []float64) *Dense {
	if len(data) < m*n {
		panic(fmt.Sprintf("simplex: %d values for a dense %d×%d matrix", len(data), m, n))
	}
	return &Dense{Rows: m, Cols: n, Stride: n, Data: data}
}

// Row returns row i, a view.
func (a *Dense) Row(i int) []float64 { return a.Data[i*a.Stride : i*a.Stride+a.Cols] }

// Dims implements [Columns].
func (a *Dense) Dims() (m, n int) { return a.Rows, a.Cols }

// Column implements [Columns].
func (a *Dense) Column(dst []float64, j int) {
	for i := range a.Rows {
		dst[i] = a.Data[i*a.Stride+j]
	}
}

// Price implements [Columns].
func (a *Dense) Price(dst []float64, rows []int32, y []float64) {
	g := dense.NewGather()
	for t, i := range rows {
		g.Add(y[t], a.Row(int(i)))
	}
	clear(dst[:a.Cols])
	g.AddTo(dst[:a.Cols])
}

// MulAdd adds A·x to dst; x may have many zeros.
func (a *Dense) MulAdd(dst, x []float64) {
	dense.AddMulVec(dst[:a.Rows], a.Data, a.Stride, x[:a.Cols])
}

// validity is the memory of checks of matrices.
type validity struct {
	seen    []int     // by row
	largest []float64 // by column
}

func (a *Dense) check(v *validity) error {
	if a.Stride < a.Cols || (a.Rows > 0 && len(a.Data) < (a.Rows-1)*a.Stride+a.Cols) {
		return invalid("%d values with stride %d for a dense %d×%d matrix", len(a.Data), a.Stride, a.Rows, a.Cols)
	}
	v.largest = zeros(v.largest, a.Cols)
	for i := range a.Rows {
		if _, ok := scan(v.largest, a.Row(i)); ok {
			continue
		}
		for j, e := range a.Row(i) {
			if math.IsNaN(e) || math.IsInf(e, 0) {
				return invalid("entry of row %d, column %d is %v", i, j, e)
			}
		}
	}
	return nil
}

// Sparse is an m×n matrix in compressed columns: the entries of column j are
// Value[Start[j]:Start[j+1]], in the rows Index[Start[j]:Start[j+1]].
type Sparse struct {
	Rows  int
	Start []int
	Index []int32
	Value []float64

	byRow *Sparse // the transpose, made by the first row product
}

// NewSparse copies the nonzero entries of a.
func NewSparse(a Columns) *Sparse {
	m, n := a.Dims()
	s := &Sparse{Rows: m, Start: []int{0}}
	column := make([]float64, m)
	for j := range n {
		a.Column(column, j)
		for i, v := range column {
			if v != 0 {
				s.Index = append(s.Index, int32(i))
				s.Value = append(s.Value, v)
			}
		}
		s.Start = append(s.Start, len(s.Index))
	}
	return s
}

// Transpose returns the transpose of a as another matrix.
func (a *Sparse) Transpose() *Sparse {
	m, n := a.Dims()
	t := &Sparse{Rows: n, Start: make([]int, m+1)}
	for _, i := range a.Index {
		t.Start[i+1]++
	}
	for i := range m {
		t.Start[i+1] += t.Start[i]
	}
	t.Index, t.Value = make([]int32, t.Start[m]), make([]float64, t.Start[m])
	next := slices.Clone(t.Start[:m])
	for j := range n {
		index, value := a.Entries(j)
		for k, i := range index {
			t.Index[next[i]], t.Value[next[i]] = int32(j), value[k]
			next[i]++
		}
	}
	return t
}

// Append adds a column with the given entries and returns its number.
func (a *Sparse) Append(rows []int32, values []float64) int {
	if len(a.Start) == 0 {
		a.Start = []int{0}
	}
	a.Index = append(a.Index, rows...)
	a.Value = append(a.Value, values...)
	a.Start = append(a.Start, len(a.Index))
	a.byRow = nil
	return len(a.Start) - 2
}

// Dims implements [Columns].
func (a *Sparse) Dims() (m, n int) { return a.Rows, max(0, len(a.Start)-1) }

// Entries returns the rows and values of column j, views.
func (a *Sparse) Entries(j int) ([]int32, []float64) {
	return a.Index[a.Start[j]:a.Start[j+1]], a.Value[a.Start[j]:a.Start[j+1]]
}

// hasAll reports whether column j has an entry for every row, in order.
func (a *Sparse) hasAll(j int) bool {
	index, _ := a.Entries(j)
	for t, i := range index {
		if int(i) != t {
			return false
		}
	}
	return len(index) == a.Rows
}

// complete reports whether all columns have.
func (a *Sparse) complete() bool {
	_, n := a.Dims()
	for j := range n {
		if !a.hasAll(j) {
			return false
		}
	}
	return true
}

// Column implements [Columns].
func (a *Sparse) Column(dst []float64, j int) {
	clear(dst[:a.Rows])
	index, value := a.Entries(j)
	for t, i := range index {
		dst[i] = value[t]
	}
}

// Price implements [Columns].
func (a *Sparse) Price(dst []float64, rows []int32, y []float64) {
	_, n := a.Dims()
	clear(dst[:n])
	if a.byRow == nil || len(a.byRow.Start) != a.Rows+1 {
		a.byRow = a.Transpose()
	}
	r := a.byRow
	for t, i := range rows {
		v := y[t]
		if v == 0 {
			continue
		}
		for e := r.Start[i]; e < r.Start[i+1]; e++ {
			dst[r.Index[e]] += v * r.Value[e]
		}
	}
}

// MulAdd adds A·x to dst; x may have many zeros.
func (a *Sparse) MulAdd(dst, x []float64) {
	for j, v := range x {
		if v == 0 {
			continue
		}
		index, value := a.Entries(j)
		for t, i := range index {
			dst[i] += v * value[t]
		}
	}
}

func (a *Sparse) check(memory *validity) error {
	_, n := a.Dims()
	if len(a.Index) != len(a.Value) || (n > 0 && (a.Start[0] != 0 || a.Start[n] != len(a.Index))) {
		return invalid("%d row numbers and %d values in a sparse matrix", len(a.Index), len(a.Value))
	}
	for j := range n {
		if a.Start[j] > a.Start[j+1] {
			return invalid("column %d ends before it starts", j)
		}
	}
	memory.seen = zeros(memory.seen, a.Rows)
	seen := memory.seen
	for j := range n {
		index, value := a.Entries(j)
		if ascend(index, a.Rows) && dense.Largest(value) <= math.MaxFloat64 { // as most do
			continue
		}
		for t, i := range index {
			switch v := value[t]; {
			case i < 0 || int(i) >= a.Rows:
				return invalid("column %d has an entry in row %d of %d", j, i, a.Rows)
			case seen[i] == j+1:
				return invalid("column %d has two entries in row %d", j, i)
			case math.IsNaN(v) || math.IsInf(v, 0):
				return invalid("entry of row %d, column %d is %v", i, j, v)
			}
			seen[i] = j + 1
		}
	}
	return nil
}

// ascend reports whether the row numbers are in order, distinct and below m.
func ascend(index []int32, m int) bool {
	last := int32(-1)
	for _, i := range index {
		if i <= last {
			return false
		}
		last = i
	}
	return int(last) < m
}

// checkScales validates the scale factors that a matrix brings.
func checkScales(a Columns) error {
	s, ok := a.(Scaler)
	if !ok {
		return nil
	}
	m, n := a.Dims()
	row, col := s.Scales()
	if row == nil && col == nil {
		return nil
	}
	if len(row) != m || len(col) != n {
		return invalid("%d scales of rows and %d of columns for a matrix of %d×%d", len(row), len(col), m, n)
	}
	for _, scales := range [2][]float64{row, col} {
		for i, v := range scales {
			if !(v > 0) || math.IsInf(v, 1) {
				return invalid("scale %d is %v, want a finite number > 0", i, v)
			}
		}
	}
	return nil
}

// checkRows validates the explicit matrices whose rows from number from on are new.
func checkRows(a Columns, from int) error {
	for _, p := range flatten(a) {
		var err error
		switch p := p.(type) {
		case *Dense:
			if from < p.Rows {
				added := &Dense{Rows: p.Rows - from, Cols: p.Cols, Stride: p.Stride, Data: p.Data[min(from*p.Stride, len(p.Data)):]}
				err = added.check(new(validity))
			}
		case *Sparse:
			err = p.check(new(validity))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkEntries validates the explicit matrices.
func checkEntries(a Columns, v *validity) error {
	if c, ok := a.(interface{ check(v *validity) error }); ok {
		return c.check(v)
	}
	return nil
}

// Blocks is the matrix [A₁ A₂ …] whose parts have the same number of rows.
type Blocks []Columns

// Dims implements [Columns].
func (b Blocks) Dims() (m, n int) {
	for _, a := range b {
		var k int
		m, k = a.Dims()
		n += k
	}
	return m, n
}

// Column implements [Columns].
func (b Blocks) Column(dst []float64, j int) {
	for _, a := range b {
		_, k := a.Dims()
		if j < k {
			a.Column(dst, j)
			return
		}
		j -= k
	}
	panic("simplex: column out of range")
}

// Price implements [Columns].
func (b Blocks) Price(dst []float64, rows []int32, y []float64) {
	for _, a := range b {
		_, k := a.Dims()
		a.Price(dst[:k], rows, y)
		dst = dst[k:]
	}
}

// MulAdd adds A·x to dst.
func (b Blocks) MulAdd(dst, x []float64) {
	var scratch []float64
	for _, a := range b {
		m, k := a.Dims()
		if _, ok := a.(multiplier); !ok && scratch == nil {
			scratch = make([]float64, m)
		}
		mulAdd(a, dst, x[:k], scratch)
		x = x[k:]
	}
}

func (b Blocks) check(v *validity) error {
	for i, a := range b {
		m, _ := a.Dims()
		if m0, _ := b[0].Dims(); m != m0 {
			return invalid("matrix block %d has %d rows, block 0 has %d", i, m, m0)
		}
		if err := checkEntries(a, v); err != nil {
			return fmt.Errorf("block %d: %w", i, err)
		}
	}
	return nil
}

// flatten lists the parts of a, blocks inside blocks included.
func flatten(a Columns) []Columns {
	b, ok := a.(Blocks)
	if !ok {
		return []Columns{a}
	}
	var parts []Columns
	for _, p := range b {
		parts = append(parts, flatten(p)...)
	}
	return parts
}
