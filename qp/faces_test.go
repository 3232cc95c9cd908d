package qp

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// exact is v as a number whose sums and products do not round.
func exact(v float64) *big.Float { return new(big.Float).SetPrec(6000).SetFloat64(v) }

// exactProjection is the sum of z's largest k elements less the total, divided by k, for the last k that it is below.
func exactProjection(z []float64, total float64) []*big.Float {
	sorted := slices.Sorted(slices.Values(z))
	slices.Reverse(sorted)
	sum, shift := exact(-total), exact(0)
	for k, v := range sorted {
		sum.Add(sum, exact(v))
		next := new(big.Float).Quo(sum, exact(float64(k+1)))
		if next.Cmp(exact(v)) >= 0 {
			break
		}
		shift = next
	}
	x := make([]*big.Float, len(z))
	for i, v := range z {
		if x[i] = exact(v); x[i].Sub(x[i], shift).Sign() < 0 {
			x[i] = exact(0)
		}
	}
	return x
}

// exactIsotonic pools by literal means.
func exactIsotonic(y, weights []float64) []*big.Float {
	type sums struct {
		values, weight *big.Float
		count          int
	}
	mean := func(s sums) *big.Float { return new(big.Float).Quo(s.values, s.weight) }
	var pools []sums
	for i, v := range y {
		w := exact(weights[i])
		pools = append(pools, sums{exact(v).Mul(exact(v), w), w, 1})
		for k := len(pools) - 1; k > 0 && mean(pools[k-1]).Cmp(mean(pools[k])) >= 0; k-- {
			p, q := pools[k-1], pools[k]
			pools = append(pools[:k-1], sums{p.values.Add(p.values, q.values), p.weight.Add(p.weight, q.weight), p.count + q.count})
		}
	}
	var x []*big.Float
	for _, p := range pools {
		for range p.count {
			x = append(x, mean(p))
		}
	}
	return x
}

// within wants x to be want, but for part of it and least.
func within(t *testing.T, what string, x, want *big.Float, part, smallest float64) {
	t.Helper()
	off, _ := new(big.Float).Sub(x, want).Float64()
	size, _ := want.Float64()
	if !(math.Abs(off) <= part*math.Abs(size)+smallest) {
		t.Errorf("%s is %.17g, want %.17g", what, x, want)
	}
}

// wantProjection compares with exact arithmetic, the sum too.
func wantProjection(t *testing.T, z []float64, total float64) {
	t.Helper()
	x := slices.Clone(z)
	if err := ProjectSimplex(x, total); err != nil {
		t.Fatal(err)
	}
	sum := exact(0)
	for i, want := range exactProjection(z, total) {
		within(t, "element of a projection", exact(x[i]), want, 0x1.01p-53, 1e-31*total+5e-324)
		if sum.Add(sum, exact(x[i])); !(x[i] >= 0) {
			t.Errorf("element %d is %v", i, x[i])
		}
	}
	within(t, "sum", sum, exact(total), 1e-15, 5e-324*float64(len(z)))
}

func wantIsotonic(t *testing.T, y, weights []float64) {
	t.Helper()
	x, largest, ones := slices.Clone(y), 0.0, weights
	if err := Isotonic(x, weights); err != nil {
		t.Fatal(err)
	}
	if weights == nil {
		ones = constant(len(y), 1)
	}
	for i, want := range exactIsotonic(y, ones) {
		if largest = max(largest, math.Abs(y[i])); i > 0 && !(x[i] >= x[i-1]) {
			t.Errorf("%v falls to %v", x[i-1], x[i])
		}
		within(t, "element of an isotonic fit", exact(x[i]), want, 0x1.01p-53, 1e-29*largest+5e-323)
	}
}

// TestFacesScales holds both against exact arithmetic at every scale, and at several in one vector.
func TestFacesScales(t *testing.T) {
	const huge = math.MaxFloat64
	for _, z := range [][]float64{{1e17}, {1e16, 0}, {1e16, 1e16}, {1e10, 0}, {-1e17, -1e17}, {1e300, 1e300}, {huge, -huge},
		{0, 0.5, 1}, {0.1, 0.2, 0.3, 0.4, 0.5}, {1.36762051e8, 1.59594639e8}, {-5, -6, 3, 4}, {5e-324, 0}, {huge, huge, 1}} {
		for _, total := range []float64{1, 0.14, 1e-300, 1e150, 5e-324, huge} {
			wantProjection(t, z, total)
		}
	}
	for _, y := range [][]float64{{huge, huge / 2}, {1e308, 1e308, -1e308}, {huge, -huge}, {1e17, 1, -1e17}, {5e-324, 0},
		{2e-310, 1e-310, 1e308}, {huge, huge, huge, -huge}, {3, 1}, {}} {
		wantIsotonic(t, y, nil)
	}
	wantIsotonic(t, []float64{1, -1e308, 7}, []float64{1e-100, 1e100, 1})
	wantIsotonic(t, []float64{2, 1, 0}, []float64{huge, huge, huge})
	wantIsotonic(t, []float64{2, 1}, []float64{5e-324, 1e-323})
	if err := Isotonic([]float64{2, 1}, []float64{1e-300, 1e300}); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
	rng := rand.New(rand.NewPCG(50, 1))
	for range 300 {
		n := 1 + rng.IntN(12)
		z, weights := normal(rng, n), make([]float64, n)
		scale, spread := 300*(2*rng.Float64()-1), []float64{0, 3, 200}[rng.IntN(3)]
		for i := range z {
			z[i] *= math.Pow(10, max(-300, min(300, scale+spread*(rng.Float64()-0.5))))
			weights[i] = math.Pow(10, 6*rng.Float64()-3+scale/3)
		}
		wantIsotonic(t, z, weights)
		wantProjection(t, z, math.Pow(10, scale/2))
		wantProjection(t, z, math.Pow(10, max(-300, min(300, scale+4*rng.Float64()-2))))
	}
}

// FuzzFaces wants an error or the invariants: the sum, the order, and that doing it again changes nothing.
func FuzzFaces(f *testing.F) {
	f.Add(1e17, 0.0, -1e17, 1.0)
	f.Add(math.MaxFloat64, -math.MaxFloat64, 5e-324, 1e-300)
	f.Fuzz(func(t *testing.T, a, b, c, total float64) {
		z := []float64{a, b, c}
		if ProjectSimplex(slices.Clone(z), total) == nil {
			wantProjection(t, z, total)
		}
		if Isotonic(z, nil) == nil {
			again := slices.Clone(z)
			if err := Isotonic(again, nil); err != nil || !slices.IsSorted(z) || !slices.Equal(z, again) {
				t.Error(z, again, err)
			}
		}
	})
}
