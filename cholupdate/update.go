package cholupdate

import (
	"fmt"
	"math"
	"slices"
)

// Update changes A to A + x·xᵀ; x has length Len and is only read. It costs 2n² operations. Where A + x·xᵀ is not
// finite, LogDet, Try and what Solve writes are NaN from then on.
func (f *Factor) Update(x []float64) {
	checkLen("vector", x, f.n)
	f.w = slices.Grow(f.w[:0], 3*f.n)[:3*f.n]
	copy(f.w, x)
	f.rotateIn(0, f.w[:f.n], f.w[f.n:])
}

// rotateIn adds w·wᵀ to the matrix whose factor is the block of L from row and column k0 on, by Givens rotations
// (Gill, Golub, Murray and Saunders, Math. Comp. 28 (1974), method C2). Rows take the rotations of all columns left
// of them in order, four rows at a time so that their chains overlap. cs is scratch for 2·len(w) values.
func (f *Factor) rotateIn(k0 int, w, cs []float64) {
	c, s := cs[:len(w)], cs[len(w):]
	for r0 := 0; r0 < len(w); r0 += 4 {
		if r0+4 <= len(w) {
			row := func(r int) []float64 { return f.Row(k0 + r)[k0 : k0+r0] }
			rotate4(row(r0), row(r0+1), row(r0+2), row(r0+3), c[:r0], s[:r0], w[r0:])
		}
		for r := r0; r < min(r0+4, len(w)); r++ {
			l := f.Row(k0 + r)[k0:]
			done := r0
			if r0+4 > len(w) {
				done = 0
			}
			for j := done; j < r; j++ {
				l[j], w[r] = c[j]*l[j]+s[j]*w[r], c[j]*w[r]-s[j]*l[j]
			}
			d := math.Hypot(l[r], w[r])
			if math.IsInf(d, 1) {
				d = math.NaN() // it would divide to 0
			}
			c[r], s[r] = l[r]/d, w[r]/d
			l[r] = d
		}
	}
}

// rotate4 applies the rotations (c_j, s_j) to the pairs (l_j, w) of four rows.
func rotate4(l0, l1, l2, l3, c, s, w []float64) {
	n := len(c)
	l0, l1, l2, l3, s = l0[:n], l1[:n], l2[:n], l3[:n], s[:n]
	w0, w1, w2, w3 := w[0], w[1], w[2], w[3]
	for j, cj := range c {
		sj := s[j]
		l0[j], w0 = cj*l0[j]+sj*w0, cj*w0-sj*l0[j]
		l1[j], w1 = cj*l1[j]+sj*w1, cj*w1-sj*l1[j]
		l2[j], w2 = cj*l2[j]+sj*w2, cj*w2-sj*l2[j]
		l3[j], w3 = cj*l3[j]+sj*w3, cj*w3-sj*l3[j]
	}
	w[0], w[1], w[2], w[3] = w0, w1, w2, w3
}

// Downdate changes A to A − x·xᵀ; x has length Len and is only read. When the
// result is not positive definite to working accuracy, the error is a *PivotError
// whose pivot is 1 − xᵀA⁻¹x and whose index is Len − 1, and the receiver is unchanged.
//
// It is the LINPACK algorithm (dchdd): with p = L⁻¹x and ρ² = 1 − ‖p‖², rotations
// that carry (p, ρ) to a unit vector carry [L 0] to [L' x]. It costs 3n² operations.
func (f *Factor) Downdate(x []float64) error {
	checkLen("vector", x, f.n)
	n := f.n
	f.w = slices.Grow(f.w[:0], 3*n)[:3*n]
	p, c, s := f.w[:n], f.w[n:2*n], f.w[2*n:]
	copy(p, x)
	rho2 := 1 - f.forward(p)
	if !(rho2 > float64(n)*0x1p-52) {
		return &PivotError{Index: n - 1, Pivot: rho2, Threshold: float64(n) * 0x1p-52}
	}
	rho := math.Sqrt(rho2)
	for i := n - 1; i >= 0; i-- {
		r := math.Hypot(rho, p[i])
		c[i], s[i] = rho/r, p[i]/r
		rho = r
	}
	for r := range n {
		l := f.Row(r)
		var t float64
		for j := r; j >= 0; j-- {
			t, l[j] = c[j]*t+s[j]*l[j], c[j]*l[j]-s[j]*t
		}
	}
	return nil
}

// Delete removes row and column i of A; later indices move down by one. It costs
// 2(n−i)² operations and a copy of the rows below i.
func (f *Factor) Delete(i int) {
	if uint(i) >= uint(f.n) {
		panic(fmt.Sprintf("cholupdate: index %d of a factor of order %d", i, f.n))
	}
	m := f.n - 1 - i
	f.w = slices.Grow(f.w[:0], 3*m)[:3*m]
	w := f.w[:m]
	for r := i + 1; r < f.n; r++ { // rows move up, columns after i move left
		from := f.Row(r)
		w[r-i-1] = from[i]
		to := f.l[(r-1)*f.ld : (r-1)*f.ld+r]
		copy(to, from[:i])
		copy(to[i:], from[i+1:])
	}
	f.n--
	f.rotateIn(i, w, f.w[m:])
}
