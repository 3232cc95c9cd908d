//go:build !purego

package gram

import (
	"unsafe"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// runTile is tileGeneric for k ≥ 1 and panels ≥ 1, with strides in bytes.
func runTile(v variant, f form, out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int) bool {
	switch f {
	case square:
		switch v {
		case avx2Float64:
			tileSquare64AVX2(out, ldo, q, qs, rows, x, xs, k, panels)
		case avx2Float32:
			tileSquare32AVX2(out, ldo, q, qs, rows, x, xs, k, panels)
		case avx512Float64:
			tileSquare64AVX512(out, ldo, q, qs, rows, x, xs, k, panels)
		case avx512Float32:
			tileSquare32AVX512(out, ldo, q, qs, rows, x, xs, k, panels)
		default:
			return false
		}
	case expanded, inner:
		switch v {
		case avx2Float64:
			tileDot64AVX2(out, ldo, q, qs, rows, x, xs, k, panels)
		case avx2Float32:
			tileDot32AVX2(out, ldo, q, qs, rows, x, xs, k, panels)
		case avx512Float64:
			tileDot64AVX512(out, ldo, q, qs, rows, x, xs, k, panels)
		case avx512Float32:
			tileDot32AVX512(out, ldo, q, qs, rows, x, xs, k, panels)
		default:
			return false
		}
	case absolute:
		switch v {
		case avx2Float64:
			tileAbsolute64AVX2(out, ldo, q, qs, rows, x, xs, k, panels)
		case avx2Float32:
			tileAbsolute32AVX2(out, ldo, q, qs, rows, x, xs, k, panels)
		case avx512Float64:
			tileAbsolute64AVX512(out, ldo, q, qs, rows, x, xs, k, panels)
		case avx512Float32:
			tileAbsolute32AVX512(out, ldo, q, qs, rows, x, xs, k, panels)
		default:
			return false
		}
	default:
		return false
	}
	return true
}

// runSmall is Small.Eval.
func runSmall(s *Small, dst, x *float64) bool {
	switch level := cpu.Active(); s.form {
	case square:
		switch level {
		case cpu.AVX2:
			smallSquareAVX2(dst, s, x)
		case cpu.AVX512:
			smallSquareAVX512(dst, s, x)
		default:
			return false
		}
	case expanded:
		switch level {
		case cpu.AVX2:
			smallExpandedAVX2(dst, s, x)
		case cpu.AVX512:
			smallExpandedAVX512(dst, s, x)
		default:
			return false
		}
	case inner:
		switch level {
		case cpu.AVX2:
			smallInnerAVX2(dst, s, x)
		case cpu.AVX512:
			smallInnerAVX512(dst, s, x)
		default:
			return false
		}
	case absolute:
		switch level {
		case cpu.AVX2:
			smallAbsoluteAVX2(dst, s, x)
		case cpu.AVX512:
			smallAbsoluteAVX512(dst, s, x)
		default:
			return false
		}
	default:
		return false
	}
	return true
}

// runExp writes e^(scale·src[i]) for n elements, where n is a multiple of expBlock and scale·src[i] ≤ 0. Dst may be
// src.
func runExp(v variant, dst, src unsafe.Pointer, n int, scale float64) bool {
	switch v {
	case avx2Float64:
		expScaled64AVX2(dst, src, n, scale)
	case avx2Float32:
		expScaled32AVX2(dst, src, n, float32(scale))
	case avx512Float64:
		expScaled64AVX512(dst, src, n, scale)
	case avx512Float32:
		expScaled32AVX512(dst, src, n, float32(scale))
	default:
		return false
	}
	return true
}

// runWeigh is weighGeneric for whole panels.
func runWeigh(v variant, sums, k, c unsafe.Pointer, panels int) bool {
	switch v {
	case avx2Float64:
		weigh64AVX2(sums, k, c, panels)
	case avx2Float32:
		weigh32AVX2(sums, k, c, panels)
	case avx512Float64:
		weigh64AVX512(sums, k, c, panels)
	case avx512Float32:
		weigh32AVX512(sums, k, c, panels)
	default:
		return false
	}
	return true
}

// runSkipDot is skipDot with strides in bytes.
func runSkipDot(v variant, out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, offset *uint32, k int, x unsafe.Pointer,
	xs uintptr, panels int) bool {
	switch v {
	case avx512Float64:
		skipDot64AVX512(out, ldo, q, offset, k, x, xs, panels)
	case avx512Float32:
		skipDot32AVX512(out, ldo, q, offset, k, x, xs, panels)
	default:
		return false
	}
	return true
}

// runRowExp is runTile for the square form and one query, followed by runExp.
func runRowExp(v variant, dst, q, x unsafe.Pointer, xs uintptr, k, panels int, scale float64) bool {
	switch v {
	case avx512Float64:
		rowExp64AVX512(dst, q, x, xs, k, panels, scale)
	case avx512Float32:
		rowExp32AVX512(dst, q, x, xs, k, panels, float32(scale))
	default:
		return false
	}
	return true
}

// runDistances is distancesGeneric for n elements.
func runDistances(v variant, dst, src, zn unsafe.Pointer, n int, qn float64) bool {
	switch v {
	case avx2Float64:
		distances64AVX2(dst, src, zn, n, qn)
	case avx2Float32:
		distances32AVX2(dst, src, zn, n, float32(qn))
	case avx512Float64:
		distances64AVX512(dst, src, zn, n, qn)
	case avx512Float32:
		distances32AVX512(dst, src, zn, n, float32(qn))
	default:
		return false
	}
	return true
}

// runNorms is panelNormsGeneric for k ≥ 1 features.
func runNorms(v variant, dst, panel unsafe.Pointer, k int) bool {
	switch v {
	case avx2Float64, avx512Float64:
		norms64AVX2(dst, panel, k)
	case avx2Float32, avx512Float32:
		norms32AVX2(dst, panel, k)
	default:
		return false
	}
	return true
}

// runCopyTile is storeTile without mirror; ld counts bytes.
func runCopyTile(v variant, dst unsafe.Pointer, ld uintptr, tile unsafe.Pointer, stream bool) bool {
	switch v {
	case avx512Float64:
		copyTile64AVX512(dst, ld, tile, stream)
	case avx512Float32:
		copyTile32AVX512(dst, ld, tile, stream)
	default:
		return false
	}
	return true
}

// runMirrorTile is storeTile with mirror; ld counts bytes.
func runMirrorTile(v variant, dst unsafe.Pointer, ld uintptr, tile unsafe.Pointer, stream bool) bool {
	switch v {
	case avx512Float64:
		mirrorTile64AVX512(dst, ld, tile, stream)
	case avx512Float32:
		mirrorTile32AVX512(dst, ld, tile, stream)
	default:
		return false
	}
	return true
}

// runFuse writes e^(scale·distance) for the squared distances from the samples q of one panel to the whole panels x,
// and the transpose to mirror. Rows of both are ld bytes apart, begin on cache lines and are stored past the caches.
// The expanded form reads the norms qn and zn. The argument tile is scratch memory for lanes×lanes values.
func runFuse(v variant, f form, dst unsafe.Pointer, ld uintptr, mirror, q, x unsafe.Pointer, xs uintptr, k, panels int,
	qn, zn unsafe.Pointer, scale float64, tile unsafe.Pointer) bool {
	single := float32(scale)
	switch {
	case v == avx512Float64 && f == square:
		fuseSquare64AVX512(dst, ld, mirror, q, x, xs, k, panels, qn, zn, scale, tile)
	case v == avx512Float64 && f == expanded:
		fuseExpanded64AVX512(dst, ld, mirror, q, x, xs, k, panels, qn, zn, scale, tile)
	case v == avx512Float32 && f == square:
		fuseSquare32AVX512(dst, ld, mirror, q, x, xs, k, panels, qn, zn, single, tile)
	case v == avx512Float32 && f == expanded:
		fuseExpanded32AVX512(dst, ld, mirror, q, x, xs, k, panels, qn, zn, single, tile)
	default:
		return false
	}
	return true
}

// runFromDots is fromDots for n values, where n is a multiple of uint8Lanes.
func runFromDots(v variant, dst unsafe.Pointer, dots, zn *int32, n int, qn int32) bool {
	switch v {
	case avx2Float64:
		fromDots64AVX2(dst, dots, zn, n, qn)
	case avx2Float32:
		fromDots32AVX2(dst, dots, zn, n, qn)
	case avx512Float64:
		fromDots64AVX512(dst, dots, zn, n, qn)
	case avx512Float32:
		fromDots32AVX512(dst, dots, zn, n, qn)
	default:
		return false
	}
	return true
}

// runByDistance is byDistance for n codes, where n is a multiple of uint8Lanes and largest < tableEntries.
func runByDistance(v variant, dst unsafe.Pointer, codes *uint8, n int, values unsafe.Pointer, largest int) bool {
	switch v {
	case avx2Float32:
		byDistance32AVX2(dst, codes, n, values, largest)
	case avx512Float64:
		byDistance64AVX512(dst, codes, n, values, largest)
	case avx512Float32:
		byDistance32AVX512(dst, codes, n, values, largest)
	default:
		return false
	}
	return true
}

// runUint8Tile writes out[r·ldo + p·16 + l] = Σ (b−uint8Offset)·q for query r and sample l of panel p. Strides count
// bytes.
func runUint8Tile(out *int32, ldo uintptr, q *uint32, qs uintptr, rows int, x *uint32, xs uintptr, k, panels int) bool {
	switch {
	case cpu.Active() == cpu.Generic:
		return false
	case vnni():
		tileUint8VNNI(out, ldo, q, qs, rows, x, xs, k, panels)
	default:
		tileUint8AVX2(out, ldo, q, qs, rows, x, xs, k, panels)
	}
	return true
}

// runUint8Skip is runUint8Tile for skipRows queries, q[k·skipRows+r], over the k ≥ 1 groups at the given byte offsets
// in a panel. It needs vnni.
func runUint8Skip(out *int32, ldo uintptr, q, offset *uint32, k int, x *uint32, xs uintptr, panels int) {
	skipUint8VNNI(out, ldo, q, offset, k, x, xs, panels)
}

// runUint8Pack is packGeneric for k groups of four features. It overwrites sums.
func runUint8Pack(dst *uint32, stride uintptr, x *float64, k int, to *grid, sums *[2]int32) (ok, done bool) {
	if cpu.Active() == cpu.Generic {
		return false, false
	}
	return packUint8AVX2(dst, stride, x, k, to, sums), true
}

// runBits4Count writes the squared distances out[p·64 + l] = squares[p·64 + l] + q − 2·c, modulo 256. Here c is the
// number of common ones over the k ≥ 1 groups of kept.
func runBits4Count(out, squares *uint8, q int, kept *keptBits4, k int, x *uint8, xs uintptr, panels int) bool {
	switch cpu.Active() {
	case cpu.AVX2:
		countBits4AVX2(out, squares, q, kept, k, x, xs, panels)
	case cpu.AVX512:
		countBits4AVX512(out, squares, q, kept, k, x, xs, panels)
	default:
		return false
	}
	return true
}
