package dense

import "github.com/sparsekm/sparsekm/internal/cpu"

// The portable kernels are compiled on every host, and tests compare the assembly with them. A product is rounded
// before it is added; the conversion keeps Go from fusing both on some architectures. Sums of rows call a fused
// multiply-add explicitly. So the bits are the same everywhere.

func dotGeneric(x, y []float64) (s float64) {
	y = y[:len(x)]
	for i, v := range x {
		s += float64(v * y[i])
	}
	return s
}

func axpyGeneric(a float64, x, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += float64(a * v)
	}
}

// addOuterGeneric does c[i·ld:] += coef[i]·x.
func addOuterGeneric(c []float64, ld int, coef, x []float64) {
	for i, v := range coef {
		axpyGeneric(v, x, c[i*ld:])
	}
}

// addStridedGeneric does y += Σ_q coef[q]·a[q·ld:].
func addStridedGeneric(y, coef, a []float64, ld int) {
	n, q := len(y), 0
	for ; q+4 <= len(coef); q += 4 {
		addFour(y, coef[q:q+4], a[q*ld:][:n], a[(q+1)*ld:][:n], a[(q+2)*ld:][:n], a[(q+3)*ld:][:n])
	}
	for ; q < len(coef); q++ {
		addOne(y, coef[q], a[q*ld:][:n])
	}
}

// addGatheredGeneric does y += Σ_q coef[q]·rows[q][at:].
func addGatheredGeneric[T Float](y, coef []float64, rows [][]T, pos int) {
	n, q := len(y), 0
	for ; q+4 <= len(coef); q += 4 {
		addFour(y, coef[q:q+4], rows[q][pos:][:n], rows[q+1][pos:][:n], rows[q+2][pos:][:n], rows[q+3][pos:][:n])
	}
	for ; q < len(coef); q++ {
		addOne(y, coef[q], rows[q][pos:][:n])
	}
}

func addGathered64Generic(y, coef []float64, rows [][]float64, pos int) {
	addGatheredGeneric(y, coef, rows, pos)
}

func addGathered32Generic(y, coef []float64, rows [][]float32, pos int) {
	addGatheredGeneric(y, coef, rows, pos)
}

// addFour adds multiples of four rows of len(y) elements in one pass over y.
func addFour[T Float](y, coef []float64, r0, r1, r2, r3 []T) {
	c0, c1, c2, c3 := coef[0], coef[1], coef[2], coef[3]
	r0, r1, r2, r3 = r0[:len(y)], r1[:len(y)], r2[:len(y)], r3[:len(y)]
	for j, v := range y {
		v = cpu.MulAdd(c0, float64(r0[j]), v)
		v = cpu.MulAdd(c1, float64(r1[j]), v)
		v = cpu.MulAdd(c2, float64(r2[j]), v)
		y[j] = cpu.MulAdd(c3, float64(r3[j]), v)
	}
}

func addOne[T Float](y []float64, c float64, row []T) {
	for j, v := range y {
		y[j] = cpu.MulAdd(c, float64(row[j]), v)
	}
}

// mulStridedGeneric does dst[i] += a[i·ld:]·x; without add, it overwrites dst[i].
func mulStridedGeneric(dst, a []float64, ld int, x []float64, add bool) {
	for i := range dst {
		s := dotGeneric(x, a[i*ld:])
		if add {
			s += dst[i]
		}
		dst[i] = s
	}
}

// mulGatheredGeneric does dst[i] += rows[i][at:]·x.
func mulGatheredGeneric(dst []float64, rows [][]float64, pos int, x []float64) {
	for i := range dst {
		dst[i] += dotGeneric(x, rows[i][pos:])
	}
}

// bothGeneric does mulStridedGeneric with x, and addStridedGeneric with y.
func bothGeneric(dst, coef, a []float64, ld int, x, y []float64) {
	mulStridedGeneric(dst, a, ld, x, true)
	addStridedGeneric(y, coef, a, ld)
}

// tileGeneric does C += alpha·A·B for a 4×4 tile. a holds k groups of 4 rows, b holds k groups of 4 columns. C begins
// at c[at]; its rows are ldc elements apart, and ldc may be negative.
func tileGeneric(k int, a, b, c []float64, pos, ldc int, alpha float64) {
	as, bs := a[:4*k], b[:4*k]
	for half := 0; half < 4; half += 2 { // two rows at a time, so that the eight sums fit in registers
		var c00, c01, c02, c03, c10, c11, c12, c13 float64
		for p := 0; p+4 <= len(as) && p+4 <= len(bs); p += 4 {
			a0, a1 := as[p+half], as[p+half+1]
			b0, b1, b2, b3 := bs[p], bs[p+1], bs[p+2], bs[p+3]
			c00 += float64(a0 * b0)
			c01 += float64(a0 * b1)
			c02 += float64(a0 * b2)
			c03 += float64(a0 * b3)
			c10 += float64(a1 * b0)
			c11 += float64(a1 * b1)
			c12 += float64(a1 * b2)
			c13 += float64(a1 * b3)
		}
		addTileRow(c[pos+half*ldc:], alpha, c00, c01, c02, c03)
		addTileRow(c[pos+(half+1)*ldc:], alpha, c10, c11, c12, c13)
	}
}

// addTileRow adds alpha times the sums. alpha is ±1, so this product is exact.
func addTileRow(row []float64, alpha, s0, s1, s2, s3 float64) {
	row = row[:4]
	row[0] += alpha * s0
	row[1] += alpha * s1
	row[2] += alpha * s2
	row[3] += alpha * s3
}

// solveGeneric overwrites the 8×4 tile x with L⁻¹x. tri holds L row by row, 8×8, with the reciprocals of the diagonal
// elements on the diagonal.
func solveGeneric(tri, x []float64) { solveLanes(tri, x, 4) }

func solveLanes(tri, x []float64, nr int) {
	for j := range solveRows {
		xj := x[j*nr : (j+1)*nr]
		for l := range xj {
			xj[l] *= tri[j*solveRows+j]
		}
		for i := j + 1; i < solveRows; i++ {
			xi, f := x[i*nr:(i+1)*nr], tri[i*solveRows+j]
			for l, v := range xj {
				xi[l] -= float64(f * v)
			}
		}
	}
}

// packRowsGeneric copies rows into panels of lanes columns each. A panel begins panel elements after the one before.
func packRowsGeneric(dst, src []float64, pos, ld, rows, panels, lanes, panel int) {
	for p := range rows {
		for q := range panels {
			copy(dst[q*panel+p*lanes:][:lanes], src[pos+p*ld+q*lanes:])
		}
	}
}

// transposeGeneric copies four columns, which are ld apart, to rows, which are step apart.
func transposeGeneric(dst, src []float64, to, pos, ld, rows, step int) {
	column := func(j int) []float64 { return src[pos+j*ld:][:rows] }
	c0, c1, c2, c3 := column(0), column(1), column(2), column(3)
	c1, c2, c3 = c1[:len(c0)], c2[:len(c0)], c3[:len(c0)]
	for p, x := range c0 {
		d := dst[to : to+4 : to+4]
		d[0], d[1], d[2], d[3] = x, c1[p], c2[p], c3[p]
		to += step
	}
}
