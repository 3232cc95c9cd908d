package ssvc

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm/internal/testing/learntest"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// No test depends on how fast the host is.
func init() { refit = time.Minute }

// The combined objective looks at the context for each column that it factors, and gives up with its error.
func TestCombinedEnds(t *testing.T) {
	for looks := range 80 {
		ctx := testutil.EndAfter(t.Context(), looks)
		_, err := A{C: 1, TwoNorm: 0.2}.Train(ctx, learntest.Clouds(1, 100, 2))
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
		p := learntest.Ripley(t)
		want := learntest.Train(t, A{C: 1, MaxIter: rounds}, p)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		done := 0
		p.Progress = func(learn.Event) {
			if done++; done == rounds {
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
		for i, f := range learntest.Decisions(p, got) {
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
	p := learntest.Ripley(t)
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
