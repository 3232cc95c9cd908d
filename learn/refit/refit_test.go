package refit_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	_ "github.com/sparsekm/sparsekm/learn/refit"
	"github.com/sparsekm/sparsekm/learn/skm"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/status"
)

// refitted is the trainer that package learn makes with this package.
func refitted(tr learn.Trainer) learn.Trainer {
	tr, _ = learn.Refitted(tr)
	return tr
}

func train(t *testing.T, tr learn.Trainer, p *learn.Problem) *learn.Result {
	t.Helper()
	r, err := tr.Train(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// objective is the convex program's, pair by pair.
func objective(p *learn.Problem, e *learn.Expansion, c float64) float64 {
	var v float64
	for s, a := range e.Coef {
		v += 1e-9 / 2 * a * a
		for l, b := range e.Coef {
			i, j := e.Support[s], e.Support[l]
			v += a * b * p.Kernel.Eval(p.X[i*p.D:(i+1)*p.D], p.X[j*p.D:(j+1)*p.D]) / 2
		}
	}
	for i, f := range ref.Decide(p, e, p.X, p.N) {
		miss := math.Max(0, 1-p.Y[i]*f)
		v += c * p.WeightOf(i) * miss * miss
	}
	return v
}

// What is reported is the convex program's optimum for the method's own vectors, weights included.
func TestProgram(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for _, of := range []learn.Trainer{ssvclp.B{C: 3}, ssvc.A{C: 3}, skm.L0SVM{C: 3}, skm.LPSVC{C: 1}} {
			p := ref.Clouds(3, 120, 3)
			p.Weight = make([]float64, p.N)
			for i := range p.Weight {
				p.Weight[i] = float64(i % 3)
			}
			own, r := train(t, of, p), train(t, refitted(of), p)
			info := r.Report.Refit
			if info == nil || !info.Kept || r.Report.Status != own.Report.Status {
				t.Fatalf("%s: %v, refit %+v: %s", of.Name(), r.Report.Status, info, r.Report.Message)
			}
			if !slices.Equal(own.Support, r.Support) || slices.Equal(own.Coef, r.Coef) {
				t.Errorf("%s: vectors %v, coefficients %v, before %v, %v", of.Name(), r.Support, r.Coef, own.Support, own.Coef)
			}
			smallest := objective(p, &r.Expansion, info.C)
			testutil.NearRel(t, of.Name()+": objective", r.Report.Objective, smallest, 1e-12)
			testutil.AtMost(t, of.Name()+": dual objective", r.Report.Duality.Objective, smallest*(1+1e-12))
			testutil.AtMost(t, of.Name()+": gap", r.Report.Duality.Gap, 1e-8)
			for s := range r.Coef {
				for _, by := range []float64{-1e-2, 1e-2} {
					e := r.Expansion
					e.Coef = slices.Clone(e.Coef)
					e.Coef[s] += by
					if other := objective(p, &e, info.C); !(other > smallest) {
						t.Errorf("%s: coefficient %d moved by %g has objective %v, at most %v", of.Name(), s, by, other, smallest)
					}
				}
			}
			testutil.AtMost(t, of.Name()+": held-out loss", info.After.Loss, info.Before.Loss)
		}
	})
}

// known is a method that knows the answer: two vectors, whatever the samples, and a large margin.
type known struct {
	size float64
	then func(p *learn.Problem) // called by each training; may be nil
}

func (known) Name() string                  { return "known" }
func (known) EstimateMemory(n, d int) int64 { return 0 }
func (k known) Train(_ context.Context, p *learn.Problem) (*learn.Result, error) {
	if k.then != nil {
		k.then(p)
	}
	e := learn.Expansion{Bias: k.size}
	if k.size != 0 {
		e = learn.Expansion{Support: []int{slices.Index(p.Y, 1), slices.Index(p.Y, -1)}, Coef: []float64{k.size, -k.size}}
	}
	return &learn.Result{Expansion: e, Report: learn.Report{Status: status.Optimal, Objective: 7}}, nil
}

// sides is n samples of two distant classes.
func sides(n int) *learn.Problem {
	p := &learn.Problem{X: make([]float64, n), Y: make([]float64, n), N: n, D: 1, Kernel: gram.RBF(0.1)}
	for i := range n {
		p.Y[i] = float64(2*(i%2) - 1)
		p.X[i] = 2*p.Y[i] + float64(i%7)/7
	}
	return p
}

// Where the method's own coefficients do better on held-out samples, nothing of its result changes.
func TestNotKept(t *testing.T) {
	r := train(t, refitted(known{size: 100}), sides(60))
	info := r.Report.Refit
	if info == nil || info.Kept || !(info.Before.Loss < info.After.Loss) || info.Samples != 60 {
		t.Fatalf("refit %+v of a model with margin", info)
	}
	if r.Report.Objective != 7 || r.Coef[0] != 100 ||
		!strings.Contains(r.Report.Message, "not refitted: the samples held out would lose by it") {
		t.Errorf("coefficients %v, report %+v", r.Coef, r.Report)
	}
}

// What stands in the way is said, and the method's model is returned.
func TestNothingToRefit(t *testing.T) {
	few, poor := sides(18), sides(60)
	poor.Memory = 1000
	for want, c := range map[string]struct {
		known
		p *learn.Problem
	}{
		"there are no vectors":                  {known{}, sides(60)},
		"a class has fewer than 10 samples":     {known{size: 1}, few},
		"known: 60 samples of dimension 1 need": {known{size: 1}, poor},
	} {
		r := train(t, refitted(c.known), c.p)
		if r.Report.Refit != nil || r.Report.Status != status.Optimal ||
			!strings.Contains(r.Report.Message, "not refitted: "+want) {
			t.Errorf("refit %+v, %v, %q; want %q", r.Report.Refit, r.Report.Status, r.Report.Message, want)
		}
	}
}

// TestGroups: no fold divides a group, which here is what the feature says.
func TestGroups(t *testing.T) {
	p := sides(70)
	folds, of := 0, func(x, y float64) int { return int(math.Round((x - 2*y) * 7)) }
	for i := range p.N {
		p.Group = append(p.Group, of(p.X[i], p.Y[i]))
	}
	train(t, refitted(known{size: 1, then: func(q *learn.Problem) {
		count := make([]int, 7)
		for i := range q.N {
			count[of(q.X[i], q.Y[i])]++
		}
		for g, n := range count {
			if n != 0 && n != 10 {
				t.Errorf("%d of the 10 samples of group %d", n, g)
			}
		}
		folds++
	}}), p)
	if folds != 6 {
		t.Errorf("%d trainings, want the whole and five folds", folds)
	}
	for i := range p.Group {
		p.Group[i] = int(p.Y[i])
	}
	if r := train(t, refitted(known{size: 1}), p); !strings.Contains(r.Report.Message, "is in one group") {
		t.Error(r.Report.Message)
	}
}

func TestRefused(t *testing.T) {
	p := ref.Clouds(1, 60, 2)
	for want, c := range map[string]struct {
		of     learn.Trainer
		kernel gram.Kernel
	}{
		"svc: it has no refit":                              {svc.Trainer{}, p.Kernel},
		"ssvc-b: refit: found the kernel linear, want rbf":  {ssvclp.B{}, gram.Linear()},
		"ssvc-a: refit: found the kernel laplacian, want r": {ssvc.A{}, gram.Laplacian(1)},
	} {
		q := *p
		q.Kernel = c.kernel
		if _, err := refitted(c.of).Train(t.Context(), &q); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// A context that ends on the way leaves the method's model, with the context's status, wherever it ends.
func TestStopped(t *testing.T) {
	for calls := 1; calls <= 6; calls++ {
		ctx, cancel := context.WithCancel(t.Context())
		left := calls
		of := known{size: 0.5, then: func(*learn.Problem) {
			if left--; left == 0 {
				cancel()
			}
		}}
		r, err := refitted(of).Train(ctx, sides(60))
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if r.Report.Status != status.Cancelled || r.Report.Refit != nil || r.Coef[0] != 0.5 ||
			!strings.Contains(r.Report.Message, "not refitted: stopped") {
			t.Errorf("stopped in training %d: coefficients %v, report %+v", calls, r.Coef, r.Report)
		}
	}
}

func TestThreads(t *testing.T) {
	p := ref.Clouds(5, 1500, 40)
	p.Threads = 1
	one := train(t, refitted(skm.LPSVC{C: 0.1}), p)
	p.Threads = 4
	four := train(t, refitted(skm.LPSVC{C: 0.1}), p)
	if !slices.Equal(one.Coef, four.Coef) || one.Bias != four.Bias || *one.Report.Refit != *four.Report.Refit {
		t.Errorf("%d coefficients, bias %v, %+v with one thread; %d, %v, %+v with four", len(one.Coef), one.Bias,
			one.Report.Refit, len(four.Coef), four.Bias, four.Report.Refit)
	}
	if len(one.Coef)*p.N*p.D < 1<<20 {
		t.Errorf("%d vectors are too few for threads to matter", len(one.Coef))
	}
}

// The refit keeps within the budget of the training.
func TestMemory(t *testing.T) {
	if testing.Short() || !testutil.StoppedCollector(t) {
		return
	}
	p := ref.Clouds(2, 3000, 30)
	p.Threads = 1
	of := known{size: 1}
	for p.Memory = 1 << 20; ; p.Memory += 1 << 18 {
		var r *learn.Result
		used := testutil.PeakHeap(t, func() { r = train(t, refitted(of), p) })
		testutil.AtMost(t, "bytes in use", float64(used), float64(p.Memory+p.Memory/50+512<<10))
		if r.Report.Refit != nil {
			break
		}
		if p.Memory > 1<<26 {
			t.Fatal("64 MiB are not enough")
		}
	}
}
