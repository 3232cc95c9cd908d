package simplex

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// exactWeight is ‖e_vᵀB⁻¹‖² by the literal inverse.
func (l *literal) exactWeight(v int32) (sum float64) {
	for _, x := range l.row(v) {
		sum += x * x
	}
	return sum
}

// TestDualWeights holds steepest-edge weights against the exact ones: after a reset
// of a random basis, and after every one of the pivots that follow.
func TestDualWeights(t *testing.T) {
	var drift float64
	for seed := range uint64(10) {
		s := mixed(t, seed, 20)
		w := s.dualWeights
		w.reset(context.Background())
		check := func(tol float64) {
			t.Helper()
			l := newLiteral(t, s)
			for v := range l.numbers {
				exact := max(l.exactWeight(v), minWeight)
				drift = max(drift, math.Abs(w.weight[v]-exact)/exact)
				testutil.Near(t, "weight over the exact one", w.weight[v]/exact, 1, tol)
			}
		}
		check(1e-10)
		rng := rand.New(rand.NewPCG(seed, 24))
		for range 40 {
			if e, ok := randomExchange(s, rng); ok {
				w.begin(e.row)
				s.basis.ftran(w.tau)
				w.update(e)
				s.pivot(e, 0, AtLower)
				check(1e-6)
			}
		}
		if w.followed < 10 {
			t.Errorf("%d exchanges: too few to tell", w.followed)
		}
	}
	t.Logf("largest drift %.2g", drift)
}

// TestDualWeightsDrift spoils weights: the row of the variable that leaves shows it.
func TestDualWeightsDrift(t *testing.T) {
	s := mixed(t, 1, 20)
	w := s.dualWeights
	w.reset(context.Background())
	v := s.basis.vars[0]
	exact := w.weight[v]
	for _, c := range []struct {
		factor   float64
		followed int
		drifted  bool
		valid    bool
	}{
		{1, 0, false, true}, {1.9, 0, false, true}, {1 / 1.9, 0, false, true},
		{2.1, 0, true, true}, {1 / 2.1, 0, true, true}, {1e-9, driftPause - 1, true, true},
		{2.1, driftPause, true, false}, {1 / 2.1, driftPause, true, false}, {math.NaN(), driftPause, true, false},
	} {
		w.weight[v], w.valid, w.followed = c.factor*exact, true, c.followed
		s.row.compute(v)
		if got := w.drifted(v, &s.row.inverse); got != c.drifted || w.valid != c.valid {
			t.Errorf("%+v: drifted %v, valid %v", c, got, w.valid)
		}
		if c.drifted {
			testutil.NearRel(t, "weight set right", w.weight[v], exact, 1e-12)
		}
	}
}

// TestDualResetsDriftedWeights: the dual method itself asks, and goes on with exact weights.
func TestDualResetsDriftedWeights(t *testing.T) {
	s := mixed(t, 2, 20)
	s.makeDualFeasible(true)
	s.dualWeights.reset(context.Background())
	for v := range s.dualWeights.weight {
		s.dualWeights.weight[v] = 1e6 * float64(1+v)
	}
	s.dualWeights.followed = driftPause
	s.maxIterations = 1
	if st := s.dual(context.Background()); st != status.IterationLimit {
		t.Fatal(st)
	}
	l := newLiteral(t, s)
	for v := range l.numbers {
		exact := max(l.exactWeight(v), minWeight)
		testutil.Near(t, "weight over the exact one", s.dualWeights.weight[v]/exact, 1, 1e-8)
	}
}

// TestChooseLeaving: the largest violation²/weight of those not excluded.
func TestChooseLeaving(t *testing.T) {
	for seed := range uint64(20) {
		s := mixed(t, seed, 15)
		rng := rand.New(rand.NewPCG(seed, 25))
		for v := range s.dualWeights.weight {
			s.dualWeights.weight[v] = rng.ExpFloat64()
			if rng.IntN(8) == 0 {
				s.excluded.add(int32(v))
			}
		}
		best, want := 0.0, int32(-1)
		for v, p := range s.values.position {
			e := s.values.beyond(int32(v))
			if score := e * e / s.dualWeights.weight[v]; p == Basic && !s.excluded.has(int32(v)) && score > best {
				best, want = score, int32(v)
			}
		}
		got, beyond := s.dualWeights.chooseLeaving(s.values, s.excluded)
		if got != want {
			t.Errorf("seed %d: variable %d, want %d", seed, got, want)
		} else if want >= 0 {
			testutil.Near(t, "beyond", beyond, s.values.beyond(want), 0)
		}
	}
}

// TestChooseEntering: the largest d²/weight of the wrong signs not excluded.
func TestChooseEntering(t *testing.T) {
	for seed := range uint64(20) {
		s := mixed(t, seed, 15)
		rng := rand.New(rand.NewPCG(seed, 26))
		for v := range s.primalWeights.weight {
			s.primalWeights.weight[v] = rng.ExpFloat64()
			if rng.IntN(8) == 0 {
				s.excluded.add(int32(v))
			}
		}
		best, want := 0.0, int32(-1)
		for v := range s.values.position {
			e := s.costs.violation(v)
			if score := e * e / s.primalWeights.weight[v]; !s.excluded.has(int32(v)) && score > best {
				best, want = score, int32(v)
			}
		}
		if got := s.primalWeights.chooseEntering(s.costs, s.excluded); got != want {
			t.Errorf("seed %d: variable %d, want %d", seed, got, want)
		}
	}
}

// TestPrimalWeights holds Devex weights against the recurrence max(w_j, (α_j/α_q)² w_q)
// (Harris, 1973), whose row entries come from the literal inverse.
func TestPrimalWeights(t *testing.T) {
	for seed := range uint64(10) {
		s := mixed(t, seed, 15)
		rng := rand.New(rand.NewPCG(seed, 27))
		w := s.primalWeights
		for v := range w.weight {
			w.weight[v] = 1 + rng.Float64()
		}
		e, ok := randomExchange(s, rng)
		for !ok {
			e, ok = randomExchange(s, rng)
		}
		w.weight[e.entering] *= 1e-3 * e.pivot * e.pivot // keeps the framework from wearing out
		old, l := append([]float64(nil), w.weight...), newLiteral(t, s)
		w.update(e, s.row)
		for v, p := range s.values.position {
			var alpha float64
			for i, x := range denseColumn(s.matrix, int32(v)) {
				alpha += l.row(e.leaving)[i] * x
			}
			want := max(old[v], alpha*alpha/(e.pivot*e.pivot)*old[e.entering])
			if int32(v) == e.leaving {
				want = max(old[e.entering]/(e.pivot*e.pivot), 1)
			} else if p == Basic {
				continue
			}
			testutil.NearRel(t, "weight", w.weight[v], want, 1e-8)
		}
		w.weight[e.entering] = 2 * wornWeight
		w.update(e, s.row)
		testutil.NearAll(t, "weights of a new framework", w.weight, ones(len(w.weight)), 0)
	}
}
