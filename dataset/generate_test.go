package dataset

import (
	"math"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// best is the error of the rule that classifies as the problem's definition says is best.
func bestError(s *Set, positive func(x []float64) bool) float64 {
	wrong := 0
	for i, c := range s.Y {
		if positive(s.Row(i)) != (c == 1) {
			wrong++
		}
	}
	return float64(wrong) / float64(s.N)
}

func phi(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// Each two-class generator must have the Bayes error that its definition implies.
func TestGeneratorsHaveTheirBayesError(t *testing.T) {
	const n = 200000
	sum := func(x []float64) (t float64) {
		for _, v := range x {
			t += v
		}
		return t
	}
	a := 2 / math.Sqrt(20)
	ring := func(x []float64) bool { // log of the ratio of the densities
		var wide, narrow float64
		for _, v := range x {
			wide += v * v / 4
			narrow += (v - a) * (v - a)
		}
		return wide+20*math.Log(4) < narrow
	}
	for _, tt := range []struct {
		name     string
		s        *Set
		positive func(x []float64) bool
		want     float64
	}{
		{"twonorm", Twonorm(n, 1), func(x []float64) bool { return sum(x) > 0 }, phi(-2)},
		{"ringnorm", Ringnorm(n, 1), ring, 0.01244}, // Monte Carlo over 10⁷ samples of the seeds 100 to 199
		{"suykens 2", TwoGaussians(n, .5, .25, 0, 1), func(x []float64) bool { return sum(x) > 0 }, phi(-math.Sqrt2)},
		{"suykens flipped", TwoGaussians(n, .3, .25, n/10, 1), func(x []float64) bool { return sum(x) > 0 }, .1 + .8*phi(-.6*math.Sqrt2)},
	} {
		got := bestError(tt.s, tt.positive)
		if se := math.Sqrt(tt.want * (1 - tt.want) / n); !testutil.Within(got, tt.want, 4*se) {
			t.Errorf("%s: best error %.5f, want %.5f ± %.5f", tt.name, got, tt.want, se)
		}
		if c := tt.s.Counts(); !testutil.Within(float64(c[0]), n/2, 4*math.Sqrt(n)/2) {
			t.Errorf("%s: %d samples of the first class", tt.name, c[0])
		}
	}
}

func TestPelegMeirMoments(t *testing.T) {
	const n = 200000
	s := PelegMeir(n, 0, 3)
	var xx, xy, yy float64
	for i, c := range s.Y {
		m := float64(2*c - 1)
		u, v := s.Row(i)[0]-m, s.Row(i)[1]-m
		xx, xy, yy = xx+u*u/n, xy+u*v/n, yy+v*v/n
	}
	// The covariance VDVᵀ has trace 1 + 2 and determinant 1 · 2.
	if trace, det := xx+yy, xx*yy-xy*xy; !testutil.Within(trace, 3, .03) || !testutil.Within(det, 2, .05) {
		t.Errorf("covariance of trace %.3f and determinant %.3f, want 3 and 2", trace, det)
	}
	flipped, flips := PelegMeir(n, .25, 3), 0
	for i := range s.Y {
		if s.Y[i] != flipped.Y[i] {
			flips++
		}
	}
	if !slices.Equal(s.X, flipped.X) || !testutil.Within(float64(flips)/n, .25, .005) {
		t.Errorf("%d labels of %d flipped, samples equal: %v", flips, n, slices.Equal(s.X, flipped.X))
	}
}

func TestWaveformMeans(t *testing.T) {
	s := Waveform(30000, 2)
	sums := make([][21]float64, 3)
	for i, c := range s.Y {
		for k, v := range s.Row(i) {
			sums[c][k] += v
		}
	}
	tri := func(peak, k int) float64 { return math.Max(6-math.Abs(float64(k-peak)), 0) }
	pairs := [3][2]int{{7, 15}, {7, 11}, {15, 11}}
	for c, n := range s.Counts() {
		for k := range 21 {
			want := (tri(pairs[c][0], k+1) + tri(pairs[c][1], k+1)) / 2
			if got := sums[c][k] / float64(n); !testutil.Within(got, want, .1) {
				t.Errorf("class %d, feature %d: mean %.3f, want %.3f", c, k, got, want)
			}
		}
	}
}
