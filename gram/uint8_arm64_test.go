//go:build !purego

package gram

import (
	"testing"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// The tile of processors without dot products of bytes.
func TestUint8TileWithoutDots(t *testing.T) {
	defer cpu.Use(cpu.NEON)()
	defer func(had bool) { dots = had }(dots)
	dots = false
	testUint8Tile(t)
}
