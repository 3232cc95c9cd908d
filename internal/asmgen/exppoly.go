package main

import "math/big"

const precision = 300 // bits; the printed numbers have at most 53

func number(v float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(v) }

func add(x, y *big.Float) *big.Float { return number(0).Add(x, y) }
func sub(x, y *big.Float) *big.Float { return number(0).Sub(x, y) }
func mul(x, y *big.Float) *big.Float { return number(0).Mul(x, y) }
func quo(x, y *big.Float) *big.Float { return number(0).Quo(x, y) }

// series is Σ_{i ≥ 0} t_i with t_0 given and t_{i+1} = t_i·ratio(i).
func series(t *big.Float, ratio func(i float64) *big.Float) *big.Float {
	s := number(0)
	for i := 0.0; i < 400; i++ {
		s, t = add(s, t), mul(t, ratio(i))
	}
	return s
}

// ln2 is 2·artanh(1/3).
func ln2() *big.Float {
	return series(quo(number(2), number(3)), func(i float64) *big.Float {
		return quo(number(2*i+1), number(9*(2*i+3)))
	})
}

// pi is 6·arcsin(1/2).
func pi() *big.Float {
	return series(number(3), func(i float64) *big.Float {
		return quo(number((2*i+1)*(2*i+1)), number(4*(2*i+2)*(2*i+3)))
	})
}

func cos(x *big.Float) *big.Float {
	x2 := mul(x, x)
	return series(number(1), func(i float64) *big.Float { return quo(x2, number(-(2*i+1)*(2*i+2))) })
}

// remainder is (e^r − 1 − r)/r², the function that the polynomial stands for.
func remainder(r *big.Float) *big.Float {
	return series(number(0.5), func(i float64) *big.Float { return quo(r, number(i+3)) })
}

// interpolate returns the coefficients, lowest power first, of the polynomial that
// meets f in the n Chebyshev points of |r| ≤ radius: Newton's divided differences,
// multiplied out.
func interpolate(f func(*big.Float) *big.Float, radius *big.Float, n int) []*big.Float {
	x, c := make([]*big.Float, n), make([]*big.Float, n)
	for i := range x {
		x[i] = mul(radius, cos(quo(mul(pi(), number(float64(2*i+1))), number(float64(2*n)))))
		c[i] = f(x[i])
	}
	for k := 1; k < n; k++ {
		for i := n - 1; i >= k; i-- {
			c[i] = quo(sub(c[i], c[i-1]), sub(x[i], x[i-k]))
		}
	}
	p := make([]*big.Float, n)
	for i := range p {
		p[i] = number(0)
	}
	for k := n - 1; k >= 0; k-- { // p·(r − x_k) + c_k
		for i := n - 1; i > 0; i-- {
			p[i] = sub(p[i-1], mul(p[i], x[k]))
		}
		p[0] = sub(c[k], mul(p[0], x[k]))
	}
	return p
}
