package rational

import "math/bits"

// field is the integers modulo a prime p < 2^60.
type field struct {
	p       uint64
	inverse uint64 // of p modulo 2^64
}

// digitBits is the size of the primes. Sums of 2^8 products of two residues fit into 128 bits.
const (
	digitBits = 60
	lazyTerms = 1 << 8
)

// primes are the largest below 2^60. A matrix that is singular modulo all of them counts as singular.
var primes = [...]uint64{1<<60 - 93, 1<<60 - 107, 1<<60 - 173}

func newField(p uint64) field {
	f := field{p: p, inverse: 1}
	for range 6 { // Newton's iteration doubles the correct bits
		f.inverse *= 2 - p*f.inverse
	}
	return f
}

func (f field) mul(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	_, r := bits.Div64(hi, lo, f.p)
	return r
}

func (f field) sub(a, b uint64) uint64 {
	if a < b {
		a += f.p
	}
	return a - b
}

// invert returns 1/a by Fermat's theorem, a ≠ 0.
func (f field) invert(a uint64) uint64 { return f.pow(a, f.p-2) }

// pow returns a^e.
func (f field) pow(a, e uint64) uint64 {
	r := uint64(1)
	for ; e > 0; e >>= 1 {
		if e&1 == 1 {
			r = f.mul(r, a)
		}
		a = f.mul(a, a)
	}
	return r
}

// dot returns xᵀy. The vectors have the same length.
func (f field) dot(x, y []uint64) uint64 {
	var hi, lo, carry uint64
	for len(x) > 0 {
		k := min(len(x), lazyTerms-1)
		for t, v := range x[:k] {
			h, l := bits.Mul64(v, y[t])
			lo, carry = bits.Add64(lo, l, 0)
			hi, _ = bits.Add64(hi, h, carry)
		}
		lo, hi = bits.Rem64(hi, lo, f.p), 0
		x, y = x[k:], y[k:]
	}
	return lo
}

// residue returns the value of a two's complement number modulo p.
func (f field) residue(words []uint64) uint64 {
	var r uint64
	negative := len(words) > 0 && int64(words[len(words)-1]) < 0
	for k := len(words) - 1; k >= 0; k-- {
		w := words[k]
		if negative {
			w = ^w
		}
		_, r = bits.Div64(r, w, f.p)
	}
	if negative { // words = −1 − r
		return f.sub(f.p-1, r)
	}
	return r
}

// divide replaces a two's complement multiple of p by its quotient.
func (f field) divide(words []uint64) {
	var borrow uint64
	for k, w := range words {
		d, b := bits.Sub64(w, borrow, 0)
		q := d * f.inverse
		words[k] = q
		hi, _ := bits.Mul64(q, f.p)
		borrow = hi + b
	}
}
