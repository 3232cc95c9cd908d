//go:build goexperiment.simd && go1.27

package gram

import (
	"simd"
	"unsafe"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// This file is the level simd for float32. It takes the operations of the portable loops in their order, on as many
// elements as a vector has, so the bits are those of the portable loops with
// fused multiply-adds in single precision, where the architecture has them.

// elements32 returns the n elements at p. The rule of unsafe.Slice: the callers in kernels.go have checked that there
// are so many, of this type.
func elements32(p unsafe.Pointer, n int) []float32 { return unsafe.Slice((*float32)(p), n) }

// expScaled32SIMD is expScaled for any number of elements. The last ones are copied to a whole vector.
func expScaled32SIMD(dst, src unsafe.Pointer, n int, scale float32) {
	to, from := elements32(dst, n), elements32(src, n)
	done := exp32(to, from, scale)
	if done < n {
		var last [panelWidth / 4]float32
		copy(last[:], from[done:])
		exp32(last[:], last[:], scale)
		copy(to[done:], last[:])
	}
}

// exp32 is exp64 for float32. Without fused multiply-adds, 1 + r + r²p is added from the smallest part to the largest,
// with what the roundings of r and of 1 + r leave.
func exp32(dst, src []float32, scale float32) int {
	one, factor, smallest := simd.BroadcastFloat32s(1), simd.BroadcastFloat32s(scale), simd.BroadcastFloat32s(expClamp32)
	log2e, shift := simd.BroadcastFloat32s(log2e32), simd.BroadcastFloat32s(shift32)
	bias, last := simd.BroadcastUint32s(127+64), simd.BroadcastFloat32s(0x1p-64)
	high, low := simd.BroadcastFloat32s(ln2top32), simd.BroadcastFloat32s(ln2rest32)
	if cpu.FastFMA {
		high, low = simd.BroadcastFloat32s(-ln2hi32), simd.BroadcastFloat32s(-ln2lo32)
	}
	c := &expPoly32
	w, i := one.Len(), 0
	for ; i+w <= len(src) && i+w <= len(dst); i += w {
		x := simd.LoadFloat32s(src[i:]).Mul(factor)
		x = smallest.IfElse(x.Less(smallest), x)
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
		p.Mul(power).Mul(last).Store(dst[i:])
	}
	return i
}

// tileSquare32SIMD and tileDot32SIMD take four queries at a time where there are so many.

func tileSquare32SIMD(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int) {
	t := tileOf32(out, ldo, q, qs, rows, x, xs, k, panels)
	if !cpu.FastFMA {
		t.plain(square, rows)
		return
	}
	r := 0
	for ; r+4 <= rows; r += 4 {
		squaresOfFour32(t, r)
	}
	for ; r < rows; r++ {
		squares32(t, r)
	}
}

func tileDot32SIMD(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int) {
	t := tileOf32(out, ldo, q, qs, rows, x, xs, k, panels)
	if !cpu.FastFMA {
		t.plain(inner, rows)
		return
	}
	r := 0
	for ; r+4 <= rows; r += 4 {
		productsOfFour32(t, r)
	}
	for ; r < rows; r++ {
		products32(t, r)
	}
}

func tileAbsolute32SIMD(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int) {
	t := tileOf32(out, ldo, q, qs, rows, x, xs, k, panels)
	if !cpu.FastFMA {
		t.plain(absolute, rows)
		return
	}
	for r := range rows {
		differences32(t, r)
	}
}

// tile32 is the arguments of a tile, with strides in elements.
type tile32 struct {
	out, q, x          []float32
	ldo, qs, xs        int
	k, panels, columns int
}

func tileOf32(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int) tile32 {
	t := tile32{ldo: int(ldo / 4), qs: int(qs / 4), xs: int(xs / 4), k: k, panels: panels}
	t.columns = panels * lanes[float32]()
	t.out = elements32(out, (rows-1)*t.ldo+t.columns)
	t.q = elements32(q, (k-1)*t.qs+rows)
	t.x = elements32(x, (panels-1)*t.xs+k*lanes[float32]())
	return t
}

// plain is tileGeneric, which adds products of single precision in double precision where nothing fuses them: norms and
// diagonals have these bits.
func (t tile32) plain(f form, rows int) {
	tileGeneric(f, t.out, t.ldo, t.q, t.qs, rows, t.x, t.xs, t.k, t.panels)
}

func squares32(t tile32, r int) {
	w, l := simd.Float32s{}.Len(), lanes[float32]()
	out, q := t.out[r*t.ldo:][:t.columns], t.q[r:]
	for p := range t.panels {
		j := 0
		for ; j+4*w <= l; j += 4 * w {
			var s0, s1, s2, s3 simd.Float32s
			x, o := t.x[p*t.xs+j:], out[p*l+j:][:4*w]
			for i := range t.k {
				z := x[i*l:][:4*w]
				q := simd.BroadcastFloat32s(q[i*t.qs])
				d0, d1 := simd.LoadFloat32s(z).Sub(q), simd.LoadFloat32s(z[w:]).Sub(q)
				d2, d3 := simd.LoadFloat32s(z[2*w:]).Sub(q), simd.LoadFloat32s(z[3*w:]).Sub(q)
				s0, s1, s2, s3 = d0.MulAdd(d0, s0), d1.MulAdd(d1, s1), d2.MulAdd(d2, s2), d3.MulAdd(d3, s3)
			}
			s0.Store(o)
			s1.Store(o[w:])
			s2.Store(o[2*w:])
			s3.Store(o[3*w:])
		}
		for ; j < l; j += w {
			var sum simd.Float32s
			x := t.x[p*t.xs+j:]
			for i := range t.k {
				d := simd.LoadFloat32s(x[i*l:]).Sub(simd.BroadcastFloat32s(q[i*t.qs]))
				sum = d.MulAdd(d, sum)
			}
			sum.Store(out[p*l+j:])
		}
	}
}

func products32(t tile32, r int) {
	w, l := simd.Float32s{}.Len(), lanes[float32]()
	out, q := t.out[r*t.ldo:][:t.columns], t.q[r:]
	for p := range t.panels {
		j := 0
		for ; j+4*w <= l; j += 4 * w {
			var s0, s1, s2, s3 simd.Float32s
			x, o := t.x[p*t.xs+j:], out[p*l+j:][:4*w]
			for i := range t.k {
				z := x[i*l:][:4*w]
				q := simd.BroadcastFloat32s(q[i*t.qs])
				s0, s1 = simd.LoadFloat32s(z).MulAdd(q, s0), simd.LoadFloat32s(z[w:]).MulAdd(q, s1)
				s2, s3 = simd.LoadFloat32s(z[2*w:]).MulAdd(q, s2), simd.LoadFloat32s(z[3*w:]).MulAdd(q, s3)
			}
			s0.Store(o)
			s1.Store(o[w:])
			s2.Store(o[2*w:])
			s3.Store(o[3*w:])
		}
		for ; j < l; j += w {
			var sum simd.Float32s
			x := t.x[p*t.xs+j:]
			for i := range t.k {
				sum = simd.LoadFloat32s(x[i*l:]).MulAdd(simd.BroadcastFloat32s(q[i*t.qs]), sum)
			}
			sum.Store(out[p*l+j:])
		}
	}
}

func differences32(t tile32, r int) {
	w, l := simd.Float32s{}.Len(), lanes[float32]()
	out, q := t.out[r*t.ldo:][:t.columns], t.q[r:]
	for p := range t.panels {
		for j := 0; j < l; j += w {
			var sum simd.Float32s
			x := t.x[p*t.xs+j:]
			for i := range t.k {
				sum = sum.Add(simd.LoadFloat32s(x[i*l:]).Sub(simd.BroadcastFloat32s(q[i*t.qs])).Abs())
			}
			sum.Store(out[p*l+j:])
		}
	}
}

func squaresOfFour32(t tile32, r int) {
	w, l := simd.Float32s{}.Len(), lanes[float32]()
	out, q := t.out[r*t.ldo:], t.q[r:]
	for p := range t.panels {
		for j := 0; j < l; j += w {
			var s0, s1, s2, s3 simd.Float32s
			x := t.x[p*t.xs+j:]
			for i := range t.k {
				z, v := simd.LoadFloat32s(x[i*l:]), q[i*t.qs:][:4:4]
				d0, d1 := z.Sub(simd.BroadcastFloat32s(v[0])), z.Sub(simd.BroadcastFloat32s(v[1]))
				d2, d3 := z.Sub(simd.BroadcastFloat32s(v[2])), z.Sub(simd.BroadcastFloat32s(v[3]))
				s0, s1, s2, s3 = d0.MulAdd(d0, s0), d1.MulAdd(d1, s1), d2.MulAdd(d2, s2), d3.MulAdd(d3, s3)
			}
			at := p*l + j
			s0.Store(out[at:])
			s1.Store(out[t.ldo+at:])
			s2.Store(out[2*t.ldo+at:])
			s3.Store(out[3*t.ldo+at:])
		}
	}
}

func productsOfFour32(t tile32, r int) {
	w, l := simd.Float32s{}.Len(), lanes[float32]()
	out, q := t.out[r*t.ldo:], t.q[r:]
	for p := range t.panels {
		for j := 0; j < l; j += w {
			var s0, s1, s2, s3 simd.Float32s
			x := t.x[p*t.xs+j:]
			for i := range t.k {
				z, v := simd.LoadFloat32s(x[i*l:]), q[i*t.qs:][:4:4]
				s0, s1 = z.MulAdd(simd.BroadcastFloat32s(v[0]), s0), z.MulAdd(simd.BroadcastFloat32s(v[1]), s1)
				s2, s3 = z.MulAdd(simd.BroadcastFloat32s(v[2]), s2), z.MulAdd(simd.BroadcastFloat32s(v[3]), s3)
			}
			at := p*l + j
			s0.Store(out[at:])
			s1.Store(out[t.ldo+at:])
			s2.Store(out[2*t.ldo+at:])
			s3.Store(out[3*t.ldo+at:])
		}
	}
}

func distances32SIMD(dst, src, zn unsafe.Pointer, n int, qn float32) {
	to, from, norms := elements32(dst, n), elements32(src, n), elements32(zn, n)
	var zero simd.Float32s
	w, norm, i := zero.Len(), simd.BroadcastFloat32s(qn), 0
	for ; i+w <= n; i += w {
		v := simd.LoadFloat32s(from[i:])
		d := norm.Add(simd.LoadFloat32s(norms[i:])).Sub(v.Add(v))
		zero.IfElse(d.LessEqual(zero), d).Store(to[i:]) // NaN stays
	}
	distancesGeneric(to[i:], from[i:], norms[i:], qn)
}

func weigh32SIMD(sums, k, c unsafe.Pointer, panels int) {
	n := panels * lanes[float32]()
	weighVectors32(elements32(sums, sumPanels*lanes[float32]()), elements32(k, n), elements32(c, n))
}

// weighVectors32 is weighGeneric for whole vectors.
func weighVectors32(sums, k, c []float32) {
	w := simd.Float32s{}.Len()
	c = c[:len(k)]
	for j := 0; j < len(sums); j += w {
		sum := simd.LoadFloat32s(sums[j:])
		for i := j; i+w <= len(k); i += len(sums) {
			sum = simd.LoadFloat32s(k[i:]).MulAdd(simd.LoadFloat32s(c[i:]), sum)
		}
		sum.Store(sums[j:])
	}
}
