package simplex

// matrix is the scaled matrix R·A·C that the solver works on, R = diag(rowScale)
// and C = diag(colScale), followed by the logicals' −I.
type matrix struct {
	m, n     int
	parts    []part
	rowScale []float64 // nil where no scaling is done
	colScale []float64
	unitRow  []int32   // row of a structural column with a single entry, else −1
	unitCoef []float64 // that entry, scaled
	spare    [][]float64
	y        []float64
}

// part is one block of columns, the first of them numbered from.
type part struct {
	a    Columns
	from int
}

// column is one column of the scaled matrix: dense (index nil, one value per row) or its entries.
type column struct {
	index []int32
	value []float64
}

// addTo does dst += v·column.
func (c column) addTo(dst []float64, v float64) {
	if c.index == nil {
		addMul(dst, v, c.value)
		return
	}
	for t, i := range c.index {
		dst[i] += v * c.value[t]
	}
}

// dot returns yᵀcolumn.
func (c column) dot(y []float64) (s float64) {
	if c.index == nil {
		return dot(c.value, y)
	}
	for t, i := range c.index {
		s += c.value[t] * y[i]
	}
	return s
}

// at returns the entry of row i.
func (c column) at(i int32) float64 {
	if c.index == nil {
		return c.value[i]
	}
	for t, r := range c.index {
		if r == i {
			return c.value[t]
		}
	}
	return 0
}

func newMatrix(a Columns, scaled bool) *matrix {
	m, _ := a.Dims()
	mx := &matrix{m: m}
	mx.append(a)
	if scaled {
		mx.rowScale, mx.colScale = scaleFactors(a)
	}
	mx.findUnits(0)
	return mx
}

// append adds columns on the right; they are not scaled.
func (mx *matrix) append(a Columns) {
	for _, p := range flatten(a) {
		mx.parts = append(mx.parts, part{p, mx.n})
		_, k := p.Dims()
		mx.n += k
	}
	if mx.colScale != nil {
		mx.colScale = append(mx.colScale, ones(mx.n-len(mx.colScale))...)
	}
}

func ones(n int) []float64 { return orFill(nil, n, 1) }

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

// findUnits notes the single-entry columns from number from on.
func (mx *matrix) findUnits(from int) {
	for j := from; j < mx.n; j++ {
		row, coef := int32(-1), 0.0
		if p := mx.find(j); p != nil {
			if s, ok := p.a.(*Sparse); ok {
				if index, value := s.Entries(j - p.from); len(index) == 1 && value[0] != 0 {
					row = index[0]
					coef = value[0] * mx.scaleOfRow(int(row)) * mx.scaleOfCol(j)
				}
			}
		}
		mx.unitRow, mx.unitCoef = append(mx.unitRow, row), append(mx.unitCoef, coef)
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

// load returns the column of variable v. Hand it back with release.
func (mx *matrix) load(v int32) column {
	if row, coef, ok := mx.unit(v); ok {
		return column{[]int32{row}, []float64{coef}}
	}
	p := mx.find(int(v))
	if s, ok := p.a.(*Sparse); ok {
		index, value := s.Entries(int(v) - p.from)
		if mx.rowScale == nil {
			return column{index, value}
		}
		scaled := make([]float64, len(value))
		for t, i := range index {
			scaled[t] = value[t] * mx.rowScale[i] * mx.colScale[v]
		}
		return column{index, scaled}
	}
	dst := mx.buffer()
	p.a.Column(dst, int(v)-p.from)
	if mx.rowScale != nil {
		for i := range dst {
			dst[i] *= mx.rowScale[i] * mx.colScale[v]
		}
	}
	return column{nil, dst}
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
	if c.index == nil && c.value != nil {
		mx.spare = append(mx.spare, c.value)
	}
}

// price writes dst[j] = Σ_t y[t]·A[rows[t], j] for the structural columns.
func (mx *matrix) price(dst []float64, rows []int32, y []float64) {
	if mx.rowScale != nil {
		mx.y = append(mx.y[:0], y...)
		for t, i := range rows {
			mx.y[t] *= mx.rowScale[i]
		}
		y = mx.y
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
	xs, t := make([]float64, mx.n), make([]float64, mx.m)
	for j := range xs {
		xs[j] = x[j] * mx.colScale[j]
	}
	mx.mulAddRaw(t, xs)
	for i, v := range t {
		dst[i] += mx.rowScale[i] * v
	}
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
