package blocked

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

func randomPoints(rng *rand.Rand, n, d int) []float64 {
	x := make([]float64, n*d)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// Whatever is cached, split or evicted, values are those of a plain row, bit for bit.
func TestMatrixValues(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		t.Run("float64", testMatrixValues[float64])
		t.Run("float32", testMatrixValues[float32])
	})
}

func testMatrixValues[T gram.Float](t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n := rapid.IntRange(1, 2*diagonalRows+20).Draw(t, "n")
		d := rapid.SampledFrom([]int{0, 1, 2, 5, batchDim - 1, batchDim, 80}).Draw(t, "d")
		rows := rapid.IntRange(0, 2*MinRows).Draw(t, "rows of budget")
		workers := rapid.IntRange(1, 3).Draw(t, "workers")
		pts := gram.Pack[T](gram.RBF(0.3), randomPoints(rng, n, d), n, d)
		m := New(pts, int64(rows)*Bytes[T](1, n, 0, 0), workers)
		want := make([][]T, n)
		for i := range want {
			want[i] = make([]T, n)
			pts.Row(want[i], i)
		}
		for range 6 {
			idx := rng.Perm(n)[:1+rng.IntN(n)]
			switch rng.IntN(3) {
			case 0:
				idx = idx[:min(len(idx), MinRows)]
				for r, row := range m.Rows(idx) {
					for j, v := range row {
						if v != want[idx[r]][j] {
							t.Fatalf("row %d: element %d is %v, want %v", idx[r], j, v, want[idx[r]][j])
						}
					}
				}
			case 1:
				m.Select(idx)
				dst := make([]float64, len(idx))
				for range 5 {
					r := rng.IntN(len(idx))
					m.SubRow(dst, r)
					for c, j := range idx {
						if dst[c] != float64(want[idx[r]][j]) {
							t.Fatalf("k(%d, %d) = %v, want %v", idx[r], j, dst[c], want[idx[r]][j])
						}
					}
				}
			case 2:
				coef := randomPoints(rng, len(idx), 1)
				g, sum := make([]float64, n), make([]float64, n)
				if err := m.AddRows(context.Background(), g, idx, coef); err != nil {
					t.Fatal(err)
				}
				for r, i := range idx {
					for j := range sum {
						sum[j] = math.FMA(coef[r], float64(want[i][j]), sum[j])
					}
				}
				for j := range g {
					if g[j] != sum[j] {
						t.Fatalf("sum of rows: element %d is %v, want %v", j, g[j], sum[j])
					}
				}
			}
		}
	})
}

// Rows that cost next to nothing are not kept by AddRows. Its sums are those of kept rows, and rows that are there
// already are used.
func TestPassing(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		t.Run("float64", testPassing[float64])
		t.Run("float32", testPassing[float32])
	})
}

func testPassing[T gram.Float](t *testing.T) {
	const n, d = 1600, 40
	rng := rand.New(rand.NewPCG(5, 6))
	x := make([]float64, n*d)
	for i := range x {
		x[i] = float64(rng.IntN(8) / 7)
	}
	pts := gram.Pack[T](gram.RBF(0.4), x, n, d)
	idx := append(rng.Perm(n)[:90], 4, 4) // one is named twice
	coef := randomPoints(rng, len(idx), 1)
	want, row := make([]float64, n), make([]T, n)
	for r, i := range idx {
		pts.Row(row, i)
		for j, v := range row {
			want[j] = math.FMA(coef[r], float64(v), want[j])
		}
	}
	for workers := 1; workers <= 3; workers++ {
		m := New(pts, n*Bytes[T](1, n, 0, 0), workers)
		if !m.passing {
			t.Fatal("rows are kept")
		}
		m.Rows(idx[10:20])
		before, g := m.Stats(), make([]float64, n)
		if err := m.AddRows(t.Context(), g, idx, coef); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(g, want) {
			t.Errorf("%d workers: other sums", workers)
		}
		after := m.Stats()
		found, computed := after.RowHits-before.RowHits, after.RowsComputed-before.RowsComputed
		if found != 10 || computed != int64(len(idx)-10) || after.KernelEvals-before.KernelEvals != computed*n {
			t.Errorf("%d workers: %d rows found and %d computed of %d", workers, found, computed, len(idx))
		}
		if m.cache.places[idx[50]] >= 0 {
			t.Errorf("%d workers: a row that is only added was kept", workers)
		}
	}
}

// Enough work to be split: any number of workers gives the same bits.
func TestWorkers(t *testing.T) {
	const n, d = 5000, 40
	rng := rand.New(rand.NewPCG(1, 2))
	x := randomPoints(rng, n, d)
	idx := rng.Perm(n)[:100]
	coef := randomPoints(rng, len(idx), 1)
	var want []float64
	for workers := 1; workers <= 4; workers++ {
		m := New(gram.Pack[float64](gram.RBF(0.02), x, n, d), 1<<20, workers)
		if split := m.split(n, MinRows*d); workers > 1 && split == 1 {
			t.Fatal("not enough work for two workers")
		}
		g := make([]float64, n)
		m.AddRows(t.Context(), g, idx, coef)
		if workers == 1 {
			want = g
		}
		for j := range g {
			if g[j] != want[j] {
				t.Fatalf("%d workers: element %d is %v, with one %v", workers, j, g[j], want[j])
			}
		}
	}
}

// The cache keeps the most recently used rows and counts its work.
func TestCacheAndStats(t *testing.T) {
	const n = 100
	m := New(gram.Pack[float64](gram.RBF(1), randomPoints(rand.New(rand.NewPCG(3, 4)), n, 2), n, 2),
		40*Bytes[float64](1, n, 0, 0), 1)
	twenty := func(lo int) []int {
		idx := make([]int, 20)
		for i := range idx {
			idx[i] = lo + i
		}
		return idx
	}
	for _, step := range []struct {
		lo              int
		computed, found int64
	}{
		{0, 20, 0},
		{20, 40, 0},  // full
		{0, 40, 20},  // still here, now the most recent
		{40, 60, 20}, // evicts 20 to 39
		{0, 60, 40},
		{20, 80, 40}, // evicts 40 to 59
		{40, 100, 40},
	} {
		m.Rows(twenty(step.lo))
		if s := m.Stats(); s.RowsComputed != step.computed || s.RowHits != step.found || s.KernelEvals != n*step.computed {
			t.Fatalf("after rows from %d: %+v, want %d computed, %d found", step.lo, s, step.computed, step.found)
		}
	}
}

func TestAddRowsStops(t *testing.T) {
	const n = 50
	m := New(gram.Pack[float64](gram.RBF(1), randomPoints(rand.New(rand.NewPCG(3, 4)), n, 2), n, 2), 0, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.AddRows(ctx, make([]float64, n), []int{1, 2}, []float64{1, 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want cancelled", err)
	}
}

// The cache grows beyond its first limit, up to its budget, only where rows come back that had to go.
func TestRise(t *testing.T) {
	const n, first, largest = 200, 2 * MinRows, 5 * MinRows
	m := New(gram.Pack[float64](gram.RBF(1), make([]float64, n*9), n, 9), largest*Bytes[float64](1, n, 0, 0), 1)
	m.cache.limit = first
	all := rand.New(rand.NewPCG(1, 2)).Perm(n)
	if err := m.AddRows(t.Context(), make([]float64, n), all, make([]float64, n)); err != nil || len(m.cache.slots) > 0 {
		t.Errorf("%d rows of a start are kept, error %v", len(m.cache.slots), err)
	}
	for i := range n {
		m.Rows([]int{i})
	}
	if rows := len(m.cache.slots); rows != first || m.Stats().RowHits != 0 {
		t.Errorf("%d rows are kept after one pass over all, want %d", rows, first)
	}
	for k := range 8 * largest {
		m.Rows([]int{k % (largest - 1)})
		if rows := len(m.cache.slots); rows > largest {
			t.Fatalf("%d rows, the budget is for %d", rows, largest)
		}
	}
	before := m.Stats()
	for i := range largest - 1 {
		m.Rows([]int{i})
	}
	if after := m.Stats(); after.RowsComputed != before.RowsComputed {
		t.Errorf("%d rows of %d computed again", after.RowsComputed-before.RowsComputed, largest-1)
	}
}
