package dense

import "math"

// Doubled is a sum in about twice the precision of a float64: Hi, and Lo for its rounding errors (Ogita, Rump and
// Oishi, SIAM J. Sci. Comput. 26(6), 2005, Algorithm 5.3, Dot2). It serves where the terms of an equation cancel.
type Doubled struct{ Hi, Lo float64 }

// Add adds x.
func (d *Doubled) Add(x float64) {
	s := d.Hi + x
	t := s - d.Hi
	d.Lo += (d.Hi - (s - t)) + (x - t)
	d.Hi = s
}

// AddProduct adds x y.
func (d *Doubled) AddProduct(x float64, y Doubled) {
	p := float64(x * y.Hi) // the conversion rounds: it prevents fusing with the following sum
	d.Lo += math.FMA(x, y.Hi, -p) + x*y.Lo
	d.Add(p)
}

// Times is x times the sum.
func (d Doubled) Times(x float64) (p Doubled) {
	p.AddProduct(x, d)
	return p
}

// Value is the sum, rounded once.
func (d Doubled) Value() float64 { return d.Hi + d.Lo }

// Plus is the sum of both, its rounded value as Hi.
func (d Doubled) Plus(e Doubled) Doubled {
	d.Add(e.Hi)
	d.Lo += e.Lo
	value := d.Value()
	return Doubled{value, d.Lo - (value - d.Hi)}
}

// Over is the quotient of both.
func (d Doubled) Over(e Doubled) Doubled {
	q := d.Hi / e.Hi
	d.AddProduct(-q, e)
	return Doubled{q, d.Value() / e.Hi}
}
