package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/sparsest"
)

func init() {
	compare("sparsest", "the proof of the best K of the candidates against HiGHS's, one core, processor time", runSparsest)
}

// milpSeconds is what HiGHS has for each form.
const milpSeconds = 120

// sparsestTask is a set with its kernel, and the numbers of vectors, samples and candidates.
type sparsestTask struct {
	name, file         string
	gamma              float64
	max, samples, cand int
}

func runSparsest(ctx context.Context, e *env) error {
	harness.Header("problem", "candidates", "K", "nodes", "gap", "ours, s", "HiGHS, big-M", "ratio",
		"HiGHS, perspective tangents", "ratio")
	for _, t := range []sparsestTask{
		{"Ripley", "ripley-tr.libsvm", 2, 6, 250, 60}, {"banana-400", "banana-1000.libsvm", 1, 8, 400, 60},
		{"Ripley", "ripley-tr.libsvm", 2, 6, 250, 250}, {"banana-400", "banana-1000.libsvm", 1, 8, 400, 400},
	} {
		row, err := e.sparsestRow(ctx, t)
		if err != nil {
			return err
		}
		harness.Row(row...)
	}
	return nil
}

func (e *env) sparsestRow(ctx context.Context, t sparsestTask) ([]string, error) {
	p, err := e.problem(t.file, false, gram.RBF(t.gamma))
	if err != nil {
		return nil, err
	}
	p.N, p.X, p.Y, p.Threads = t.samples, p.X[:t.samples*p.D], p.Y[:t.samples], 1
	for i := range t.cand {
		p.Candidates = append(p.Candidates, i*t.samples/t.cand)
	}
	best, r, err := e.processor(ctx, sparsest.Trainer{MaxSV: t.max, MaxIter: 1_000_000}, p)
	if err != nil {
		return nil, err
	}
	row := []string{t.name, strconv.Itoa(t.cand), strconv.Itoa(t.max), strconv.Itoa(r.Report.Iterations),
		fmt.Sprintf("%.1g", r.Report.RelativeGap()), seconds(best)}
	task, err := e.task(t.name, 1, p)
	if err != nil {
		return nil, err
	}
	forms, err := e.milp(task, p, t.max, r)
	if err != nil {
		fmt.Println("HiGHS left out:", err)
		return row, nil
	}
	for _, f := range []milp{forms.BigM, forms.Perspective} {
		smallest := "> "
		if f.Done {
			smallest = ""
		}
		row = append(row, f.String(), fmt.Sprintf("%s%.0f", smallest, f.Seconds/best))
	}
	return row, nil
}

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

// milp runs HiGHS with M from the objective that we reach.
func (e *env) milp(t *task, p *learn.Problem, limit int, r *learn.Result) (forms struct{ BigM, Perspective milp },
	err error) {
	args := []string{t.file, fmt.Sprint(t.c), fmt.Sprint(t.gamma), strconv.Itoa(limit), fmt.Sprint(r.Report.Objective),
		strconv.Itoa(milpSeconds)}
	for _, j := range p.Candidates {
		args = append(args, strconv.Itoa(j))
	}
	err = errors.New("no Python")
	for _, py := range pythons() {
		var out string
		if out, err = e.python(py, "sparsest.py", nil, args...); err == nil {
			return forms, json.Unmarshal([]byte(out[max(0, strings.Index(out, "{")):]), &forms) // after HiGHS's own lines
		}
	}
	return forms, err
}
