package learn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestScanned wants of a scanned problem what a problem says that was not scanned, with repeated samples and numbers
// that are not finite, on any number of threads; and nothing of another problem's features.
func TestScanned(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := &Problem{N: 1 + rng.IntN(40), D: rng.IntN(9), Resources: Resources{Threads: 1 + rng.IntN(3)}}
		if seed%20 == 0 { // more than one part
			p.D = 70000
		}
		p.X, p.Y = make([]float64, p.N*p.D), make([]float64, p.N)
		for i := range p.X {
			p.X[i] = float64(rng.IntN(3)) - 1
		}
		for i := range p.Y {
			p.Y[i] = float64(2*(i%2) - 1)
		}
		if len(p.X) > 0 && seed%3 == 0 {
			p.X[rng.IntN(len(p.X))] = []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1e300}[rng.IntN(4)]
		}
		q := p.Scanned()
		if (q.scanned() == nil) != (p.D == 0) || p.Known.scan != nil {
			t.Fatalf("seed %d: scan %v", seed, q.Known.scan)
		}
		a, b := p.Validate(), q.Validate()
		if (a == nil) != (b == nil) || a != nil && a.Error() != b.Error() {
			t.Errorf("seed %d: %v, scanned %v", seed, a, b)
		}
		if a, b := p.Largest(), q.Largest(); math.Float64bits(a) != math.Float64bits(b) {
			t.Errorf("seed %d: largest %v, scanned %v", seed, a, b)
		}
		if a != nil {
			continue
		}
		one, indices := p.Merge()
		two, scanned := q.Merge()
		if !slices.Equal(indices, scanned) || !slices.Equal(one.Weight, two.Weight) {
			t.Errorf("seed %d: merged %v %v, scanned %v %v", seed, indices, one.Weight, scanned, two.Weight)
		}
		other := *q
		other.X = slices.Clone(q.X)
		if p.D > 0 && other.scanned() != nil {
			t.Errorf("seed %d: the scan of other features", seed)
		}
	}
}
