package vec

import (
	"fmt"
	"math"
)

// AddRows does g += Σ_r c[r]·rows[r] in float64, whatever the rows' type. Each element is
// summed in the order of the rows with fused multiply-adds, so the bits are the same at every level.
func AddRows[T Float](g []float64, rows [][]T, c []float64) {
	for r, row := range rows {
		if len(row) < len(g) {
			panic(fmt.Sprintf("vec: row %d has %d elements, want %d", r, len(row), len(g)))
		}
	}
	r := 0
	for ; r+4 <= len(rows); r += 4 {
		addRows4(g, rows[r:r+4], c[r:r+4])
	}
	for ; r < len(rows); r++ {
		addRow(g, rows[r], c[r])
	}
}

// addRows4Generic is the reference of the assembly: four rows in one pass over g.
func addRows4Generic[T Float](g []float64, rows [][]T, c []float64) {
	n := len(g)
	r0, r1, r2, r3 := rows[0][:n], rows[1][:n], rows[2][:n], rows[3][:n]
	c0, c1, c2, c3 := c[0], c[1], c[2], c[3]
	for j, v := range g {
		v = math.FMA(c0, float64(r0[j]), v)
		v = math.FMA(c1, float64(r1[j]), v)
		v = math.FMA(c2, float64(r2[j]), v)
		g[j] = math.FMA(c3, float64(r3[j]), v)
	}
}

func addRow[T Float](g []float64, row []T, c float64) {
	row = row[:len(g)]
	for j, v := range g {
		g[j] = math.FMA(c, float64(row[j]), v)
	}
}
