package simplex

import (
	"context"
	"math/rand/v2"
	"testing"
)

// TestViolationsChoose moves basic values of a program of several blocks, some of them to equal scores, and
// compares the choice with a look at all places.
func TestViolationsChoose(t *testing.T) {
	s := scattered(t, 1, 4*scoreBlock+scoreBlock/2)
	s.dualWeights.reset(context.Background())
	s.violations.compute()
	rng := rand.New(rand.NewPCG(1, 63))
	chosen := map[int]bool{}
	for range 3000 {
		place := int32(rng.IntN(len(s.basis.cover)))
		if v, _ := s.violations.choose(s.excluded); v >= 0 && rng.IntN(2) == 0 {
			place = s.basis.representation.(*factored).indices[v]
		}
		v := s.basis.cover[place]
		s.values.x[v] = max(s.program.lower[v], min(s.program.upper[v], 0))
		if rng.IntN(3) > 0 {
			s.values.x[v] = float64(rng.IntN(80) - 40)
		}
		s.violations.set(place)
		want, most := int32(-1), 0.0
		for _, v := range s.basis.cover {
			if e := s.values.beyond(v); e*e/s.dualWeights.weight[v] > most {
				want, most = v, e*e/s.dualWeights.weight[v]
			}
		}
		got, beyond := s.violations.choose(s.excluded)
		if got != want || got >= 0 && beyond != s.values.beyond(got) {
			t.Fatalf("variable %d, beyond its bound by %v, leaves, want %d", got, beyond, want)
		}
		if got >= 0 {
			chosen[int(s.basis.representation.(*factored).indices[got])/scoreBlock] = true
		}
	}
	if len(chosen) < 5 {
		t.Errorf("choices from %d blocks, want 5", len(chosen))
	}
}
