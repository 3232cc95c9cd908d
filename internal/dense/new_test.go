package dense

import (
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// New makes zeros, many or few. After the end of its context there are no many.
func TestNew(t *testing.T) {
	for _, n := range []int{0, 1, 1000, atOnce - 1, atOnce, atOnce + 1} {
		x := New(t.Context(), n)
		if len(x) != n || Largest(x) != 0 {
			t.Errorf("%d elements of %d, the largest is %v", len(x), n, Largest(x))
		}
		if x = New(testutil.EndAfter(t.Context(), 0), n); (x == nil) != (n >= atOnce) {
			t.Errorf("after the end: %d elements of %d", len(x), n)
		}
	}
}
