package pooled_test

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm/contrib/pooled"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/testing/check"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/direct"
	"github.com/sparsekm/sparsekm/status"
)

var (
	problems = flag.Uint64("problems", 500, "problems of all regimes together; 20000 is the long mode")
	first    = flag.Uint64("first", 0, "number of the first problem of each regime, to run the long mode in pieces")
	limit    = flag.Duration("limit", 6*time.Second, "what a training of at most 60 samples may take")
)

// TestTorture trains over two shards of every problem, of classes and of values, from half of the samples as
// candidates. What comes back is held against the program of direct, which is that of pooled.
func TestTorture(t *testing.T) {
	each := *problems / uint64(len(check.Regimes()))
	if testing.Short() {
		each = min(each, 25)
	}
	for _, regime := range check.Regimes() {
		t.Run(regime.String(), func(t *testing.T) {
			t.Parallel()
			count := make(map[string]int)
			for seed := *first; seed < *first+each; seed++ {
				for _, task := range []learn.Task{learn.Classify, learn.Regress} {
					c := course{check.NewProblem(regime, seed)}
					how, why := c.train(task)
					count[how]++
					if how == "PANIC" || how == "BAD" {
						t.Errorf("%v: %s: %s: %s", task, c.Name, how, why)
					} else if how != "optimal" && testing.Verbose() {
						t.Logf("%v: %s: %s: %s", task, c.Name, how, why)
					}
				}
			}
			t.Logf("%d trainings: %v", 2*each, count)
			trained := float64(2*int(each) - count["refused"])
			if optimal := float64(count["optimal"]); !(optimal >= bars[regime]*trained) {
				t.Errorf("%v of %v trainings are optimal; want %.2f %%", optimal, trained, 100*bars[regime])
			}
		})
	}
}

// bars has the shares of trainings, among those that are not refused by name, that must end optimal.
var bars = map[check.Regime]float64{check.Moderate: 0.999, check.Wild: 0.95}

// course is one problem, to be trained on in shards.
type course struct{ *check.Problem }

// train trains over shards, checks and says how it went: a status, "refused" or what may not be.
func (c course) train(task learn.Task) (how, why string) {
	defer func() {
		if p := recover(); p != nil {
			how, why = "PANIC", fmt.Sprint(p)
		}
	}()
	set := &dataset.Set{X: c.X, N: c.N, D: c.D, Y: c.Class, Labels: []string{"0", "1"}}
	y, labels := set.RestSigns(1), set.Labels
	if task == learn.Regress {
		y, labels = c.Value, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	candidates := &pooled.Candidates{Kernel: c.Kernel, D: c.D, Labels: labels,
		Vectors: c.X[:(c.N+1)/2*c.D]}
	clf, report, err := pooled.TrainClassifier(ctx, candidates, pooled.Options{C: c.C, Passes: 200}, c.sums(task))
	if err != nil {
		return c.Failed(err)
	}
	m := &report.Submodels[0]
	r := &learn.Result{Expansion: m.Expansion, Kernel: &report.Kernel, Report: m.Report}
	r.Support, r.Vectors = nil, report.Vectors
	judge := check.New(&learn.Problem{X: c.X, N: c.N, D: c.D, Y: y, Weight: c.Weight, Kernel: c.Kernel, Task: task})
	same := direct.Trainer{C: c.C}
	v := judge.Machine(same, r)
	bad := v.Faults
	if r.Report.Status == status.Optimal {
		bad = append(bad, v.Doubts(same, &r.Report)...)
	}
	if f := r.Report.Figures.(pooled.Figures); f.Samples != c.N {
		bad = append(bad, fmt.Sprintf("%d samples of %d", f.Samples, c.N))
	}
	if len(bad) == 0 {
		bad = c.Classifier(clf, set, v)
	}
	switch st := r.Report.Status; {
	case len(bad) > 0:
		return "BAD", fmt.Sprintf("%v: %s", st, strings.Join(bad, "; "))
	case st == status.Numerical && v.Blurred():
		return "rounding limit", r.Report.Message
	default:
		return st.String(), r.Report.Message
	}
}

// sums adds the sums of two shards of the samples.
func (c course) sums(task learn.Task) func(context.Context, *pooled.Model) ([]float64, error) {
	y := c.Value
	if task == learn.Classify {
		y = make([]float64, c.N)
		for i, class := range c.Class {
			y[i] = float64(class)
		}
	}
	shard := func(lo, hi int) *pooled.Samples {
		s := &pooled.Samples{X: c.X[lo*c.D : hi*c.D], N: hi - lo, Y: y[lo:hi]}
		if c.Weight != nil {
			s.Weight = c.Weight[lo:hi]
		}
		return s
	}
	half := c.N / 2
	return func(ctx context.Context, m *pooled.Model) ([]float64, error) {
		sums := make([]float64, pooled.Length(m.K, len(m.Bias)))
		for _, s := range []*pooled.Samples{shard(0, half), shard(half, c.N)} {
			if err := m.Sums(ctx, sums, s); err != nil {
				return nil, err
			}
		}
		return sums, nil
	}
}
