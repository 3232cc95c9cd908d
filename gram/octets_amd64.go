//go:build !purego

package gram

import "unsafe"

// The countNibbles* functions are nibbleKernels.count.

//go:noescape
func countNibblesAVX2(out, squares *uint8, q int, kept *keptNibble, k int, x *uint8, xs uintptr, panels int)

//go:noescape
func countNibblesAVX512(out, squares *uint8, q int, kept *keptNibble, k int, x *uint8, xs uintptr, panels int)

// The byDistance* functions are kernels.byDistance.

//go:noescape
func byDistance64AVX512(dst unsafe.Pointer, codes *uint8, n int, values unsafe.Pointer, largest int)

//go:noescape
func byDistance32AVX2(dst unsafe.Pointer, codes *uint8, n int, values unsafe.Pointer, largest int)

//go:noescape
func byDistance32AVX512(dst unsafe.Pointer, codes *uint8, n int, values unsafe.Pointer, largest int)

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
func fromDots64AVX512(dst unsafe.Pointer, dots, zn *int32, n int, qn int32)

//go:noescape
func fromDots32AVX512(dst unsafe.Pointer, dots, zn *int32, n int, qn int32)

//go:noescape
func fromDots64AVX2(dst unsafe.Pointer, dots, zn *int32, n int, qn int32)

//go:noescape
func fromDots32AVX2(dst unsafe.Pointer, dots, zn *int32, n int, qn int32)
