package dense

import "fmt"

// Mat is a view of a matrix: element (i, j) is Data[Off+i·RS+j·CS]. Strides may be negative. The zero value is an
// empty matrix.
type Mat struct {
	Data       []float64
	Off        int
	Rows, Cols int
	RS, CS     int // distance between rows and between columns
}

// Of returns the view of a row-major rows×cols matrix whose rows are ld elements apart. It panics if data is too
// short.
func Of(data []float64, rows, cols, ld int) Mat {
	if rows < 0 || cols < 0 || ld < cols || (rows > 0 && cols > 0 && len(data) < (rows-1)*ld+cols) {
		panic(fmt.Sprintf("dense: %d values for %d rows of %d, %d apart", len(data), rows, cols, ld))
	}
	return Mat{Data: data, Rows: rows, Cols: cols, RS: ld, CS: 1}
}

// At returns element (i, j).
func (m Mat) At(i, j int) float64 { return m.Data[m.Off+i*m.RS+j*m.CS] }

// T returns the transposed view.
func (m Mat) T() Mat {
	m.Rows, m.Cols, m.RS, m.CS = m.Cols, m.Rows, m.CS, m.RS
	return m
}

// Sub returns the view of rows [i0, i1) and columns [j0, j1).
func (m Mat) Sub(i0, i1, j0, j1 int) Mat {
	if i0 < 0 || j0 < 0 || i1 < i0 || j1 < j0 || i1 > m.Rows || j1 > m.Cols {
		panic(fmt.Sprintf("dense: block [%d,%d)×[%d,%d) of a %d×%d matrix", i0, i1, j0, j1, m.Rows, m.Cols))
	}
	m.Off += i0*m.RS + j0*m.CS
	m.Rows, m.Cols = i1-i0, j1-j0
	return m
}

// flipRows returns the view with the order of the rows reversed.
func (m Mat) flipRows() Mat {
	if m.Rows > 0 {
		m.Off += (m.Rows - 1) * m.RS
	}
	m.RS = -m.RS
	return m
}

// flipCols returns the view with the order of the columns reversed.
func (m Mat) flipCols() Mat { return m.T().flipRows().T() }
