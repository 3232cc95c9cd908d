package ssvc

import (
	"context"
	"reflect"
	"testing"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// A training that is cancelled in the middle of a round is the one that stopped after the
// last round it finished.
func TestCancelledRound(t *testing.T) {
	for _, rounds := range []int{1, 2, 4} {
		p := ripley(t)
		want := train(t, A{C: 1, MaxIter: rounds}, p)
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
		if want.Report.Status != status.IterationLimit || got.Report.Status != status.Cancelled {
			t.Fatalf("%v and %v, want iteration limit and cancelled", want.Report.Status, got.Report.Status)
		}
		if !reflect.DeepEqual(got.Expansion, want.Expansion) || !reflect.DeepEqual(got.Report.Rounds, want.Report.Rounds) {
			t.Errorf("cancelled after %d rounds: %d vectors, rounds %+v; want %d vectors, rounds %+v",
				rounds, len(got.Support), got.Report.Rounds, len(want.Support), want.Report.Rounds)
		}
	}
}
