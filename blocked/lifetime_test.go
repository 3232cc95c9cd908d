package blocked

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// What a matrix takes over from one that was released has no say in its values, nor do more rows stay than its budget
// has room for.
func TestRelease(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for round := range 40 {
		n, rows := 200+rng.IntN(3)*50, MinRows+rng.IntN(150)
		pts := gram.Pack[float32](gram.RBF(0.1+rng.Float64()), randomPoints(rng, n, 3), n, 3)
		m := New(pts, int64(rows)*Bytes[float32](1, n, 0, 0), 1)
		want := make([]float32, n)
		for again := range 2 {
			for _, i := range rng.Perm(n) {
				pts.Row(want, i)
				if got := m.Rows([]int{i})[0]; !slices.Equal(got, want) {
					t.Fatalf("round %d, again %d: row %d of %d differs", round, again, i, n)
				}
			}
			taken := 0
			for _, slab := range m.cache.slabs {
				taken += len(slab)
			}
			if taken > m.cache.limit*n {
				t.Fatalf("%d values, the budget has room for %d rows of %d", taken, m.cache.limit, n)
			}
			m.Release()
		}
	}
}

// A cache of two rows shows at once who overwrites what: the rows of one call must not
// share memory nor evict each other, and must outlive everything but the next Rows or AddRows.
func TestRowLifetimes(t *testing.T) {
	const n, d = 9, 3
	rng := rand.New(rand.NewPCG(3, 4))
	pts := gram.Pack[float64](gram.RBF(0.3), randomPoints(rng, n, d), n, d)
	want := make([]float64, n*n)
	pts.Full(want, n)
	m := New(pts, 0, 1)
	m.cache = newCache[float64](n, 2, 2)
	for range 2000 {
		idx := []int{rng.IntN(n), rng.IntN(n)}[:1+rng.IntN(2)] // now and then the same row twice
		rows := m.Rows(idx)
		m.Select([]int{1, 5, 7})
		m.SubRow(make([]float64, 3), rng.IntN(3))
		m.Diag(make([]float64, n))
		for r, i := range idx {
			if !slices.Equal(rows[r], want[i*n:(i+1)*n]) {
				t.Fatalf("rows %v: row %d is %v, want %v", idx, i, rows[r], want[i*n:(i+1)*n])
			}
		}
		if rng.IntN(4) > 0 {
			continue
		}
		g, sum, all := make([]float64, n), make([]float64, n), rng.Perm(n)
		coef := make([]float64, n)
		for r, i := range all {
			coef[r] = float64(r - 4)
			for j := range sum {
				sum[j] += coef[r] * want[i*n+j]
			}
		}
		if err := m.AddRows(t.Context(), g, all, coef); err != nil {
			t.Fatal(err)
		}
		testutil.NearAll(t, "AddRows", g, sum, 1e-13)
	}
	if s := m.Stats(); s.RowHits == 0 || s.RowsComputed < 2000 {
		t.Errorf("%+v: the cache is not as small as was asked for", s)
	}
	for i, s := range m.cache.places {
		if s >= 0 && m.cache.slots[s].index != i {
			t.Errorf("row %d is said to be in a slot of row %d", i, m.cache.slots[s].index)
		}
	}
}
