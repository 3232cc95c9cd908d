package simplex

import "math"

// addMul does dst += v·x over len(x) elements.
func addMul(dst []float64, v float64, x []float64) {
	dst = dst[:len(x)]
	for i, a := range x {
		dst[i] += v * a
	}
}

// addMul4 does dst += v[0]·x0 + v[1]·x1 + v[2]·x2 + v[3]·x3 over len(dst) elements.
func addMul4(dst []float64, v *[4]float64, x0, x1, x2, x3 []float64) {
	x0, x1, x2, x3 = x0[:len(dst)], x1[:len(dst)], x2[:len(dst)], x3[:len(dst)]
	for i := range dst {
		dst[i] += v[0]*x0[i] + v[1]*x1[i] + v[2]*x2[i] + v[3]*x3[i]
	}
}

// dot returns Σ x_i·y_i over len(x) elements.
func dot(x, y []float64) (s float64) {
	y = y[:len(x)]
	for i, v := range x {
		s += v * y[i]
	}
	return s
}

// finite reports whether every element is a number of finite size.
func finite(x []float64) bool {
	for _, v := range x {
		if math.IsNaN(v - v) {
			return false
		}
	}
	return true
}

// gang gathers scaled vectors and adds them to a target four at a time, so that
// the target is read and written once for four of them.
type gang struct {
	n int
	v [4]float64
	x [4][]float64
}

func (g *gang) add(dst []float64, v float64, x []float64) {
	g.v[g.n], g.x[g.n] = v, x
	if g.n++; g.n == 4 {
		addMul4(dst[:len(x)], &g.v, g.x[0], g.x[1], g.x[2], g.x[3])
		g.n = 0
	}
}

func (g *gang) flush(dst []float64) {
	for i := range g.n {
		addMul(dst, g.v[i], g.x[i])
	}
	g.n = 0
}
