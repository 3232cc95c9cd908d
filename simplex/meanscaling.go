package simplex

import "math"

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
