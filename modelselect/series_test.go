package modelselect_test

import (
	"context"
	"math"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/skm"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/modelselect"
)

// counted is skm with counts of its calls.
type counted struct{ C float64 }

var alone, paths atomic.Int64

func init() {
	learn.Register(counted{C: 1}, learn.Method{Name: "counted", About: "skm, counted", Paper: "none"})
}

func (counted) Name() string                  { return "counted" }
func (counted) EstimateMemory(n, d int) int64 { return skm.Trainer{}.EstimateMemory(n, d) }
func (counted) FreePath()                     {}

func (t counted) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	alone.Add(1)
	return skm.Trainer{C: t.C}.Train(ctx, p)
}

// Path ends after two models where C is large.
func (counted) Path(ctx context.Context, p *learn.Problem, c []float64, visit func(float64, *learn.Result) bool) error {
	paths.Add(1)
	seen := 0
	return skm.Trainer{}.Path(ctx, p, c, func(c float64, r *learn.Result) bool {
		seen++
		return visit(c, r) && !(seen == 2 && c > 1)
	})
}

// TestSeries: settings that differ in C alone are trained together, and the table is the one of each alone.
func TestSeries(t *testing.T) {
	set := dataset.PelegMeir(90, 0.2, 3)
	splits := folds(t, set, 3, 1)
	for _, c := range []struct {
		costs        []float64
		paths, alone int64
	}{{[]float64{0.01, 0.1, 1}, 6, 0}, {[]float64{0.5, 2, 4}, 6, 6}, {[]float64{0.5}, 0, 6}} {
		settings, err := modelselect.Grid(sparsekm.Options{Trainer: counted{}, Kernel: gram.RBF(0), Scheme: model.OneVsRest},
			modelselect.Param("c", c.costs...), modelselect.GammaTimes(0.3, 3))
		if err != nil {
			t.Fatal(err)
		}
		var want [][]*modelselect.Run
		for i := range settings {
			one, err := modelselect.Evaluate(t.Context(), set, settings[i:i+1], splits, modelselect.Options{})
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, one.Runs[0])
		}
		for _, threads := range []int{1, 3} {
			paths.Store(0)
			alone.Store(0)
			got, err := modelselect.Evaluate(t.Context(), set, settings, splits, modelselect.Options{Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got.Runs, equal); diff != "" {
				t.Errorf("C of %v: %s", c.costs, diff)
			}
			for i := range settings {
				for _, r := range got.Runs[i] {
					if !(r.Seconds.Train > 0) {
						t.Errorf("%s: %g s of training", r.Setting, r.Seconds.Train)
					}
				}
			}
			if paths.Load() != c.paths || alone.Load() != c.alone {
				t.Errorf("C of %v: %d paths and %d trainings, want %d and %d", c.costs, paths.Load(), alone.Load(), c.paths,
					c.alone)
			}
		}
	}
}

// Settings of svc start from one another's solutions along C. Their table depends neither on the order nor on which of
// them are trained here.
func TestSharedCosts(t *testing.T) {
	set := dataset.PelegMeir(90, 0.2, 3)
	splits := folds(t, set, 5, 1)
	settings, err := modelselect.Grid(sparsekm.Options{Trainer: svc.Trainer{}, Kernel: gram.RBF(0)},
		modelselect.Param("c", 1000, 0.1, 10), modelselect.Gamma(0.3, 3))
	if err != nil {
		t.Fatal(err)
	}
	evaluate := func(o modelselect.Options) [][]*modelselect.Run {
		o.Decisions = true
		table, err := modelselect.Evaluate(t.Context(), set, settings, splits, o)
		if err != nil {
			t.Fatal(err)
		}
		return table.Runs
	}
	same := cmp.Options{equal, cmpopts.IgnoreFields(modelselect.Run{}, "Samples")}
	want := evaluate(modelselect.Options{Threads: 1})
	if diff := cmp.Diff(want, evaluate(modelselect.Options{Threads: 3}), same); diff != "" {
		t.Error("with threads: ", diff)
	}
	for i := range settings { // alone, each starts from no other C: labels near the boundary alone may differ
		alone, err := modelselect.Evaluate(t.Context(), set, settings[i:i+1], splits, modelselect.Options{Decisions: true})
		if err != nil {
			t.Fatal(err)
		}
		for f, r := range alone.Runs[0] {
			if r.Status != want[i][f].Status {
				t.Errorf("%s: %s alone, %s in a grid", r.Setting, r.Status, want[i][f].Status)
			}
			for k, v := range r.Decisions {
				if got := want[i][f].Decisions[k]; !(math.Abs(v) <= 0.01) && !(got*v > 0) {
					t.Errorf("%s: decision %g alone, %g in a grid", r.Setting, v, got)
				}
			}
		}
	}
	for shard := range 2 {
		for i, runs := range evaluate(modelselect.Options{Shard: shard, Shards: 2}) {
			for f, r := range runs {
				if r == nil {
					continue // of the other shard
				}
				if diff := cmp.Diff(want[i][f], r, same); diff != "" {
					t.Errorf("shard %d, %s: %s", shard, r.Setting, diff)
				}
			}
		}
	}
}
