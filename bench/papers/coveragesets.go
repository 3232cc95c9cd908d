package main

import (
	"math"
	"math/rand/v2"

	"github.com/sparsekm/sparsekm/dataset"
)

// drawnSets are the problems of the coverage experiment, by name: n samples from a seed. The first ones chose the
// rule of the intervals, the others judge it.
var drawnSets = map[string]func(n int, seed uint64) *dataset.Set{
	"choose:pelegmeir": func(n int, seed uint64) *dataset.Set { return dataset.PelegMeir(n, 0.1, seed) },
	"choose:rings": func(n int, seed uint64) *dataset.Set {
		return samples(n, 4, 2, seed, func(x []float64, rng *rand.Rand) int {
			c := rng.IntN(2)
			r, norm := 1+0.46*rng.NormFloat64()+float64(c), 0.0
			for k := range x {
				x[k] = rng.NormFloat64()
				norm += x[k] * x[k]
			}
			for k := range x {
				x[k] *= r / math.Sqrt(norm)
			}
			return c
		})
	},
	"choose:shift": func(n int, seed uint64) *dataset.Set {
		return samples(n, 10, 2, seed, func(x []float64, rng *rand.Rand) int {
			c := rng.IntN(2)
			normal(x, rng, float64(c)*0.6, 1)
			return c
		})
	},
	// Two normal classes far apart: 3 % is the least error.
	"apart": func(n int, seed uint64) *dataset.Set {
		return samples(n, 5, 2, seed, func(x []float64, rng *rand.Rand) int {
			c := rng.IntN(2)
			normal(x, rng, 0, 1)
			x[0] += 2.66 * float64(c)
			x[1] += 2.66 * float64(c)
			return c
		})
	},
	// Four overlapping normal classes, of different size: a half, a quarter and two eighths of the samples.
	"four": func(n int, seed uint64) *dataset.Set {
		return samples(n, 3, 4, seed, func(x []float64, rng *rand.Rand) int {
			c := []int{0, 0, 0, 0, 1, 1, 2, 3}[rng.IntN(8)]
			normal(x, rng, 0, 1)
			if c > 0 {
				x[c-1] += 2.5
			}
			return c
		})
	},
	// One sample in seven is of the wide class.
	"rare": func(n int, seed uint64) *dataset.Set {
		return samples(n, 4, 2, seed, func(x []float64, rng *rand.Rand) int {
			if rng.IntN(7) == 0 {
				normal(x, rng, 0.8, 2)
				return 1
			}
			normal(x, rng, 0, 0.8)
			return 0
		})
	},
	// Three arms of a spiral.
	"spiral": func(n int, seed uint64) *dataset.Set {
		return samples(n, 2, 3, seed, func(x []float64, rng *rand.Rand) int {
			c := rng.IntN(3)
			r := 0.3 + 2.7*rng.Float64()
			sin, cos := math.Sincos(1.2*r + 2*math.Pi*float64(c)/3)
			x[0], x[1] = r*cos+0.25*rng.NormFloat64(), r*sin+0.25*rng.NormFloat64()
			return c
		})
	},
	// The odds of a class are linear in eight features: about 28 % is the least error.
	"odds": func(n int, seed uint64) *dataset.Set {
		return samples(n, 8, 2, seed, func(x []float64, rng *rand.Rand) int {
			normal(x, rng, 0, 1)
			if rng.Float64() < 1/(1+math.Exp(-x[0]-x[1]+0.5*x[2])) {
				return 1
			}
			return 0
		})
	},
	// A board of four fields, two features of noise, one label in twenty reversed.
	"board": func(n int, seed uint64) *dataset.Set {
		return samples(n, 4, 2, seed, func(x []float64, rng *rand.Rand) int {
			normal(x, rng, 0, 1)
			c := 0
			if (x[0] > 0) != (x[1] > 0) {
				c = 1
			}
			if rng.IntN(20) == 0 {
				c = 1 - c
			}
			return c
		})
	},
}

// samples draws n samples of d features; draw fills one in and returns its class.
func samples(n, d, classes int, seed uint64, draw func(x []float64, rng *rand.Rand) int) *dataset.Set {
	s := &dataset.Set{N: n, D: d, X: make([]float64, n*d), Labels: []string{"a", "b", "c", "d"}[:classes]}
	rng := dataset.NewRand(seed)
	for i := range n {
		s.Y = append(s.Y, draw(s.Row(i), rng))
	}
	return s
}

func normal(x []float64, rng *rand.Rand, mean, sd float64) {
	for k := range x {
		x[k] = mean + sd*rng.NormFloat64()
	}
}
