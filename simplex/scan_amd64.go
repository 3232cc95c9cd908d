//go:build !purego

package simplex

import "github.com/sparsekm/sparsekm/internal/cpu"

var scans = cpu.NewTable[scanner](scanGeneric, map[cpu.Level]scanner{cpu.AVX2: scanWide})

// scanAVX2 is scanGeneric for n a positive multiple of 8; bad is 0, or NaN if an
// element is not finite (then largest and colMax are of no use).
//
//go:noescape
func scanAVX2(colMax, row *float64, n int) (most, bad float64)

// scanCall bounds one call of the assembly, which cannot be preempted, to some microseconds.
const scanCall = 1 << 13

func scanWide(colMax, row []float64) (most float64, ok bool) {
	colMax = colMax[:len(row)]
	whole := len(row) &^ 7
	for lo := 0; lo < whole; lo += scanCall {
		m, bad := scanAVX2(&colMax[lo], &row[lo], min(scanCall, whole-lo))
		if bad != 0 {
			return 0, false
		}
		most = max(most, m)
	}
	m, ok := scanGeneric(colMax[whole:], row[whole:])
	return max(most, m), ok
}
