//go:build !purego

package gram

import "github.com/sparsekm/sparsekm/internal/cpu"

var tableOctets = cpu.NewTable(octetKernels{rows: 8}, octetLevels())

func octetLevels() map[cpu.Level]octetKernels {
	levels := map[cpu.Level]octetKernels{cpu.AVX2: {rows: 2, tile: tileOctetsAVX2, pack: packOctetsAVX2}}
	if cpu.Dots() {
		levels[cpu.AVX512] = octetKernels{rows: 8, offset: 128, tile: tileOctetsVNNI, skip: skipOctetsVNNI,
			pack: packOctetsAVX2}
	}
	return levels
}

var tableNibbles = cpu.NewTable(nibbleKernels{}, map[cpu.Level]nibbleKernels{
	cpu.AVX2:   {count: countNibblesAVX2},
	cpu.AVX512: {count: countNibblesAVX512},
})

// The countNibbles* functions are nibbleKernels.count.

//go:noescape
func countNibblesAVX2(out, squares *uint8, q int, kept *keptNibble, k int, x *uint8, xs uintptr, panels int)

//go:noescape
func countNibblesAVX512(out, squares *uint8, q int, kept *keptNibble, k int, x *uint8, xs uintptr, panels int)

// The byDistance* functions are kernels.byDistance.

//go:noescape
func byDistance64AVX512(dst *float64, codes *uint8, n int, values *float64, largest int)

//go:noescape
func byDistance32AVX2(dst *float32, codes *uint8, n int, values *float32, largest int)

//go:noescape
func byDistance32AVX512(dst *float32, codes *uint8, n int, values *float32, largest int)

// The tileOctets* functions are octetKernels.tile, with the offset that the table says.

//go:noescape
func tileOctetsVNNI(out *int32, ldo uintptr, q *uint32, qs uintptr, rows int, x *uint32, xs uintptr, k, panels int)

//go:noescape
func tileOctetsAVX2(out *int32, ldo uintptr, q *uint32, qs uintptr, rows int, x *uint32, xs uintptr, k, panels int)

// skipOctetsVNNI is octetKernels.skip.
//
//go:noescape
func skipOctetsVNNI(out *int32, ldo uintptr, q *uint32, offset *uint32, k int, x *uint32, xs uintptr, panels int)

// packOctetsAVX2 is octetKernels.pack.
//
//go:noescape
func packOctetsAVX2(dst *uint32, stride uintptr, x *float64, k int, to *grid, sums *[2]int32) bool

// The fromDots* functions are fromDots for n values, a multiple of octetLanes.

//go:noescape
func fromDots64AVX512(dst *float64, dots, zn *int32, n int, qn int32)

//go:noescape
func fromDots32AVX512(dst *float32, dots, zn *int32, n int, qn int32)

//go:noescape
func fromDots64AVX2(dst *float64, dots, zn *int32, n int, qn int32)

//go:noescape
func fromDots32AVX2(dst *float32, dots, zn *int32, n int, qn int32)
