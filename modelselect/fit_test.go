package modelselect_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn/direct"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/modelselect"
)

// few are candidates that take milliseconds.
func few(t *testing.T) []modelselect.Setting {
	t.Helper()
	moved, err := modelselect.Grid(sparsekm.Options{Trainer: direct.Trainer{}, Scale: dataset.ScaleZ},
		modelselect.Param("max_sv", 2, 4), modelselect.Param("c", 0.3, 3), modelselect.GammaTimes(0.3, 1))
	if err != nil {
		t.Fatal(err)
	}
	linear := sparsekm.Options{Trainer: svc.Trainer{C: 1}, Kernel: gram.Linear(), Scale: dataset.ScaleZ}
	return append(append(moved, grid(t)...), modelselect.Setting{Name: "linear", Options: linear})
}

// TestFit chooses the fewest vectors within a standard error of the best, and keeps to a constraint.
func TestFit(t *testing.T) {
	set := ripley(t)
	o := modelselect.FitOptions{Candidates: few(t), Seed: 1}
	f, err := modelselect.Fit(t.Context(), set, o)
	if err != nil {
		t.Fatal(err)
	}
	chosen, best := f.Scores[f.Chosen], f.Scores[modelselect.Choose(f.Scores, modelselect.Best)]
	for _, s := range f.Scores {
		if s.Failed == "" && s.Mean <= best.Mean+best.SE && s.Vectors < chosen.Vectors {
			t.Errorf("%v vectors are chosen, %v are within a standard error of the best", chosen.Vectors, s.Vectors)
		}
	}
	if chosen.Mean > best.Mean+best.SE || f.Folds != 20 || f.Points != set.N || f.Report.N != set.N {
		t.Errorf("error %v, the best %v ± %v; %d folds of %d points", chosen.Mean, best.Mean, best.SE, f.Folds, f.Points)
	}
	if !slices.IsSortedFunc(f.Front, func(a, b modelselect.Score) int { return int(a.Vectors - b.Vectors) }) {
		t.Error("the front is not sorted")
	}
	o.MaxVectors = 2
	if f, err = modelselect.Fit(t.Context(), set, o); err != nil || f.Classifier.NumVectors() != 2 {
		t.Errorf("%d vectors, 2 allowed, %v", f.Classifier.NumVectors(), err)
	}
	o.MaxVectors = 1
	if _, err = modelselect.Fit(t.Context(), set, o); !errors.Is(err, modelselect.ErrNoSetting) {
		t.Errorf("error %v, want that there is no such setting", err)
	}
}

// TestFitScale: features a power of two times larger are the same points once they are z-scored.
func TestFitScale(t *testing.T) {
	set := ripley(t)
	large := *set
	large.X = slices.Clone(set.X)
	for i := range large.X {
		large.X[i] *= 1 << 13
	}
	o := modelselect.FitOptions{Candidates: few(t), Seed: 1}
	a, err := modelselect.Fit(t.Context(), set, o)
	if err != nil {
		t.Fatal(err)
	}
	b, err := modelselect.Fit(t.Context(), &large, o)
	if err != nil {
		t.Fatal(err)
	}
	if a.Table.Settings[a.Chosen].Name != b.Table.Settings[b.Chosen].Name ||
		a.Scores[a.Chosen].Mean != b.Scores[b.Chosen].Mean {
		t.Errorf("%s and %s", a.Table.Settings[a.Chosen].Name, b.Table.Settings[b.Chosen].Name)
	}
}

// TestFitLimits: no time for a single split is an error that says so, and so is a context that has ended.
func TestFitLimits(t *testing.T) {
	set := ripley(t)
	if _, err := modelselect.Fit(t.Context(), set, modelselect.FitOptions{Time: time.Nanosecond}); !errors.Is(err,
		modelselect.ErrNoSetting) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := modelselect.Fit(ctx, set, modelselect.FitOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	one := set.Subset([]int{0, 1, 2, 3})
	one.Y = []int{0, 0, 0, 0}
	if _, err := modelselect.Fit(t.Context(), one, modelselect.FitOptions{}); err == nil {
		t.Error("one class")
	}
}
