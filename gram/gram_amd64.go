//go:build !purego

package gram

import "unsafe"

// Assembly functions. The number in a name is the element size in bits: 64 for float64, 32 for float32. Strides count
// bytes.

// The small* functions are Small.Eval for one form each.

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

// The tile* functions are tileGeneric with strides in bytes. Rows is 1, 2 or 4, and with AVX-512 also 8.

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

// The expScaled* functions are expGeneric64 and expGeneric32 for n elements.

//go:noescape
func expScaled64AVX512(dst, src unsafe.Pointer, n int, scale float64)

//go:noescape
func expScaled32AVX512(dst, src unsafe.Pointer, n int, scale float32)

//go:noescape
func expScaled64AVX2(dst, src unsafe.Pointer, n int, scale float64)

//go:noescape
func expScaled32AVX2(dst, src unsafe.Pointer, n int, scale float32)

// The rowExp* functions are tileGeneric for the square form and one query, followed by expGeneric. They write panels
// × lanes values to dst; k and panels are at least 1.

//go:noescape
func rowExp64AVX512(dst, q, x unsafe.Pointer, xs uintptr, k, panels int, scale float64)

//go:noescape
func rowExp32AVX512(dst, q, x unsafe.Pointer, xs uintptr, k, panels int, scale float32)

// The distances* functions are distancesGeneric for n elements.

//go:noescape
func distances64AVX512(dst, src, zn unsafe.Pointer, n int, qn float64)

//go:noescape
func distances32AVX512(dst, src, zn unsafe.Pointer, n int, qn float32)

//go:noescape
func distances64AVX2(dst, src, zn unsafe.Pointer, n int, qn float64)

//go:noescape
func distances32AVX2(dst, src, zn unsafe.Pointer, n int, qn float32)

// The weigh* functions are weighGeneric for whole panels.

//go:noescape
func weigh64AVX512(sums, k, c unsafe.Pointer, panels int)

//go:noescape
func weigh32AVX512(sums, k, c unsafe.Pointer, panels int)

//go:noescape
func weigh64AVX2(sums, k, c unsafe.Pointer, panels int)

//go:noescape
func weigh32AVX2(sums, k, c unsafe.Pointer, panels int)

// The norms* functions are panelNormsGeneric for k ≥ 1 features.

//go:noescape
func norms64AVX2(out, x unsafe.Pointer, k int)

//go:noescape
func norms32AVX2(out, x unsafe.Pointer, k int)

// The skipDot* functions are the inner products of tileGeneric for eight queries, over the k ≥ 1 features at the
// given byte offsets in a panel. q holds eight elements a feature.

//go:noescape
func skipDot64AVX512(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, offset *uint32, k int,
	x unsafe.Pointer, xs uintptr, panels int)

//go:noescape
func skipDot32AVX512(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, offset *uint32, k int,
	x unsafe.Pointer, xs uintptr, panels int)

// The copyTile* and mirrorTile* functions write a tile of side tileSide, or its transpose, to dst, whose rows are ld
// bytes apart. With stream, the stores bypass the caches.
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

// The fuse* functions are runFuse for k ≥ 1 and panels ≥ 1.

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

// storeFence makes earlier streamed stores visible to other goroutines before any later store.
func storeFence()
