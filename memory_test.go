package sparsekm_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/lssvm"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/svc"
)

// TestMemory measures what every method allocates at a time. Resources.Memory promises
// that it is at most the budget: at the least budget that the method accepts, and with
// eight times as much, which caches may use. EstimateMemory is not far from the truth:
// a quarter of it is refused, and the least training uses at least a fifth of it.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("some 30 s of training")
	}
	if !testutil.StoppedCollector(t) {
		return
	}
	set := dataset.PelegMeir(1000, 0.2, 1) // noise keeps many multipliers free and many rows working
	y, err := set.Signs()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range sparsekm.Methods() {
		if m.Name == outside {
			continue // a toy of another test, which allocates nothing
		}
		t.Run(m.Name, func(t *testing.T) {
			values := learn.Values{}
			for _, p := range m.Params() {
				switch p.Name {
				case "max_sv":
					values[p.Name] = 60
				case "nu": // with 0.5 no margin is left between these classes; a tube of few samples is soon found
					if values[p.Name] = 0.2; m.Takes(learn.Classify) {
						values[p.Name] = 0.7
					}
				}
			}
			tr := trainer(t, m.Name, values)
			peak := func(memory int64) (int64, error) {
				p := &learn.Problem{X: set.X, N: set.N, D: set.D, Y: y, Kernel: gram.RBF(1)}
				p.Threads, p.Memory = 1, memory
				if !m.Takes(learn.Classify) {
					p.Task = m.TasksOf()[0]
				}
				if p.Task.Blind() {
					p.Y = nil
				}
				var failed error
				bytes := testutil.PeakHeap(t, func() { _, failed = tr.Train(t.Context(), p) })
				return bytes, failed
			}
			estimate := tr.EstimateMemory(set.N, set.D)
			if _, err := peak(estimate / 4); err == nil {
				t.Errorf("trains within a quarter of its estimate of %d bytes", estimate)
			}
			least := estimate
			used, err := peak(least)
			for ; err != nil && least < 1<<30; used, err = peak(least) {
				if text := err.Error(); !strings.Contains(text, "budget") {
					t.Fatal(err)
				}
				within(t, used, least)
				least *= 2 // a selection learns only on its way how many vectors it needs
			}
			within(t, used, least)
			more, err := peak(8 * least)
			if err != nil {
				t.Fatal(err)
			}
			within(t, more, 8*least)
			if most := max(used, more); !(estimate <= 5*most) { // the quickest trainings show little of the first
				t.Errorf("estimate %d bytes, but %d are in use at most", estimate, most)
			}
		})
	}
}

// within allows for what the runtime and the result take, and for the collector's 1 %.
func within(t *testing.T, used, budget int64) {
	t.Helper()
	t.Logf("%d bytes in use, the budget is %d", used, budget)
	if !(used <= budget+budget/50+512<<10) {
		t.Errorf("%d bytes in use, the budget is %d", used, budget)
	}
}

// observer keeps the problem that a method is given, and does not train.
type observer struct {
	learn.Trainer
	seen *learn.Problem
}

var errRecorded = errors.New("recorded")

func (r observer) Train(_ context.Context, p *learn.Problem) (*learn.Result, error) {
	*r.seen = *p
	return nil, errRecorded
}

// TestBytesInUse holds the bytes that count against the budget before a method starts: what the preparation copied.
func TestBytesInUse(t *testing.T) {
	set := dataset.PelegMeir(100, 0.2, 1)
	held, candidates := dataset.PelegMeir(30, 0.2, 2), dataset.PelegMeir(20, 0.2, 3)
	thin := words(100, 300, 2)
	absent := make([]float64, set.N)
	for i := range absent {
		absent[i] = float64(i % 4)
	}
	double := map[string]float64{set.Labels[0]: 2}
	prune, sparse := lssvm.Prune{}, ssvc.B{}
	all := sparsekm.Options{Scale: dataset.ScaleMinMax, SampleWeight: absent, InUse: 7000}
	for _, c := range []struct {
		name    string
		set     *dataset.Set
		trainer learn.Trainer
		o       sparsekm.Options
		want    int64
		n       int
	}{
		{"as they are", set, svc.Trainer{}, sparsekm.Options{InUse: 5000}, 5800, 100},
		{"scaled", set, svc.Trainer{}, sparsekm.Options{Scale: dataset.ScaleZ}, 2400, 100},
		{"class weights", set, svc.Trainer{}, sparsekm.Options{ClassWeight: double}, 1600, 100},
		{"class weights and absent samples", set, svc.Trainer{},
			sparsekm.Options{ClassWeight: double, SampleWeight: absent}, 3600, 75},
		{"absent samples, scaled", set, svc.Trainer{}, all, 10600, 75},
		{"validation", set, prune, sparsekm.Options{Validation: held}, 1280, 100},
		{"validation, scaled", set, prune, sparsekm.Options{Validation: held, Scale: dataset.ScaleZ}, 3360, 100},
		{"candidates", set, sparse, sparsekm.Options{Candidates: candidates}, 6560, 120},
		{"candidates, scaled, absent samples", set, sparse,
			sparsekm.Options{Candidates: candidates, Scale: dataset.ScaleZ, SampleWeight: absent}, 8160, 95},
		{"calibrated", set, svc.Trainer{}, sparsekm.Options{Calibrate: 3}, 800, 100},
		{"sparse rows", thin, svc.Trainer{}, sparsekm.Options{}, 26464, 100},
		{"sparse rows, absent samples", thin, svc.Trainer{}, sparsekm.Options{SampleWeight: absent}, 33344, 75},
		{"sparse rows made dense", thin, svc.Trainer{}, sparsekm.Options{Scale: dataset.ScaleZ}, 480800, 100},
	} {
		var seen learn.Problem
		c.o.Trainer, c.o.Kernel = observer{c.trainer, &seen}, gram.RBF(1)
		if _, _, err := sparsekm.Train(t.Context(), c.set, c.o); !errors.Is(err, errRecorded) {
			t.Fatalf("%s: %v", c.name, err)
		}
		if seen.InUse != c.want || seen.N != c.n {
			t.Errorf("%s: %d bytes in use of %d samples, want %d of %d", c.name, seen.InUse, seen.N, c.want, c.n)
		}
	}
}
