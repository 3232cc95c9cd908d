//go:build !purego

package vec

import (
	"github.com/sparsekm/sparsekm/internal/cpu"
)

// See addRows4Generic; n is a multiple of 8.
//
//go:noescape
func addRows4F64AVX2(grad, r0, r1, r2, r3 *float64, n int, c *float64)

// See addRows4Generic; n is a multiple of 8.
//
//go:noescape
func addRows4F32AVX2(grad *float64, r0, r1, r2, r3 *float32, n int, c *float64)

// addRowsCall keeps a call of the assembly, which cannot be preempted, well below 100 µs.
const addRowsCall = 1 << 13

func addRows4[T Float](g []float64, rows [][]T, c []float64) {
	n := 0
	if cpu.Active() >= cpu.AVX2 {
		n = len(g) &^ 7
	}
	for lo := 0; lo < n; lo += addRowsCall {
		k := min(addRowsCall, n-lo)
		switch r := any(rows).(type) {
		case [][]float64:
			addRows4F64AVX2(&g[lo], &r[0][lo], &r[1][lo], &r[2][lo], &r[3][lo], k, &c[0])
		case [][]float32:
			addRows4F32AVX2(&g[lo], &r[0][lo], &r[1][lo], &r[2][lo], &r[3][lo], k, &c[0])
		}
	}
	if n < len(g) {
		addRows4Generic(g[n:], [][]T{rows[0][n:], rows[1][n:], rows[2][n:], rows[3][n:]}, c)
	}
}
