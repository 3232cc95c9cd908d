package rational

import (
	"math/big"
	"math/bits"
)

// guard is by how many bits a fraction must be smaller than a random one would be.
const guard = 24

// fraction returns n/d ≡ v modulo m with d > 0 where n and d are together shorter than m by more than guard bits, or
// nils if there is no such fraction. It is the one before the largest quotient of Euclid's algorithm (Monagan, 2004).
func fraction(v, m *big.Int) (n, d *big.Int) {
	e := &euclid{r0: new(big.Int).Set(m), r1: new(big.Int).Mod(v, m), t0: new(big.Int), t1: big.NewInt(1)}
	best := guard
	for e.r1.Sign() != 0 {
		if x, ok := e.simulate(); ok {
			e.apply(x)
			continue
		}
		e.q.QuoRem(e.r0, e.r1, &e.spare)
		if k := e.q.BitLen(); k > best {
			best = k
			n, d = new(big.Int).Set(e.r1), new(big.Int).Set(e.t1)
		}
		e.r0.Set(e.r1)
		e.r1.Set(&e.spare)
		e.t0.Sub(e.t0, e.spare.Mul(&e.q, e.t1))
		e.t0, e.t1 = e.t1, e.t0
	}
	if n != nil && d.Sign() < 0 {
		n.Neg(n)
		d.Neg(d)
	}
	return n, d
}

// euclid is two consecutive remainders of Euclid's algorithm, and the factors of v that they are modulo m.
type euclid struct {
	r0, r1, t0, t1  *big.Int
	q, spare, other big.Int
}

// steps of Euclid's algorithm take (r0, r1) to ±(a·r0 − b·r1), ∓(c·r0 − d·r1), with the upper signs if even.
type steps struct {
	a, b, c, d uint64
	even       bool
}

// simulate finds the next quotients from the leading words alone (Lehmer, 1938, with the condition of Collins), as
// long as they are certain and small. It reports whether there are two or more.
func (e *euclid) simulate() (s steps, ok bool) {
	shift := e.r0.BitLen() - 64
	if shift < 0 || e.r0.BitLen()-e.r1.BitLen() >= guard {
		return s, false
	}
	x, y := top(e.r0, shift), top(e.r1, shift)
	u0, u1, u2, v0, v1, v2 := uint64(0), uint64(1), uint64(0), uint64(0), uint64(0), uint64(1)
	count := 0
	for y >= v2 && x-y >= v1+v2 {
		q := x / y
		if q >= 1<<(guard-1) || q > (1<<31)/max(u2, v2, 1) {
			break
		}
		x, y = y, x-q*y
		u0, u1, u2 = u1, u2, u1+q*u2
		v0, v1, v2 = v1, v2, v1+q*v2
		count++
	}
	return steps{u0, v0, u1, v1, count%2 == 0}, count >= 2 && v0 != 0
}

// top returns x/2^shift, rounded down, which is below 2^64.
func top(x *big.Int, shift int) uint64 {
	words := x.Bits()
	if bits.UintSize != 64 {
		return new(big.Int).Rsh(x, uint(shift)).Uint64()
	}
	k, r := shift/64, uint(shift%64)
	if k >= len(words) {
		return 0
	}
	v := uint64(words[k]) >> r
	if k+1 < len(words) && r > 0 {
		v |= uint64(words[k+1]) << (64 - r)
	}
	return v
}

// apply makes the steps.
func (e *euclid) apply(s steps) {
	e.combine(e.r0, e.r1, s)
	e.combine(e.t0, e.t1, s)
}

// combine replaces x and y.
func (e *euclid) combine(x, y *big.Int, s steps) {
	var f big.Int
	e.q.Mul(x, f.SetUint64(s.a))
	e.q.Sub(&e.q, e.spare.Mul(y, f.SetUint64(s.b)))
	e.other.Mul(x, f.SetUint64(s.c))
	e.other.Sub(&e.other, e.spare.Mul(y, f.SetUint64(s.d)))
	if s.even {
		x.Neg(&e.q)
		y.Set(&e.other)
	} else {
		x.Set(&e.q)
		y.Neg(&e.other)
	}
}
