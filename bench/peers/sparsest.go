package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn/sparsest"
)

func init() {
	compare("sparsest", "the proof of the best K of the candidates against HiGHS's, one core, processor time", runSparsest)
}

// milpSeconds is what HiGHS has for each form.
const milpSeconds = 120

// milp is what HiGHS says of a form.
type milp struct {
	Seconds, Objective, Bound float64
	Done                      bool
}

func (f milp) String() string {
	if f.Done {
		return seconds(f.Seconds)
	}
	return fmt.Sprintf("gap %.1f %% after %s", 100*(1-f.Bound/f.Objective), seconds(f.Seconds))
}

func runSparsest(ctx context.Context, e *env) error {
	harness.Header("problem", "candidates", "K", "nodes", "gap", "ours, s", "HiGHS, big-M", "ratio",
		"HiGHS, perspective tangents", "ratio")
	for _, t := range []struct {
		name, file               string
		gamma                    float64
		max, samples, candidates int
	}{
		{"Ripley", "ripley-tr.libsvm", 2, 6, 250, 60}, {"banana-400", "banana-1000.libsvm", 1, 8, 400, 60},
		{"Ripley", "ripley-tr.libsvm", 2, 6, 250, 250}, {"banana-400", "banana-1000.libsvm", 1, 8, 400, 400},
	} {
		set, err := e.Set(t.file)
		if err != nil {
			return err
		}
		set = &dataset.Set{X: set.X, N: t.samples, D: set.D, Y: set.Y[:t.samples], Labels: set.Labels}
		s := svmProblem{name: t.name, set: set, gamma: t.gamma, c: 1}
		p := s.problem()
		for i := range t.candidates {
			p.Candidates = append(p.Candidates, i*t.samples/t.candidates)
		}
		best, r, err := e.train(ctx, sparsest.Trainer{MaxSV: t.max, MaxIter: 1_000_000}, p)
		if err != nil {
			return err
		}
		row := []string{t.name, strconv.Itoa(t.candidates), strconv.Itoa(t.max), strconv.Itoa(r.Report.Iterations),
			fmt.Sprintf("%.1g", r.Report.RelativeGap()), seconds(best)}
		file, err := e.file("sparsest.libsvm", set.WriteLIBSVM)
		if err != nil {
			return err
		}
		args := []string{file, "1", fmt.Sprint(t.gamma), strconv.Itoa(t.max), fmt.Sprint(r.Report.Objective), strconv.Itoa(milpSeconds)}
		for _, j := range p.Candidates {
			args = append(args, strconv.Itoa(j))
		}
		var forms struct{ BigM, Perspective milp }
		if err := e.ask("sparsest", nil, &forms, args...); err != nil {
			absent(err)
		}
		for _, f := range []milp{forms.BigM, forms.Perspective} {
			row = append(row, f.String(), fmt.Sprintf("%.0f", f.Seconds/best))
		}
		harness.Row(row...)
	}
	return nil
}
