package torture

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/testing/check"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/direct"
	"github.com/sparsekm/sparsekm/learn/pooled"
	"github.com/sparsekm/sparsekm/status"
)

// TestPooled trains over two shards of every problem, of classes and of values, from half of the samples as candidates.
// What comes back is held against the program of direct, which is that of pooled.
func TestPooled(t *testing.T) {
	each := *problems / uint64(len(Regimes()))
	if testing.Short() {
		each = min(each, 25)
	}
	for _, regime := range Regimes() {
		t.Run(regime.String(), func(t *testing.T) {
			count := make(map[string]int)
			for seed := *first; seed < *first+each; seed++ {
				for _, task := range []learn.Task{learn.Classify, learn.Regress} {
					c := &course{T: t, p: New(regime, seed)}
					how, why := c.pool(task)
					count[how]++
					if how == "PANIC" || how == "BAD" {
						t.Errorf("%v: %s: %s: %s", task, c.p.Name, how, why)
					} else if how != "optimal" && testing.Verbose() {
						t.Logf("%v: %s: %s: %s", task, c.p.Name, how, why)
					}
				}
			}
			t.Logf("%d trainings: %v", 2*each, count)
			trained := float64(2*int(each) - count["refused"])
			if optimal := float64(count["optimal"]); !(optimal >= pooledBars[regime]*trained) {
				t.Errorf("%v of %v trainings are optimal; want %.2f %%", optimal, trained, 100*pooledBars[regime])
			}
		})
	}
}

// pooledBars is bars of [TestPooled].
var pooledBars = map[Regime]float64{Moderate: 0.999, Wild: 0.95}

// pool trains over shards, checks and says how it went, as train does.
func (c *course) pool(task learn.Task) (how, why string) {
	defer func() {
		if p := recover(); p != nil {
			how, why = "PANIC", fmt.Sprint(p)
		}
	}()
	set := &dataset.Set{X: c.p.X, N: c.p.N, D: c.p.D, Y: c.p.Class, Labels: []string{"0", "1"}}
	y, labels := set.RestSigns(1), set.Labels
	if task == learn.Regress {
		y, labels = c.p.Value, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	candidates := &pooled.Candidates{Kernel: c.p.Kernel, D: c.p.D, Labels: labels,
		Vectors: c.p.X[:(c.p.N+1)/2*c.p.D]}
	clf, report, err := pooled.TrainClassifier(ctx, candidates, pooled.Options{C: c.p.C, Passes: 200}, c.sums(task))
	if err != nil {
		return c.failed(err)
	}
	m := &report.Submodels[0]
	r := &learn.Result{Expansion: m.Expansion, Kernel: &report.Kernel, Report: m.Report}
	r.Support, r.Vectors = nil, report.Vectors
	judge := check.New(&learn.Problem{X: c.p.X, N: c.p.N, D: c.p.D, Y: y, Weight: c.p.Weight, Kernel: c.p.Kernel, Task: task})
	same := direct.Trainer{C: c.p.C}
	v := judge.Machine(same, r)
	bad := v.Faults
	if r.Report.Status == status.Optimal {
		bad = append(bad, v.Doubts(same, &r.Report)...)
	}
	if f := r.Report.Figures.(pooled.Figures); f.Points != c.p.N {
		bad = append(bad, fmt.Sprintf("%d samples of %d", f.Points, c.p.N))
	}
	if len(bad) == 0 {
		bad = c.classifier(clf, set, v)
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
func (c *course) sums(task learn.Task) func(context.Context, *pooled.Model) ([]float64, error) {
	y := c.p.Value
	if task == learn.Classify {
		y = make([]float64, c.p.N)
		for i, class := range c.p.Class {
			y[i] = float64(class)
		}
	}
	shard := func(lo, hi int) *pooled.Points {
		s := &pooled.Points{X: c.p.X[lo*c.p.D : hi*c.p.D], N: hi - lo, Y: y[lo:hi]}
		if c.p.Weight != nil {
			s.Weight = c.p.Weight[lo:hi]
		}
		return s
	}
	half := c.p.N / 2
	return func(ctx context.Context, m *pooled.Model) ([]float64, error) {
		sums := make([]float64, pooled.Length(m.K, len(m.Bias)))
		for _, s := range []*pooled.Points{shard(0, half), shard(half, c.p.N)} {
			if err := m.Sums(ctx, sums, s); err != nil {
				return nil, err
			}
		}
		return sums, nil
	}
}
