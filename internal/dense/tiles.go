package dense

// MulRows writes c_j = start_j + Σ_q coef_jq·row_q for len(start) rows of n elements, ldc apart. a holds k rows, lda
// apart, and rows of coefficients are ldq apart. The sums have the same bits as [AddRows].
func MulRows(c []float64, ldc int, start, coef []float64, ldq int, a []float64, lda, k, n int) {
	m := len(start)
	if m == 0 || n == 0 {
		return
	}
	checkMatrix(m, n, c, ldc)
	if k > 0 {
		checkMatrix(m, k, coef, ldq)
		checkMatrix(k, n, a, lda)
	}
	fours := 0
	if table.Active().smallKernels && k > 0 && 4*8*k <= callWork {
		fours = m &^ 3
		step := min(tileColumns, callWork/(4*k)&^7)
		for lo := 0; lo < n&^7; lo += step { // this many columns of a stay in the first-level cache
			for j := 0; j < fours; j += 4 {
				runMulRows4(c[j*ldc+lo:], ldc, start[j:j+4], coef[j*ldq:], ldq, a[lo:], lda, k, min(step, n&^7-lo))
			}
		}
	}
	for j := range m {
		from := 0
		if j < fours {
			from = n &^ 7
		}
		if row := c[j*ldc+from : j*ldc+n]; len(row) > 0 {
			fill(row, start[j])
			if k > 0 {
				AddRows(row, coef[j*ldq:j*ldq+k], a[from:], lda)
			}
		}
	}
}

// tileColumns is the number of columns that all tiles process before the next columns.
const tileColumns = 32

// fill sets all elements to v by copies of doubling length, which are faster than single stores.
func fill(dst []float64, v float64) {
	dst[0] = v
	for n := 1; n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}

// AddDots does dst[j·ldd+i] += a_i·x_j for p rows of a, lda apart, and m rows of x, ldx apart, of n elements each.
func AddDots(dst []float64, ldd int, a []float64, lda, p int, x []float64, ldx, m, n int) {
	if p == 0 || m == 0 || n == 0 {
		return
	}
	checkMatrix(m, p, dst, ldd)
	checkMatrix(p, n, a, lda)
	checkMatrix(m, n, x, ldx)
	fours, twos := 0, 0
	if table.Active().smallKernels && n%4 == 0 {
		fours, twos = p&^3, m&^1
		const step = callWork / 8
		for i := 0; i < fours; i += 4 {
			for j := 0; j < twos; j += 2 {
				for lo := 0; lo < n; lo += step {
					runAddDots42(dst[j*ldd+i:], ldd, a[i*lda+lo:], lda, x[j*ldx+lo:], ldx, min(step, n-lo))
				}
			}
		}
	}
	for j := range m {
		from := 0
		if j < twos {
			from = fours
		}
		if from < p {
			AddMulVec(dst[j*ldd+from:j*ldd+p], a[from*lda:], lda, x[j*ldx:j*ldx+n])
		}
	}
}

// Scale does y[i] *= x[i].
func Scale(y, x []float64) {
	x = x[:len(y)]
	i := 0
	if table.Active().smallKernels {
		for ; i+8 <= len(y); i += callWork {
			n := min(callWork, (len(y)-i)&^7)
			runScale(y[i:i+n], x[i:i+n])
		}
		i = len(y) &^ 7
	}
	for ; i < len(y); i++ {
		y[i] *= x[i]
	}
}
