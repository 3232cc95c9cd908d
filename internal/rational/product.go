package rational

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
)

// productWords hold every sum of fewer than 2^90 products of finite float64 numbers: the lowest bit of a product is
// 2^productExp, and the highest is below 2^2048.
const (
	productExp   = -2148
	productWords = 67
)

// Products is a sum of products of float64 numbers, without rounding, overflow or underflow (Kulisch, 1976). The zero
// value is 0. It takes some ns a product, where a [Sum] takes some 100.
type Products struct {
	sums      [2][productWords]uint64 // of the positive products and of the others, in units of 2^productExp
	nonfinite bool
}

// Add adds a·b.
func (s *Products) Add(a, b float64) {
	x, y := math.Float64bits(a), math.Float64bits(b)
	ma, ea := mantissa(x)
	mb, eb := mantissa(y)
	if ea == 0x7ff || eb == 0x7ff {
		s.nonfinite = true
		return
	}
	hi, lo := bits.Mul64(ma, mb)
	if hi|lo == 0 {
		return
	}
	shift := ea + eb - 2
	w := s.sums[(x^y)>>63][shift/64:]
	shift %= 64
	var c uint64
	w[0], c = bits.Add64(w[0], lo<<shift, 0)
	w[1], c = bits.Add64(w[1], hi<<shift|lo>>(64-shift), c)
	w[2], c = bits.Add64(w[2], hi>>(64-shift), c)
	for k := 3; c != 0; k++ {
		w[k], c = bits.Add64(w[k], 0, c)
	}
}

// mantissa returns the integer m and the exponent e of |f| = m·2^(e−1075), e of 0x7ff for what is not finite.
func mantissa(f uint64) (m uint64, e uint) {
	m, e = f&(1<<52-1), uint(f>>52)&0x7ff
	if e == 0 {
		return m, 1
	}
	return m | 1<<52, e
}

// Number returns the sum, and whether all factors were finite.
func (s *Products) Number() (v Number, finite bool) {
	from, to := productWords, 0
	for k := range productWords {
		if s.sums[0][k]|s.sums[1][k] != 0 {
			from, to = min(from, k), k+1
		}
	}
	if from >= to {
		return Number{}, !s.nonfinite
	}
	above, below := integer(s.sums[0][from:to]), integer(s.sums[1][from:to])
	if above.Sub(above, below).Sign() == 0 {
		return Number{}, !s.nonfinite
	}
	return Number{Num: above, Den: One, Exp: productExp + 64*from}, !s.nonfinite
}

// integer returns the number whose words are given, the lowest first.
func integer(words []uint64) *big.Int {
	b := make([]byte, 8*len(words))
	for k, w := range words {
		binary.BigEndian.PutUint64(b[8*(len(words)-1-k):], w)
	}
	return new(big.Int).SetBytes(b)
}

// AtLeast returns the least float64 that is not below v.
func (v Number) AtLeast() float64 {
	exact := v.Rat()
	f, _ := exact.Float64() // it calls 0 exact for some numbers below the denormal ones
	switch {
	case math.IsInf(f, 1):
		return f
	case math.IsInf(f, -1):
		return -math.MaxFloat64
	case new(big.Rat).SetFloat64(f).Cmp(exact) < 0:
		return math.Nextafter(f, math.Inf(1))
	}
	return f
}
