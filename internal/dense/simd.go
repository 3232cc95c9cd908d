//go:build goexperiment.simd && go1.27

package dense

import "simd"

// This file is the level simd. Where the portable loops fuse or keep an order, these do too, on as many elements as a
// vector has; the sums of products have four partial sums a lane.

// atMost is the most elements of a vector.
const atMost = 8

func dotSIMD(x, y []float64) (s float64) {
	var s0, s1, s2, s3 simd.Float64s
	w, i := s0.Len(), 0
	y = y[:len(x)]
	for ; i+4*w <= len(x); i += 4 * w {
		u, v := x[i:i+4*w], y[i:i+4*w]
		s0 = simd.LoadFloat64s(u).MulAdd(simd.LoadFloat64s(v), s0)
		s1 = simd.LoadFloat64s(u[w:]).MulAdd(simd.LoadFloat64s(v[w:]), s1)
		s2 = simd.LoadFloat64s(u[2*w:]).MulAdd(simd.LoadFloat64s(v[2*w:]), s2)
		s3 = simd.LoadFloat64s(u[3*w:]).MulAdd(simd.LoadFloat64s(v[3*w:]), s3)
	}
	for ; i+w <= len(x); i += w {
		s0 = simd.LoadFloat64s(x[i:]).MulAdd(simd.LoadFloat64s(y[i:]), s0)
	}
	var lanes [atMost]float64
	s0.Add(s1).Add(s2.Add(s3)).Store(lanes[:])
	for _, v := range lanes[:w] {
		s += v
	}
	return s + dotGeneric(x[i:], y[i:])
}

func axpySIMD(a float64, x, y []float64) { addRowSIMD(y[:len(x)], a, x) }

// addRowSIMD does y += c·row.
func addRowSIMD(y []float64, c float64, row []float64) {
	factor := simd.BroadcastFloat64s(c)
	w, i := factor.Len(), 0
	row = row[:len(y)]
	for ; i+w <= len(y); i += w {
		simd.LoadFloat64s(row[i:]).MulAdd(factor, simd.LoadFloat64s(y[i:])).Store(y[i:])
	}
	addOne(y[i:], c, row[i:])
}

func addOuterSIMD(c []float64, ld int, coef, x []float64) {
	for i, v := range coef {
		addRowSIMD(c[i*ld:][:len(x)], v, x)
	}
}

// addFourSIMD is addFour.
func addFourSIMD(y, coef, r0, r1, r2, r3 []float64) {
	c0, c1 := simd.BroadcastFloat64s(coef[0]), simd.BroadcastFloat64s(coef[1])
	c2, c3 := simd.BroadcastFloat64s(coef[2]), simd.BroadcastFloat64s(coef[3])
	r0, r1, r2, r3 = r0[:len(y)], r1[:len(y)], r2[:len(y)], r3[:len(y)]
	w, i := c0.Len(), 0
	for ; i+w <= len(y); i += w {
		v := simd.LoadFloat64s(r0[i:]).MulAdd(c0, simd.LoadFloat64s(y[i:]))
		v = simd.LoadFloat64s(r1[i:]).MulAdd(c1, v)
		v = simd.LoadFloat64s(r2[i:]).MulAdd(c2, v)
		simd.LoadFloat64s(r3[i:]).MulAdd(c3, v).Store(y[i:])
	}
	addFour(y[i:], coef, r0[i:], r1[i:], r2[i:], r3[i:])
}

func addStridedSIMD(y, coef, a []float64, ld int) {
	n, q := len(y), 0
	for ; q+4 <= len(coef); q += 4 {
		addFourSIMD(y, coef[q:q+4], a[q*ld:][:n], a[(q+1)*ld:][:n], a[(q+2)*ld:][:n], a[(q+3)*ld:][:n])
	}
	for ; q < len(coef); q++ {
		addRowSIMD(y, coef[q], a[q*ld:][:n])
	}
}

func addGathered64SIMD(y, coef []float64, rows [][]float64, pos int) {
	n, q := len(y), 0
	for ; q+4 <= len(coef); q += 4 {
		addFourSIMD(y, coef[q:q+4], rows[q][pos:][:n], rows[q+1][pos:][:n], rows[q+2][pos:][:n], rows[q+3][pos:][:n])
	}
	for ; q < len(coef); q++ {
		addRowSIMD(y, coef[q], rows[q][pos:][:n])
	}
}

func mulStridedSIMD(dst, a []float64, ld int, x []float64, add bool) {
	for i := range dst {
		s := dotSIMD(x, a[i*ld:])
		if add {
			s += dst[i]
		}
		dst[i] = s
	}
}

func mulGatheredSIMD(dst []float64, rows [][]float64, pos int, x []float64) {
	for i := range dst {
		dst[i] += dotSIMD(x, rows[i][pos:])
	}
}

func bothSIMD(dst, coef, a []float64, ld int, x, y []float64) {
	mulStridedSIMD(dst, a, ld, x, true)
	addStridedSIMD(y, coef, a, ld)
}

// tileSIMD takes two vectors of columns at a time. The tile has 4 rows and 16 columns.
func tileSIMD(k int, a, b, c []float64, pos, ldc int, alpha float64) {
	const mr, nr = 4, 2 * atMost
	factor := simd.BroadcastFloat64s(alpha)
	w := factor.Len()
	a, b = a[:mr*k], b[:nr*k]
	for j := 0; j < nr; j += 2 * w {
		var s00, s01, s10, s11, s20, s21, s30, s31 simd.Float64s
		for p := range k {
			f, v := a[mr*p:][:mr:mr], b[nr*p+j:][:2*w]
			b0, b1 := simd.LoadFloat64s(v), simd.LoadFloat64s(v[w:])
			f0, f1 := simd.BroadcastFloat64s(f[0]), simd.BroadcastFloat64s(f[1])
			s00, s01, s10, s11 = b0.MulAdd(f0, s00), b1.MulAdd(f0, s01), b0.MulAdd(f1, s10), b1.MulAdd(f1, s11)
			f0, f1 = simd.BroadcastFloat64s(f[2]), simd.BroadcastFloat64s(f[3])
			s20, s21, s30, s31 = b0.MulAdd(f0, s20), b1.MulAdd(f0, s21), b0.MulAdd(f1, s30), b1.MulAdd(f1, s31)
		}
		row := c[pos+j:]
		simd.LoadFloat64s(row).Add(s00.Mul(factor)).Store(row)
		simd.LoadFloat64s(row[w:]).Add(s01.Mul(factor)).Store(row[w:])
		row = c[pos+ldc+j:]
		simd.LoadFloat64s(row).Add(s10.Mul(factor)).Store(row)
		simd.LoadFloat64s(row[w:]).Add(s11.Mul(factor)).Store(row[w:])
		row = c[pos+2*ldc+j:]
		simd.LoadFloat64s(row).Add(s20.Mul(factor)).Store(row)
		simd.LoadFloat64s(row[w:]).Add(s21.Mul(factor)).Store(row[w:])
		row = c[pos+3*ldc+j:]
		simd.LoadFloat64s(row).Add(s30.Mul(factor)).Store(row)
		simd.LoadFloat64s(row[w:]).Add(s31.Mul(factor)).Store(row[w:])
	}
}

func solveSIMD(tri, x []float64) {
	const nr = 2 * atMost
	for j := range solveRows {
		from, diagonal := x[j*nr:(j+1)*nr], simd.BroadcastFloat64s(tri[j*solveRows+j])
		w := diagonal.Len()
		for l := 0; l < nr; l += w {
			v := simd.LoadFloat64s(from[l:]).Mul(diagonal)
			v.Store(from[l:])
			for i := j + 1; i < solveRows; i++ {
				to := x[i*nr+l:]
				v.MulAdd(simd.BroadcastFloat64s(-tri[i*solveRows+j]), simd.LoadFloat64s(to)).Store(to)
			}
		}
	}
}
