package model

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// gradient of the cross entropy of p with Platt's targets, relative to the number of samples.
func plattGradient(p Platt, f []float64, pos []bool) (ga, gb float64) {
	np := 0.0
	for _, v := range pos {
		if v {
			np++
		}
	}
	n := float64(len(f))
	for i, v := range f {
		t := 1 / (n - np + 2)
		if pos[i] {
			t = (np + 1) / (np + 2)
		}
		d := t - 1/(1+math.Exp(p.A*v+p.B))
		ga, gb = ga+d*v/n, gb+d/n
	}
	return ga, gb
}

func TestFitPlatt(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, overlap := range []float64{0.1, 1, 10} { // nearly separated, ordinary, nearly useless
		for _, n := range []int{2, 3, 50, 1000} {
			f, pos := make([]float64, n), make([]bool, n)
			for i := range f {
				pos[i] = i%3 == 0
				f[i] = overlap * rng.NormFloat64()
				if pos[i] {
					f[i]++
				} else {
					f[i]--
				}
			}
			p, err := fitPlatt(t.Context(), f, pos, float64((n+2)/3))
			if err != nil {
				t.Fatal(err)
			}
			if ga, gb := plattGradient(p, f, pos); !(math.Abs(ga) <= 1e-8) || !(math.Abs(gb) <= 1e-8) {
				t.Errorf("overlap %v, %d samples: gradient %g, %g at A = %v, B = %v", overlap, n, ga, gb, p.A, p.B)
			}
		}
	}
	for _, same := range []float64{0, 1e-3, 0.7, -40, 1e6} { // every decision: the probability is the smoothed share
		p, err := fitPlatt(t.Context(), []float64{same, same, same}, []bool{true, false, false}, 1)
		if err != nil {
			t.Fatal(err)
		}
		testutil.Near(t, "of equal decisions", p.Probability(same), (2./3+2*1./4)/3, 1e-8)
	}
	for _, z := range []float64{-1e3, -1, 0, 1, 1e3} {
		if v := (Platt{A: 1}).Probability(z); !(v >= 0 && v <= 1) {
			t.Errorf("probability %v at %v", v, z)
		}
	}
}

func TestCalibrate(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, scheme := range schemes {
		parts := randomParts(rng, scheme, gram.RBF(0.3), 8, 2)
		c, err := New(parts)
		if err != nil {
			t.Fatal(err)
		}
		s := &dataset.Set{N: 60, D: 2, Labels: c.Labels()}
		for i := range s.N {
			s.X = append(s.X, rng.NormFloat64(), rng.NormFloat64())
			s.Y = append(s.Y, i%len(s.Labels))
		}
		got, err := c.Calibrate(s, 1)
		if err != nil {
			t.Fatalf("%v: %v", scheme, err)
		}
		p := got.Parts()
		if p.PlattStale || len(p.Platt) != len(p.Submodels) {
			t.Fatalf("%v: stale %v, %d pairs of parameters", scheme, p.PlattStale, len(p.Platt))
		}
		f := make([]float64, s.N*len(p.Submodels))
		c.DecideBatch(f, s.X, s.N, 1)
		for j, m := range p.Submodels {
			var fj []float64
			var pos []bool
			for i, y := range s.Y {
				if y == m.Pos || y == m.Neg || m.Neg == learn.Rest {
					fj = append(fj, f[i*len(p.Submodels)+j])
					pos = append(pos, y == m.Pos)
				}
			}
			if ga, gb := plattGradient(p.Platt[j], fj, pos); !(math.Abs(ga) <= 1e-8) || !(math.Abs(gb) <= 1e-8) {
				t.Errorf("%v, model %d: gradient %g, %g", scheme, j, ga, gb)
			}
		}
		ended, end := context.WithCancel(t.Context())
		end()
		if _, err := c.CalibrateOn(ended, s.Y, f); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: a context that has ended: error %v", scheme, err)
		}
		one := &dataset.Set{N: 2, D: 2, X: s.X[:4], Y: []int{0, 0}, Labels: s.Labels}
		if _, err := c.Calibrate(one, 1); err == nil || !strings.Contains(err.Error(), "want some of both") {
			t.Errorf("%v: samples of one class: error %v", scheme, err)
		}
		other := &dataset.Set{N: 1, D: 2, X: s.X[:2], Y: []int{0}, Labels: []string{"none such"}}
		if _, err := c.Calibrate(other, 1); err == nil || !strings.Contains(err.Error(), "does not know") {
			t.Errorf("%v: unknown label: error %v", scheme, err)
		}
	}
}
