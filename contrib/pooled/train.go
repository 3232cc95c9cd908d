package pooled

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// Options are the options of a training. Zero means the default.
type Options struct {
	C      float64 // cost of a unit of loss; default 1
	MaxSV  int     // limit on the vectors; default 50
	Gain   float64 // least share of the remaining objective that a vector must gain; default 1e-3
	Passes int     // limit on passes over the samples, including the two for the selection; default 30

	Progress func(learn.Event) // called after each pass; may be nil
}

// Result is a model over some of the candidates.
type Result struct {
	Model
	Chosen  []int          // indices of its vectors among the candidates, in the order of selection
	Reports []learn.Report // one per output
	Figures
}

// Figures is Report.Figures of this package, of the first output.
type Figures struct {
	Samples int `json:"samples"` // number of samples
	Wrong   int `json:"wrong"`   // number of misclassified samples
	Passes  int `json:"passes"`  // over the samples
}

const (
	optimalGap       = 1e-8 // of the objective
	optimalViolation = 1e-6
	decrement        = 1e-13 // relative decrease promised by a Newton step, below which it is optimal
	nothing          = 1e-16 // the same, relative to the objective of f = 0
	noise            = 1e-12 // relative increase of the objective that may be rounding
)

// summation returns the sums over all samples at a model.
type summation func(ctx context.Context, m *Model) ([]float64, error)

// Train selects from the candidates, a model whose coefficients and biases are 0, and trains. Each call of sum is a
// pass over all samples: it returns what [Model.Sums] adds to zeros for all of them. Its error ends the training. If
// the context ends after a pass with the selected vectors, that is no error: the status says so, and the model is the
// best so far.
func Train(ctx context.Context, candidates *Model, o Options, sum func(context.Context, *Model) ([]float64, error),
) (*Result, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	if !candidates.zero() {
		panic("pooled: the candidates have coefficients")
	}
	if candidates.K == 0 {
		return nil, fmt.Errorf("pooled: there are no candidates")
	}
	t := &training{Options: o, sum: sum}
	all, err := t.pass(ctx, candidates)
	if err != nil {
		return nil, err
	}
	if !(*all.samples > 0) {
		return nil, fmt.Errorf("pooled: there are no samples")
	}
	if err = bothSides(candidates, all); err != nil {
		return nil, err
	}
	chosen := candidates.choose(all, o.C, o.Gain, o.MaxSV)
	t.m = candidates.of(chosen)
	t.norm = t.m.norm()
	if err = t.begin(ctx, all, chosen); err != nil {
		return nil, err
	}
	for t.passes < o.Passes {
		more, failed := t.step(ctx)
		if failed != nil && (ctx.Err() == nil || t.outputs[0].sums == nil) {
			return nil, failed
		}
		if !more || failed != nil {
			break
		}
	}
	return t.result(ctx, chosen), nil
}

func (o *Options) complete() error {
	if o.C == 0 {
		o.C = 1
	}
	if o.MaxSV == 0 {
		o.MaxSV = 50
	}
	if o.Gain == 0 {
		o.Gain = 1e-3
	}
	if o.Passes == 0 {
		o.Passes = 30
	}
	if !(o.C > 0) || o.C > 1e100 || o.MaxSV < 1 || !(o.Gain > 0 && o.Gain < 1) || o.Passes < 2 {
		return fmt.Errorf("pooled: C %v, %d vectors, gain %v, %d passes: want C > 0, at least 1 vector, a gain between "+
			"0 and 1, at least 2 passes", o.C, o.MaxSV, o.Gain, o.Passes)
	}
	return nil
}

// bothSides rejects an output whose samples all have one label.
func bothSides(m *Model, s sums) error {
	for o := range s.outputs {
		if out := &s.outputs[o]; m.Task == learn.Classify && (*out.side[0].beta == 0 || *out.side[1].beta == 0) {
			return fmt.Errorf("pooled: class %d: %w", o, learn.ErrOneClass)
		}
	}
	return nil
}

// training is the state of a training.
type training struct {
	Options
	sum     summation
	m       *Model // the vectors, with the coefficients to evaluate next
	norm    []float64
	outputs []output
	samples float64
	wrong   float64
	passes  int
}

// output is the search for the coefficients and bias of one output.
type output struct {
	next  []float64   // K+1: coefficients and bias to evaluate in the next pass
	best  []float64   // accepted; nil before the first pass
	sums  *outputSums // sums at best
	idle  float64     // (1) at f = 0
	value float64     // (1) at best
	dir   []float64   // Newton direction at best
	slope float64     // derivative along dir, < 0
	long  float64     // step to next, in units of dir
	done  bool
}

func (t *training) pass(ctx context.Context, m *Model) (s sums, err error) {
	flat, err := t.sum(ctx, m)
	if err == nil && ctx.Err() != nil {
		err = learn.Nothing(ctx, "pooled")
	}
	if err != nil {
		return s, err
	}
	if len(flat) != Length(m.K, len(m.Bias)) {
		return s, fmt.Errorf("pooled: %d sums, want %d", len(flat), Length(m.K, len(m.Bias)))
	}
	for _, v := range flat {
		if v-v != 0 {
			return s, fmt.Errorf("pooled: a sum is %v: scale the features, or choose weights nearer to 1", v)
		}
	}
	t.passes++
	return view(flat, m.K, len(m.Bias)), nil
}

// begin steps from f = 0 to the least-squares fit.
func (t *training) begin(ctx context.Context, all sums, chosen []int) error {
	t.outputs = make([]output, len(all.outputs))
	for o := range t.outputs {
		s := all.outputs[o].restrict(all.outputs[0].hess, chosen)
		zero := make([]float64, t.m.K+1)
		step := s.downhill(zero, t.norm, t.C)
		t.outputs[o].idle = s.value(zero, t.norm, t.C)
		if err := t.m.model(t.norm, s.hess, t.C).solve(ctx, step); err != nil {
			return err
		}
		t.outputs[o].next = step
	}
	return nil
}

// step evaluates the model and decides what to evaluate next; false if all outputs are done.
func (t *training) step(ctx context.Context) (more bool, err error) {
	for o := range t.outputs {
		copy(t.m.Coef[o*t.m.K:(o+1)*t.m.K], t.outputs[o].next)
		t.m.Bias[o] = t.outputs[o].next[t.m.K]
	}
	s, err := t.pass(ctx, t.m)
	if err != nil {
		return false, err
	}
	t.samples, t.wrong = *s.samples, *s.wrong
	total := 0.0
	for o := range t.outputs {
		out := &t.outputs[o]
		if err = t.judge(ctx, out, &s.outputs[o]); err != nil {
			return false, err
		}
		total += out.value
		more = more || !out.done
	}
	if t.Progress != nil {
		t.Progress(learn.Event{Phase: "pass", Done: -1, Step: t.passes, Vectors: t.m.K,
			Text: fmt.Sprintf("objective %.6g, %.0f of %.0f wrong", total, t.wrong, t.samples)})
	}
	return more, nil
}

// judge accepts the next iterate of an output if the objective decreases enough, and takes a Newton step from it.
// Otherwise it halves the step.
func (t *training) judge(ctx context.Context, out *output, s *outputSums) error {
	if out.done {
		return nil
	}
	value := s.value(out.next, t.norm, t.C)
	if out.best != nil && !(value <= out.value+1e-4*out.long*out.slope+noise*math.Abs(out.value)) {
		if out.long /= 2; out.long < 1e-6 {
			out.done, out.next = true, out.best
			return nil
		}
		out.next = along(out.best, out.long, out.dir)
		return nil
	}
	out.best, out.sums, out.value, out.long = out.next, s, value, 1
	g := s.downhill(out.best, t.norm, t.C)
	out.dir = slices.Clone(g)
	if err := t.m.model(t.norm, s.hess, t.C).solve(ctx, out.dir); err != nil {
		return err
	}
	out.slope = -dense.Dot(g, out.dir)
	left := -out.slope / 2
	out.done = left <= decrement*value || left <= nothing*out.idle && t.violation(out) <= optimalViolation
	if !out.done {
		out.next = along(out.best, 1, out.dir)
	}
	return nil
}

func along(from []float64, step float64, dir []float64) []float64 {
	to := slices.Clone(from)
	for i := range to {
		to[i] += step * dir[i]
	}
	return to
}

// result is the best model with its reports.
func (t *training) result(ctx context.Context, chosen []int) *Result {
	r := &Result{Model: *t.m, Chosen: chosen, Figures: Figures{int(t.samples), int(t.wrong), t.passes}}
	r.Reports = make([]learn.Report, len(t.outputs))
	for o := range t.outputs {
		out := &t.outputs[o]
		copy(r.Coef[o*r.K:(o+1)*r.K], out.best)
		r.Bias[o] = out.best[r.K]
		rep := &r.Reports[o]
		*rep = learn.Report{Status: status.Optimal, Objective: out.value, Iterations: t.passes,
			Message: fmt.Sprintf("coefficients of %d vectors, after %d passes over %d samples", r.K, t.passes, r.Samples)}
		if !out.done {
			if rep.Status = status.FromContext(ctx); rep.Status == status.Unknown {
				rep.Status = status.IterationLimit
			}
		}
		if o == 0 {
			rep.Figures = r.Figures
		}
		rep.Duality = t.certify(ctx, out)
		rep.Idle(out.idle)
		rep.Settle(optimalGap, optimalViolation)
	}
	return r
}
