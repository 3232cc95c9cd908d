package dense

import (
	"context"

	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

// atOnce is the number of elements that are cleared in some milliseconds.
const atOnce = 2 << 20

// New returns n zeros, advised to lie in large pages, or nil if ctx has ended. The runtime clears memory that was used
// before in one call, which takes tenths of a second for half a gigabyte: a large slice is made in the background.
func New(ctx context.Context, n int) (x []float64) {
	if n < atOnce {
		return cpu.LargePages(make([]float64, n))
	}
	var made []float64
	if ctx.Err() != nil || !parallel.Background(ctx, func() { made = make([]float64, n) }) {
		return nil
	}
	return cpu.LargePages(made)
}
