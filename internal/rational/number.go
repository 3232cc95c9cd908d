package rational

import (
	"math"
	"math/big"
	"math/bits"
)

// Number is Num·2^Exp/Den. Num nil is 0; Den is positive. The numbers of one solution share their Den, and
// sums are fast where they do.
type Number struct {
	Num, Den *big.Int
	Exp      int
}

// One is the denominator of dyadic numbers.
var One = big.NewInt(1)

// OfFloat returns a finite f, exactly.
func OfFloat(f float64) Number {
	if f == 0 {
		return Number{}
	}
	mant, exp := split(f)
	return Number{Num: big.NewInt(mant), Den: One, Exp: exp}
}

// split returns the odd integer and the power of two that f is the product of.
func split(f float64) (mant int64, exp int) {
	frac, exp := math.Frexp(f)
	mant = int64(math.Ldexp(frac, 53))
	zeros := bits.TrailingZeros64(uint64(mant))
	return mant >> zeros, exp - 53 + zeros
}

// Sign returns −1, 0 or 1.
func (v Number) Sign() int {
	if v.Num == nil {
		return 0
	}
	return v.Num.Sign()
}

// Neg returns −v.
func (v Number) Neg() Number {
	if v.Num == nil {
		return v
	}
	return Number{Num: new(big.Int).Neg(v.Num), Den: v.Den, Exp: v.Exp}
}

// Float64 returns a float64 with v's sign whose relative error is below 2^-50 within the range of normal numbers. A v
// outside of it becomes the smallest or largest number of its sign.
func (v Number) Float64() float64 {
	sign := v.Sign()
	if sign == 0 {
		return 0
	}
	num, numExp := leading(v.Num)
	den, denExp := leading(v.Den)
	f := math.Ldexp(num/den, numExp-denExp+v.Exp)
	f = max(math.SmallestNonzeroFloat64, min(math.MaxFloat64, f))
	return math.Copysign(f, float64(sign))
}

// leading returns |x| as frac·2^exp, frac with a relative error below 2^-51.
func leading(x *big.Int) (frac float64, exp int) {
	words := x.Bits()
	const size = bits.UintSize
	for k := len(words) - 1; k >= max(0, len(words)-1-64/size); k-- {
		frac = math.Ldexp(frac, size) + float64(words[k])
		exp = k * size
	}
	return frac, exp
}

// Rat returns v in lowest terms.
func (v Number) Rat() *big.Rat {
	r := new(big.Rat)
	if v.Num == nil {
		return r
	}
	num, den := v.Num, v.Den
	if v.Exp >= 0 {
		num = new(big.Int).Lsh(num, uint(v.Exp))
	} else {
		den = new(big.Int).Lsh(den, uint(-v.Exp))
	}
	return r.SetFrac(num, den)
}

// Sum adds products exactly. The zero value is 0.
type Sum struct {
	parts               []partialSum
	factor, term, spare big.Int // scratch
}

// partialSum is num·2^exp/den.
type partialSum struct {
	num big.Int
	den *big.Int
	exp int
}

// Reset makes the sum 0.
func (s *Sum) Reset() { s.parts = s.parts[:0] }

// Add adds a·v, a finite.
func (s *Sum) Add(a float64, v Number) {
	if a == 0 || v.Sign() == 0 {
		return
	}
	mant, exp := split(a)
	s.term.Mul(v.Num, s.factor.SetInt64(mant))
	s.part(v.Den).add(&s.term, exp+v.Exp, &s.spare)
}

// AddProduct adds v·w.
func (s *Sum) AddProduct(v, w Number) {
	if v.Sign() == 0 || w.Sign() == 0 {
		return
	}
	den := v.Den
	switch {
	case den.Cmp(One) == 0:
		den = w.Den
	case w.Den.Cmp(One) != 0:
		den = new(big.Int).Mul(v.Den, w.Den)
	}
	s.term.Mul(v.Num, w.Num)
	s.part(den).add(&s.term, v.Exp+w.Exp, &s.spare)
}

// part returns the part with a denominator.
func (s *Sum) part(den *big.Int) *partialSum {
	for i := range s.parts {
		if s.parts[i].den == den {
			return &s.parts[i]
		}
	}
	if len(s.parts) < cap(s.parts) { // with the memory of an earlier number
		s.parts = s.parts[:len(s.parts)+1]
	} else {
		s.parts = append(s.parts, partialSum{})
	}
	p := &s.parts[len(s.parts)-1]
	p.num.SetInt64(0)
	p.den = den
	return p
}

// add adds term·2^exp to the numerator.
func (p *partialSum) add(term *big.Int, exp int, spare *big.Int) {
	switch {
	case p.num.Sign() == 0:
		p.num.Set(term)
		p.exp = exp
	case exp < p.exp:
		p.num.Add(spare.Lsh(&p.num, uint(p.exp-exp)), term)
		p.exp = exp
	case exp > p.exp:
		p.num.Add(&p.num, spare.Lsh(term, uint(exp-p.exp)))
	default:
		p.num.Add(&p.num, term)
	}
}

// Number returns the sum. It shares nothing with s.
func (s *Sum) Number() Number {
	total := partialSum{den: One}
	for i := range s.parts {
		p := &s.parts[i]
		if p.num.Sign() == 0 {
			continue
		}
		num := new(big.Int).Set(&p.num)
		if p.den.Cmp(total.den) != 0 {
			rest := new(big.Int).GCD(nil, nil, p.den, total.den)
			rest.Div(p.den, rest) // what total's denominator lacks
			factor := new(big.Int).Mul(total.den, rest)
			num.Mul(num, new(big.Int).Div(factor, p.den))
			total.num.Mul(&total.num, rest)
			total.den = factor
		}
		total.add(num, p.exp, new(big.Int))
	}
	if total.num.Sign() == 0 {
		return Number{}
	}
	return Number{Num: &total.num, Den: total.den, Exp: total.exp}
}
