//go:build !purego

package gram

import "unsafe"

// The countBits4* functions are runBits4Count.

//go:noescape
func countBits4AVX2(out, squares *uint8, q int, kept *keptBits4, k int, x *uint8, xs uintptr, panels int)

//go:noescape
func countBits4AVX512(out, squares *uint8, q int, kept *keptBits4, k int, x *uint8, xs uintptr, panels int)

// The byDistance* functions are runByDistance.

//go:noescape
func byDistance64AVX512(dst unsafe.Pointer, codes *uint8, n int, values unsafe.Pointer, largest int)

//go:noescape
func byDistance32AVX2(dst unsafe.Pointer, codes *uint8, n int, values unsafe.Pointer, largest int)

//go:noescape
func byDistance32AVX512(dst unsafe.Pointer, codes *uint8, n int, values unsafe.Pointer, largest int)

// The tileUint8* functions are runUint8Tile, with the offset uint8Offset.

//go:noescape
func tileUint8VNNI(out *int32, ldo uintptr, q *uint32, qs uintptr, rows int, x *uint32, xs uintptr, k, panels int)

//go:noescape
func tileUint8AVX2(out *int32, ldo uintptr, q *uint32, qs uintptr, rows int, x *uint32, xs uintptr, k, panels int)

// skipUint8VNNI is runUint8Skip.
//
//go:noescape
func skipUint8VNNI(out *int32, ldo uintptr, q *uint32, offset *uint32, k int, x *uint32, xs uintptr, panels int)

// packUint8AVX2 is runUint8Pack.
//
//go:noescape
func packUint8AVX2(dst *uint32, stride uintptr, x *float64, k int, to *grid, sums *[2]int32) bool

// The fromDots* functions are runFromDots.

//go:noescape
func fromDots64AVX512(dst unsafe.Pointer, dots, zn *int32, n int, qn int32)

//go:noescape
func fromDots32AVX512(dst unsafe.Pointer, dots, zn *int32, n int, qn int32)

//go:noescape
func fromDots64AVX2(dst unsafe.Pointer, dots, zn *int32, n int, qn int32)

//go:noescape
func fromDots32AVX2(dst unsafe.Pointer, dots, zn *int32, n int, qn int32)
