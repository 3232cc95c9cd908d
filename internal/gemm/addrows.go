package gemm

import (
	"fmt"
	"math"
)

const (
	addLanes = 16   // columns that an assembly call takes at a time
	addBlock = 4096 // columns a call: k of them, up to a few hundred, stay below 100 µs
)

// AddRows does y += Σ_q coef[q]·g[q·ld+j], a vector times the row-major
// len(coef)×len(y) matrix g whose rows are ld elements apart. It reads g once and
// y once. Rows are added in order, each with one fused rounding on machines that have it.
func AddRows(y, coef, g []float64, ld int) {
	k := len(coef)
	if k == 0 || len(y) == 0 {
		return
	}
	if ld < len(y) || len(g) < (k-1)*ld+len(y) {
		panic(fmt.Sprintf("gemm: %d values for %d rows of %d, %d apart", len(g), k, len(y), ld))
	}
	kern := active()
	if kern.addRows == nil {
		for q, c := range coef {
			for j, v := range g[q*ld : q*ld+len(y)] {
				y[j] += c * v
			}
		}
		return
	}
	whole := len(y) &^ (addLanes - 1)
	for j := 0; j < whole; j += addBlock {
		kern.addRows(min(addBlock, whole-j), &y[j], &coef[0], k, &g[j], ld)
	}
	for j := whole; j < len(y); j++ {
		for q, c := range coef {
			y[j] = math.FMA(c, g[q*ld+j], y[j])
		}
	}
}
