package rational

import "math/big"

// guard is by how many bits a fraction must be smaller than a random one would be.
const guard = 24

// fraction returns n/d ≡ v modulo m with d > 0 where n and d are together shorter than m by more than guard bits, or
// nils if there is no such fraction. It is the one before the largest quotient of Euclid's algorithm (Monagan, 2004).
func fraction(v, m *big.Int) (n, d *big.Int) {
	r0, r1 := new(big.Int).Set(m), new(big.Int).Mod(v, m)
	t0, t1 := new(big.Int), big.NewInt(1)
	q, rest, product := new(big.Int), new(big.Int), new(big.Int)
	best := guard
	for r1.Sign() != 0 {
		q.QuoRem(r0, r1, rest)
		if k := q.BitLen(); k > best {
			best = k
			n, d = new(big.Int).Set(r1), new(big.Int).Set(t1)
		}
		r0, r1, rest = r1, rest, r0
		product.Mul(q, t1)
		t0.Sub(t0, product)
		t0, t1 = t1, t0
	}
	if n != nil && d.Sign() < 0 {
		n.Neg(n)
		d.Neg(d)
	}
	return n, d
}
