package rational

import (
	"context"
	"encoding/binary"
	"math/big"
)

// lifting finds the solution of A·x = b for integers, digit by digit in the base p (Dixon, 1982).
type lifting struct {
	field
	matrix   *integers
	solve    func(b []uint64) []uint64 // modulo p
	residual []uint64                  // of row i: words of them from i·stride, two's complement
	words    int                       // that the residuals need now
	stride   int
	bits     int        // |residuals| are below 2^bits
	digits   [][]uint64 // of x
	powers   []*big.Int // p^(leaf·2^k)
}

// newLifting begins with b, whose elements are below 2^size.
func newLifting(f field, a *integers, solve func([]uint64) []uint64, b []*big.Int, size int) *lifting {
	l := &lifting{field: f, matrix: a, solve: solve, bits: size}
	l.measure()
	l.stride = l.words
	l.residual = make([]uint64, l.stride*len(b))
	for i, v := range b {
		if v != nil {
			put(l.residual[i*l.stride:(i+1)*l.stride], v)
		}
	}
	return l
}

// put writes v in two's complement.
func put(words []uint64, v *big.Int) {
	b := make([]byte, 8*len(words))
	size := new(big.Int).Lsh(One, uint(8*len(b)))
	size.Mod(v, size).FillBytes(b)
	for k := range words {
		words[k] = binary.BigEndian.Uint64(b[8*(len(words)-1-k):])
	}
}

// measure sets the words that the residuals need while a product with a digit is taken from them.
func (l *lifting) measure() {
	l.words = (max(l.bits, l.matrix.sizeBits+digitBits) + 2 + 63) / 64
}

// step finds one more digit of all elements.
func (l *lifting) step() {
	n := l.matrix.n
	b := make([]uint64, n)
	for i := range b {
		b[i] = l.residue(l.residual[i*l.stride : i*l.stride+l.words])
	}
	x := l.solve(b)
	l.digits = append(l.digits, x)
	for i := range n {
		r := l.residual[i*l.stride : i*l.stride+l.words]
		l.matrix.subtract(r, i, x)
		l.divide(r)
	}
	// The digit is below p and the residual becomes (r − A·x)/p.
	l.bits = max(l.bits-digitBits+2, l.matrix.sizeBits+1)
	l.measure()
}

// leaf is the number of digits that are added one by one.
const leaf = 16

// modulus returns p to the number of digits.
func (l *lifting) modulus() *big.Int {
	e := new(big.Int).SetInt64(int64(len(l.digits)))
	return new(big.Int).Exp(new(big.Int).SetUint64(l.p), e, nil)
}

// element returns element j of the solution modulo p to the number of digits.
func (l *lifting) element(j int) *big.Int {
	d := make([]uint64, len(l.digits))
	for k := range d {
		d[k] = l.digits[k][j]
	}
	return l.assemble(d)
}

// assemble returns the number with the given digits, the lowest first.
func (l *lifting) assemble(d []uint64) *big.Int {
	x := new(big.Int)
	if len(d) <= leaf {
		p, v := new(big.Int).SetUint64(l.p), new(big.Int)
		for k := len(d) - 1; k >= 0; k-- {
			x.Mul(x, p)
			x.Add(x, v.SetUint64(d[k]))
		}
		return x
	}
	k := 0
	for leaf<<(k+1) < len(d) {
		k++
	}
	for len(l.powers) <= k {
		power := new(big.Int).SetUint64(l.p)
		if n := len(l.powers); n > 0 {
			power.Mul(l.powers[n-1], l.powers[n-1])
		} else {
			power.Exp(power, big.NewInt(leaf), nil)
		}
		l.powers = append(l.powers, power)
	}
	x.Mul(l.assemble(d[leaf<<k:]), l.powers[k])
	return x.Add(x, l.assemble(d[:leaf<<k]))
}

// run lifts until the solution num/den is found and proved. den is tried first; the one that it returns is a
// multiple of it if den is not enough.
func (l *lifting) run(ctx context.Context, size int, den *big.Int) (num []*big.Int, common *big.Int, err error) {
	enough := l.enough(size, den)
	for next := 2; ; {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		l.step()
		if len(l.digits) < next {
			continue
		}
		for _, d := range []*big.Int{den, One} {
			if num, common := l.reconstruct(size, d); num != nil {
				return num, common, nil
			}
			if den == One {
				break
			}
		}
		next += max(1, next/3)
		if l.matrix.n < manyRows {
			next = 2 * len(l.digits)
		}
		if next < enough && 2*next > enough {
			next = enough
		}
	}
}

// manyRows is the order from which on digits cost more than attempts to make fractions of them.
const manyRows = 64

// enough is the number of digits that a solution with a determinant of the largest size needs.
func (l *lifting) enough(size int, den *big.Int) int {
	det := l.matrix.detBits
	need := det + max(size, l.matrix.sizeBits)
	if den == One {
		need += det
	} else {
		need = max(need, size+den.BitLen())
	}
	return (need+2*guard+digitBits-1)/(digitBits-1) + 1
}

// reconstruct returns the solution over a multiple of den if the digits are enough to prove it: with
// numbers so small that A·num − den·b, which the digits make a multiple of the modulus, is smaller than that.
func (l *lifting) reconstruct(size int, den *big.Int) (num []*big.Int, common *big.Int) {
	modulus := l.modulus()
	half := new(big.Int).Rsh(modulus, 1)
	bits := modulus.BitLen()
	limit := bits - 2 - l.matrix.sizeBits
	num = make([]*big.Int, l.matrix.n)
	known := den != One // then other denominators are left to a later attempt
	for j := range num {
		v := l.element(j)
		if v.Sign() == 0 {
			continue
		}
		v.Mul(v, den)
		v.Mod(v, modulus)
		if v.Cmp(half) > 0 {
			v.Sub(v, modulus)
		}
		if v.BitLen() > limit-guard {
			if known {
				return nil, nil
			}
			n, d := fraction(v, modulus)
			if n == nil {
				return nil, nil
			}
			den = new(big.Int).Mul(den, d)
			for _, w := range num[:j] {
				if w != nil {
					w.Mul(w, d)
				}
			}
			v = n
		}
		num[j] = v
	}
	for _, v := range num {
		if v != nil && v.BitLen() > limit {
			return nil, nil
		}
	}
	if size+den.BitLen() > bits-2 {
		return nil, nil
	}
	return num, den
}
