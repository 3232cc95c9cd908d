package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/testutil"
)

func TestAddRows(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		t.Run("float64", testAddRows[float64])
		t.Run("float32", testAddRows[float32])
	})
}

func testAddRows[T Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const guard = 3
	sizes := []int{addRowsCallForTest - 1, addRowsCallForTest + 9}
	for n := range 100 {
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		for k := range 10 {
			all := make([]float64, n+2*guard)
			for i := range all {
				all[i] = rng.NormFloat64()
			}
			want := append([]float64(nil), all...)
			rows := make([][]T, k)
			c := make([]float64, k)
			for r := range rows {
				c[r] = rng.NormFloat64()
				rows[r] = make([]T, n+r%3)[r%3:]
				for j := range rows[r] {
					rows[r][j] = T(rng.NormFloat64())
				}
				for j, v := range rows[r] {
					want[guard+j] = math.FMA(c[r], float64(v), want[guard+j])
				}
			}
			AddRows(all[guard:guard+n], rows, c)
			for i := range all {
				if all[i] != want[i] {
					t.Fatalf("n = %d, %d rows: element %d is %v, want %v", n, k, i-guard, all[i], want[i])
				}
			}
		}
	}
}

// addRowsCallForTest is where the assembly is called a second time.
const addRowsCallForTest = 1 << 13

func BenchmarkAddRows(b *testing.B) {
	for _, l := range cpu.Available() {
		b.Run(fmt.Sprintf("n=5300/rows=16/type=float64/cpu=%s", l), func(b *testing.B) { benchAddRows[float64](b, l) })
		b.Run(fmt.Sprintf("n=5300/rows=16/type=float32/cpu=%s", l), func(b *testing.B) { benchAddRows[float32](b, l) })
	}
}

func benchAddRows[T Float](b *testing.B, l cpu.Level) {
	defer cpu.Use(l)()
	g := make([]float64, 5300)
	rows := make([][]T, 16)
	for r := range rows {
		rows[r] = make([]T, len(g))
	}
	c := make([]float64, len(rows))
	for b.Loop() {
		AddRows(g, rows, c)
	}
}
