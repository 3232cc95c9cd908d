package ssvclp

import (
	"errors"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
)

// TestInfinityAsks: the infinity norm looks at its context in the pass over the matrix before the program, and reads
// no more of the matrix after its end.
func TestInfinityAsks(t *testing.T) {
	const n, looks = 640, 3 // 64 rows a look
	s := &samples.Merged{Method: "ssvc-a", Row: deal.All(n), First: deal.All(n), Y: slices.Repeat([]float64{1}, n),
		Cost: slices.Repeat([]float64{1}, n)}
	z := make([]float64, looks*64*s.Columns()) // more rows are not there
	ctx := testutil.EndAfter(t.Context(), looks)
	if r, _, err := infinity(ctx, s, z, 0); r != nil || !errors.Is(err, ctx.Err()) {
		t.Errorf("%v, %v", r, err)
	}
}
