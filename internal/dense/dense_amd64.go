//go:build !purego

package dense

import "github.com/sparsekm/sparsekm/internal/cpu"

var levels = map[cpu.Level]kernels{
	cpu.AVX2: {
		dot:           dotAVX2,
		axpy:          axpyAVX2,
		addStrided:    addStridedAVX2,
		addGathered64: addGathered64AVX2,
		addGathered32: addGathered32AVX2,
		mulStrided:    mulStridedAVX2,
		mulGathered:   mulGatheredAVX2,
		both:          bothAVX2,
		mulRows4:      mulRows4AVX2,
		addDots42:     addDots42AVX2,
		scale:         scaleAVX2,
		mr:            4,
		nr:            12,
		tile:          tileAVX2,
		solve:         solveAVX2,
		packRows:      packRowsAVX2,
		across:        4,
		transpose:     transposeAVX2,
	},
	cpu.AVX512: {
		dot:           dotAVX512,
		axpy:          axpyAVX512,
		addStrided:    addStridedAVX512,
		addGathered64: addGathered64AVX512,
		addGathered32: addGathered32AVX512,
		mulStrided:    mulStridedAVX512,
		mulGathered:   mulGatheredAVX512,
		both:          bothAVX512,
		mulRows4:      mulRows4AVX512,
		addDots42:     addDots42AVX512,
		scale:         scaleAVX512,
		mr:            8,
		nr:            24,
		tile:          tileAVX512,
		solve:         solveAVX512,
		packRows:      packRowsAVX512,
		across:        8,
		transpose:     transposeAVX512,
	},
}

// dotAVX2 is
//
//	for i := range x {
//		s += x[i] * y[i]
//	}
//
// in 32 partial sums; dotAVX512 is the same.
//
//go:noescape
func dotAVX2(x, y []float64) float64

//go:noescape
func dotAVX512(x, y []float64) float64

// axpyAVX2 and axpyAVX512 are
//
//	for i := range x {
//		y[i] = math.FMA(a, x[i], y[i])
//	}
//
//go:noescape
func axpyAVX2(a float64, x, y []float64)

//go:noescape
func axpyAVX512(a float64, x, y []float64)

// addStridedAVX2 and addStridedAVX512 are
//
//	for j := range y {
//		for q := range coef {
//			y[j] = math.FMA(coef[q], a[q*ld+j], y[j])
//		}
//	}
//
//go:noescape
func addStridedAVX2(y, coef, a []float64, ld int)

//go:noescape
func addStridedAVX512(y, coef, a []float64, ld int)

// The addGathered functions are
//
//	for j := range y {
//		for q := range coef {
//			y[j] = math.FMA(coef[q], float64(rows[q][at+j]), y[j])
//		}
//	}
//
//go:noescape
func addGathered64AVX2(y, coef []float64, rows [][]float64, at int)

//go:noescape
func addGathered64AVX512(y, coef []float64, rows [][]float64, at int)

//go:noescape
func addGathered32AVX2(y, coef []float64, rows [][]float32, at int)

//go:noescape
func addGathered32AVX512(y, coef []float64, rows [][]float32, at int)

// mulStridedAVX2 and mulStridedAVX512 are
//
//	for i := range dst {
//		s := 0.0
//		for j := range x {
//			s += a[i*ld+j] * x[j]
//		}
//		if add {
//			s += dst[i]
//		}
//		dst[i] = s
//	}
//
// with 8 and 16 partial sums a row.
//
//go:noescape
func mulStridedAVX2(dst, a []float64, ld int, x []float64, add bool)

//go:noescape
func mulStridedAVX512(dst, a []float64, ld int, x []float64, add bool)

// mulGatheredAVX2 and mulGatheredAVX512 are the same with add and rows[i][at+j] for a[i*ld+j].
//
//go:noescape
func mulGatheredAVX2(dst []float64, rows [][]float64, at int, x []float64)

//go:noescape
func mulGatheredAVX512(dst []float64, rows [][]float64, at int, x []float64)

// bothAVX2 and bothAVX512 are
//
//	for i := range 4 {
//		s := 0.0
//		for j := range x {
//			s += a[i*ld+j] * x[j]
//			y[j] = math.FMA(coef[i], a[i*ld+j], y[j])
//		}
//		dst[i] += s
//	}
//
// with 4 and 8 partial sums a row.
//
//go:noescape
func bothAVX2(dst, coef, a []float64, ld int, x, y []float64)

//go:noescape
func bothAVX512(dst, coef, a []float64, ld int, x, y []float64)

// mulRows4AVX2 and mulRows4AVX512 are, for n columns, whole vectors of eight, and k > 0,
//
//	for j := range 4 {
//		for i := range n {
//			s := start[j]
//			for p := range k {
//				s = math.FMA(q[j*ldq+p], a[p*lda+i], s)
//			}
//			c[j*ldc+i] = s
//		}
//	}
//
//go:noescape
func mulRows4AVX2(c []float64, ldc int, start, q []float64, ldq int, a []float64, lda, k, n int)

//go:noescape
func mulRows4AVX512(c []float64, ldc int, start, q []float64, ldq int, a []float64, lda, k, n int)

// addDots42AVX2 and addDots42AVX512 are, for n columns, whole vectors of four,
//
//	for j := range 2 {
//		for i := range 4 {
//			s := 0.0
//			for p := range n {
//				s += a[i*lda+p] * x[j*ldx+p]
//			}
//			dst[j*ldd+i] += s
//		}
//	}
//
// with 4 and 8 partial sums each.
//
//go:noescape
func addDots42AVX2(dst []float64, ldd int, a []float64, lda int, x []float64, ldx, n int)

//go:noescape
func addDots42AVX512(dst []float64, ldd int, a []float64, lda int, x []float64, ldx, n int)

// scaleAVX2 and scaleAVX512 are, for whole vectors of eight,
//
//	for i := range x {
//		y[i] *= x[i]
//	}
//
//go:noescape
func scaleAVX2(y, x []float64)

//go:noescape
func scaleAVX512(y, x []float64)

// tileAVX2 is, for a 4×12 tile that begins at c[at] and has its rows ldc elements apart,
//
//	for i := range 4 {
//		for j := range 12 {
//			s := 0.0
//			for p := range k {
//				s = math.FMA(a[4*p+i], b[12*p+j], s)
//			}
//			c[at+i*ldc+j] = math.FMA(alpha, s, c[at+i*ldc+j])
//		}
//	}
//
//go:noescape
func tileAVX2(k int, a, b, c []float64, at, ldc int, alpha float64)

// tileAVX512 is the same for an 8×24 tile.
//
//go:noescape
func tileAVX512(k int, a, b, c []float64, at, ldc int, alpha float64)

// solveAVX2 is, for an 8×12 tile x,
//
//	for j := range 8 {
//		x[j] *= tri[8*j+j] // the diagonal holds reciprocals
//		for i := j + 1; i < 8; i++ {
//			x[i] = math.FMA(-tri[8*i+j], x[j], x[i]) // on every lane
//		}
//	}
//
//go:noescape
func solveAVX2(tri, x []float64)

// solveAVX512 is the same for an 8×24 tile.
//
//go:noescape
func solveAVX512(tri, x []float64)

// packRowsAVX2 is, for lanes a multiple of 4,
//
//	for p := range rows {
//		for q := range panels {
//			copy(dst[q*panel+p*lanes:][:lanes], src[at+p*ld+q*lanes:])
//		}
//	}
//
// ld may be negative.
//
//go:noescape
func packRowsAVX2(dst, src []float64, at, ld, rows, panels, lanes, panel int)

// packRowsAVX512 is the same for lanes a multiple of 8.
//
//go:noescape
func packRowsAVX512(dst, src []float64, at, ld, rows, panels, lanes, panel int)

// transposeAVX2 is, for whole squares of across = 4 columns,
//
//	for p := range rows {
//		for j := range across {
//			dst[to+p*step+j] = src[at+j*ld+p]
//		}
//	}
//
// ld and step may be negative.
//
//go:noescape
func transposeAVX2(dst, src []float64, to, at, ld, rows, step int)

// transposeAVX512 is the same for whole squares of 8 columns.
//
//go:noescape
func transposeAVX512(dst, src []float64, to, at, ld, rows, step int)
