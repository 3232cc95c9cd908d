package ssvc

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/status"
)

// No test depends on how fast the host is.
func init() { refit = time.Minute }

// The combined objective looks at the context for each column that it factors, and gives up with its error.
func TestCombinedEnds(t *testing.T) {
	for looks := range 80 {
		ctx := testutil.EndAfter(t.Context(), looks)
		_, err := A{C: 1, TwoNorm: 0.2}.Train(ctx, ref.Clouds(1, 100, 2))
		if !errors.Is(err, context.Canceled) || ctx.Looks() > looks+20 {
			t.Fatalf("an end at look %d: %v after %d", looks, err, ctx.Looks())
		}
	}
}

// A training that is cancelled in the middle of a round returns the model of the last
// round it finished without the coefficients that were dying, solved for again until none is: the
// report is of that model.
func TestCancelledRound(t *testing.T) {
	for _, rounds := range []int{1, 2, 4} {
		p := ref.Ripley(t)
		want := ref.Train(t, A{C: 1, MaxIter: rounds}, p)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		p.Progress = func(e learn.Event) {
			if e.Round != nil && e.Step == rounds {
				cancel()
			}
		}
		got, err := A{C: 1}.Train(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		rep := got.Report
		if want.Report.Status != status.IterationLimit || rep.Status != status.Cancelled {
			t.Fatalf("%v and %v, want iteration limit and cancelled", want.Report.Status, rep.Status)
		}
		if len(rep.Rounds) <= rounds || !reflect.DeepEqual(rep.Rounds[:rounds-1], want.Report.Rounds[:rounds-1]) {
			t.Errorf("rounds %+v, want %+v and more", rep.Rounds, want.Report.Rounds)
		}
		if len(got.Support) == 0 || 3*len(got.Support) > 2*len(want.Support) {
			t.Errorf("%d vectors, the model of the last round has %d", len(got.Support), len(want.Support))
		}
		for _, i := range got.Support {
			if !slices.Contains(want.Support, i) {
				t.Errorf("vector %d was not in the last round's model", i)
			}
		}
		var hinge float64
		for i, f := range ref.Decisions(p, got) {
			hinge += max(0, 1-p.Y[i]*f)
		}
		last := rep.Rounds[len(rep.Rounds)-1]
		testutil.NearRel(t, "hinge", last.Hinge, hinge, 1e-9)
		testutil.AtMost(t, "gap", rep.Duality.Gap, 1e-6)
		testutil.Near(t, "objective", rep.Objective, last.Objective, 0)
	}
}

// A training that ends in its first round returns that round's best iterate, once there is one that is better than f =
// 0, and an error before.
func TestCancelledFirstRound(t *testing.T) {
	p := ref.Ripley(t)
	p.Threads = 1
	models := 0
	for looks := 0; ; looks += 1 + looks/20 {
		got, err := A{C: 1}.Train(testutil.EndAfter(t.Context(), looks), p)
		if err != nil {
			if models > 0 || !errors.Is(err, context.Canceled) {
				t.Fatalf("end at look %d: %v after %d models", looks, err, models)
			}
			continue
		}
		rep := got.Report
		if len(rep.Rounds) > 1 || rep.Status != status.Cancelled {
			break
		}
		models++
		if !(rep.Objective < float64(p.N)) || len(got.Support) == 0 || !(rep.Duality.Gap >= 0) {
			t.Errorf("end at look %d: %d vectors, objective %v, gap %v", looks, len(got.Support), rep.Objective, rep.Duality.Gap)
		}
	}
	if models < 5 {
		t.Errorf("%d models of a first round", models)
	}
}

// From the time at which the kernel values are known, an end in the first round leaves a model that is better than f =
// 0, however wide the box. Its objective is that of its coefficients, and its dual objective bounds the optimum.
func TestFirstRoundAlwaysLeavesAModel(t *testing.T) {
	p := ref.Ripley(t)
	p.Threads = 1
	for _, a := range []A{{C: 1}, {C: 1e4}, {C: 1e4, TwoNorm: 0.2}} {
		s := samples.Classifier("ssvc-a", p, a.C)
		all := testutil.EndAfter(t.Context(), math.MaxInt)
		z, err := matrix(all, s, p, 0)
		if err != nil {
			t.Fatal(err)
		}
		if a.TwoNorm > 0 {
			if _, err = newCombined(all, z, s, a.TwoNorm); err != nil {
				t.Fatal(err)
			}
		}
		one := a
		one.MaxIter = 1
		optimum := ref.Train(t, one, p).Report.Objective
		models := 0
		for looks := all.Looks() + 1; ; looks += 1 + looks/30 {
			got, err := a.Train(testutil.EndAfter(t.Context(), looks), p)
			if err != nil {
				t.Fatalf("C = %v, an end at look %d: %v", a.C, looks, err)
			}
			rep := got.Report
			if len(rep.Rounds) > 1 || rep.Status != status.Cancelled {
				break
			}
			models++
			testutil.AtMost(t, "objective", rep.Objective, 0.999*s.Idle())
			testutil.AtMost(t, "dual objective", rep.Duality.Objective, optimum*(1+1e-6))
			testutil.AtMost(t, "optimum", optimum, rep.Objective*(1+1e-6))
			if a.TwoNorm > 0 {
				continue
			}
			want := got.Bias * got.Bias / 2
			for _, c := range got.Coef {
				want += c * c / 2
			}
			for i, f := range ref.Decisions(p, got) {
				want += a.C * max(0, 1-p.Y[i]*f)
			}
			testutil.NearRel(t, "objective of the model", rep.Objective, want, 1e-8)
		}
		if models < 5 {
			t.Errorf("C = %v: %d models of a first round", a.C, models)
		}
	}
}

// A ranking of features does not go on with models that were cut short.
func TestRankedEnds(t *testing.T) {
	p := fewFeatures(t, 60)
	p.Threads = 1
	for looks := range 60 {
		ctx := testutil.EndAfter(t.Context(), looks)
		if _, err := (Features{Ranked: true}).Train(ctx, p); !errors.Is(err, context.Canceled) || ctx.Looks() > looks+20 {
			t.Fatalf("an end at look %d: %v after %d", looks, err, ctx.Looks())
		}
	}
}

// A step of steepest descent is better than f = 0, whatever the labels, also for targets.
func TestSteepestIsBetter(t *testing.T) {
	p := ref.Ripley(t)
	target := *p
	target.Task = learn.Regress
	for _, c := range []float64{1e-3, 1, 1e5} {
		for _, s := range []*samples.Merged{samples.Classifier("ssvc-a", p, c), samples.Regression("ssvr-a", &target, c, 0.1)} {
			z, err := matrix(t.Context(), s, p, 0)
			if err != nil {
				t.Fatal(err)
			}
			m := &quadratic{A: A{C: c}, Merged: s}
			q := m.dual()
			r := shortened(q, m.steepest(q, z, s.Columns()))
			if !(r.Gap-r.Objective < s.Idle()) {
				t.Errorf("%s, C = %v: %v, f = 0 has %v", s.Method, c, r.Gap-r.Objective, s.Idle())
			}
		}
	}
}
