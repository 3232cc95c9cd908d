//go:build ignore

package dense

// This file declares the assembly for internal/asmgen. A comment gives the loop that a kernel replaces. The assembly
// fuses products and sums; the order of a sum depends on the level.

// dot is
//
//	for i := range x {
//		s += x[i] * y[i]
//	}
//
// in 32 partial sums, 16 at the level neon.
func dot(x, y []float64) float64

// axpy is
//
//	for i := range x {
//		y[i] += a * x[i]
//	}
func axpy(a float64, x, y []float64)

// addOuter is, for whole vectors of eight, ld elements apart, at least one,
//
//	for i := range coef {
//		for j := range x {
//			c[i*ld+j] += coef[i] * x[j]
//		}
//	}
func addOuter(c []float64, ld int, coef, x []float64)

// addOuterSquares is addOuter, and sets squares[i] to Σ_j c[i*ld+j]² of what it stores.
func addOuterSquares(c []float64, ld int, coef, x, squares []float64)

// addStrided is
//
//	for j := range y {
//		for q := range coef {
//			y[j] += coef[q] * a[q*ld+j]
//		}
//	}
func addStrided(y, coef, a []float64, ld int)

// The addGathered functions are the same with float64(rows[q][pos+j]) for a[q*ld+j].

func addGathered64(y, coef []float64, rows [][]float64, pos int)

func addGathered32(y, coef []float64, rows [][]float32, pos int)

// mulStrided is
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
// with as many partial sums a row as two vectors have elements.
func mulStrided(dst, a []float64, ld int, x []float64, add bool)

// mulGathered is the same with add, and rows[i][pos+j] for a[i*ld+j].
func mulGathered(dst []float64, rows [][]float64, pos int, x []float64)

// both is, for four rows,
//
//	for i := range 4 {
//		s := 0.0
//		for j := range x {
//			s += a[i*ld+j] * x[j]
//			y[j] += coef[i] * a[i*ld+j]
//		}
//		dst[i] += s
//	}
//
// with as many partial sums a row as a vector has elements.
func both(dst, coef, a []float64, ld int, x, y []float64)

// mulRows4 is, for n columns, whole vectors of eight, and k > 0,
//
//	for j := range 4 {
//		for i := range n {
//			s := start[j]
//			for p := range k {
//				s += q[j*ldq+p] * a[p*lda+i]
//			}
//			c[j*ldc+i] = s
//		}
//	}
func mulRows4(c []float64, ldc int, start, q []float64, ldq int, a []float64, lda, k, n int)

// addDots42 is, for n columns, whole vectors of four,
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
// with as many partial sums each as a vector has elements.
func addDots42(dst []float64, ldd int, a []float64, lda int, x []float64, ldx, n int)

// scale is, for whole vectors of eight,
//
//	for i := range x {
//		y[i] *= x[i]
//	}
func scale(y, x []float64)

// tile is, for a tile of mr×nr that begins at c[pos] and has its rows ldc elements apart,
//
//	for i := range mr {
//		for j := range nr {
//			s := 0.0
//			for p := range k {
//				s += a[mr*p+i] * b[nr*p+j]
//			}
//			c[pos+i*ldc+j] += alpha * s
//		}
//	}
func tile(k int, a, b, c []float64, pos, ldc int, alpha float64)

// solve is, for an 8×nr tile x,
//
//	for j := range 8 {
//		x[j] *= tri[8*j+j] // the diagonal holds reciprocals
//		for i := j + 1; i < 8; i++ {
//			x[i] -= tri[8*i+j] * x[j] // on every lane
//		}
//	}
func solve(tri, x []float64)

// packRows is, for lanes a multiple of across,
//
//	for p := range rows {
//		for q := range panels {
//			copy(dst[q*panel+p*lanes:][:lanes], src[pos+p*ld+q*lanes:])
//		}
//	}
//
// ld may be negative.
func packRows(dst, src []float64, pos, ld, rows, panels, lanes, panel int)

// transpose is, for whole squares of across columns,
//
//	for p := range rows {
//		for j := range across {
//			dst[to+p*step+j] = src[pos+j*ld+p]
//		}
//	}
//
// ld and step may be negative.
func transpose(dst, src []float64, to, pos, ld, rows, step int)
