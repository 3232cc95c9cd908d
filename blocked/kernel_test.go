package blocked

import (
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// Rows and selections of every kernel are those of Eval.
func TestEveryKernel(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for _, name := range gram.Names() {
			t.Run("kernel="+name, func(t *testing.T) {
				testKernel[float64](t, name, 1e-13)
				testKernel[float32](t, name, 1e-5)
			})
		}
	})
}

func testKernel[T gram.Float](t *testing.T, name string, tol float64) {
	t.Helper()
	kind, err := gram.ParseKind(name)
	if err != nil {
		t.Fatal(err)
	}
	k := gram.Kernel{Kind: kind, Gamma: 0.01, Coef0: 0.5, Degree: 2, Alpha: 1.5}
	for _, n := range []int{5, batchDim + 5} { // rows one at a time, and a block
		x, d := testutil.SerialPoints(n)
		m := New(gram.Pack[T](k, x, n, d), 0, 1)
		want := func(i, j int) float64 { return k.Eval(x[i*d:(i+1)*d], x[j*d:(j+1)*d]) }
		idx := []int{n - 1, 2, 0, 3}
		for r, row := range m.Rows(idx[:2]) {
			for j, v := range row {
				testutil.NearRel(t, "Rows", float64(v), want(idx[r], j), tol)
			}
		}
		m.Select(idx)
		dst, values := make([]float64, len(idx)), make([]T, len(idx))
		for r, i := range idx {
			m.SubRow(dst, r)
			m.SubValues(values, r)
			for c, j := range idx {
				testutil.NearRel(t, "SubRow", dst[c], want(i, j), tol)
				if float64(values[c]) != dst[c] {
					t.Errorf("SubValues of %d and %d: %v, want %v", i, j, values[c], dst[c])
				}
			}
		}
	}
}
