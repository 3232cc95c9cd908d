package cli

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/fileformat"
	"github.com/sparsekm/sparsekm/internal/prepare"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/assure"
	"github.com/sparsekm/sparsekm/status"
)

// trainJSON is what `sparsekm train --json` prints. Figures of one method only
// follow the common ones, under their own names.
type trainJSON struct {
	Method    string               `json:"method"`
	N         int                  `json:"n"`
	D         int                  `json:"d"`
	Task      learn.Task           `json:"task"`
	Target    *prepare.TargetScale `json:"target_scale,omitempty"` // in whose units objective and certificate are
	Classes   []string             `json:"classes"`                // of two, the last is the positive one; none of values
	Kernel    gram.Kernel          `json:"kernel"`
	Scale     string               `json:"scale"`
	Params    map[string]float64   `json:"params"`
	Status    status.Status        `json:"status"`
	Message   string               `json:"message,omitempty"`
	SV        int                  `json:"sv"`               // distinct support vectors
	Extra     string               `json:"extra,omitempty"`  // vectors: steps and a plane
	Support   []int                `json:"support,omitzero"` // 0-based rows of the file
	Vectors   [][]float64          `json:"vectors,omitzero"` // instead of support: vectors that are no rows, scaled
	Coef      []float64            `json:"coef,omitzero"`    // for two classes; several have models
	Bias      *float64             `json:"bias,omitempty"`
	Submodels []trainedJSON        `json:"submodels,omitempty"`
	Objective float64              `json:"objective"`
	certificateJSON
	Needs           []string           `json:"needs,omitempty"`  // names, else numbers from 1, of the features that the model asks for; absent where these are all
	Values          levelValues        `json:"values,omitempty"` // of categories, with --categories learned
	Refit           *learn.Refit       `json:"refit,omitempty"`  // what held-out samples say of it, with --refit
	Iterations      int                `json:"iterations"`
	InnerIterations int                `json:"inner_iterations"`
	KernelEvals     int64              `json:"kernel_evals"`
	Rounds          []learn.Round      `json:"rounds,omitempty"`
	Seconds         secondsJSON        `json:"seconds"`
	Implementation  string             `json:"implementation"`
	TrainError      float64            `json:"train_error"` // rate, or of values the root of the mean square
	TestError       *float64           `json:"test_error"`  // of the first of tests
	Tests           []*testJSON        `json:"tests,omitempty"`
	Holdout         *holdoutJSON       `json:"holdout,omitempty"`
	Columns         *dataset.Notes     `json:"columns,omitempty"`           // what was found in a table
	Calibrated      int                `json:"calibration_folds,omitempty"` // where probabilities were fitted
	Conformal       *conformalJSON     `json:"conformal,omitempty"`         // where prediction sets were fitted
	Bound           *assure.ErrorBound `json:"error_bound,omitempty"`       // with --bound
	Advice          string             `json:"advice,omitempty"`            // where the model is no better than one without features

	figures any // of the method only; a struct, or nil
}

// certificateJSON is what is known of how good a model is. What nobody computed is absent.
type certificateJSON struct {
	DualObjective *float64      `json:"dual_objective,omitempty"`
	Gap           *float64      `json:"gap,omitempty"`
	KKT           *float64      `json:"kkt,omitempty"`
	Proved        *learn.Proved `json:"proved,omitempty"`
	Residual      *float64      `json:"residual,omitempty"`
}

func newCertificateJSON(r *learn.Report) (c certificateJSON) {
	if d := r.Duality; d != nil {
		c.DualObjective, c.Gap, c.KKT, c.Proved = &d.Objective, &d.Gap, &d.KKT, d.Proved
	}
	c.Residual = r.Residual
	return c
}

// with joins two models' certificates: sums of objectives, the larger violations. What one of them lacks, both lack.
func (c certificateJSON) with(o certificateJSON) certificateJSON {
	join := func(a, b *float64, f func(a, b float64) float64) *float64 {
		if a == nil || b == nil {
			return nil
		}
		v := f(*a, *b)
		return &v
	}
	sum := func(a, b float64) float64 { return a + b }
	var proved *learn.Proved
	if c.Proved != nil && o.Proved != nil {
		proved = &learn.Proved{Gap: max(c.Proved.Gap, o.Proved.Gap), Shift: max(c.Proved.Shift, o.Proved.Shift)}
	}
	return certificateJSON{
		DualObjective: join(c.DualObjective, o.DualObjective, sum),
		Gap:           join(c.Gap, o.Gap, math.Max),
		KKT:           join(c.KKT, o.KKT, math.Max),
		Proved:        proved,
		Residual:      join(c.Residual, o.Residual, math.Max),
	}
}

// text begins with a comma unless nothing is known.
func (c certificateJSON) text() (s string) {
	if c.Gap != nil {
		s += fmt.Sprintf(", gap %.2g", *c.Gap)
	}
	if c.Proved != nil {
		s += fmt.Sprintf(", proved %.2g", c.Proved.Gap)
	}
	if c.KKT != nil {
		s += fmt.Sprintf(", violation %.2g", *c.KKT)
	}
	if c.Residual != nil {
		s += fmt.Sprintf(", residual %.2g", *c.Residual)
	}
	return s
}

// trainedJSON is one of the models of more than two classes.
type trainedJSON struct {
	Positive  string        `json:"positive"`
	Negative  string        `json:"negative"` // empty for all other classes
	Status    status.Status `json:"status"`
	SV        int           `json:"sv"`
	Support   []int         `json:"support,omitzero"`
	Vectors   []int         `json:"vectors,omitzero"` // instead of support: which of the vectors
	Coef      []float64     `json:"coef"`
	Bias      float64       `json:"bias"`
	Objective float64       `json:"objective"`
	certificateJSON
	Refit      *learn.Refit  `json:"refit,omitempty"`
	Iterations int           `json:"iterations"`
	Rounds     []learn.Round `json:"rounds,omitempty"`
	Figures    any           `json:"figures,omitempty"` // of the method only
}

// secondsJSON splits the wall time of the command; Gram and Solve are parts of Train.
type secondsJSON struct {
	Load    float64 `json:"load"`
	Train   float64 `json:"train"`
	Predict float64 `json:"predict"`
	Gram    float64 `json:"gram"`
	Solve   float64 `json:"solve"`
}

// MarshalJSON appends the figures of the method.
func (j *trainJSON) MarshalJSON() ([]byte, error) {
	type plain trainJSON
	b, err := fileformat.Marshal((*plain)(j))
	if err != nil || j.figures == nil {
		return b, err
	}
	figures, err := fileformat.Marshal(j.figures)
	if err != nil {
		return nil, fmt.Errorf("figures of %s: %w", j.Method, err)
	}
	own, ok := bytes.CutPrefix(figures, []byte("{"))
	if !ok {
		return nil, fmt.Errorf("figures of %s are %.40s, want an object", j.Method, figures)
	}
	if len(own) > len("}") {
		b = append(append(b[:len(b)-1], ','), own...)
	}
	return b, nil
}

func newTrainJSON(r *sparsekm.Report) *trainJSON {
	j := &trainJSON{
		Method: r.Method, N: r.N, D: r.D, Task: r.Task, Target: r.Target, Classes: nonNil(r.Labels),
		Kernel: r.Kernel,
		Status: r.Status, SV: r.NumVectors, Support: r.Support, Bound: r.Bound,
		Implementation: sparsekm.Level(),
	}
	if r.Vectors == nil {
		j.Support = nonNil(r.Support)
	}
	for start := 0; start < len(r.Vectors); start += r.D {
		j.Vectors = append(j.Vectors, r.Vectors[start:start+r.D])
	}
	for i := range r.Submodels {
		j.add(&r.Submodels[i].Report, i == 0)
	}
	if len(r.Submodels) == 1 {
		m := r.Submodels[0]
		j.Coef, j.Bias, j.Rounds, j.figures = nonNil(m.Coef), &m.Bias, m.Report.Rounds, m.Report.Figures
		j.Refit = m.Report.Refit
		return j
	}
	for _, m := range r.Submodels {
		t := trainedJSON{
			Positive: r.Labels[m.Pos], Status: m.Report.Status, SV: len(m.Support), Support: nonNil(m.Support),
			Coef: nonNil(m.Coef), Bias: m.Bias,
			Objective: m.Report.Objective, certificateJSON: newCertificateJSON(&m.Report),
			Refit:      m.Report.Refit,
			Iterations: m.Report.Iterations,
			Rounds:     m.Report.Rounds, Figures: m.Report.Figures,
		}
		if r.Vectors != nil {
			t.Support, t.Vectors = nil, t.Support
		}
		if m.Neg != learn.Rest {
			t.Negative = r.Labels[m.Neg]
		}
		j.Submodels = append(j.Submodels, t)
	}
	return j
}

// nonNil makes [] of what JSON would show as null.
func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// add puts a model's figures into those of the whole: work is added up, violations are the largest.
func (j *trainJSON) add(r *learn.Report, first bool) {
	const maxMessages, others = 3, "; and more of the kind"
	switch {
	case r.Message == "" || strings.Contains(j.Message, r.Message) || strings.HasSuffix(j.Message, others):
	case strings.Count(j.Message, ";") >= maxMessages: // of many models
		j.Message += others
	default:
		j.Message = strings.TrimPrefix(j.Message+"; "+r.Message, "; ")
	}
	j.Objective += r.Objective
	if c := newCertificateJSON(r); first {
		j.certificateJSON = c
	} else {
		j.certificateJSON = j.certificateJSON.with(c)
	}
	j.Iterations += r.Iterations
	j.InnerIterations += r.InnerIterations
	j.KernelEvals += r.KernelEvals
	j.Seconds.Gram += r.Seconds.Gram
	j.Seconds.Solve += r.Seconds.Solve
}

// print writes the report for people.
func (j *trainJSON) print(w io.Writer, train *dataset.Set) {
	line := linesTo(w, 9)
	line("method", "%s, %s", j.Method, j.Kernel)
	line("samples", "%d of %d features; %s", j.N, j.D, targetsText(j.Task, train))
	if j.Scale != dataset.ScaleNone.String() {
		line("scaling", "%s", j.Scale)
	}
	if j.Target != nil {
		line("target", "trained as (y - %.6g) / %.6g", j.Target.Center, j.Target.Spread)
	}
	if j.SV > 0 || j.Extra == "" {
		line("vectors", "%s (%.3g %% of the samples)", counted(j.SV, "support vector"), 100*float64(j.SV)/float64(j.N))
	}
	if j.Extra != "" {
		line("units", "%s", j.Extra)
	}
	if j.Needs != nil {
		line("features", "%s", needsText(j.Needs, j.D))
	}
	objective := fmt.Sprintf("; objective %.9g", j.Objective)
	if math.IsNaN(j.Objective) { // of some samples
		objective = ""
	}
	line("status", "%s after %s%s%s", j.Status, counted(j.Iterations, "iteration"), objective, j.certificateJSON.text())
	if j.Message != "" {
		line("", "%s", j.Message)
	}
	if f := j.Refit; f != nil {
		line("refit", "C = %g; squared hinge %.4g, error %s on samples held out, without it %.4g, %s", f.C, f.After.Loss,
			percent(f.After.Error), f.Before.Loss, percent(f.Before.Error))
	}
	if j.Calibrated > 0 {
		line("", "probabilities fitted to the decisions of %d folds", j.Calibrated)
	}
	if j.Conformal != nil {
		line("", "%s", j.Conformal)
	}
	if j.Bound != nil {
		line("bound", "%s", boundText(j.Bound))
	}
	outside := ""
	if j.Task == learn.OneClass {
		outside = " outside"
	}
	errors := errorText(j.Task, j.TrainError) + outside + " on the training samples"
	if len(j.Tests) == 1 {
		which := "the test samples"
		if j.Holdout != nil {
			which = j.Holdout.String()
		}
		errors += ", " + j.Tests[0].text(j.Task) + outside + " on " + which
	}
	line("error", "%s", errors)
	for _, t := range j.Tests {
		t.print(w, j.Task, len(j.Tests) == 1)
	}
	line("time", "%s to load, %s to train, %s to predict (%s)", seconds(j.Seconds.Load), seconds(j.Seconds.Train),
		seconds(j.Seconds.Predict), j.Implementation)
}

// targetsText describes the targets of a training.
func targetsText(task learn.Task, set *dataset.Set) string {
	switch task {
	case learn.Regress:
		return fmt.Sprintf("values from %.6g to %.6g", slices.Min(set.Targets), slices.Max(set.Targets))
	case learn.OneClass, learn.Density:
		return "without targets"
	}
	return classCounts(set)
}

func classCounts(set *dataset.Set) string {
	var b strings.Builder
	const maxShown = 10 // classes that fit a line or two
	counts := set.Counts()
	for c, n := range counts {
		if c > 0 {
			b.WriteString(", ")
		}
		if c == maxShown-1 && len(counts) > maxShown {
			fmt.Fprintf(&b, "and %d more classes", len(counts)-c)
			break
		}
		fmt.Fprintf(&b, "%d of class %s", n, set.Labels[c])
	}
	return b.String()
}

func percent(rate float64) string { return fmt.Sprintf("%.4g %%", 100*rate) }

func seconds(s float64) string {
	switch d := time.Duration(s * float64(time.Second)); {
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < time.Second:
		return d.Round(100 * time.Microsecond).String()
	default:
		return d.Round(10 * time.Millisecond).String()
	}
}
