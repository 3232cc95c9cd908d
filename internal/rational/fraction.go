package rational

import (
	"math/big"
	"math/bits"
)

// guard is by how many bits a fraction must be smaller than a random one would be.
const guard = 24

// certain is the size of a quotient after which no larger one is looked for. It is early where d is small.
const certain = 2 * guard

// fraction returns n/d ≡ v modulo m with d > 0 where n and d are together shorter than m by more than guard bits, or
// nils if there is no such fraction. It is the one before the largest quotient of Euclid's algorithm (Monagan, 2004),
// or before the first that is certain.
func fraction(v, m *big.Int) (n, d *big.Int) {
	e := &euclid{r0: new(big.Int).Set(m), r1: new(big.Int).Mod(v, m), t0: new(big.Int), t1: big.NewInt(1)}
	best, negative := guard, false
	for e.r1.Sign() != 0 {
		if x, ok := e.simulate(); ok {
			e.apply(x)
			continue
		}
		e.q.QuoRem(e.r0, e.r1, &e.spare)
		if k := e.q.BitLen(); k > best {
			best, negative = k, e.odd
			n, d = new(big.Int).Set(e.r1), new(big.Int).Set(e.t1)
			if k >= certain {
				break
			}
		}
		e.r0.Set(e.r1)
		e.r1.Set(&e.spare)
		e.t0.Add(e.t0, e.spare.Mul(&e.q, e.t1))
		e.t0, e.t1 = e.t1, e.t0
		e.odd = !e.odd
	}
	if n != nil && negative {
		n.Neg(n)
	}
	return n, d
}

// euclid is two consecutive remainders of Euclid's algorithm, and the sizes of the factors of v that they are modulo
// m. The signs of the factors alternate.
type euclid struct {
	r0, r1, t0, t1 *big.Int
	odd            bool // the factor t1 is negative
	q, spare       big.Int
}

// factorLimit keeps the factors of steps below half a word.
const factorLimit = 1 << (bits.UintSize/2 - 2)

// steps of Euclid's algorithm take (r0, r1) to ±(a·r0 − b·r1), ∓(c·r0 − d·r1), with the lower signs if their
// number is odd.
type steps struct {
	a, b, c, d uint64
	odd        bool
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
		if q >= 1<<(guard-1) || q > factorLimit/max(u2, v2, 1) {
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
	r0, r1 := aligned(e.r0, e.r1, 0)
	s.subtract(r0, r1)
	e.r0.SetBits(r0)
	e.r1.SetBits(r1)
	t0, t1 := aligned(e.t0, e.t1, 1)
	s.add(t0, t1)
	e.t0.SetBits(t0)
	e.t1.SetBits(t1)
	e.odd = e.odd != s.odd
}

// aligned returns the words of two numbers, of the same length, with zeros to spare.
func aligned(x, y *big.Int, spare int) (v, w []big.Word) {
	v, w = x.Bits(), y.Bits()
	n := max(len(v), len(w)) + spare
	for len(v) < n {
		v = append(v, 0)
	}
	for len(w) < n {
		w = append(w, 0)
	}
	return v, w
}

// subtract replaces x and y by ±(a·x − b·y) and ∓(c·x − d·y), which are not negative.
func (s *steps) subtract(x, y []big.Word) {
	var xCarry, yCarry uint
	for k := range x {
		v, w := uint(x[k]), uint(y[k])
		if s.odd {
			x[k], xCarry = difference(uint(s.b), w, uint(s.a), v, xCarry)
			y[k], yCarry = difference(uint(s.c), v, uint(s.d), w, yCarry)
		} else {
			x[k], xCarry = difference(uint(s.a), v, uint(s.b), w, xCarry)
			y[k], yCarry = difference(uint(s.d), w, uint(s.c), v, yCarry)
		}
	}
}

// difference returns a word of a·v − b·w + carry, and the carry to the next, which are signed.
func difference(a, v, b, w, carry uint) (word big.Word, next uint) {
	h, l := bits.Mul(a, v)
	h2, l2 := bits.Mul(b, w)
	l, c := bits.Sub(l, l2, 0)
	h, _ = bits.Sub(h, h2, c)
	l, c = bits.Add(l, carry, 0)
	return big.Word(l), h + uint(int(carry)>>(bits.UintSize-1)) + c
}

// add replaces x and y by a·x + b·y and c·x + d·y.
func (s *steps) add(x, y []big.Word) {
	var xCarry, yCarry uint
	for k := range x {
		v, w := uint(x[k]), uint(y[k])
		x[k], xCarry = sum(uint(s.a), v, uint(s.b), w, xCarry)
		y[k], yCarry = sum(uint(s.c), v, uint(s.d), w, yCarry)
	}
}

// sum returns a word of a·v + b·w + carry, and the carry to the next.
func sum(a, v, b, w, carry uint) (word big.Word, next uint) {
	h, l := bits.Mul(a, v)
	h2, l2 := bits.Mul(b, w)
	l, c := bits.Add(l, l2, 0)
	h += h2 + c
	l, c = bits.Add(l, carry, 0)
	return big.Word(l), h + c
}
