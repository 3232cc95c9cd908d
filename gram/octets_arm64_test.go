//go:build !purego

package gram

import (
	"testing"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// The tile of processors without dot products of bytes.
func TestOctetTileWithoutDots(t *testing.T) {
	defer cpu.Use(cpu.NEON)()
	k := tableOctets.Active()
	defer func(tile func(*int32, uintptr, *uint32, uintptr, int, *uint32, uintptr, int, int)) { k.tile = tile }(k.tile)
	k.tile = tileOctetsNEON
	testOctetTile(t)
}
