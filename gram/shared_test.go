package gram

import (
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// Blocks of queries that go over pieces of the points together give what each query gives alone, to the bit.
func TestEvalShares(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		testEvalShares[float64](t)
		testEvalShares[float32](t)
	})
}

func testEvalShares[T Float](t *testing.T) {
	const d, m = 784, 8*sharedBlocks + 13
	n := 2*sharedPanels(2, d, 0)*lanes[T]() + 5
	p := Pack[T](RBF(0.5/float64(d)), points(n, d), n, d)
	e := p.Expand(points(n, 1), points(2*n, 1)[n:])
	x, got, want := points(m, d), make([]float64, 2*m), make([]float64, 2)
	e.Eval(got, x, m)
	for q := range m {
		e.Eval(want, x[q*d:(q+1)*d], 1)
		for o, v := range want {
			if v == 0 || got[2*q+o] != v {
				t.Fatalf("output %d of query %d is %v, alone %v", o, q, got[2*q+o], v)
			}
		}
	}
}
