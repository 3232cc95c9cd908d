package dense

import "fmt"

import "sync"

// Block sizes. A panel of the left operand is mr×depth: 16 KiB with AVX-512, half of the first-level cache. A block
// of the right operand is depth×width: 480 KiB, half of a second-level cache of 1 MiB. A block of the left operand is
// height×depth: 4 MiB, for the third-level cache. Every nr divides width, and every mr divides height. depth is the
// same at each level, because it decides where sums are rounded.
const (
	depth  = 256
	width  = 240
	height = 2048
)

// workspace holds the packed blocks of one worker.
type workspace struct {
	*blocks
	a, b []float64
	left []float64 // packed rows left of the triangles of a diagonal block; tri holds the triangles
	tri  []float64
	part [maxTile]float64 // a tile of which only a part is stored
}

// solveRows is the order of the triangle of one call of solve.
const solveRows = 8

// maxTile is the size of the largest tile, mr·nr.
const maxTile = 8 * 24

var pool = sync.Pool{New: func() any { return new(workspace) }}

func newWorkspace() *workspace {
	w := pool.Get().(*workspace)
	w.blocks = table.Active()
	return w
}

func (w *workspace) free() { pool.Put(w) }

// Packed returns the number of float64 values in the workspaces for products and solves with n×n matrices. Each
// worker has a left block, a right block, and the triangles of a diagonal block with the rows left of them.
func Packed(n, workers int) int64 {
	const triangles = depth * (depth/2 + solveRows)
	return int64(workers) * int64(depth*(min(n, height)+width+2*grain)+triangles)
}

// grow gives s n unspecified values. It frees the old slice before it allocates a new one.
func grow(s *[]float64, n int) {
	if cap(*s) < n {
		*s = nil
		*s = make([]float64, n)
	}
	*s = (*s)[:n]
}

func roundUp(n, m int) int { return (n + m - 1) / m * m }

// packPanels copies v into panels of nl lanes. The columns of v are lanes, its rows are steps of the inner dimension.
// Panel q of dst holds columns [q·nl, (q+1)·nl) of v, step after step, with zeros in missing lanes. A panel has steps
// steps; those beyond the rows of v are zero too.
func packPanels(dst []float64, v Mat, nl, steps int) {
	if v.CS == 1 && v.Rows > 0 {
		packRows(dst, v, nl, steps)
		return
	}
	for j0 := 0; j0 < v.Cols; j0 += nl {
		lanes := min(nl, v.Cols-j0)
		packPanel(dst[:steps*nl], v.Sub(0, v.Rows, j0, j0+lanes), nl)
		dst = dst[steps*nl:]
	}
}

// packRows packs all panels of a view with contiguous rows, row by row. Panel by panel, every row would need another
// look-up in the page tables.
func packRows(dst []float64, v Mat, nl, steps int) {
	panels := v.Cols / nl
	for p := 0; p < v.Rows && panels > 0; {
		rows := min(v.Rows-p, max(1, callWork/v.Cols))
		runPackRows(dst[p*nl:], v.Data, v.Off+p*v.RS, v.RS, rows, panels, nl, nl*steps)
		p += rows
	}
	if j := panels * nl; j < v.Cols {
		packPanel(dst[j*steps:(j+nl)*steps], v.Sub(0, v.Rows, j, v.Cols), nl)
	}
	if v.Rows < steps {
		for q := range panels {
			clear(dst[(q*steps+v.Rows)*nl : (q+1)*steps*nl])
		}
	}
}

func packPanel(dst []float64, v Mat, nl int) {
	if v.Cols < nl {
		clear(dst)
	} else {
		clear(dst[v.Rows*nl:])
	}
	switch {
	case v.Rows == 0 || v.Cols == 0:
	case v.RS == 1:
		packColumns(dst, v, 0, nl)
	case v.RS == -1:
		packColumns(dst, v.flipRows(), (v.Rows-1)*nl, -nl)
	default:
		for p := range v.Rows {
			d := dst[p*nl : p*nl+v.Cols]
			o := v.Off + p*v.RS
			for j := range d {
				d[j] = v.Data[o]
				o += v.CS
			}
		}
	}
}

// Transpose writes the transpose of a matrix of cols contiguous columns, each of rows elements, to dst: element p of
// column j goes to dst[p*cols+j]. It panics if one of them is too short.
func Transpose(dst, src []float64, rows, cols int) {
	if len(dst) < rows*cols || len(src) < rows*cols {
		panic(fmt.Sprintf("dense: %d and %d values of a transpose of %d columns of %d", len(dst), len(src), cols, rows))
	}
	packColumns(dst, Of(src, cols, rows, rows).T(), 0, cols)
}

// packColumns packs a panel with contiguous columns, some at a time. Row p of v goes to dst[start+p·step:].
func packColumns(dst []float64, v Mat, start, step int) {
	across := table.Active().across
	j, rows := 0, v.Rows/across*across
	for ; rows > 0 && j+across <= v.Cols; j += across {
		runTranspose(dst, v.Data, start+j, v.Off+j*v.CS, v.CS, rows, step)
		for p := rows; p < v.Rows; p++ {
			for q := j; q < j+across; q++ {
				dst[start+p*step+q] = v.Data[v.Off+q*v.CS+p]
			}
		}
	}
	for ; j < v.Cols; j++ {
		o := v.Off + j*v.CS
		for p, x := range v.Data[o : o+v.Rows] {
			dst[start+p*step+j] = x
		}
	}
}

// unpackPanel is the inverse of packPanel: it overwrites v with the panel.
func unpackPanel(v Mat, src []float64, nl int) {
	if v.CS == 1 {
		for p := range v.Rows {
			o := v.Off + p*v.RS
			copy(v.Data[o:o+v.Cols], src[p*nl:])
		}
		return
	}
	across := table.Active().across
	p := 0
	if v.RS == 1 && v.Cols > 0 && v.Cols%across == 0 {
		for ; p+across <= v.Rows; p += across {
			runTranspose(v.Data, src, v.Off+p, p*nl, nl, v.Cols, v.CS)
		}
	}
	for j := range v.Cols {
		o := v.Off + j*v.CS
		for p := p; p < v.Rows; p++ {
			v.Data[o+p*v.RS] = src[p*nl+j]
		}
	}
}
