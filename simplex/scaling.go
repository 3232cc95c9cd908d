package simplex

import "math"

// scaleFactors returns powers of two that bring the entries of R·A·C close to 1,
// or nils where A is near 1 already or has parts that compute their entries; a [Scaler] has its own.
//
// Sparse matrices are scaled by geometric means (Curtis and Reid, 1972, in the iterated form of Fourer, 1982). A
// dense block holds kernel values, where tiny entries mean nothing: as soon as there is one, rows and columns are
// scaled by their largest entries.
func scaleFactors(a Columns) (row, col []float64) {
	if s, ok := a.(Scaler); ok {
		return s.Scales()
	}
	m, n := a.Dims()
	parts := flatten(a)
	dense := false
	for _, p := range parts {
		switch p.(type) {
		case *Sparse:
		case *Dense:
			dense = true
		default:
			return nil, nil
		}
	}
	smallest := 0.2
	if dense {
		smallest = 1.0 / 32
	}
	e := extremes(parts, m, n, nil, nil)
	if e.near1(smallest) {
		return nil, nil
	}
	row, col = ones(m), ones(n)
	if dense {
		for j := range col {
			col[j] = reciprocal(e.colMax[j])
		}
		e = extremes(parts, m, n, row, col)
		for i := range row {
			row[i] = reciprocal(e.rowMax[i])
		}
		return row, col
	}
	for range 4 {
		e := extremes(parts, m, n, row, col)
		if e.near1(smallest) {
			break
		}
		for i := range row {
			row[i] *= reciprocal(math.Sqrt(e.rowMax[i] * e.rowMin[i]))
		}
		e = extremes(parts, m, n, row, col)
		for j := range col {
			col[j] *= reciprocal(math.Sqrt(e.colMax[j] * e.colMin[j]))
		}
	}
	for i := range row {
		row[i] = pow2(row[i])
	}
	for j := range col {
		col[j] = pow2(col[j])
	}
	return row, col
}

// reciprocal returns a number near 1/v, and 1 for rows and columns without entries.
func reciprocal(v float64) float64 {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return 1
	}
	return pow2(1 / v)
}

// pow2 rounds v > 0 to a power of two between 2^±500: two such factors and a bound do not overflow.
func pow2(v float64) float64 {
	return math.Exp2(max(-500, min(500, math.Round(math.Log2(v)))))
}

// extreme holds the largest and least nonzero |entries| of the rows and columns of R·A·C.
type extreme struct{ rowMax, rowMin, colMax, colMin []float64 }

// near1 reports whether every largest entry is between lo and 1/lo.
func (e *extreme) near1(lo float64) bool {
	for _, v := range [][]float64{e.rowMax, e.colMax} {
		for _, x := range v {
			if x != 0 && (x < lo || x > 1/lo) {
				return false
			}
		}
	}
	return true
}

// extremes returns those of R·A·C, or of A alone where row and col are nil; then least entries may be missing.
func extremes(parts []Columns, m, n int, row, col []float64) *extreme {
	e := &extreme{rowMax: make([]float64, m), rowMin: orFill(nil, m, inf), colMax: make([]float64, n), colMin: orFill(nil, n, inf)}
	from := 0
	for _, p := range parts {
		_, k := p.Dims()
		switch a := p.(type) {
		case *Sparse:
			for j := range k {
				index, value := a.Entries(j)
				if row == nil && a.hasAll(j) {
					e.colMax[from+j], _ = scan(e.rowMax, value)
					continue
				}
				for t, i := range index {
					v := math.Abs(value[t])
					if row != nil {
						v = v * row[i] * col[from+j]
					}
					e.see(int(i), from+j, v)
				}
			}
		case *Dense:
			for i := range m {
				if row != nil {
					e.seeRow(i, from, a.Row(i), row[i], col)
					continue
				}
				largest, _ := scan(e.colMax[from:from+k], a.Row(i))
				e.rowMax[i] = max(e.rowMax[i], largest)
			}
		}
		from += k
	}
	return e
}

func (e *extreme) see(i, j int, v float64) {
	if v == 0 {
		return
	}
	e.rowMax[i], e.rowMin[i] = max(e.rowMax[i], v), min(e.rowMin[i], v)
	e.colMax[j], e.colMin[j] = max(e.colMax[j], v), min(e.colMin[j], v)
}

// seeRow sees a row of a dense block; only largest entries matter there.
func (e *extreme) seeRow(i, from int, a []float64, scale float64, col []float64) {
	largest := e.rowMax[i]
	colMax, col := e.colMax[from:from+len(a)], col[from:from+len(a)]
	for j, v := range a {
		v = math.Abs(v) * scale * col[j]
		if v > largest {
			largest = v
		}
		if v > colMax[j] {
			colMax[j] = v
		}
	}
	e.rowMax[i] = largest
}

// means are logarithms of scale factors that bring the geometric means of the entries of rows and columns of R·A·C to 1
// (Curtis and Reid, 1972: least squares of logarithms). The costs count as one more row and the bounds as one more
// column: they settle the units of columns without entries, and of parts of a program that share no row. Small entries
// count as much as large ones, so this serves where [scaleFactors] has not.
type means struct {
	lp          *LP
	entries     *Sparse
	row, col    []float64
	cost, bound float64 // of all costs and, divided by it, of all bounds
	count       [2][]float64
}

// meanFactors returns the factors as powers of two, or nils for a matrix that computes its entries.
func meanFactors(lp *LP) (row, col []float64) {
	for _, p := range flatten(lp.A) {
		switch p.(type) {
		case *Sparse, *Dense:
		default:
			return nil, nil
		}
	}
	m, n := lp.A.Dims()
	s := &means{lp: lp, entries: NewSparse(lp.A), row: make([]float64, m), col: make([]float64, n),
		count: [2][]float64{make([]float64, m), make([]float64, n)}}
	const turns = 40
	for range turns {
		s.turnCols()
		s.turnRows()
	}
	for _, logs := range [2][]float64{s.row, s.col} {
		for i, v := range logs {
			logs[i] = math.Exp2(max(-500, min(500, math.Round(v))))
		}
	}
	return s.row, s.col
}

// each calls see for every entry that is not 0, with the logarithm of its size.
func (s *means) each(see func(i, j int, size float64)) {
	for j := range s.col {
		index, value := s.entries.Entries(j)
		for t, i := range index {
			if value[t] != 0 {
				see(int(i), j, math.Log2(math.Abs(value[t])))
			}
		}
	}
}

// eachBound calls see for every bound of a list that is finite and not 0.
func eachBound(lo, up []float64, see func(i int, size float64)) {
	for i := range lo {
		for _, v := range [2]float64{lo[i], up[i]} {
			if a := math.Abs(finiteOr0(v)); a > 0 {
				see(i, math.Log2(a))
			}
		}
	}
}

// turnCols sets the factors of the columns by those of the rows, and then that of the costs.
func (s *means) turnCols() {
	count := s.count[1]
	clear(s.col)
	clear(count)
	add := func(j int, v float64) {
		s.col[j] += v
		count[j]++
	}
	s.each(func(i, j int, size float64) { add(j, -size-s.row[i]) })
	eachBound(s.lp.Lo, s.lp.Up, func(j int, size float64) { add(j, size-s.bound) })
	for j, c := range s.lp.C {
		if c != 0 {
			add(j, -math.Log2(math.Abs(c))-s.cost)
		}
	}
	var sum, all float64
	for j, c := range s.lp.C {
		s.col[j] /= max(1, count[j])
		if c != 0 {
			sum -= math.Log2(math.Abs(c)) + s.col[j]
			all++
		}
	}
	s.cost = sum / max(1, all)
}

// turnRows sets the factors of the rows by those of the columns, and then that of the bounds.
func (s *means) turnRows() {
	count := s.count[0]
	clear(s.row)
	clear(count)
	add := func(i int, v float64) {
		s.row[i] += v
		count[i]++
	}
	s.each(func(i, j int, size float64) { add(i, -size-s.col[j]) })
	eachBound(s.lp.RowLo, s.lp.RowUp, func(i int, size float64) { add(i, s.bound-size) })
	for i, c := range count {
		s.row[i] /= max(1, c)
	}
	var sum, all float64
	eachBound(s.lp.Lo, s.lp.Up, func(j int, size float64) {
		sum += size - s.col[j]
		all++
	})
	eachBound(s.lp.RowLo, s.lp.RowUp, func(i int, size float64) {
		sum += size + s.row[i]
		all++
	})
	s.bound = sum / max(1, all)
}
