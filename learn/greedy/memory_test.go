package greedy_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/greedy"
	"github.com/sparsekm/sparsekm/status"
)

// A budget below the estimate is refused by every method; one of the estimate is not.
func TestEstimateIsTheLeast(t *testing.T) {
	for _, tr := range []learn.Trainer{
		greedy.LDA{MaxSV: 20}, greedy.LDA{MaxSV: 20, Candidates: 10}, greedy.Cholesky{MaxSV: 20},
		greedy.KMP{MaxSV: 20}, greedy.SGGP{MaxSV: 20}, greedy.PFSALS{MaxSV: 20},
	} {
		p := clouds(22, 300, 5)
		p.Memory = tr.EstimateMemory(p.N, p.D)
		if _, err := tr.Train(background, p); err != nil {
			t.Errorf("%s: %v", tr.Name(), err)
		}
		p.Memory--
		var refused *learn.BudgetError
		_, err := tr.Train(background, p)
		if !errors.As(err, &refused) || refused.Method != tr.Name() || refused.Need != p.Memory+1 {
			t.Errorf("%s: error %v, want a BudgetError", tr.Name(), err)
		}
	}
}

// A selection without room for more support vectors ends with those that it has and says so.
func TestNoRoomForMore(t *testing.T) {
	p := clouds(21, 250, 5)
	room := map[string]int{"lssvm-lda": 96, "sggp": 48, "pfsals": 48} // those with a ridge keep more of each
	for _, tr := range []learn.Trainer{
		greedy.LDA{Eta: 1e-12}, greedy.SGGP{Eta: 1e-12}, greedy.PFSALS{Eta: 1e-12, Candidates: -1},
	} {
		p.Memory = 0
		whole, err := tr.Train(background, p)
		if err != nil {
			t.Fatal(err)
		}
		p.Memory = tr.EstimateMemory(p.N, p.D) + int64(8*p.N*80)
		threads := []int{1, 2, 40}
		if testing.Short() {
			threads = threads[1:2]
		}
		for _, p.Threads = range threads {
			r, err := tr.Train(background, p)
			if err != nil {
				t.Fatal(err)
			}
			n := len(r.Support)
			st, message := r.Report.Status, r.Report.Message
			if n != room[tr.Name()] || st != status.IterationLimit || !strings.Contains(message, "memory budget") {
				t.Errorf("%s, %d threads: %d support vectors, %v, message %q", tr.Name(), p.Threads, n, st, message)
			}
			if !reflect.DeepEqual(r.Support, whole.Support[:n]) {
				t.Errorf("%s: not the first support vectors of the whole selection", tr.Name())
			}
		}
	}
	p.Memory = greedy.Cholesky{}.EstimateMemory(p.N, p.D) + 8*int64(p.N)*150
	r, err := greedy.Cholesky{Eta: 1e-9}.Train(background, p)
	if err != nil {
		t.Fatal(err)
	}
	n, st, message := len(r.Support), r.Report.Status, r.Report.Message
	if n != 96 || st != status.IterationLimit || !strings.Contains(message, "memory budget") {
		t.Errorf("%d support vectors, %v, message %q", n, st, message)
	}
}

// The live heap stays within the budget: while panels fill it, while support
// vectors take the panels' room, and while a factor grows.
func TestBudgetIsKept(t *testing.T) {
	if testing.Short() {
		t.Skip("the collector runs all the time")
	}
	if !testutil.StoppedCollector(t) {
		return
	}
	const n = 2500
	for name, c := range map[string]struct {
		tr     learn.Trainer
		memory int64
	}{
		"panels":              {greedy.LDA{Eta: 1e-12, MaxSV: 60}, 12 << 20},
		"vectors take panels": {greedy.LDA{Eta: 1e-12, MaxSV: 500}, 18 << 20},
		"ends for lack of it": {greedy.LDA{Eta: 1e-12}, 12 << 20},
		"shrinking":           {greedy.LDA{Eta: 1e-12, MaxSV: 300}, 30 << 20},
		"blocks":              {greedy.LDA{Eta: 1e-12, MaxSV: 700}, 60 << 20},
		"random":              {greedy.SGGP{Eta: 1e-12, MaxSV: 120}, 7 << 20},
		"factor":              {greedy.Cholesky{Eta: 1e-6, MaxSV: 350}, 10 << 20},
		"ridge takes panels":  {greedy.PFSALS{Eta: 1e-12, Candidates: -1, MaxSV: 300}, 14 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			p := clouds(30, n, 3)
			switch name {
			case "shrinking":
				p.Kernel.Gamma = 0.01 // nearly dependent columns
			case "ends for lack of it", "blocks":
				p = clouds(30, n, 8)
			}
			p.Memory = c.memory
			peak := testutil.PeakHeapFrom(t, c.memory/4, func() {
				r, err := c.tr.Train(background, p)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%d support vectors, %v %s", len(r.Support), r.Report.Status, r.Report.Message)
			})
			t.Logf("peak %.1f MiB of %.1f", float64(peak)/(1<<20), float64(c.memory)/(1<<20))
			if peak > c.memory {
				t.Errorf("peak of %d bytes, the budget is %d", peak, c.memory)
			}
			if peak < c.memory/4 {
				t.Errorf("peak of %d bytes: the budget of %d is no test", peak, c.memory)
			}
		})
	}
}
