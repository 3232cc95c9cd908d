//go:build ignore

package gram

import "unsafe"

// This file declares the assembly for internal/asmgen. Strides count bytes.

// The small functions are Small.Eval for one form each.

func smallSquare(dst *float64, s *Small, x *float64)

func smallExpanded(dst *float64, s *Small, x *float64)

func smallAbsolute(dst *float64, s *Small, x *float64)

func smallInner(dst *float64, s *Small, x *float64)

// The small functions for the Matérn kernels.

func smallSquareBell(dst *float64, s *Small, x *float64)

func smallExpandedBell(dst *float64, s *Small, x *float64)

// The tile functions are tileGeneric for k ≥ 1 and panels ≥ 1. Rows is a power of 2, up to maxRows.

func tileSquare[T Float](out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int)

func tileDot[T Float](out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int)

// moreDot is tileDot that goes on from the sums in out, for maxRows queries and a multiple of three panels.
func moreDot[T Float](out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int)

func tileAbsolute[T Float](out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int)

// expScaled writes e^(scale·src[i]) for n > 0 elements, where n is a multiple of expBlock and scale·src[i] ≤ 0. Dst
// may be src.
func expScaled[T Float](dst, src unsafe.Pointer, n int, scale T)

// bell writes e^x (1 + x(first + second·x)) for x = −√(scale·src[i]) as rootsGeneric, expGeneric and bendsGeneric do,
// for n > 0 elements, a multiple of lanes. Dst may be src.
func bell[T Float](dst, src unsafe.Pointer, n int, scale, first, second T)

// roots is rootsGeneric for n > 0 elements, a multiple of lanes.
func roots[T Float](dst, src unsafe.Pointer, n int, scale T)

// bends is bendsGeneric for n > 0 elements, a multiple of lanes.
func bends[T Float](dst, src unsafe.Pointer, n int, first, second T)

// logs is the loop of logs in kernels.go for n > 0 elements, a multiple of lanes. Dst may be src.
func logs[T Float](dst, src unsafe.Pointer, n int, ratio, alpha float64)

// rowExp is tileGeneric for the square form and one query, followed by expGeneric. It writes panels × lanes values to
// dst; k and panels are at least 1.
func rowExp[T Float](dst, q, x unsafe.Pointer, xs uintptr, k, panels int, scale T)

// distances is distancesGeneric for n elements.
func distances[T Float](dst, src, zn unsafe.Pointer, n int, qn T)

// weigh is weighGeneric for whole panels.
func weigh[T Float](sums, k, c unsafe.Pointer, panels int)

// norms is panelNormsGeneric for k ≥ 1 features.
func norms[T Float](out, x unsafe.Pointer, k int)

// skipDot is the inner product of tileGeneric for eight queries, over the k ≥ 1 features at the given byte offsets in
// a panel. q holds eight elements a feature.
func skipDot[T Float](out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, offset *uint32, k int,
	x unsafe.Pointer, xs uintptr, panels int)

// mirrorTile writes the transpose of the first rows of a tile of side tileSide to dst, whose rows are ld bytes apart:
// dst[i·ld + j] = tile[j·tileSide + i]. Rows is a multiple of the elements of a cache line. With stream, the stores
// bypass the caches.
func mirrorTile[T Float](dst unsafe.Pointer, ld uintptr, tile unsafe.Pointer, rows int, stream bool)

// streamRows copies rows of width ≥ 64 bytes, pitch bytes apart, to dst, where they are ld bytes apart. Stores of whole
// cache lines bypass the caches; those of the ends do not. All arguments are multiples of four.
func streamRows(dst unsafe.Pointer, ld uintptr, src unsafe.Pointer, pitch, width uintptr, rows int)

// storeFence makes earlier streamed stores visible to other goroutines before any later store.
func storeFence()

// The fuse functions write e^(scale·distance) for the squared distances from the samples q of one panel to the whole
// panels x, and the transpose to mirror. Rows of both are ld bytes apart, begin on cache lines and are stored past the
// caches; k is at least 1, and panels a multiple of fusePanels. The expanded form reads the norms qn and zn. The
// argument tile is scratch memory for three times lanes×lanes values.

func fuseSquare[T Float](dst unsafe.Pointer, ld uintptr, mirror, q, x unsafe.Pointer, xs uintptr, k, panels int,
	qn, zn unsafe.Pointer, scale T, tile unsafe.Pointer)

func fuseExpanded[T Float](dst unsafe.Pointer, ld uintptr, mirror, q, x unsafe.Pointer, xs uintptr, k, panels int,
	qn, zn unsafe.Pointer, scale T, tile unsafe.Pointer)

// keepExpanded is fuseExpanded with ordinary stores, to rows that begin anywhere.
func keepExpanded[T Float](dst unsafe.Pointer, ld uintptr, mirror, q, x unsafe.Pointer, xs uintptr, k, panels int,
	qn, zn unsafe.Pointer, scale T, tile unsafe.Pointer)

// The rest is for the uint8 and the 4-bit layout.

// fromDots is fromDots in uint8rows.go for n values, where n is a multiple of uint8Lanes.
func fromDots[T Float](dst unsafe.Pointer, dots, zn *int32, n int, qn int32)

// byDistance is byDistance in bits4.go for n codes, where n is a multiple of uint8Lanes and largest < tableEntries.
func byDistance[T Float](dst unsafe.Pointer, codes *uint8, n int, values unsafe.Pointer, largest int)

// The tileUint8 functions write out[r·ldo + p·16 + l] = Σ (b−uint8Offset)·q for query r and sample l of panel p. The
// one with dot products of bytes runs where hasDots.

func tileUint8(out *int32, ldo uintptr, q *uint32, qs uintptr, rows int, x *uint32, xs uintptr, k, panels int)

func tileUint8Dots(out *int32, ldo uintptr, q *uint32, qs uintptr, rows int, x *uint32, xs uintptr, k, panels int)

// skipUint8Dots is tileUint8Dots for maxRows queries, q[k·maxRows+r], over the k ≥ 1 groups at the given byte offsets
// in a panel. It needs vnni.
func skipUint8Dots(out *int32, ldo uintptr, q, offset *uint32, k int, x *uint32, xs uintptr, panels int)

// packUint8 is packGeneric for k groups of four features. It overwrites sums.
func packUint8(dst *uint32, stride uintptr, x *float64, k int, to *grid, sums *[2]int32) bool

// packUint8Four does so for four samples, xs bytes apart, whose words lie side by side: one store instead of four.
func packUint8Four(dst *uint32, stride uintptr, x *float64, xs uintptr, k int, to *grid, sums *[4][2]int32) bool

// countBits4 writes the squared distances out[p·64 + l] = squares[p·64 + l] + q − 2·c, modulo 256. Here c is the number
// of common ones over the k ≥ 1 groups of kept.
func countBits4(out, squares *uint8, q int, kept *keptBits4, k int, x *uint8, xs uintptr, panels int)
