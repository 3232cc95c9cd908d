package sparsekm_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/lssvm"
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
	"github.com/sparsekm/sparsekm/learn/svc"
)

// asked is a context that ends when it has been asked for its error so often.
type asked struct {
	context.Context
	left *atomic.Int64
}

func countdown(ctx context.Context, questions int64) asked {
	a := asked{ctx, new(atomic.Int64)}
	a.left.Store(questions)
	return a
}

func (a asked) Err() error {
	if a.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancelledAnywhere ends the context of every method at random questions. What comes
// back is a model with a status that says so, or the context's error; and a training asks
// at least once for each 96 samples, the side of the smallest part of its work.
func TestCancelledAnywhere(t *testing.T) {
	const forever = 1 << 40
	points, moments := 200, 12
	if testing.Short() {
		points, moments = 150, 2
	}
	ringnorm := dataset.Ringnorm(points, 1)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, m := range sparsekm.Methods() {
		if m.Name == outside {
			continue
		}
		values, set := learn.Values{}, targetsFor(m, ringnorm)
		for _, p := range m.Params() {
			if p.Name == "gamma_grid" {
				values[p.Name] = []float64{0.1, 1, 10}
			}
		}
		o := sparsekm.Options{Trainer: trainer(t, m.Name, values), Kernel: gram.RBF(0.1)}
		whole := countdown(t.Context(), forever)
		if _, _, err := sparsekm.Train(whole, set, o); err != nil {
			t.Fatalf("%s: %v", m.Name, err)
		}
		questions := forever - whole.left.Load()
		if questions < int64(set.N)/96 {
			t.Errorf("%s asks its context %d times only", m.Name, questions)
		}
		for range moments {
			at := rng.Int64N(questions)
			clf, report, err := sparsekm.Train(countdown(t.Context(), at), set, o)
			switch {
			case err != nil && (clf != nil || !errors.Is(err, context.Canceled)):
				t.Errorf("%s, ended at question %d of %d: %v", m.Name, at, questions, err)
			case err == nil && clf.NumVectors() == 0:
				t.Errorf("%s, ended at question %d of %d: a model without vectors, %v", m.Name, at, questions, report.Status)
			}
		}
	}
}

// TestStoppedReweightingIsSparse stops the methods of reweighted programs at random questions:
// what comes back has few support vectors, in whatever round it was. Only ssvc-a has a model in its first round, whose
// program has no zeros yet: that model is the best iterate of it.
func TestStoppedReweightingIsSparse(t *testing.T) {
	const forever = 1 << 40
	set := dataset.Ringnorm(400, 1)
	moments := 40
	if testing.Short() {
		moments = 8
	}
	count := func(method string, ctx context.Context) int {
		o := sparsekm.Options{Trainer: trainer(t, method, nil), Kernel: gram.RBF(0.05)}
		clf, report, err := sparsekm.Train(ctx, set, o)
		if err != nil {
			return 0 // nothing was learnt
		}
		if r := report.Submodels[0].Report; method == "ssvc-a" && len(r.Rounds) == 1 && r.Status.Limit() {
			return 0
		}
		return clf.NumVectors()
	}
	dense := count("svc", t.Context())
	rng := rand.New(rand.NewPCG(1, 2))
	for _, method := range []string{"ssvc-a", "ssvc-b", "ssvc-w", "l0svm"} {
		whole := countdown(t.Context(), forever)
		last := count(method, whole)
		for range moments {
			at := rng.Int64N(forever - whole.left.Load())
			n := count(method, countdown(t.Context(), at))
			if n > dense/4 {
				t.Errorf("%s, ended at question %d: %d vectors, %d at the end; svc has %d", method, at, n, last, dense)
			}
		}
	}
}

// TestHalfATraining ends the methods that get better step by step after half of their questions:
// there is a model then, and it is not lost. (What solves one system of equations, as lssvm does,
// has nothing before its end.)
func TestHalfATraining(t *testing.T) {
	const forever = 1 << 40
	small, large := dataset.Ringnorm(300, 1), dataset.PelegMeir(2500, 0.2, 1)
	for _, method := range []string{"svc", "ssvc-a", "ssvc-b", "ssvc-w", "skm", "l1svm", "l0svm", "lpsvc", "lssvm-lda",
		"kmp", "sggp", "pfsals", "rvm", "rvm-fast", "spc", "sc-svc", "sparsest"} {
		set := small
		if method == "svc" { // of which fewer samples are one working set
			set = large
		}
		o := sparsekm.Options{Trainer: trainer(t, method, nil), Kernel: gram.RBF(0.1)}
		whole := countdown(t.Context(), forever)
		if _, _, err := sparsekm.Train(whole, set, o); err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		half := (forever - whole.left.Load()) / 2
		clf, report, err := sparsekm.Train(countdown(t.Context(), half), set, o)
		if err != nil || clf.NumVectors() == 0 || !report.Status.Limit() {
			t.Errorf("%s: nothing after half of the training: %v", method, err)
		}
	}
}

// TestSlowKernel ends the context of every method at random calls of a kernel function: none follows,
// however slow it is, and what comes back is a model of finite numbers without a certificate that
// nobody computed, or the context's error. The classifier calls the function as before.
func TestSlowKernel(t *testing.T) {
	ringnorm := dataset.Ringnorm(60, 1)
	moments := 8
	if testing.Short() {
		moments = 2
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, m := range sparsekm.Methods() {
		if m.Name == outside || m.Name == "direct" || m.Name == "skde" || m.OwnKernel { // a toy; for Gaussians
			continue
		}
		set := targetsFor(m, ringnorm)
		for _, own := range []bool{false, true} { // a kernel for each model
			train := func(at int64) (clf *sparsekm.Classifier, r *sparsekm.Report, calls int64, err error) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var count atomic.Int64
				k := gram.Custom(func(x, z []float64) float64 {
					if count.Add(1) == at {
						cancel()
					}
					var s float64
					for i, v := range x {
						s += (v - z[i]) * (v - z[i])
					}
					return math.Exp(-0.05 * s)
				})
				o := sparsekm.Options{Trainer: trainer(t, m.Name, learn.Values{}), Kernel: k, Threads: 1}
				if own {
					o.KernelOf = func(*learn.Problem) (gram.Kernel, error) { return k, nil }
				}
				clf, r, err = sparsekm.Train(ctx, set, o)
				calls = count.Load()
				if err == nil && at > 0 && clf.Decide(set.Row(0)) == clf.Parts().Submodels[0].Bias {
					t.Errorf("%s: the classifier's kernel is 0", m.Name)
				}
				return clf, r, calls, err
			}
			_, _, all, err := train(0)
			if err != nil {
				t.Fatalf("%s: %v", m.Name, err)
			}
			for range moments {
				at := 1 + rng.Int64N(all)
				clf, r, calls, err := train(at)
				switch {
				case calls > at:
					t.Errorf("%s: %d calls after the end at number %d of %d", m.Name, calls-at, at, all)
				case err != nil && (clf != nil || !errors.Is(err, context.Canceled)):
					t.Errorf("%s, ended at call %d of %d: %v", m.Name, at, all, err)
				case err == nil && at < all && r.Status.Done():
					t.Errorf("%s, ended at call %d of %d: %v", m.Name, at, all, r.Status)
				case err == nil && at < all && (r.Submodels[0].Report.Duality != nil || r.Submodels[0].Report.Residual != nil):
					t.Errorf("%s, ended at call %d of %d: a certificate of zeros", m.Name, at, all)
				}
			}
		}
	}
}

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
			if m.Name == "sparsest" { // whose proof has no end for 60 vectors
				values["max_iter"] = 30
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
			smallest := estimate
			used, err := peak(smallest)
			for ; err != nil && smallest < 1<<30; used, err = peak(smallest) {
				if text := err.Error(); !strings.Contains(text, "budget") {
					t.Fatal(err)
				}
				within(t, used, smallest)
				smallest *= 2 // a selection learns only on its way how many vectors it needs
			}
			within(t, used, smallest)
			more, err := peak(8 * smallest)
			if err != nil {
				t.Fatal(err)
			}
			within(t, more, 8*smallest)
			most := int64(5) // the quickest trainings show little of the first
			if m.Name == "svr" {
				most = 6 // its sets may need rows of all 2048 variables, of which it asks for a tenth here
			}
			if largest := max(used, more); !(estimate <= most*largest) {
				t.Errorf("estimate %d bytes, but %d are in use at most", estimate, largest)
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
	prune, sparse := lssvm.Prune{}, ssvclp.B{}
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
