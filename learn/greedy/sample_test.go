package greedy_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/greedy"
	"github.com/sparsekm/sparsekm/status"
)

// With as many candidates as points, the random search is the full search.
func TestSampledSearchOfAllPoints(t *testing.T) {
	p := clouds(11, 150, 3)
	for _, eta := range []float64{1e-2, 1e-5} {
		all, err := greedy.LDA{Eta: eta}.Select(background, p)
		if err != nil {
			t.Fatal(err)
		}
		sampled, err := greedy.LDA{Eta: eta, Candidates: 1000}.Select(background, p)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(all.Support, sampled.Support) {
			t.Errorf("eta %v: %v, want %v", eta, sampled.Support, all.Support)
		}
		allClose(t, "J", sampled.J, all.J, 1e-10)
	}
}

// A few candidates a step: other points, nearly the same J, whatever the workers.
func TestSampledSearch(t *testing.T) {
	p := clouds(12, 600, 4)
	all, err := greedy.LDA{Eta: 1e-9, MaxSV: 30}.Select(background, p)
	if err != nil {
		t.Fatal(err)
	}
	var first *greedy.Selection
	for _, threads := range []int{1, 3} {
		p.Threads = threads
		s, err := greedy.LDA{Eta: 1e-9, MaxSV: 30, Candidates: 59, Seed: 3}.Select(background, p)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Support) != 30 || s.Status != status.SizeReached {
			t.Fatalf("%d points, %v", len(s.Support), s.Status)
		}
		if !(s.J[29] >= 0.9*all.J[29] && s.J[29] <= 1.1*all.J[29]) {
			t.Errorf("J %v, the full search has %v", s.J[29], all.J[29])
		}
		if first != nil && !reflect.DeepEqual(s.Support, first.Support) {
			t.Error("the selection depends on the number of workers")
		}
		first = s
	}
}

// Cancelled before it begins, a selection is an error with the context's in its chain.
func TestSelectionCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	cancel()
	p := clouds(13, 50, 2)
	for _, tr := range []learn.Trainer{greedy.LDA{}, greedy.LDA{Candidates: 10}, greedy.Cholesky{}, greedy.Primal{}} {
		if r, err := tr.Train(ctx, p); r != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%+v: result %v, error %v", tr, r, err)
		}
	}
}

// Cancelled on the way, a selection is a prefix of the whole one, and fitted.
func TestSelectionCancelledLater(t *testing.T) {
	p := clouds(14, 2000, 3)
	whole, err := greedy.LDA{Eta: 1e-9, MaxSV: 400}.Train(background, p)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	p.Progress = func(learn.Event) { cancel() }
	r, err := greedy.LDA{Eta: 1e-9, MaxSV: 400}.Train(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	n := len(r.Support)
	if r.Report.Status != status.Cancelled || n == 0 || n >= 400 || !reflect.DeepEqual(r.Support, whole.Support[:n]) {
		t.Errorf("%v with %d points", r.Report.Status, n)
	}
	if r.Report.Residual != nil {
		t.Error("a residual that nobody had the time for")
	}
	p.Progress = nil
	want, err := greedy.LDA{Eta: 1e-9, MaxSV: n}.Train(background, p)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(r.Expansion, want.Expansion) {
		t.Error("not the machine of its support vectors")
	}
	testutil.NearRel(t, "objective", r.Report.Objective, want.Report.Objective, 1e-9)
}
