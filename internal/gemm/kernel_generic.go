package gemm

import "unsafe"

// The portable kernels, compiled on every machine; tests hold the assembly against them.

// mulGeneric does C += alpha·A·B for a 4×4 tile: a holds k groups of 4 rows, b k
// groups of 4 columns, and rows of c are ldc elements apart (ldc may be negative).
func mulGeneric(k int, a, b, c *float64, ldc int, alpha float64) {
	as, bs := unsafe.Slice(a, 4*k), unsafe.Slice(b, 4*k)
	for half := 0; half < 4; half += 2 { // two rows at a time: eight sums fit the registers
		var c00, c01, c02, c03, c10, c11, c12, c13 float64
		for p := 0; p+4 <= len(as) && p+4 <= len(bs); p += 4 {
			a0, a1 := as[p+half], as[p+half+1]
			b0, b1, b2, b3 := bs[p], bs[p+1], bs[p+2], bs[p+3]
			c00 += a0 * b0
			c01 += a0 * b1
			c02 += a0 * b2
			c03 += a0 * b3
			c10 += a1 * b0
			c11 += a1 * b1
			c12 += a1 * b2
			c13 += a1 * b3
		}
		addRow(c, half*ldc, alpha, c00, c01, c02, c03)
		addRow(c, (half+1)*ldc, alpha, c10, c11, c12, c13)
	}
}

func addRow(c *float64, off int, alpha, s0, s1, s2, s3 float64) {
	row := unsafe.Slice((*float64)(unsafe.Add(unsafe.Pointer(c), off*8)), 4)
	row[0] += alpha * s0
	row[1] += alpha * s1
	row[2] += alpha * s2
	row[3] += alpha * s3
}

// solveGeneric overwrites the 8×4 tile x with L⁻¹x. tri holds L row by row, 8×8,
// with the reciprocals of its diagonal in the diagonal's place.
func solveGeneric(tri, x *float64) { solveLanes(unsafe.Slice(tri, 64), unsafe.Slice(x, 32), 4) }

func solveLanes(tri, x []float64, nr int) {
	for j := range solveRows {
		xj := x[j*nr : (j+1)*nr]
		for l := range xj {
			xj[l] *= tri[j*solveRows+j]
		}
		for i := j + 1; i < solveRows; i++ {
			xi, f := x[i*nr:(i+1)*nr], tri[i*solveRows+j]
			for l, v := range xj {
				xi[l] -= f * v
			}
		}
	}
}
