package blocked

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm/gram"
)

// Rows evaluated ahead by another goroutine, however many there are by the time that they are needed, change neither
// sums nor what is counted, and keep within the budget.
func TestAhead(t *testing.T) {
	const n, d = 700, 9
	rng := rand.New(rand.NewPCG(8, 9))
	pts := gram.Pack[float32](gram.RBF(0.1), randomPoints(rng, n, d), n, d)
	taken := 0
	for round := range 30 {
		budget := int64(MinRows+rng.IntN(2*n)) * Bytes[float32](1, n, 0, 0)
		one, two := New(pts, budget, 1), New(pts, budget, 2)
		var selected []int
		for range 6 {
			selected = append(selected[:0], rng.Perm(n)[:1+rng.IntN(n)]...)
			one.Select(selected)
			two.Select(selected)
			asked := rng.Perm(len(selected))[:rng.IntN(len(selected)+1)]
			a, b := make([]float32, len(selected)), make([]float32, len(selected))
			for _, r := range asked {
				one.SubValues(a, r)
				if two.SubValues(b, r); !slices.Equal(a, b) {
					t.Fatalf("round %d: row %d of a selection differs", round, r)
				}
			}
			if rng.IntN(2) == 0 {
				time.Sleep(time.Duration(rng.IntN(400)) * time.Microsecond)
			}
			var idx []int
			for _, r := range asked {
				if rng.IntN(8) > 0 {
					idx = append(idx, selected[r])
				}
			}
			idx = append(idx, rng.Perm(n)[:rng.IntN(20)]...)
			if rng.IntN(4) == 0 {
				idx = idx[:min(len(idx), MinRows)]
				rows := slices.Clone(two.Rows(idx))
				for r, row := range one.Rows(idx) {
					if !slices.Equal(row, rows[r]) {
						t.Fatalf("round %d: row %d differs", round, idx[r])
					}
				}
			} else {
				taken += addBoth(t, one, two, idx, randomPoints(rng, len(idx), 1))
			}
			if x, y := one.Stats(), two.Stats(); x != y {
				t.Fatalf("round %d: counted %+v with one worker, %+v with two", round, x, y)
			}
			if rows := len(two.cache.slots) + two.ahead.held + len(two.ahead.spare); rows > two.cache.limit {
				t.Fatalf("round %d: memory of %d rows, %d in the budget", round, rows, two.cache.limit)
			}
		}
		if rng.IntN(2) == 0 {
			two.SubValues(make([]float32, len(selected)), 0)
			two.Release()
			two.Select(selected)
		}
	}
	if taken == 0 {
		t.Error("no row was ever evaluated ahead")
	}
}

// addBoth adds rows of both matrices, and returns how many of those of two were evaluated ahead.
func addBoth(t *testing.T, one, two *Matrix[float32], idx []int, coef []float64) (taken int) {
	t.Helper()
	a, b := make([]float64, one.n), make([]float64, one.n)
	two.settle()
	for _, i := range idx {
		if two.ahead.places != nil && two.ahead.places[i] > 0 {
			taken++
		}
	}
	if one.AddRows(t.Context(), a, idx, coef) != nil || two.AddRows(t.Context(), b, idx, coef) != nil ||
		!slices.Equal(a, b) {
		t.Fatal("sums differ")
	}
	return taken
}

// A kernel that is evaluated pair by pair is not evaluated ahead, nor is anything with one worker.
func TestNotAhead(t *testing.T) {
	const n = 50
	x := randomPoints(rand.New(rand.NewPCG(1, 1)), n, 2)
	for _, m := range []*Matrix[float64]{
		New(gram.Pack[float64](gram.RBF(1), x, n, 2), 1<<20, 1),
		New(gram.Pack[float64](gram.Custom(func(x, z []float64) float64 { return x[0] * z[0] }), x, n, 2), 1<<20, 2),
	} {
		m.Select([]int{3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
		for r := range 10 {
			m.SubRow(make([]float64, 10), r)
		}
		if len(m.ahead.rows) != 0 || m.ahead.running {
			t.Errorf("%d rows ahead", len(m.ahead.rows))
		}
	}
}
