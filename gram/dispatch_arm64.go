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
		case neonFloat64:
			tileSquare64NEON(out, ldo, q, qs, rows, x, xs, k, panels)
		case neonFloat32:
			tileSquare32NEON(out, ldo, q, qs, rows, x, xs, k, panels)
		default:
			return false
		}
	case expanded, inner:
		switch v {
		case neonFloat64:
			tileDot64NEON(out, ldo, q, qs, rows, x, xs, k, panels)
		case neonFloat32:
			tileDot32NEON(out, ldo, q, qs, rows, x, xs, k, panels)
		default:
			return false
		}
	case absolute:
		switch v {
		case neonFloat64:
			tileAbsolute64NEON(out, ldo, q, qs, rows, x, xs, k, panels)
		case neonFloat32:
			tileAbsolute32NEON(out, ldo, q, qs, rows, x, xs, k, panels)
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
		case cpu.NEON:
			smallSquareNEON(dst, s, x)
		default:
			return false
		}
	case expanded:
		switch level {
		case cpu.NEON:
			smallExpandedNEON(dst, s, x)
		default:
			return false
		}
	case inner:
		switch level {
		case cpu.NEON:
			smallInnerNEON(dst, s, x)
		default:
			return false
		}
	case absolute:
		switch level {
		case cpu.NEON:
			smallAbsoluteNEON(dst, s, x)
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
	case neonFloat64:
		expScaled64NEON(dst, src, n, scale)
	case neonFloat32:
		expScaled32NEON(dst, src, n, float32(scale))
	default:
		return false
	}
	return true
}

// runWeigh is weighGeneric for whole panels.
func runWeigh(v variant, sums, k, c unsafe.Pointer, panels int) bool {
	switch v {
	case neonFloat64:
		weigh64NEON(sums, k, c, panels)
	case neonFloat32:
		weigh32NEON(sums, k, c, panels)
	default:
		return false
	}
	return true
}

func runUint8Tile(out *int32, ldo uintptr, q *uint32, qs uintptr, rows int, x *uint32, xs uintptr, k, panels int) bool {
	switch {
	case cpu.Active() == cpu.Generic:
		return false
	case dots:
		tileUint8DotNEON(out, ldo, q, qs, rows, x, xs, k, panels)
	default:
		tileUint8NEON(out, ldo, q, qs, rows, x, xs, k, panels)
	}
	return true
}

func runBits4Count(out, squares *uint8, q int, kept *keptBits4, k int, x *uint8, xs uintptr, panels int) bool {
	if cpu.Active() == cpu.Generic {
		return false
	}
	countBits4NEON(out, squares, q, kept, k, x, xs, panels)
	return true
}
