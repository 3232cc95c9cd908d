//go:build !purego

package gram

import "unsafe"

// Assembly functions. The number in a name is the element size in bits: 64 for float64, 32 for float32. Strides count
// bytes.

// The small* functions are Small.Eval for one form each.

//go:noescape
func smallSquareNEON(dst *float64, s *Small, x *float64)

//go:noescape
func smallExpandedNEON(dst *float64, s *Small, x *float64)

//go:noescape
func smallAbsoluteNEON(dst *float64, s *Small, x *float64)

//go:noescape
func smallInnerNEON(dst *float64, s *Small, x *float64)

// The tile* functions are tileGeneric with strides in bytes. Rows is 1, 2 or 4, and k is at least 1.

//go:noescape
func tileSquare64NEON(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int)

//go:noescape
func tileSquare32NEON(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int)

//go:noescape
func tileDot64NEON(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int)

//go:noescape
func tileDot32NEON(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int)

//go:noescape
func tileAbsolute64NEON(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int)

//go:noescape
func tileAbsolute32NEON(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int)

// The expScaled* functions are expGeneric64 and expGeneric32 for n > 0 elements, where n is a multiple of expBlock.

//go:noescape
func expScaled64NEON(dst, src unsafe.Pointer, n int, scale float64)

//go:noescape
func expScaled32NEON(dst, src unsafe.Pointer, n int, scale float32)

// The weigh* functions are weighGeneric for whole panels.

//go:noescape
func weigh64NEON(sums, k, c unsafe.Pointer, panels int)

//go:noescape
func weigh32NEON(sums, k, c unsafe.Pointer, panels int)
