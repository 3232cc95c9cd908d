package cli

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// pathFlags choose the values of C that `train --path` walks through.
type pathFlags struct {
	Path      bool    `group:"path" help:"Walk C from --path-from to --path-to, each training warm from the last, and keep a model for every number of support vectors met."`
	PathFrom  float64 `default:"0.01" group:"path" help:"First value of C."`
	PathTo    float64 `default:"1000" group:"path" help:"Last value of C."`
	PathSteps int     `default:"50" group:"path" help:"Number of values, in geometric progression."`
	PathExact bool    `group:"path" help:"With --path, every model of every C between, by one parametric pass, instead of some values: for lpsvc, and for l1svm where its bound on the coefficients does not bind."`
}

// ignored fails for a flag that has no effect with --path, or without it.
func (f *pathFlags) ignored(g session.SetFlags) error {
	if name := g.First("path-from", "path-to", "path-steps", "path-exact"); name != "" && !f.Path {
		return usagef("--%s: there is no path without --path", name)
	}
	if f.PathExact && g.First("path-steps") != "" {
		return usagef("--path-steps: --path-exact takes every C")
	}
	if f.Path && g.First("c") != "" {
		return usagef("--c: --path goes from --path-from to --path-to")
	}
	return nil
}

func (f *pathFlags) validate() error {
	positive := func(v float64) bool { return v > 0 && !math.IsInf(v, 0) }
	switch {
	case !positive(f.PathFrom):
		return usagef("--path-from: found %v, want a finite number > 0", f.PathFrom)
	case !positive(f.PathTo) || f.PathTo < f.PathFrom:
		return usagef("--path-to: found %v, want a finite number of at least --path-from", f.PathTo)
	case f.PathSteps < 1:
		return usagef("--path-steps: found %d, want at least 1", f.PathSteps)
	}
	return nil
}

// pathJSON is what `sparsekm train --path --json` prints.
type pathJSON struct {
	Method string      `json:"method"`
	N      int         `json:"n"`
	D      int         `json:"d"`
	Kernel gram.Kernel `json:"kernel"`
	Path   []pathPoint `json:"path"` // ascending in sv

	Holdout *holdoutJSON `json:"holdout,omitempty"` // where test_error is that of the samples held out

	values bool // errors are root mean squares
}

// pathPoint is a model of the path.
type pathPoint struct {
	SV         int           `json:"sv"`
	C          float64       `json:"c"`                // the largest with so many support vectors
	From       *float64      `json:"c_from,omitempty"` // of --path-exact: the model is that of every C from here on
	Status     status.Status `json:"status"`
	Objective  float64       `json:"objective"`
	TrainError float64       `json:"train_error"`
	TestError  *float64      `json:"test_error"`
	Model      string        `json:"model,omitempty"` // its file
}

// walk trains along C.
func (f *pathFlags) walk(ctx context.Context, train *dataset.Set, o sparsekm.Options) ([]sparsekm.PathPoint, error) {
	if f.PathExact {
		return sparsekm.ExactPath(ctx, train, o, f.PathFrom, f.PathTo)
	}
	return sparsekm.Path(ctx, train, o, learn.GeometricPath(f.PathFrom, f.PathTo, f.PathSteps))
}

// point is what is said of one before its errors are known.
func (f *pathFlags) point(p *sparsekm.PathPoint) pathPoint {
	q := pathPoint{SV: p.Classifier.NumVectors(), C: p.C, Status: p.Report.Status,
		Objective: p.Report.Submodels[0].Report.Objective}
	if f.PathExact {
		q.From = &p.From
	}
	return q
}

// path trains along C and writes MODEL-3.skm for the model of 3 support vectors, and so on.
func (c *trainCmd) path(s *session.Session, plan *trainPlan) error {
	o, train := plan.Options, plan.set
	show, end := s.Watch(&c.ProgressFlags)
	o.Progress = show
	points, err := c.PathFlags.walk(s.Context, train, o)
	end()
	if err != nil {
		return stopped(err)
	}
	j := &pathJSON{Method: o.Trainer.Name(), N: train.N, D: train.D, Kernel: points[0].Report.Kernel,
		Holdout: plan.holdout(), values: points[0].Report.Task == learn.Regress}
	limited, kept := s.Context.Err() != nil, 0
	var last error
	for _, p := range points {
		if p.Classifier, err = j.Holdout.original(p.Classifier, p.Report); err != nil {
			return err
		}
		q := c.PathFlags.point(&p)
		of := newScore(s, len(points), p.Classifier, train, c.LimitFlags.Threads)
		q.TrainError = of.rate()
		if len(plan.tests) > 0 {
			rate := newScore(s, len(points), p.Classifier, plan.tests[0].set, c.LimitFlags.Threads).rate()
			q.TestError = &rate
		}
		worthless := of.usable(p.Report.Status, o.ClassWeight)
		if worthless == nil {
			kept++
		} else {
			last = fmt.Errorf("at C = %.4g: %w", p.C, worthless)
		}
		if c.Out != "" && (worthless == nil || c.KeepPartial) {
			q.Model = pathModel(c.Out, q.SV)
			if err = p.Classifier.Save(q.Model, trainedFormat(q.Model)); err != nil {
				return err
			}
		}
		limited = limited || !p.Report.Status.Done()
		j.Path = append(j.Path, q)
	}
	if s.JSON {
		err = s.WriteJSON(j)
	} else if !c.ProgressFlags.Quiet {
		j.print(s)
	}
	if err == nil {
		noteUnkept(s, nil, c.Out)
	}
	switch {
	case err != nil:
		return err
	case kept == 0:
		return fmt.Errorf("no model of the path is worth keeping: %w", last)
	case limited:
		s.Note("not every model of the walk is optimal; the models are those worth keeping")
		return session.ErrLimit
	}
	return nil
}

func (j *pathJSON) print(s *session.Session) {
	t := newTable("vectors", "C", "objective", "training error", "test error", "model")
	show := percent
	if j.values {
		show = func(v float64) string { return fmt.Sprintf("%.4g", v) }
	}
	for _, p := range slices.Backward(j.Path) {
		test := ""
		if p.TestError != nil {
			test = show(*p.TestError)
		}
		t.AppendRow(table.Row{p.SV, fmt.Sprintf("%.4g", p.C), fmt.Sprintf("%.6g", p.Objective),
			show(p.TrainError), test, p.Model})
	}
	fmt.Fprintln(s.Stdout, t.Render())
	if j.Holdout != nil {
		fmt.Fprintf(s.Stdout, "test error: on %s\n", j.Holdout)
	}
}
