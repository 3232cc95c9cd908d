//go:build !purego

package gram

import "unsafe"

// The assembly. Pointers are to elements of the type that a name ends in, 64 or 32 bits; strides count bytes.

// The small* functions are Small.Eval for one form.

//go:noescape
func smallSquareAVX512(dst *float64, s *Small, x *float64)

//go:noescape
func smallExpandedAVX512(dst *float64, s *Small, x *float64)

//go:noescape
func smallAbsoluteAVX512(dst *float64, s *Small, x *float64)

//go:noescape
func smallInnerAVX512(dst *float64, s *Small, x *float64)

//go:noescape
func smallSquareAVX2(dst *float64, s *Small, x *float64)

//go:noescape
func smallExpandedAVX2(dst *float64, s *Small, x *float64)

//go:noescape
func smallAbsoluteAVX2(dst *float64, s *Small, x *float64)

//go:noescape
func smallInnerAVX2(dst *float64, s *Small, x *float64)

// The tile* functions are tileGeneric with strides in bytes; rows is 1, 2, 4 or,
// with AVX-512, 8.

//go:noescape
func tileSquare64AVX512(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int)

//go:noescape
func tileDot64AVX512(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int)

//go:noescape
func tileSquare32AVX512(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int)

//go:noescape
func tileDot32AVX512(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int)

//go:noescape
func tileSquare64AVX2(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int)

//go:noescape
func tileDot64AVX2(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int)

//go:noescape
func tileSquare32AVX2(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int)

//go:noescape
func tileDot32AVX2(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int)

//go:noescape
func tileAbsolute64AVX512(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int)

//go:noescape
func tileAbsolute32AVX512(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int)

//go:noescape
func tileAbsolute64AVX2(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int)

//go:noescape
func tileAbsolute32AVX2(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int)

// The expScaled* functions are expGeneric64 and expGeneric32 on n elements.

//go:noescape
func expScaled64AVX512(dst, src unsafe.Pointer, n int, scale float64)

//go:noescape
func expScaled32AVX512(dst, src unsafe.Pointer, n int, scale float32)

//go:noescape
func expScaled64AVX2(dst, src unsafe.Pointer, n int, scale float64)

//go:noescape
func expScaled32AVX2(dst, src unsafe.Pointer, n int, scale float32)

// The rowExp* functions are tileGeneric for square and one query, then expGeneric:
// dst gets panels × lanes values. k and panels are at least 1.

//go:noescape
func rowExp64AVX512(dst, q, x unsafe.Pointer, xs uintptr, k, panels int, scale float64)

//go:noescape
func rowExp32AVX512(dst, q, x unsafe.Pointer, xs uintptr, k, panels int, scale float32)

// The distances* functions are distancesGeneric on n elements.

//go:noescape
func distances64AVX512(dst, src, zn unsafe.Pointer, n int, qn float64)

//go:noescape
func distances32AVX512(dst, src, zn unsafe.Pointer, n int, qn float32)

//go:noescape
func distances64AVX2(dst, src, zn unsafe.Pointer, n int, qn float64)

//go:noescape
func distances32AVX2(dst, src, zn unsafe.Pointer, n int, qn float32)

// The weigh* functions are weighGeneric on a whole number of panels.

//go:noescape
func weigh64AVX512(sums, k, c unsafe.Pointer, panels int)

//go:noescape
func weigh32AVX512(sums, k, c unsafe.Pointer, panels int)

//go:noescape
func weigh64AVX2(sums, k, c unsafe.Pointer, panels int)

//go:noescape
func weigh32AVX2(sums, k, c unsafe.Pointer, panels int)

// The norms* functions are panelNormsGeneric on k ≥ 1 features.

//go:noescape
func norms64AVX2(out, x unsafe.Pointer, k int)

//go:noescape
func norms32AVX2(out, x unsafe.Pointer, k int)

// The skipDot* functions are tileGeneric's inner product for eight queries (q holds
// eight elements a feature) over the k ≥ 1 features whose byte offsets in a panel are given.

//go:noescape
func skipDot64AVX512(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, offset *uint32, k int,
	x unsafe.Pointer, xs uintptr, panels int)

//go:noescape
func skipDot32AVX512(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, offset *uint32, k int,
	x unsafe.Pointer, xs uintptr, panels int)

// The copyTile* and mirrorTile* functions write a tile of side tileSide, or its
// transpose, to dst, whose rows are ld bytes apart; with stream, past the caches.
//
//	dst[i·ld + j] = tile[i·tileSide + j]		copyTile
//	dst[i·ld + j] = tile[j·tileSide + i]		mirrorTile

//go:noescape
func copyTile64AVX512(dst unsafe.Pointer, ld uintptr, tile unsafe.Pointer, stream bool)

//go:noescape
func mirrorTile64AVX512(dst unsafe.Pointer, ld uintptr, tile unsafe.Pointer, stream bool)

//go:noescape
func copyTile32AVX512(dst unsafe.Pointer, ld uintptr, tile unsafe.Pointer, stream bool)

//go:noescape
func mirrorTile32AVX512(dst unsafe.Pointer, ld uintptr, tile unsafe.Pointer, stream bool)

// The fuse* functions are fuseFunc, k and panels at least 1.

//go:noescape
func fuseSquare64AVX512(dst unsafe.Pointer, ld uintptr, mirror, q, x unsafe.Pointer, xs uintptr, k, panels int,
	qn, zn unsafe.Pointer, scale float64, tile unsafe.Pointer)

//go:noescape
func fuseExpanded64AVX512(dst unsafe.Pointer, ld uintptr, mirror, q, x unsafe.Pointer, xs uintptr, k, panels int,
	qn, zn unsafe.Pointer, scale float64, tile unsafe.Pointer)

//go:noescape
func fuseSquare32AVX512(dst unsafe.Pointer, ld uintptr, mirror, q, x unsafe.Pointer, xs uintptr, k, panels int,
	qn, zn unsafe.Pointer, scale float32, tile unsafe.Pointer)

//go:noescape
func fuseExpanded32AVX512(dst unsafe.Pointer, ld uintptr, mirror, q, x unsafe.Pointer, xs uintptr, k, panels int,
	qn, zn unsafe.Pointer, scale float32, tile unsafe.Pointer)

// storeFence makes streamed stores visible to other goroutines before anything stored later.
func storeFence()
