package modelselect_test

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/modelselect"
)

// values counts those of the kernel watched.
var values atomic.Int64

var watched = gram.Register("modelselect-watched", func(x, z []float64) float64 {
	values.Add(1)
	sum := 0.0
	for i, v := range x {
		sum += (v - z[i]) * (v - z[i])
	}
	return math.Exp(-sum)
})

// An evaluation whose context ends as a training does classifies no test sample, and has no run of it.
func TestNotJudgedAfterTheEnd(t *testing.T) {
	set := ripley(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := sparsekm.Options{Trainer: svc.Trainer{}, Kernel: watched}
	settings := []modelselect.Setting{{Name: "svc", Options: o}}
	var trained int64
	settings[0].Finish = func(c *sparsekm.Classifier) (*sparsekm.Classifier, error) {
		trained = values.Load()
		cancel()
		return c, nil
	}
	table, err := modelselect.Evaluate(ctx, set, settings, folds(t, set, 2, 1), modelselect.Options{Threads: 1})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want the context's", err)
	}
	if trained == 0 || values.Load() != trained {
		t.Errorf("%d kernel values after the training's %d", values.Load()-trained, trained)
	}
	if r := table.Runs[0][0]; r != nil {
		t.Errorf("a run: %+v", r)
	}
}
