//go:build goexperiment.simd && go1.27

package gram

import (
	"simd"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// This file has what differs between the element types at the level simd; see simd64.go.

// size64 and size32 are the bytes of an element.
const size64, size32 = 8, 4

// plain64 and plain32 report whether tiles are those of tileGeneric, which adds products of single precision in double
// precision where nothing fuses them: norms and diagonals have these bits.
const plain64, plain32 = false, !cpu.FastFMA

// exp64 is expGeneric64 for whole vectors. It returns the number of elements that they hold. The lowest bits of
// n + shift are those of n.
func exp64(dst, src []float64, scale float64) int {
	var zero simd.Float64s
	one, factor, clamp := simd.BroadcastFloat64s(1), simd.BroadcastFloat64s(scale), simd.BroadcastFloat64s(expClamp64)
	log2e, shift := simd.BroadcastFloat64s(log2e64), simd.BroadcastFloat64s(shift64)
	bias := simd.BroadcastUint64s(1023)
	high, low := simd.BroadcastFloat64s(ln2top64), simd.BroadcastFloat64s(ln2rest64)
	if cpu.FastFMA {
		high, low = simd.BroadcastFloat64s(-ln2hi64), simd.BroadcastFloat64s(-ln2lo64)
	}
	c := &expPoly64
	w, i := one.Len(), 0
	for ; i+w <= len(src) && i+w <= len(dst); i += w {
		x := simd.LoadFloat64s(src[i:]).Mul(factor)
		tiny := x.LessEqual(clamp)
		x = zero.IfElse(tiny, x)
		shifted := x.MulAdd(log2e, shift)
		n := shifted.Sub(shift)
		var r simd.Float64s
		if cpu.FastFMA {
			r = n.MulAdd(low, n.MulAdd(high, x))
		} else {
			r = x.Sub(n.Mul(high)).Sub(n.Mul(low))
		}
		p := simd.BroadcastFloat64s(c[9]).MulAdd(r, simd.BroadcastFloat64s(c[8]))
		p = p.MulAdd(r, simd.BroadcastFloat64s(c[7]))
		p = p.MulAdd(r, simd.BroadcastFloat64s(c[6]))
		p = p.MulAdd(r, simd.BroadcastFloat64s(c[5]))
		p = p.MulAdd(r, simd.BroadcastFloat64s(c[4]))
		p = p.MulAdd(r, simd.BroadcastFloat64s(c[3]))
		p = p.MulAdd(r, simd.BroadcastFloat64s(c[2]))
		p = p.MulAdd(r, simd.BroadcastFloat64s(c[1]))
		p = p.MulAdd(r, simd.BroadcastFloat64s(c[0]))
		if cpu.FastFMA {
			p = p.MulAdd(r, one).MulAdd(r, one)
		} else {
			p = one.Add(r.Add(r.Mul(r).Mul(p)))
		}
		power := shifted.ToBits().Add(bias).ShiftAllLeft(52).BitsToFloat64()
		p.Mul(zero.IfElse(tiny, power)).Store(dst[i:])
	}
	return i
}

// exp32 is exp64 for float32. Without fused multiply-adds, 1 + r + r²p is added from the smallest part to the largest,
// with what the roundings of r and of 1 + r leave.
func exp32(dst, src []float32, scale float32) int {
	var zero simd.Float32s
	one, factor, clamp := simd.BroadcastFloat32s(1), simd.BroadcastFloat32s(scale), simd.BroadcastFloat32s(expClamp32)
	log2e, shift := simd.BroadcastFloat32s(log2e32), simd.BroadcastFloat32s(shift32)
	bias := simd.BroadcastUint32s(127)
	high, low := simd.BroadcastFloat32s(ln2top32), simd.BroadcastFloat32s(ln2rest32)
	if cpu.FastFMA {
		high, low = simd.BroadcastFloat32s(-ln2hi32), simd.BroadcastFloat32s(-ln2lo32)
	}
	c := &expPoly32
	w, i := one.Len(), 0
	for ; i+w <= len(src) && i+w <= len(dst); i += w {
		x := simd.LoadFloat32s(src[i:]).Mul(factor)
		tiny := x.LessEqual(clamp)
		x = zero.IfElse(tiny, x)
		shifted := x.MulAdd(log2e, shift)
		n := shifted.Sub(shift)
		var r, rest simd.Float32s
		if cpu.FastFMA {
			r = n.MulAdd(low, n.MulAdd(high, x))
		} else {
			x, rest = x.Sub(n.Mul(high)), n.Mul(low)
			r = x.Sub(rest)
			rest = x.Sub(r).Sub(rest)
		}
		p := simd.BroadcastFloat32s(c[4]).MulAdd(r, simd.BroadcastFloat32s(c[3]))
		p = p.MulAdd(r, simd.BroadcastFloat32s(c[2]))
		p = p.MulAdd(r, simd.BroadcastFloat32s(c[1]))
		p = p.MulAdd(r, simd.BroadcastFloat32s(c[0]))
		if cpu.FastFMA {
			p = p.MulAdd(r, one).MulAdd(r, one)
		} else {
			sum := one.Add(r)
			p = sum.Add(r.Sub(sum.Sub(one)).Add(rest.Add(r.Mul(r).Mul(p))))
		}
		power := shifted.ToBits().Add(bias).ShiftAllLeft(23).BitsToFloat32()
		p.Mul(zero.IfElse(tiny, power)).Store(dst[i:])
	}
	return i
}
