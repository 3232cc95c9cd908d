package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/bayes"
)

func init() {
	compare("rvm", "relevance vector machines for regression compared with kernlab's, processor time of one core",
		runRVM)
}

// runRVM trains on noisy sin(x)/x and on Friedman's first problem.
func runRVM(ctx context.Context, e *env) error {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as the command has it
	harness.Header("points", "method", "processor time", "vectors", "deviation of the noise", "kernlab's time over it")
	for _, of := range []struct {
		name  string
		set   *dataset.Set
		gamma float64
	}{
		{"sinc-100", dataset.Sinc(100, 0.1, 1), 0.1},
		{"sinc-1000", dataset.Sinc(1000, 0.1, 1), 0.1},
		{"friedman1-1000", dataset.Friedman(1, 1000, 1, 1), 0.5},
	} {
		p := &learn.Problem{X: of.set.X, N: of.set.N, D: of.set.D, Task: learn.Regress, Y: of.set.Targets,
			Kernel: gram.RBF(of.gamma), Resources: learn.Resources{Threads: 1}}
		peer, failed := e.kernlab(of.set, of.gamma)
		for _, t := range []learn.Trainer{bayes.RVM{}, bayes.Fast{}} {
			best, r := math.Inf(1), (*learn.Result)(nil)
			for range max(1, e.Reps) {
				start := processor.Seconds()
				var err error
				if r, err = t.Train(ctx, p); err != nil {
					return err
				}
				best = min(best, processor.Seconds()-start)
			}
			ratio := "-"
			if failed == nil {
				ratio = fmt.Sprintf("%.1f", peer.Seconds/best)
			}
			harness.Row(of.name, t.Name(), seconds(best), fmt.Sprint(len(r.Coef)),
				fmt.Sprintf("%.4g", r.Report.Figures.(bayes.Figures).Noise), ratio)
		}
		if failed != nil {
			fmt.Println("kernlab left out:", failed)
			continue
		}
		harness.Row(of.name, "kernlab", seconds(peer.Seconds), fmt.Sprint(len(peer.Vectors)),
			fmt.Sprintf("%.4g", math.Sqrt(peer.Variance)), "1")
	}
	return nil
}

// kernlabRVM is what the peer says.
type kernlabRVM struct {
	Seconds, Variance float64
	Vectors           []int
}

func (e *env) kernlab(set *dataset.Set, gamma float64) (k kernlabRVM, err error) {
	script, err := e.source("rvm.R")
	if err != nil {
		return k, err
	}
	name := filepath.Join(e.Tmp, "rvm.csv")
	f, err := os.Create(name)
	if err != nil {
		return k, err
	}
	if err = set.WriteCSV(f); err != nil {
		f.Close()
		return k, err
	}
	if err = f.Close(); err != nil {
		return k, err
	}
	out, err := exec.Command("Rscript", script, name, fmt.Sprint(gamma)).Output()
	if err != nil {
		return k, fmt.Errorf("rvm.R: %w", err)
	}
	return k, json.Unmarshal(out, &k)
}
