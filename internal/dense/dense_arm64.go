//go:build !purego

package dense

import "github.com/sparsekm/sparsekm/internal/cpu"

var levels = map[cpu.Level]kernels{
	cpu.NEON: {
		dot:           dotNEON,
		axpy:          axpyNEON,
		addStrided:    addStridedNEON,
		addGathered64: addGathered64NEON,
		addGathered32: addGathered32NEON,
		mulStrided:    mulStridedNEON,
		mulGathered:   mulGatheredNEON,
		both:          bothNEON,
		mulRows4:      mulRows4NEON,
		addDots42:     addDots42NEON,
		scale:         scaleNEON,
		mr:            4,
		nr:            12,
		tile:          tileNEON,
		solve:         solveNEON,
		packRows:      packRowsNEON,
		across:        4,
		transpose:     transposeNEON,
	},
}

// dotNEON is
//
//	for i := range x {
//		s += x[i] * y[i]
//	}
//
// in 16 partial sums.
//
//go:noescape
func dotNEON(x, y []float64) float64

// axpyNEON is
//
//	for i := range x {
//		y[i] = math.FMA(a, x[i], y[i])
//	}
//
//go:noescape
func axpyNEON(a float64, x, y []float64)

// addStridedNEON is
//
//	for j := range y {
//		for q := range coef {
//			y[j] = math.FMA(coef[q], a[q*ld+j], y[j])
//		}
//	}
//
//go:noescape
func addStridedNEON(y, coef, a []float64, ld int)

// The addGathered functions are
//
//	for j := range y {
//		for q := range coef {
//			y[j] = math.FMA(coef[q], float64(rows[q][at+j]), y[j])
//		}
//	}
//
//go:noescape
func addGathered64NEON(y, coef []float64, rows [][]float64, at int)

//go:noescape
func addGathered32NEON(y, coef []float64, rows [][]float32, at int)

// mulStridedNEON is
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
// with 4 partial sums a row.
//
//go:noescape
func mulStridedNEON(dst, a []float64, ld int, x []float64, add bool)

// mulGatheredNEON is the same with add and rows[i][at+j] for a[i*ld+j].
//
//go:noescape
func mulGatheredNEON(dst []float64, rows [][]float64, at int, x []float64)

// bothNEON is
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
// with 4 partial sums a row.
//
//go:noescape
func bothNEON(dst, coef, a []float64, ld int, x, y []float64)

// tileNEON is, for a 4×12 tile that begins at c[at] and has its rows ldc elements apart,
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
func tileNEON(k int, a, b, c []float64, at, ldc int, alpha float64)

// solveNEON is, for an 8×12 tile x,
//
//	for j := range 8 {
//		x[j] *= tri[8*j+j] // the diagonal holds reciprocals
//		for i := j + 1; i < 8; i++ {
//			x[i] = math.FMA(-tri[8*i+j], x[j], x[i]) // on every lane
//		}
//	}
//
//go:noescape
func solveNEON(tri, x []float64)

// mulRows4NEON is, for n columns, whole eights, and k > 0,
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
func mulRows4NEON(c []float64, ldc int, start, q []float64, ldq int, a []float64, lda, k, n int)

// addDots42NEON is, for n columns, whole fours,
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
// with 4 partial sums each.
//
//go:noescape
func addDots42NEON(dst []float64, ldd int, a []float64, lda int, x []float64, ldx, n int)

// scaleNEON is, for whole eights,
//
//	for i := range x {
//		y[i] *= x[i]
//	}
//
//go:noescape
func scaleNEON(y, x []float64)

// packRowsNEON is, for lanes a multiple of 4,
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
func packRowsNEON(dst, src []float64, at, ld, rows, panels, lanes, panel int)

// transposeNEON is, for whole squares of across = 4 columns,
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
func transposeNEON(dst, src []float64, to, at, ld, rows, step int)
