package dataset

import (
	"math"
	"math/rand/v2"
)

// The generators draw all their points from one stream: for a training and a
// test part of the same problem, draw once and split.

// twoClass draws n points of d features with fair labels −1 and +1.
func twoClass(n, d int, seed uint64, draw func(x []float64, positive bool, rnd *rand.Rand)) *Set {
	s := &Set{X: make([]float64, n*d), N: n, D: d, Y: make([]int, n), Labels: []string{"-1", "1"}}
	rnd := NewRand(seed)
	for i := range n {
		s.Y[i] = rnd.IntN(2)
		draw(s.Row(i), s.Y[i] == 1, rnd)
	}
	return s
}

// Twonorm is Breiman's (Arcing classifiers, Annals of Statistics 26, 1998) problem
// of two unit normal distributions in 20 dimensions with means ±(a, …, a),
// a = 2/√20. The best error is Φ(−2) = 2.28 %.
func Twonorm(n int, seed uint64) *Set {
	a := 2 / math.Sqrt(20)
	return twoClass(n, 20, seed, func(x []float64, positive bool, rnd *rand.Rand) {
		for k := range x {
			x[k] = rnd.NormFloat64() - a
			if positive {
				x[k] += 2 * a
			}
		}
	})
}

// Ringnorm is Breiman's (1998) problem of a wide normal distribution, N(0, 4I), class +1,
// around a narrow one, N((a, …, a), I), class −1, in 20 dimensions. The best error is 1.24 %. Breiman has
// a = 1/√20; the DELVE and IDA benchmarks, like this function, have a = 2/√20.
func Ringnorm(n int, seed uint64) *Set {
	a := 2 / math.Sqrt(20)
	return twoClass(n, 20, seed, func(x []float64, wide bool, rnd *rand.Rand) {
		for k := range x {
			if wide {
				x[k] = 2 * rnd.NormFloat64()
			} else {
				x[k] = a + rnd.NormFloat64()
			}
		}
	})
}

// Waveform is the three-class problem of Breiman, Friedman, Olshen and Stone
// (Classification and Regression Trees, 1984, section 2.6.2): 21 features, each class a random convex
// combination of two of three triangular waves, plus unit normal noise. The best error is about 14 %.
func Waveform(n int, seed uint64) *Set {
	wave := func(peak, k int) float64 { return math.Max(6-math.Abs(float64(k-peak)), 0) }
	peaks := [3]int{7, 15, 11} // h1(k), h2(k) = h1(k−4), h3(k) = h1(k+4) in some order, k from 1
	pairs := [3][2]int{{0, 1}, {0, 2}, {1, 2}}
	s := &Set{X: make([]float64, n*21), N: n, D: 21, Y: make([]int, n), Labels: []string{"1", "2", "3"}}
	rnd := NewRand(seed)
	for i := range n {
		s.Y[i] = rnd.IntN(3)
		pair, u := pairs[s.Y[i]], rnd.Float64()
		for k := range s.Row(i) {
			a, b := wave(peaks[pair[0]], k+1), wave(peaks[pair[1]], k+1)
			s.Row(i)[k] = float64(u*a) + float64((1-u)*b) + rnd.NormFloat64()
		}
	}
	return s
}

// TwoGaussians is the example of Suykens et al. (2000), section 4: n/2 points a
// class in the plane with means ±(mu, mu) and covariance variance·I. The paper has n = 500,
// variance 0.25 and mu = 0.5 (its Fig. 2) or 0.3 (Fig. 4); Fig. 3 is Fig. 2 with
// flips = 10 points of the wrong label, drawn at random. The best error is Φ(−mu√2/√variance).
func TwoGaussians(n int, mu, variance float64, flips int, seed uint64) *Set {
	s := &Set{X: make([]float64, n*2), N: n, D: 2, Y: make([]int, n), Labels: []string{"-1", "1"}}
	rnd, sd := NewRand(seed), math.Sqrt(variance)
	for i := range n {
		m := -mu
		if i >= n/2 {
			s.Y[i], m = 1, mu
		}
		s.X[2*i], s.X[2*i+1] = m+float64(sd*rnd.NormFloat64()), m+float64(sd*rnd.NormFloat64())
	}
	for _, i := range rnd.Perm(n)[:flips] {
		s.Y[i] = 1 - s.Y[i]
	}
	return s
}

// PelegMeir is the synthetic problem of Peleg & Meir (2009), section 3.1: two fair
// classes in the plane, x|y ~ N(y(1, 1), VDVᵀ) with D = diag(1, 2) and V a
// random rotation; each label is then reversed with probability flip (the paper has 0.2 and 0.25).
func PelegMeir(n int, flip float64, seed uint64) *Set {
	sin, cos := math.Sincos(2 * math.Pi * stream(seed, 1).Float64())
	s := twoClass(n, 2, seed, func(x []float64, positive bool, rnd *rand.Rand) {
		u, v := rnd.NormFloat64(), float64(math.Sqrt2*rnd.NormFloat64())
		m := -1.0
		if positive {
			m = 1
		}
		x[0], x[1] = m+float64(cos*u)-float64(sin*v), m+float64(sin*u)+float64(cos*v)
	})
	rnd := stream(seed, 2)
	for i := range s.Y {
		if rnd.Float64() < flip {
			s.Y[i] = 1 - s.Y[i]
		}
	}
	return s
}

// regression draws n points of d features and a value each.
func regression(n, d int, seed uint64, draw func(x []float64, rnd *rand.Rand) float64) *Set {
	s := &Set{X: make([]float64, n*d), N: n, D: d, Targets: make([]float64, n)}
	rnd := NewRand(seed)
	for i := range n {
		s.Targets[i] = draw(s.Row(i), rnd)
	}
	return s
}

// Sinc is the example of Tipping (2001), section 4.1: sin(x)/x of x drawn evenly from [−10, 10], plus normal noise of
// the given standard deviation, 0.1 in the paper.
func Sinc(n int, noise float64, seed uint64) *Set {
	return regression(n, 1, seed, func(x []float64, rnd *rand.Rand) float64 {
		x[0] = 20*rnd.Float64() - 10
		y := 1.0
		if x[0] != 0 {
			y = math.Sin(x[0]) / x[0]
		}
		return y + float64(noise*rnd.NormFloat64())
	})
}

// Friedman is one of the three problems of Friedman (Multivariate adaptive regression splines, Annals of Statistics 19,
// 1991, section 4); problem is 1, 2 or 3. The first has five features that matter and five that do not, all from
// [0, 1]; the others are the impedance and the phase of a circuit. Normal noise of the given standard deviation is
// added.
func Friedman(problem, n int, noise float64, seed uint64) *Set {
	d, f := 4, circuit
	switch problem {
	case 1:
		d, f = 10, func(x []float64) float64 {
			a := x[2] - 0.5
			return float64(10*math.Sin(math.Pi*x[0]*x[1])) + float64(20*a*a) + float64(10*x[3]) + float64(5*x[4])
		}
	case 3:
		f = func(x []float64) float64 { return math.Atan(reactance(x) / x[0]) }
	}
	return regression(n, d, seed, func(x []float64, rnd *rand.Rand) float64 {
		for k := range x {
			x[k] = rnd.Float64()
		}
		if problem != 1 {
			x[0], x[1] = 100*x[0], math.Pi*(40+float64(520*x[1]))
			x[3] = 1 + float64(10*x[3])
		}
		return f(x) + float64(noise*rnd.NormFloat64())
	})
}

// circuit is √(R² + (ωL − 1/(ωC))²) of x = (R, ω, L, C).
func circuit(x []float64) float64 { return math.Hypot(x[0], reactance(x)) }

func reactance(x []float64) float64 { return float64(x[1]*x[2]) - 1/(x[1]*x[3]) }
