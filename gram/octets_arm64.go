//go:build !purego

package gram

import "github.com/sparsekm/sparsekm/internal/cpu"

var tableOctets = cpu.NewTable(octetKernels{rows: 8}, octetLevels())

func octetLevels() map[cpu.Level]octetKernels {
	k := octetKernels{rows: 4, tile: tileOctetsNEON}
	if cpu.Dots() {
		k.tile = tileOctetsDotNEON
	}
	return map[cpu.Level]octetKernels{cpu.NEON: k}
}

var tableNibbles = cpu.NewTable(nibbleKernels{}, map[cpu.Level]nibbleKernels{cpu.NEON: {count: countNibblesNEON}})

// countNibblesNEON is nibbleKernels.count.
//
//go:noescape
func countNibblesNEON(out, squares *uint8, q int, kept *keptNibble, k int, x *uint8, xs uintptr, panels int)

// The tileOctets* functions are octetKernels.tile without an offset.

//go:noescape
func tileOctetsNEON(out *int32, ldo uintptr, q *uint32, qs uintptr, rows int, x *uint32, xs uintptr, k, panels int)

//go:noescape
func tileOctetsDotNEON(out *int32, ldo uintptr, q *uint32, qs uintptr, rows int, x *uint32, xs uintptr, k, panels int)
