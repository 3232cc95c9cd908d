package multiclass_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/lssvm"
	"github.com/sparsekm/sparsekm/learn/multiclass"
	"github.com/sparsekm/sparsekm/status"
)

var background = context.Background()

// blobs is k Gaussian clouds of n points each around the corners of a polygon.
func blobs(k, n int) *multiclass.Problem {
	rng := rand.New(rand.NewPCG(1, 2))
	centre := [][2]float64{{0, 0}, {3, 0}, {0, 3}, {3, 3}}
	p := &multiclass.Problem{N: k * n, D: 2, Classes: k, Kernel: gram.RBF(0.3)}
	for i := range p.N {
		c := i % k
		p.Class = append(p.Class, c)
		p.X = append(p.X, centre[c][0]+0.6*rng.NormFloat64(), centre[c][1]+0.6*rng.NormFloat64())
	}
	return p
}

// value is a machine's decision at point i.
func value(p *multiclass.Problem, r *multiclass.Result, m *multiclass.Machine, i int) float64 {
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

// errors counts the training points that the largest decision, or the fuzzy
// minimum of Abe (2008), gives to another class.
func errors(p *multiclass.Problem, r *multiclass.Result) (wrong int) {
	for i, c := range p.Class {
		score := make([]float64, p.Classes)
		for k := range score {
			score[k] = 1
		}
		for k := range r.Machines {
			m := &r.Machines[k]
			f := value(p, r, m, i)
			if m.Neg == multiclass.Rest {
				score[m.Pos] = f
				continue
			}
			score[m.Pos], score[m.Neg] = min(score[m.Pos], f), min(score[m.Neg], -f)
		}
		if slices.Index(score, slices.Max(score)) != c {
			wrong++
		}
	}
	return wrong
}

func TestTrain(t *testing.T) {
	for _, c := range []struct {
		classes  int
		pairs    bool
		machines int
	}{{2, false, 1}, {2, true, 1}, {3, false, 3}, {3, true, 3}, {4, false, 4}, {4, true, 6}} {
		p := blobs(c.classes, 40)
		p.Pairs = c.pairs
		r, err := multiclass.Train(background, lssvm.LDA{C: 100, Eta: 1e-3}, p)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Machines) != c.machines || r.Report.Status != status.Optimal {
			t.Errorf("%+v: %d machines, %v", c, len(r.Machines), r.Report.Status)
		}
		if w := errors(p, r); w > p.N/25 {
			t.Errorf("%+v: %d of %d wrong", c, w, p.N)
		}
		if !slices.IsSorted(r.Rows) {
			t.Errorf("%+v: the pool is not ascending: %v", c, r.Rows)
		}
	}
}

// A machine is what its trainer finds on the two classes' points alone.
func TestMachinesAreTheTrainers(t *testing.T) {
	p := blobs(3, 30)
	p.Pairs = true
	p.Weight = make([]float64, p.N)
	for i := range p.Weight {
		p.Weight[i] = float64(i % 4)
	}
	tr := lssvm.LDA{C: 10, Eta: 1e-3}
	r, err := multiclass.Train(background, tr, p)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Machines {
		q := &learn.Problem{D: 2, Kernel: p.Kernel}
		var rows []int
		for i, c := range p.Class {
			if c == m.Pos || c == m.Neg {
				y := 1.0
				if c == m.Neg {
					y = -1
				}
				q.X, q.Y, q.Weight = append(q.X, p.X[2*i:2*i+2]...), append(q.Y, y), append(q.Weight, p.Weight[i])
				rows = append(rows, i)
			}
		}
		q.N = len(rows)
		want, err := tr.Train(background, q)
		if err != nil {
			t.Fatal(err)
		}
		for s, v := range m.Support {
			if r.Rows[v] != rows[want.Support[s]] || m.Coef[s] != want.Coef[s] || m.Bias != want.Bias {
				t.Fatalf("machine %d/%d differs at vector %d", m.Pos, m.Neg, s)
			}
		}
	}
}

// Any number of threads gives the same machines, and progress reaches 1.
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
		r, err := multiclass.Train(background, lssvm.LDA{C: 10}, p)
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Machines {
			r.Machines[i].Report.Seconds = learn.Seconds{}
		}
		if first != nil && !reflect.DeepEqual(r.Machines, first.Machines) {
			t.Errorf("%d threads: other machines", threads)
		}
		if last.Load() != 1.0 {
			t.Errorf("%d threads: progress ended at %v", threads, last.Load())
		}
		first = r
	}
}

// fixed is a trainer that returns rows of its choice, equal points among them.
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

// Equal points are one vector of the pool, and their coefficients add up.
func TestPoolMergesEqualPoints(t *testing.T) {
	p := &multiclass.Problem{N: 6, D: 1, Classes: 2, X: []float64{5, 0, 7, 5, 0, 7}, Class: []int{0, 1, 0, 1, 0, 1}, Kernel: gram.RBF(1)}
	r, err := multiclass.Train(background, fixed{[]int{4, 3, 1, 2}}, p)
	if err != nil {
		t.Fatal(err)
	}
	m := r.Machines[0]
	if !reflect.DeepEqual(r.Rows, []int{1, 2, 3}) || !reflect.DeepEqual(m.Support, []int{0, 2, 1}) || !reflect.DeepEqual(m.Coef, []float64{4, 2, 4}) {
		t.Errorf("pool %v, support %v, coefficients %v", r.Rows, m.Support, m.Coef)
	}
}

// Each pair has the Mahalanobis kernel of its own points.
func TestKernelOf(t *testing.T) {
	p := blobs(3, 20)
	p.Pairs = true
	p.KernelOf = func(q *learn.Problem) (gram.Kernel, error) { return lssvm.Mahalanobis(q, 1.5) }
	r, err := multiclass.Train(background, lssvm.LDA{C: 10, Eta: 1e-3}, p)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range r.Machines {
		if m.Kernel == nil || len(m.Kernel.Weights) != 2 {
			t.Fatalf("machine %d has kernel %v", i, m.Kernel)
		}
		if i > 0 && reflect.DeepEqual(m.Kernel, r.Machines[0].Kernel) {
			t.Errorf("machines 0 and %d have the same kernel", i)
		}
	}
	if w := errors(p, r); w > 3 {
		t.Errorf("%d of %d wrong", w, p.N)
	}
}

func TestOnePointAClass(t *testing.T) {
	p := &multiclass.Problem{N: 3, D: 1, Classes: 3, X: []float64{0, 1, 2}, Class: []int{0, 1, 2}, Kernel: gram.RBF(1)}
	for _, pairs := range []bool{false, true} {
		p.Pairs = pairs
		r, err := multiclass.Train(background, lssvm.LDA{C: 1e4}, p)
		if err != nil {
			t.Fatal(err)
		}
		if w := errors(p, r); w > 0 {
			t.Errorf("pairs=%v: %d of 3 wrong", pairs, w)
		}
	}
}

func TestBadInput(t *testing.T) {
	for name, c := range map[string]struct {
		change func(p *multiclass.Problem)
		text   string
	}{
		"one class":                {func(p *multiclass.Problem) { p.Classes = 1 }, "1 classes"},
		"more classes than points": {func(p *multiclass.Problem) { p.Classes = 50 }, "class 3 of 50 has no points"},
		"class of weight zero":     {func(p *multiclass.Problem) { p.Weight = make([]float64, p.N); p.Weight[0] = 1 }, "class 1 of 3 has no points"},
		"class out of range":       {func(p *multiclass.Problem) { p.Class[4] = 3 }, "point 4 is of class 3"},
		"too few classes":          {func(p *multiclass.Problem) { p.Class = p.Class[1:] }, "8 classes for 9 points"},
		"too few weights":          {func(p *multiclass.Problem) { p.Weight = []float64{1} }, "1 weights for 9 points"},
		"too few values":           {func(p *multiclass.Problem) { p.X = p.X[1:] }, "17 values"},
		"bad kernel":               {func(p *multiclass.Problem) { p.Kernel.Gamma = -1 }, "class 0 against the rest: gram: rbf kernel needs gamma > 0"},
	} {
		p := blobs(3, 3)
		c.change(p)
		_, err := multiclass.Train(background, lssvm.LDA{C: 1}, p)
		if err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.text)
		}
	}
}
