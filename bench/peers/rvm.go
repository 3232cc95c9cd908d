package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"runtime/debug"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/bayes"
)

func init() {
	compare("rvm", "relevance vector machines for regression compared with kernlab's, processor time of one core", runRVM)
}

// runRVM trains on noisy sin(x)/x and on Friedman's first problem.
func runRVM(ctx context.Context, e *env) error {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the command has it
	harness.Header("samples", "method", "processor time", "support vectors", "deviation of the noise",
		"kernlab's time over it")
	script, err := e.source("rvm.R")
	if err != nil {
		return err
	}
	for _, s := range []struct {
		name  string
		set   *dataset.Set
		gamma float64
	}{
		{"sinc-100", dataset.Sinc(100, 0.1, 1), 0.1},
		{"sinc-1000", dataset.Sinc(1000, 0.1, 1), 0.1},
		{"friedman1-1000", dataset.Friedman(1, 1000, 1, 1), 0.5},
	} {
		file, err := e.file("rvm.csv", s.set.WriteCSV)
		if err != nil {
			return err
		}
		var peer struct {
			Seconds, Variance float64
			Vectors           []int
		}
		out, err := exec.CommandContext(ctx, "Rscript", script, file, fmt.Sprint(s.gamma)).Output()
		if err == nil {
			err = json.Unmarshal(out, &peer)
		}
		if err != nil {
			absent(fmt.Errorf("rvm.R: %w", err))
		}
		p := &learn.Problem{X: s.set.X, N: s.set.N, D: s.set.D, Task: learn.Regress, Y: s.set.Targets, Kernel: gram.RBF(s.gamma)}
		for _, t := range []learn.Trainer{bayes.RVM{}, bayes.Fast{}} {
			took, r, err := e.train(ctx, t, p)
			if err != nil {
				return err
			}
			harness.Row(s.name, t.Name(), seconds(took), fmt.Sprint(len(r.Coef)),
				fmt.Sprintf("%.4g", r.Report.Figures.(bayes.Figures).Noise), times(peer.Seconds/took))
		}
		harness.Row(s.name, "kernlab", seconds(peer.Seconds), fmt.Sprint(len(peer.Vectors)),
			fmt.Sprintf("%.4g", math.Sqrt(peer.Variance)), "1")
	}
	return nil
}
