package main

import (
	"context"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/greedy"
)

func init() {
	compare("lssvm", "Abe's sparse least-squares models with most of their samples, one thread, processor time", runLSSVM)
}

// runLSSVM trains on ringnorm data, whose samples are independent of each other at this width.
func runLSSVM(ctx context.Context, e *env) error {
	harness.Header("method", "points", "support vectors", "residual", "processor time", "bar")
	for _, c := range []struct {
		trainer learn.Trainer
		n       int
		bar     string
	}{
		{greedy.Cholesky{}, 2000, "0.2 s"},
		{greedy.Primal{}, 2000, ""},
		{greedy.LDA{Eta: 1e-6}, 4000, "5 s"},
		{greedy.KMP{Eta: 1e-6}, 4000, ""},
	} {
		set := dataset.Ringnorm(c.n, 1)
		p := &learn.Problem{X: set.X, Y: set.RestSigns(1), N: set.N, D: set.D, Kernel: gram.RBF(1 / float64(2*set.D))}
		p.Threads = 1
		best := math.Inf(1)
		var r *learn.Result
		for range e.Reps {
			var err error
			before := processor.Seconds()
			if r, err = c.trainer.Train(ctx, p); err != nil {
				return err
			}
			best = min(best, processor.Seconds()-before)
		}
		harness.Row(c.trainer.Name(), fmt.Sprint(c.n), fmt.Sprint(len(r.Support)),
			fmt.Sprintf("%.1g", *r.Report.Residual), seconds(best), c.bar)
	}
	return nil
}
