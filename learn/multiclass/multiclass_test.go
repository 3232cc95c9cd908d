package multiclass_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/greedy"
	"github.com/sparsekm/sparsekm/learn/multiclass"
	"github.com/sparsekm/sparsekm/status"
)

var background = context.Background()

// blobs is k Gaussian clouds of n samples each around the corners of a polygon.
func blobs(k, n int) *multiclass.Problem {
	rng := rand.New(rand.NewPCG(1, 2))
	centre := [][2]float64{{0, 0}, {3, 0}, {0, 3}, {3, 3}}
	p := &multiclass.Problem{Classes: k, Problem: learn.Problem{N: k * n, D: 2, Kernel: gram.RBF(0.3)}}
	for i := range p.N {
		c := i % k
		p.Y = append(p.Y, float64(c))
		p.X = append(p.X, centre[c][0]+0.6*rng.NormFloat64(), centre[c][1]+0.6*rng.NormFloat64())
	}
	return p
}

// value is a model's decision at sample i.
func value(p *multiclass.Problem, r *multiclass.Result, m *learn.Trained, i int) float64 {
	k := p.Kernel
	if m.Kernel != nil {
		k = *m.Kernel
	}
	f := m.Bias
	for s, v := range m.Support {
		row := r.Rows[v]
		f += m.Coef[s] * k.Eval(p.X[i*p.D:(i+1)*p.D], p.X[row*p.D:(row+1)*p.D])
	}
	return f
}

// wrong counts the training samples that the largest decision, or the fuzzy
// minimum of Abe (2008), gives to another class.
func wrong(p *multiclass.Problem, r *multiclass.Result) (count int) {
	for i, c := range p.Y {
		score := make([]float64, p.Classes)
		for k := range score {
			score[k] = 1
		}
		for k := range r.Submodels {
			m := &r.Submodels[k]
			f := value(p, r, m, i)
			if m.Neg == learn.Rest {
				score[m.Pos] = f
				continue
			}
			score[m.Pos], score[m.Neg] = min(score[m.Pos], f), min(score[m.Neg], -f)
		}
		if slices.Index(score, slices.Max(score)) != int(c) {
			count++
		}
	}
	return count
}

func TestTrain(t *testing.T) {
	for _, c := range []struct {
		classes   int
		pairs     bool
		submodels int
	}{{2, false, 1}, {2, true, 1}, {3, false, 3}, {3, true, 3}, {4, false, 4}, {4, true, 6}} {
		p := blobs(c.classes, 40)
		p.Pairs = c.pairs
		r, err := multiclass.Train(background, greedy.LDA{C: 100, Eta: 1e-3}, p)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Submodels) != c.submodels || r.Status != status.Optimal {
			t.Errorf("%+v: %d models, %v", c, len(r.Submodels), r.Status)
		}
		if w := wrong(p, r); w > p.N/25 {
			t.Errorf("%+v: %d of %d wrong", c, w, p.N)
		}
		if !slices.IsSorted(r.Rows) {
			t.Errorf("%+v: the pool is not ascending: %v", c, r.Rows)
		}
	}
}

// A model is what its trainer finds on the two classes' samples alone.
func TestSubmodelsAreTheTrainers(t *testing.T) {
	p := blobs(3, 30)
	p.Pairs = true
	p.Weight = make([]float64, p.N)
	for i := range p.Weight {
		p.Weight[i] = float64(i % 4)
	}
	tr := greedy.LDA{C: 10, Eta: 1e-3}
	r, err := multiclass.Train(background, tr, p)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Submodels {
		q := &learn.Problem{D: 2, Kernel: p.Kernel}
		var rows []int
		for _, side := range []struct {
			class int
			y     float64
		}{{m.Pos, 1}, {m.Neg, -1}} { // a pair's samples are in the order of its classes
			for i, c := range p.Y {
				if int(c) == side.class {
					q.X = append(q.X, p.X[2*i:2*i+2]...)
					q.Y = append(q.Y, side.y)
					q.Weight = append(q.Weight, p.Weight[i])
					rows = append(rows, i)
				}
			}
		}
		q.N = len(rows)
		want, err := tr.Train(background, q)
		if err != nil {
			t.Fatal(err)
		}
		for s, v := range m.Support {
			if r.Rows[v] != rows[want.Support[s]] || m.Coef[s] != want.Coef[s] || m.Bias != want.Bias {
				t.Fatalf("model %d/%d differs at vector %d", m.Pos, m.Neg, s)
			}
		}
	}
}

// Any number of threads gives the same models, and progress reaches 1.
func TestThreads(t *testing.T) {
	var first *multiclass.Result
	for _, threads := range []int{1, 2, 5} {
		p := blobs(4, 30)
		p.Pairs, p.Threads = true, threads
		var last atomic.Value
		p.Progress = func(e learn.Event) {
			if e.Done >= 0 {
				last.Store(e.Done)
			}
		}
		r, err := multiclass.Train(background, greedy.LDA{C: 10}, p)
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Submodels {
			r.Submodels[i].Report.Seconds = learn.Seconds{}
		}
		if first != nil && !reflect.DeepEqual(r.Submodels, first.Submodels) {
			t.Errorf("%d threads: other models", threads)
		}
		if last.Load() != 1.0 {
			t.Errorf("%d threads: progress ended at %v", threads, last.Load())
		}
		first = r
	}
}

// told is a trainer that tells of three rounds.
type told struct{ fixed }

func (f told) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	for k := range 3 {
		p.Progress(learn.OfRound("round", k+1, 0, learn.Round{}))
	}
	return f.fixed.Train(ctx, p)
}

// TestDoneOfAll: what events say is done is of all submodels. It rises, by a third with each of three.
func TestDoneOfAll(t *testing.T) {
	p, last := blobs(3, 10), 0.0
	p.Threads = 1
	p.Progress = func(e learn.Event) {
		if e.Done < last || e.Phase == "submodels" && e.Done != float64(e.Step)/3 {
			t.Errorf("%v: %v done after %v", e, e.Done, last)
		}
		last = e.Done
	}
	if _, err := multiclass.Train(background, told{}, p); err != nil || last != 1 {
		t.Errorf("%v done at the end, %v", last, err)
	}
}

// fixed is a trainer that returns rows of its choice, equal samples among them.
type fixed struct{ support []int }

func (fixed) Name() string                  { return "fixed" }
func (fixed) EstimateMemory(int, int) int64 { return 0 }
func (f fixed) Train(context.Context, *learn.Problem) (*learn.Result, error) {
	r := &learn.Result{Expansion: learn.Expansion{Support: f.support}}
	for s := range f.support {
		r.Coef = append(r.Coef, float64(s+1))
	}
	return r, nil
}

// Equal samples are one vector of the pool, and their coefficients add up.
func TestPoolMergesEqualPoints(t *testing.T) {
	p := &multiclass.Problem{Classes: 2, Problem: learn.Problem{N: 6, D: 1,
		X: []float64{5, 0, 7, 5, 0, 7}, Y: []float64{0, 1, 0, 1, 0, 1}, Kernel: gram.RBF(1)}}
	r, err := multiclass.Train(background, fixed{[]int{4, 3, 1, 2}}, p)
	if err != nil {
		t.Fatal(err)
	}
	m := r.Submodels[0]
	if !reflect.DeepEqual(r.Rows, []int{1, 2, 3}) || !reflect.DeepEqual(m.Support, []int{0, 2, 1}) ||
		!reflect.DeepEqual(m.Coef, []float64{4, 2, 4}) {
		t.Errorf("pool %v, support %v, coefficients %v", r.Rows, m.Support, m.Coef)
	}
}

// Each pair has the Mahalanobis kernel of its own samples.
func TestKernelOf(t *testing.T) {
	p := blobs(3, 20)
	p.Pairs = true
	p.KernelOf = func(q *learn.Problem) (gram.Kernel, error) { return learn.Mahalanobis(q, 1.5) }
	r, err := multiclass.Train(background, greedy.LDA{C: 10, Eta: 1e-3}, p)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range r.Submodels {
		if m.Kernel == nil || len(m.Kernel.Weights) != 2 {
			t.Fatalf("model %d has kernel %v", i, m.Kernel)
		}
		if i > 0 && reflect.DeepEqual(m.Kernel, r.Submodels[0].Kernel) {
			t.Errorf("models 0 and %d have the same kernel", i)
		}
	}
	if w := wrong(p, r); w > 3 {
		t.Errorf("%d of %d wrong", w, p.N)
	}
}

func TestOnePointAClass(t *testing.T) {
	p := &multiclass.Problem{Classes: 3, Problem: learn.Problem{N: 3, D: 1,
		X: []float64{0, 1, 2}, Y: []float64{0, 1, 2}, Kernel: gram.RBF(1)}}
	for _, pairs := range []bool{false, true} {
		p.Pairs = pairs
		r, err := multiclass.Train(background, greedy.LDA{C: 1e4}, p)
		if err != nil {
			t.Fatal(err)
		}
		if w := wrong(p, r); w > 0 {
			t.Errorf("pairs=%v: %d of 3 wrong", pairs, w)
		}
	}
}

func TestBadInput(t *testing.T) {
	for name, c := range map[string]struct {
		change func(p *multiclass.Problem)
		text   string
	}{
		"one class":                 {func(p *multiclass.Problem) { p.Classes = 1 }, "1 classes"},
		"more classes than samples": {func(p *multiclass.Problem) { p.Classes = 50 }, "class 3 of 50 has no samples"},
		"class of weight zero": {func(p *multiclass.Problem) { p.Weight = make([]float64, p.N); p.Weight[0] = 1 },
			"one class only, class 1 of 3 has no samples"},
		"fraction of a class": {func(p *multiclass.Problem) { p.Y[4] = 0.5 }, "sample 4 is of class 0.5"},
		"class that is not":   {func(p *multiclass.Problem) { p.Y[4] = math.NaN() }, "sample 4 is of class NaN"},
		"validation classes": {func(p *multiclass.Problem) {
			p.Validation = &learn.Validation{X: p.X, Y: []float64{0, 1}, N: 9}
		}, "2 classes for 9 validation"},
		"validation out of range": {func(p *multiclass.Problem) {
			p.Validation = &learn.Validation{X: p.X, Y: []float64{0, 5}, N: 2}
		}, "validation sample 1 is of class 5"},
		"memory of the copy": {func(p *multiclass.Problem) { p.Pairs, p.Memory = true, 100 }, "memory budget"},
		"class out of range": {func(p *multiclass.Problem) { p.Y[4] = 3 }, "sample 4 is of class 3"},
		"too few classes":    {func(p *multiclass.Problem) { p.Y = p.Y[1:] }, "8 classes for 9 samples"},
		"too few weights":    {func(p *multiclass.Problem) { p.Weight = []float64{1} }, "1 weights for 9 samples"},
		"too few values":     {func(p *multiclass.Problem) { p.X = p.X[1:] }, "17 values"},
		"bad kernel": {func(p *multiclass.Problem) { p.Kernel.Gamma = -1 },
			"class 0 against the rest: gram: rbf kernel needs gamma > 0"},
	} {
		p := blobs(3, 3)
		c.change(p)
		_, err := multiclass.Train(background, greedy.LDA{C: 1}, p)
		if err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.text)
		}
	}
}

// budgeted is a trainer that needs a mebibyte for every training, and counts how many run at once.
type budgeted struct{ running, max *atomic.Int64 }

func (budgeted) Name() string                  { return "budgeted" }
func (budgeted) EstimateMemory(int, int) int64 { return 1 << 20 }
func (b budgeted) Train(_ context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := p.Budget("budgeted", p.N, p.D).Take(1 << 20); err != nil {
		return nil, err
	}
	now := b.running.Add(1)
	defer b.running.Add(-1)
	for {
		largest := b.max.Load()
		if now <= largest || b.max.CompareAndSwap(largest, now) {
			break
		}
	}
	time.Sleep(time.Millisecond)
	return &learn.Result{}, nil
}

// A budget for one model trains one at a time, whatever the threads.
func TestMemoryDecidesHowMany(t *testing.T) {
	for _, c := range []struct {
		memory int64
		max    int64
	}{{3 << 19, 1}, {5 << 19, 2}, {1 << 30, 6}} {
		p := blobs(4, 30)
		p.Pairs, p.Threads, p.Memory = true, 6, c.memory
		b := budgeted{new(atomic.Int64), new(atomic.Int64)}
		if _, err := multiclass.Train(background, b, p); err != nil {
			t.Errorf("%d bytes: %v", c.memory, err)
		}
		if got := b.max.Load(); got > c.max || got < 1 {
			t.Errorf("%d bytes: %d models at once, want at most %d", c.memory, got, c.max)
		}
	}
	p := blobs(4, 30)
	p.Memory = 1 << 20
	var e *learn.BudgetError
	b := budgeted{new(atomic.Int64), new(atomic.Int64)}
	if _, err := multiclass.Train(background, b, p); !errors.As(err, &e) {
		t.Errorf("a mebibyte for a model and its copy: %v, want a BudgetError", err)
	}
}

// Every model gets the held-out samples of its own classes, as signs.
func TestValidation(t *testing.T) {
	p := blobs(3, 4)
	p.Pairs, p.Threads = true, 1
	p.Validation = &learn.Validation{X: []float64{0, 1, 2, 3, 4, 5, 6, 7}, Y: []float64{2, 0, 1, 2}, N: 4}
	var got []*learn.Validation
	if _, err := multiclass.Train(background, watcher{&got}, p); err != nil {
		t.Fatal(err)
	}
	want := []*learn.Validation{ // 0 against 1, 0 against 2, 1 against 2
		{X: []float64{2, 3, 4, 5}, Y: []float64{1, -1}, N: 2},
		{X: []float64{0, 1, 2, 3, 6, 7}, Y: []float64{-1, 1, -1}, N: 3},
		{X: []float64{0, 1, 4, 5, 6, 7}, Y: []float64{-1, 1, -1}, N: 3},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("held-out samples %+v, want %+v", got, want)
	}
}

// watcher keeps the held-out data that it is given.
type watcher struct{ seen *[]*learn.Validation }

func (watcher) Name() string                  { return "watcher" }
func (watcher) EstimateMemory(int, int) int64 { return 0 }
func (w watcher) Train(_ context.Context, p *learn.Problem) (*learn.Result, error) {
	*w.seen = append(*w.seen, p.Validation)
	return &learn.Result{}, p.Validate()
}

// slow has the interface of a trainer, for those that end in their own way.
type slow struct{ learn.Trainer }

func (slow) Name() string                  { return "slow" }
func (slow) EstimateMemory(n, d int) int64 { return 1 }

// timed notes how long its turns may take, and ends at once.
type timed struct {
	slow
	mu    *sync.Mutex
	turns *[]time.Duration
}

func (r timed) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	end, _ := ctx.Deadline()
	r.mu.Lock()
	defer r.mu.Unlock()
	*r.turns = append(*r.turns, time.Until(end))
	return &learn.Result{Expansion: learn.Expansion{Support: []int{0}, Coef: []float64{1}}}, nil
}

// TestTurns: every submodel gets a share of the time limit, the last ones all that is left, also where the host has
// fewer processors than threads.
func TestTurns(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	const limit = 1000 * time.Hour
	for _, processors := range []int{1, 2} {
		runtime.GOMAXPROCS(processors)
		for _, threads := range []int{1, 2} {
			p := blobs(4, 3)
			p.Threads = threads
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			var turns []time.Duration
			_, err := multiclass.Train(ctx, timed{mu: new(sync.Mutex), turns: &turns}, p)
			cancel()
			if err != nil || len(turns) != 4 {
				t.Fatalf("%d threads on %d processors: %v, %v", threads, processors, turns, err)
			}
			slices.Sort(turns)
			for k, turn := range turns {
				share := min(1, float64(min(threads, processors))/float64(4-k))
				testutil.Near(t, fmt.Sprintf("%d threads on %d processors: turn %d", threads, processors, k),
					turn.Hours(), share*limit.Hours(), 1)
			}
		}
	}
}

// hurried is a context whose deadline comes nearer but never is there: turns end, the context does not.
type hurried struct{ context.Context }

func (hurried) Deadline() (time.Time, bool) { return time.Now().Add(3 * time.Millisecond), true }

// thorough learns nothing in a turn.
type thorough struct {
	slow
	turns *atomic.Int64
}

func (t thorough) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if ctx.Done() != nil {
		t.turns.Add(1)
		<-ctx.Done()
		return nil, learn.Nothing(ctx, "thorough")
	}
	return &learn.Result{Expansion: learn.Expansion{Support: []int{0}, Coef: []float64{1}},
		Report: learn.Report{Status: status.Optimal}}, nil
}

// A model that has learnt nothing in its turn has all the time that is left: without it there is no classifier.
func TestBeyondItsTurn(t *testing.T) {
	p, turns := blobs(4, 3), new(atomic.Int64)
	p.Threads = 1
	r, err := multiclass.Train(hurried{background}, thorough{turns: turns}, p)
	if err != nil {
		t.Fatal(err)
	}
	// the last one's turn is all that is left
	if len(r.Submodels) != 4 || r.Status != status.Optimal || turns.Load() != 3 {
		t.Errorf("%d models, %v, after %d turns, want 4 and 3 turns", len(r.Submodels), r.Status, turns.Load())
	}
}

// ending ends one training after the other with the next status.
type ending struct {
	slow
	left *[]status.Status
}

func (t ending) Train(context.Context, *learn.Problem) (*learn.Result, error) {
	st := (*t.left)[0]
	*t.left = (*t.left)[1:]
	return &learn.Result{Expansion: learn.Expansion{Support: []int{0}, Coef: []float64{1}},
		Report: learn.Report{Status: st}}, nil
}

// A classifier has the status of the submodel that proves the least, or of the first that is not done.
func TestLeastProved(t *testing.T) {
	all, local, fixed := status.Optimal, status.LocalOptimum, status.FixedPoint
	for _, c := range []struct {
		of   []status.Status
		want status.Status
	}{
		{[]status.Status{all, all, all}, all},
		{[]status.Status{all, local, all}, local},
		{[]status.Status{local, fixed, local}, fixed},
		{[]status.Status{fixed, status.TimeLimit, status.Numerical}, status.TimeLimit},
	} {
		p, left := blobs(3, 3), slices.Clone(c.of)
		p.Threads = 1
		if r, err := multiclass.Train(background, ending{left: &left}, p); err != nil || r.Status != c.want {
			t.Errorf("%v: %v, error %v", c.of, r.Status, err)
		}
	}
}
