//go:build !purego

package simplex

import "github.com/sparsekm/sparsekm/internal/cpu"

// scanAVX2 is scanGeneric for n a positive multiple of 8; bad is 0, or NaN if an
// element is not finite (then most and colMax are of no use).
//
//go:noescape
func scanAVX2(colMax, row *float64, n int) (most, bad float64)

func scan(colMax, row []float64) (most float64, ok bool) {
	k := 0
	if cpu.Active() >= cpu.AVX2 {
		k = len(row) &^ 7
	}
	if k == 0 {
		return scanGeneric(colMax, row)
	}
	_ = colMax[k-1]
	for lo := 0; lo < k; lo += scanCall {
		m, bad := scanAVX2(&colMax[lo], &row[lo], min(scanCall, k-lo))
		if bad != 0 {
			return 0, false
		}
		most = max(most, m)
	}
	m, ok := scanGeneric(colMax[k:], row[k:])
	return max(most, m), ok
}

// scanCall bounds one call of the assembly, which cannot be preempted, to some microseconds.
const scanCall = 1 << 13
