//go:build !purego

package gram

import (
	"unsafe"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// The tile* functions are tileGeneric with strides in bytes; rows is 1, 2, 4 or,
// with AVX-512, 8.

//go:noescape
func tileSquare64AVX512(out *float64, ldo uintptr, q *float64, qs uintptr, rows int, x *float64, xs uintptr, k, panels int)

//go:noescape
func tileDot64AVX512(out *float64, ldo uintptr, q *float64, qs uintptr, rows int, x *float64, xs uintptr, k, panels int)

//go:noescape
func tileSquare32AVX512(out *float32, ldo uintptr, q *float32, qs uintptr, rows int, x *float32, xs uintptr, k, panels int)

//go:noescape
func tileDot32AVX512(out *float32, ldo uintptr, q *float32, qs uintptr, rows int, x *float32, xs uintptr, k, panels int)

//go:noescape
func tileSquare64AVX2(out *float64, ldo uintptr, q *float64, qs uintptr, rows int, x *float64, xs uintptr, k, panels int)

//go:noescape
func tileDot64AVX2(out *float64, ldo uintptr, q *float64, qs uintptr, rows int, x *float64, xs uintptr, k, panels int)

//go:noescape
func tileSquare32AVX2(out *float32, ldo uintptr, q *float32, qs uintptr, rows int, x *float32, xs uintptr, k, panels int)

//go:noescape
func tileDot32AVX2(out *float32, ldo uintptr, q *float32, qs uintptr, rows int, x *float32, xs uintptr, k, panels int)

// The expScaled* functions are expGeneric64 and expGeneric32 on n elements.

//go:noescape
func expScaled64AVX512(dst, src *float64, n int, scale float64)

//go:noescape
func expScaled32AVX512(dst, src *float32, n int, scale float32)

//go:noescape
func expScaled64AVX2(dst, src *float64, n int, scale float64)

//go:noescape
func expScaled32AVX2(dst, src *float32, n int, scale float32)

// The rowExp* functions are tileGeneric for square and one query, then expGeneric:
// dst gets panels × lanes values. k and panels are at least 1.

//go:noescape
func rowExp64AVX512(dst, q, x *float64, xs uintptr, k, panels int, scale float64)

//go:noescape
func rowExp32AVX512(dst, q, x *float32, xs uintptr, k, panels int, scale float32)

// The distances* functions are distancesGeneric on n elements.

//go:noescape
func distances64AVX512(dst, src, zn *float64, n int, qn float64)

//go:noescape
func distances32AVX512(dst, src, zn *float32, n int, qn float32)

//go:noescape
func distances64AVX2(dst, src, zn *float64, n int, qn float64)

//go:noescape
func distances32AVX2(dst, src, zn *float32, n int, qn float32)

// The weigh* functions are weighGeneric on a whole number of panels.

//go:noescape
func weigh64AVX512(sums, k, c *float64, panels int)

//go:noescape
func weigh32AVX512(sums, k, c *float32, panels int)

//go:noescape
func weigh64AVX2(sums, k, c *float64, panels int)

//go:noescape
func weigh32AVX2(sums, k, c *float32, panels int)

// The copyTile* and mirrorTile* functions write a tile of side tileSide, or its
// transpose, to dst, whose rows are ld bytes apart; with stream, past the caches.
//
//	dst[i·ld + j] = tile[i·tileSide + j]		copyTile
//	dst[i·ld + j] = tile[j·tileSide + i]		mirrorTile

//go:noescape
func copyTile64AVX512(dst *float64, ld uintptr, tile *float64, stream bool)

//go:noescape
func mirrorTile64AVX512(dst *float64, ld uintptr, tile *float64, stream bool)

//go:noescape
func copyTile32AVX512(dst *float32, ld uintptr, tile *float32, stream bool)

//go:noescape
func mirrorTile32AVX512(dst *float32, ld uintptr, tile *float32, stream bool)

// storeFence makes streamed stores visible to other goroutines before anything stored later.
func storeFence()

// maxRows is the largest number of query rows that one tile call takes.
func maxRows() int {
	if cpu.Active() == cpu.AVX2 {
		return 4
	}
	return 8
}

// combine is tileGeneric at the active level.
func combine[T Float](f form, out []T, ldo int, q []T, qs, rows int, x []T, xs, k, panels int) {
	level := cpu.Active()
	if level == cpu.Generic || k == 0 {
		tileGeneric(f, out, ldo, q, qs, rows, x, xs, k, panels)
		return
	}
	var v T
	size := unsafe.Sizeof(v)
	po, pq, px := unsafe.Pointer(unsafe.SliceData(out)), unsafe.Pointer(unsafe.SliceData(q)), unsafe.Pointer(unsafe.SliceData(x))
	so, sq, sx := uintptr(ldo)*size, uintptr(qs)*size, uintptr(xs)*size
	switch {
	case size == 8 && level == cpu.AVX512 && f == square:
		tileSquare64AVX512((*float64)(po), so, (*float64)(pq), sq, rows, (*float64)(px), sx, k, panels)
	case size == 8 && level == cpu.AVX512:
		tileDot64AVX512((*float64)(po), so, (*float64)(pq), sq, rows, (*float64)(px), sx, k, panels)
	case size == 4 && level == cpu.AVX512 && f == square:
		tileSquare32AVX512((*float32)(po), so, (*float32)(pq), sq, rows, (*float32)(px), sx, k, panels)
	case size == 4 && level == cpu.AVX512:
		tileDot32AVX512((*float32)(po), so, (*float32)(pq), sq, rows, (*float32)(px), sx, k, panels)
	case size == 8 && f == square:
		tileSquare64AVX2((*float64)(po), so, (*float64)(pq), sq, rows, (*float64)(px), sx, k, panels)
	case size == 8:
		tileDot64AVX2((*float64)(po), so, (*float64)(pq), sq, rows, (*float64)(px), sx, k, panels)
	case f == square:
		tileSquare32AVX2((*float32)(po), so, (*float32)(pq), sq, rows, (*float32)(px), sx, k, panels)
	default:
		tileDot32AVX2((*float32)(po), so, (*float32)(pq), sq, rows, (*float32)(px), sx, k, panels)
	}
}

// expScaled writes e^(scale·src[i]) at the active level; scale·src[i] ≤ 0.
func expScaled[T Float](dst, src []T, scale T) {
	level := cpu.Active()
	if level == cpu.Generic {
		expGeneric(dst, src, scale)
		return
	}
	dst = dst[:len(src)]
	var v T
	pd, ps := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	switch size := unsafe.Sizeof(v); {
	case size == 8 && level == cpu.AVX512:
		expScaled64AVX512((*float64)(pd), (*float64)(ps), len(src), float64(scale))
	case size == 8:
		expScaled64AVX2((*float64)(pd), (*float64)(ps), len(src), float64(scale))
	case level == cpu.AVX512:
		expScaled32AVX512((*float32)(pd), (*float32)(ps), len(src), float32(scale))
	default:
		expScaled32AVX2((*float32)(pd), (*float32)(ps), len(src), float32(scale))
	}
}

// distances is distancesGeneric at the active level.
func distances[T Float](dst, src, zn []T, qn T) {
	level := cpu.Active()
	if level == cpu.Generic {
		distancesGeneric(dst, src, zn, qn)
		return
	}
	dst, zn = dst[:len(src)], zn[:len(src)]
	pd, ps, pz := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(zn))
	var v T
	switch size := unsafe.Sizeof(v); {
	case size == 8 && level == cpu.AVX512:
		distances64AVX512((*float64)(pd), (*float64)(ps), (*float64)(pz), len(src), float64(qn))
	case size == 8:
		distances64AVX2((*float64)(pd), (*float64)(ps), (*float64)(pz), len(src), float64(qn))
	case level == cpu.AVX512:
		distances32AVX512((*float32)(pd), (*float32)(ps), (*float32)(pz), len(src), float32(qn))
	default:
		distances32AVX2((*float32)(pd), (*float32)(ps), (*float32)(pz), len(src), float32(qn))
	}
}

// weigh is weighGeneric at the active level; k and c hold whole panels.
func weigh[T Float](sums, k, c []T) {
	level := cpu.Active()
	if level == cpu.Generic {
		weighGeneric(sums, k, c)
		return
	}
	panels := len(k) / lanes[T]()
	ps, pk, pc := unsafe.Pointer(unsafe.SliceData(sums)), unsafe.Pointer(unsafe.SliceData(k)), unsafe.Pointer(unsafe.SliceData(c))
	var v T
	switch size := unsafe.Sizeof(v); {
	case size == 8 && level == cpu.AVX512:
		weigh64AVX512((*float64)(ps), (*float64)(pk), (*float64)(pc), panels)
	case size == 8:
		weigh64AVX2((*float64)(ps), (*float64)(pk), (*float64)(pc), panels)
	case level == cpu.AVX512:
		weigh32AVX512((*float32)(ps), (*float32)(pk), (*float32)(pc), panels)
	default:
		weigh32AVX2((*float32)(ps), (*float32)(pk), (*float32)(pc), panels)
	}
}

// rowExp writes e^(scale·‖q−x‖²) for one query and whole panels, and reports
// whether the active level can.
func rowExp[T Float](dst, q, x []T, xs, k, panels int, scale T) bool {
	if cpu.Active() != cpu.AVX512 || k == 0 || panels == 0 {
		return false
	}
	_ = dst[panels*lanes[T]()-1]
	var v T
	size := unsafe.Sizeof(v)
	pd, pq, px := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(q)), unsafe.Pointer(unsafe.SliceData(x))
	if size == 8 {
		rowExp64AVX512((*float64)(pd), (*float64)(pq), (*float64)(px), uintptr(xs)*size, k, panels, float64(scale))
	} else {
		rowExp32AVX512((*float32)(pd), (*float32)(pq), (*float32)(px), uintptr(xs)*size, k, panels, float32(scale))
	}
	return true
}

// storeTile writes a whole tile or its mirror image and reports whether the active
// level can. With stream, dst and ld are aligned to cache lines.
func storeTile[T Float](dst []T, ld int, tile []T, mirror, stream bool) bool {
	if cpu.Active() != cpu.AVX512 {
		return false
	}
	_ = dst[(tileSide-1)*ld+tileSide-1]
	var v T
	pd, pt, step := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(tile)), uintptr(ld)*unsafe.Sizeof(v)
	switch size := unsafe.Sizeof(v); {
	case size == 8 && mirror:
		mirrorTile64AVX512((*float64)(pd), step, (*float64)(pt), stream)
	case size == 8:
		copyTile64AVX512((*float64)(pd), step, (*float64)(pt), stream)
	case mirror:
		mirrorTile32AVX512((*float32)(pd), step, (*float32)(pt), stream)
	default:
		copyTile32AVX512((*float32)(pd), step, (*float32)(pt), stream)
	}
	return true
}
