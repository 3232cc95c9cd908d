//go:build goexperiment.simd && go1.27

package gram

import (
	"simd"
	"unsafe"
)

// This file is the level simd for one element type: a generator writes that for single precision from that for double
// precision. It takes the operations of the portable loops in their order, on as many elements as a vector has. So the
// bits are those of the portable loops, in single precision with fused multiply-adds where the architecture has them.

// elements64 returns the n elements at p. The rule of unsafe.Slice: the callers in kernels.go have checked that there
// are so many, of this type.
func elements64(p unsafe.Pointer, n int) []float64 { return unsafe.Slice((*float64)(p), n) }

// expScaled64SIMD is expScaled for any number of elements. The last ones are copied to a whole vector.
func expScaled64SIMD(dst, src unsafe.Pointer, n int, scale float64) {
	to, from := elements64(dst, n), elements64(src, n)
	done := exp64(to, from, scale)
	if done < n {
		var last [panelWidth / size64]float64
		copy(last[:], from[done:])
		exp64(last[:], last[:], scale)
		copy(to[done:], last[:])
	}
}

// tileSquare64SIMD and tileDot64SIMD take four queries at a time where there are so many.

func tileSquare64SIMD(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int) {
	t := tileOf64(out, ldo, q, qs, rows, x, xs, k, panels)
	if plain64 {
		t.plain(square, rows)
		return
	}
	r := 0
	for ; r+4 <= rows; r += 4 {
		squaresOfFour64(t, r)
	}
	for ; r < rows; r++ {
		squares64(t, r)
	}
}

func tileDot64SIMD(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int) {
	t := tileOf64(out, ldo, q, qs, rows, x, xs, k, panels)
	if plain64 {
		t.plain(inner, rows)
		return
	}
	r := 0
	for ; r+4 <= rows; r += 4 {
		productsOfFour64(t, r)
	}
	for ; r < rows; r++ {
		products64(t, r)
	}
}

func tileAbsolute64SIMD(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int) {
	t := tileOf64(out, ldo, q, qs, rows, x, xs, k, panels)
	if plain64 {
		t.plain(absolute, rows)
		return
	}
	for r := range rows {
		differences64(t, r)
	}
}

// tile64 is the arguments of a tile, with strides in elements.
type tile64 struct {
	out, q, x          []float64
	ldo, qs, xs        int
	k, panels, columns int
}

func tileOf64(out unsafe.Pointer, ldo uintptr, q unsafe.Pointer, qs uintptr, rows int,
	x unsafe.Pointer, xs uintptr, k, panels int) tile64 {
	t := tile64{ldo: int(ldo / size64), qs: int(qs / size64), xs: int(xs / size64), k: k, panels: panels}
	t.columns = panels * lanes[float64]()
	t.out = elements64(out, (rows-1)*t.ldo+t.columns)
	t.q = elements64(q, (k-1)*t.qs+rows)
	t.x = elements64(x, (panels-1)*t.xs+k*lanes[float64]())
	return t
}

// plain is tileGeneric.
func (t tile64) plain(f form, rows int) {
	tileGeneric(f, t.out, t.ldo, t.q, t.qs, rows, t.x, t.xs, t.k, t.panels)
}

func squares64(t tile64, r int) {
	w, l := simd.Float64s{}.Len(), lanes[float64]()
	out, q := t.out[r*t.ldo:][:t.columns], t.q[r:]
	for p := range t.panels {
		j := 0
		for ; j+4*w <= l; j += 4 * w {
			var s0, s1, s2, s3 simd.Float64s
			x, o := t.x[p*t.xs+j:], out[p*l+j:][:4*w]
			for i := range t.k {
				z := x[i*l:][:4*w]
				q := simd.BroadcastFloat64s(q[i*t.qs])
				d0, d1 := simd.LoadFloat64s(z).Sub(q), simd.LoadFloat64s(z[w:]).Sub(q)
				d2, d3 := simd.LoadFloat64s(z[2*w:]).Sub(q), simd.LoadFloat64s(z[3*w:]).Sub(q)
				s0, s1, s2, s3 = d0.MulAdd(d0, s0), d1.MulAdd(d1, s1), d2.MulAdd(d2, s2), d3.MulAdd(d3, s3)
			}
			s0.Store(o)
			s1.Store(o[w:])
			s2.Store(o[2*w:])
			s3.Store(o[3*w:])
		}
		for ; j < l; j += w {
			var sum simd.Float64s
			x := t.x[p*t.xs+j:]
			for i := range t.k {
				d := simd.LoadFloat64s(x[i*l:]).Sub(simd.BroadcastFloat64s(q[i*t.qs]))
				sum = d.MulAdd(d, sum)
			}
			sum.Store(out[p*l+j:])
		}
	}
}

func products64(t tile64, r int) {
	w, l := simd.Float64s{}.Len(), lanes[float64]()
	out, q := t.out[r*t.ldo:][:t.columns], t.q[r:]
	for p := range t.panels {
		j := 0
		for ; j+4*w <= l; j += 4 * w {
			var s0, s1, s2, s3 simd.Float64s
			x, o := t.x[p*t.xs+j:], out[p*l+j:][:4*w]
			for i := range t.k {
				z := x[i*l:][:4*w]
				q := simd.BroadcastFloat64s(q[i*t.qs])
				s0, s1 = simd.LoadFloat64s(z).MulAdd(q, s0), simd.LoadFloat64s(z[w:]).MulAdd(q, s1)
				s2, s3 = simd.LoadFloat64s(z[2*w:]).MulAdd(q, s2), simd.LoadFloat64s(z[3*w:]).MulAdd(q, s3)
			}
			s0.Store(o)
			s1.Store(o[w:])
			s2.Store(o[2*w:])
			s3.Store(o[3*w:])
		}
		for ; j < l; j += w {
			var sum simd.Float64s
			x := t.x[p*t.xs+j:]
			for i := range t.k {
				sum = simd.LoadFloat64s(x[i*l:]).MulAdd(simd.BroadcastFloat64s(q[i*t.qs]), sum)
			}
			sum.Store(out[p*l+j:])
		}
	}
}

func differences64(t tile64, r int) {
	w, l := simd.Float64s{}.Len(), lanes[float64]()
	out, q := t.out[r*t.ldo:][:t.columns], t.q[r:]
	for p := range t.panels {
		for j := 0; j < l; j += w {
			var sum simd.Float64s
			x := t.x[p*t.xs+j:]
			for i := range t.k {
				sum = sum.Add(simd.LoadFloat64s(x[i*l:]).Sub(simd.BroadcastFloat64s(q[i*t.qs])).Abs())
			}
			sum.Store(out[p*l+j:])
		}
	}
}

func squaresOfFour64(t tile64, r int) {
	w, l := simd.Float64s{}.Len(), lanes[float64]()
	out, q := t.out[r*t.ldo:], t.q[r:]
	for p := range t.panels {
		for j := 0; j < l; j += w {
			var s0, s1, s2, s3 simd.Float64s
			x := t.x[p*t.xs+j:]
			for i := range t.k {
				z, v := simd.LoadFloat64s(x[i*l:]), q[i*t.qs:][:4:4]
				d0, d1 := z.Sub(simd.BroadcastFloat64s(v[0])), z.Sub(simd.BroadcastFloat64s(v[1]))
				d2, d3 := z.Sub(simd.BroadcastFloat64s(v[2])), z.Sub(simd.BroadcastFloat64s(v[3]))
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

func productsOfFour64(t tile64, r int) {
	w, l := simd.Float64s{}.Len(), lanes[float64]()
	out, q := t.out[r*t.ldo:], t.q[r:]
	for p := range t.panels {
		for j := 0; j < l; j += w {
			var s0, s1, s2, s3 simd.Float64s
			x := t.x[p*t.xs+j:]
			for i := range t.k {
				z, v := simd.LoadFloat64s(x[i*l:]), q[i*t.qs:][:4:4]
				s0, s1 = z.MulAdd(simd.BroadcastFloat64s(v[0]), s0), z.MulAdd(simd.BroadcastFloat64s(v[1]), s1)
				s2, s3 = z.MulAdd(simd.BroadcastFloat64s(v[2]), s2), z.MulAdd(simd.BroadcastFloat64s(v[3]), s3)
			}
			at := p*l + j
			s0.Store(out[at:])
			s1.Store(out[t.ldo+at:])
			s2.Store(out[2*t.ldo+at:])
			s3.Store(out[3*t.ldo+at:])
		}
	}
}

func distances64SIMD(dst, src, zn unsafe.Pointer, n int, qn float64) {
	to, from, norms := elements64(dst, n), elements64(src, n), elements64(zn, n)
	var zero simd.Float64s
	w, norm, i := zero.Len(), simd.BroadcastFloat64s(qn), 0
	for ; i+w <= n; i += w {
		v := simd.LoadFloat64s(from[i:])
		d := norm.Add(simd.LoadFloat64s(norms[i:])).Sub(v.Add(v))
		zero.IfElse(d.LessEqual(zero), d).Store(to[i:]) // NaN stays
	}
	distancesGeneric(to[i:], from[i:], norms[i:], qn)
}

func weigh64SIMD(sums, k, c unsafe.Pointer, panels int) {
	n := panels * lanes[float64]()
	weighVectors64(elements64(sums, sumPanels*lanes[float64]()), elements64(k, n), elements64(c, n))
}

// weighVectors64 is weighGeneric for whole vectors.
func weighVectors64(sums, k, c []float64) {
	w := simd.Float64s{}.Len()
	c = c[:len(k)]
	for j := 0; j < len(sums); j += w {
		sum := simd.LoadFloat64s(sums[j:])
		for i := j; i+w <= len(k); i += len(sums) {
			sum = simd.LoadFloat64s(k[i:]).MulAdd(simd.LoadFloat64s(c[i:]), sum)
		}
		sum.Store(sums[j:])
	}
}
