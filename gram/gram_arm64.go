//go:build !purego

package gram

import (
	"unsafe"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// The tile* functions are tileGeneric with strides in bytes; rows is 1, 2 or 4, k at least 1.

//go:noescape
func tileSquare64NEON(out *float64, ldo uintptr, q *float64, qs uintptr, rows int, x *float64, xs uintptr, k, panels int)

//go:noescape
func tileSquare32NEON(out *float32, ldo uintptr, q *float32, qs uintptr, rows int, x *float32, xs uintptr, k, panels int)

//go:noescape
func tileDot64NEON(out *float64, ldo uintptr, q *float64, qs uintptr, rows int, x *float64, xs uintptr, k, panels int)

//go:noescape
func tileDot32NEON(out *float32, ldo uintptr, q *float32, qs uintptr, rows int, x *float32, xs uintptr, k, panels int)

// The expScaled* functions are expGeneric64 and expGeneric32 on whole blocks of
// expBlock bytes, at least one.

//go:noescape
func expScaled64NEON(dst, src *float64, blocks int, scale float64)

//go:noescape
func expScaled32NEON(dst, src *float32, blocks int, scale float32)

const expBlock = 32

// The weigh* functions are weighGeneric on a whole number of panels.

//go:noescape
func weigh64NEON(sums, k, c *float64, panels int)

//go:noescape
func weigh32NEON(sums, k, c *float32, panels int)

// maxRows is the largest number of query rows that one tile call takes.
func maxRows() int {
	if cpu.Active() == cpu.NEON {
		return 4
	}
	return 8
}

// combine is tileGeneric at the active level.
func combine[T Float](f form, out []T, ldo int, q []T, qs, rows int, x []T, xs, k, panels int) {
	if cpu.Active() == cpu.Generic || k == 0 {
		tileGeneric(f, out, ldo, q, qs, rows, x, xs, k, panels)
		return
	}
	var v T
	size := unsafe.Sizeof(v)
	po, pq, px := unsafe.Pointer(unsafe.SliceData(out)), unsafe.Pointer(unsafe.SliceData(q)), unsafe.Pointer(unsafe.SliceData(x))
	so, sq, sx := uintptr(ldo)*size, uintptr(qs)*size, uintptr(xs)*size
	switch {
	case size == 8 && f == square:
		tileSquare64NEON((*float64)(po), so, (*float64)(pq), sq, rows, (*float64)(px), sx, k, panels)
	case size == 8:
		tileDot64NEON((*float64)(po), so, (*float64)(pq), sq, rows, (*float64)(px), sx, k, panels)
	case f == square:
		tileSquare32NEON((*float32)(po), so, (*float32)(pq), sq, rows, (*float32)(px), sx, k, panels)
	default:
		tileDot32NEON((*float32)(po), so, (*float32)(pq), sq, rows, (*float32)(px), sx, k, panels)
	}
}

// expScaled writes e^(scale·src[i]) at the active level; scale·src[i] ≤ 0.
func expScaled[T Float](dst, src []T, scale T) {
	if cpu.Active() == cpu.Generic {
		expGeneric(dst, src, scale)
		return
	}
	dst = dst[:len(src)]
	var v T
	block := expBlock / int(unsafe.Sizeof(v))
	whole := len(src) / block
	expBlocks(dst, src, whole, scale)
	if tail := whole * block; tail < len(src) {
		var buf [expBlock / 4]T
		copy(buf[:], src[tail:])
		expBlocks(buf[:], buf[:], 1, scale)
		copy(dst[tail:], buf[:])
	}
}

func expBlocks[T Float](dst, src []T, blocks int, scale T) {
	if blocks == 0 {
		return
	}
	pd, ps := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	if lanes[T]() == lanes[float32]() {
		expScaled32NEON((*float32)(pd), (*float32)(ps), blocks, float32(scale))
	} else {
		expScaled64NEON((*float64)(pd), (*float64)(ps), blocks, float64(scale))
	}
}

// weigh is weighGeneric at the active level; k and c hold whole panels.
func weigh[T Float](sums, k, c []T) {
	if cpu.Active() == cpu.Generic {
		weighGeneric(sums, k, c)
		return
	}
	panels := len(k) / lanes[T]()
	ps, pk, pc := unsafe.Pointer(unsafe.SliceData(sums)), unsafe.Pointer(unsafe.SliceData(k)), unsafe.Pointer(unsafe.SliceData(c))
	if lanes[T]() == lanes[float32]() {
		weigh32NEON((*float32)(ps), (*float32)(pk), (*float32)(pc), panels)
	} else {
		weigh64NEON((*float64)(ps), (*float64)(pk), (*float64)(pc), panels)
	}
}
