package skm

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
	"github.com/sparsekm/sparsekm/status"
)

// Between the path's minima f0 of three programs may be lower than at them: the second and the third program change
// the model, and where no slack is left the first program has many models. So the search also looks at fixed margins
// and at those of the golden section of section 2.1.

// fixed are the margins that every search looks at.
var fixed = spread(24)

// spread returns margins from 1 down to deltaMin, at equal ratios.
func spread(count int) (all []float64) {
	for k := range count {
		all = append(all, math.Pow(deltaMin, float64(k)/float64(count-1)))
	}
	return all
}

// opening is the model of the first program at a margin, the same for every C.
type opening struct {
	minimum         // f0 is of the C asked for last
	loss    float64 // L(δ)
	marked  bool    // the mark is one, of this margin or of a larger one
	solves  int     // that it took beyond the path
	pivots  int
}

// open keeps the openings of the fixed margins on a stretch of the path. Where no slack is left the program may have
// many models, and that of the path is not the one of a training at this margin.
func (v *minima) open(s *kernellp.Stretch) {
	for _, delta := range fixed {
		if 2*delta > s.From || 2*delta < s.To {
			continue
		}
		if here := v.at(s, delta); !v.slackless(here.loss, delta) {
			here.expand(s)
			v.openings[delta] = &opening{minimum{0, delta, s.Mark(), here.support, here.alpha}, here.loss, true, 0, 0}
		}
	}
}

// slackless reports whether a loss is 0 but for rounding.
func (v *minima) slackless(loss, delta float64) bool { return loss <= 1e-7*delta*float64(v.n) }

// opening returns the first program's model at δ, and whether the search can go on.
func (s *search) opening(ctx context.Context, w *walked, delta float64) (o *opening, ok bool) {
	if o = w.openings[delta]; o == nil {
		if o = s.first(ctx, w.openingAbove(delta), w.base, delta); o == nil {
			return nil, false
		}
		w.openings[delta] = o
	}
	s.solves += o.solves // in the report of every C, as those of the walk
	s.pivots += o.pivots
	return o, true
}

// openingAbove is that on the path at the next fixed margin above, or nil.
func (v *minima) openingAbove(delta float64) (above *opening) {
	for _, f := range fixed {
		if o := v.openings[f]; o != nil && o.marked && f >= delta {
			above = o
		}
	}
	return above
}

// first solves the first program at δ from the basis of another margin. It returns nil where that fails.
func (s *search) first(ctx context.Context, above *opening, base *kernellp.Solver, delta float64) *opening {
	o := &opening{minimum: minimum{delta: delta}}
	lp := base.Anew()
	if above != nil {
		o.mark, o.marked = above.mark, true
		lp = base.Fork(above.mark)
	}
	sol, err := lp.Solve(ctx, s.m.Costs(2*delta, 0, func(int) float64 { return 0 }))
	if s.err = err; err != nil {
		return nil
	}
	if sol.Status != status.Optimal {
		s.stop = sol.Status
		return nil
	}
	alpha := make([]float64, len(s.m.Y))
	s.m.next(alpha, sol)
	o.support, o.alpha = kernellp.Nonzero(alpha)
	o.loss, o.solves, o.pivots = sol.Loss, sol.Solves, sol.Iterations
	return o
}

// look returns f0 of three programs at a margin. Where no further program can lower f0 below the least found, it
// takes that of the first one, if that is f0 itself or nobody needs it exactly.
func (s *search) look(ctx context.Context, w *walked, delta float64, exact bool) (float64, bool) {
	if s.many && exact {
		return s.afresh(ctx, delta)
	}
	o, ok := s.opening(ctx, w, delta)
	if !ok {
		return math.Inf(1), false
	}
	pen := newPenalty(s.m.margins, delta)
	o.f0 = o.loss + s.C*(math.Log(4/delta)+pen.scale*pen.effective(o.alpha))
	excess := o.excess(s.C, s.m.margins)
	many := s.many || w.slackless(o.loss, delta)
	switch {
	case many && !exact && s.lowerBound(o) >= s.best, !many && o.f0-excess >= s.best && (excess == 0 || !exact):
		return o.f0, true
	case many || !o.marked:
		return s.afresh(ctx, delta)
	}
	ok = s.lineariseFrom(ctx, w.base, &o.minimum)
	return s.rounds[len(s.rounds)-1].Objective, ok
}

// afresh evaluates a margin from no rows, as one that the caller chooses.
func (s *search) afresh(ctx context.Context, delta float64) (float64, bool) {
	s.m.LP = s.m.LP.Anew()
	return s.evaluate(ctx, delta)
}

// lowerBound is one of f0 at a margin. No model of the margin has less loss than the first program's, and
// Σ h(α_i) ≥ h(1) = 1, since h is concave, h(0) = 0 and Σα = 1.
func (s *search) lowerBound(o *opening) float64 {
	return o.loss*(1-1e-9) + s.C*(math.Log(4/o.delta)+newPenalty(s.m.margins, o.delta).scale)
}

// widen looks at the fixed margins and those of the golden section on (0, 1], and reports whether the search can go on.
func (s *search) widen(ctx context.Context, w *walked) bool {
	for _, delta := range fixed {
		if _, ok := s.look(ctx, w, delta, false); !ok {
			return false
		}
	}
	ok := true
	exact := func(delta float64) (f float64, _ bool) { f, ok = s.look(ctx, w, delta, true); return f, ok }
	lo, hi := golden(exact, 0, 1, deltaMin)
	if ok && lo <= s.delta && s.delta <= hi && hi-lo > width*hi { // wide for its margins
		golden(exact, lo, hi, width/10*hi)
	}
	return ok
}

// polish goes downhill from the best margin, by steps of ln δ that grow until one does not lower f0 and are halved from
// there. Where the three programs come to another model f0 jumps, and the least may be at the edge: a coefficient that
// has only come in is one that they take out. The first step is the least that may gain more than polished of f0.
func (s *search) polish(ctx context.Context) {
	slope := s.slope()
	least, factor := polished*s.best/math.Abs(slope), 4.0
	for step := least; step >= least && step < width; step *= factor {
		before, up := s.best, slope > 0
		f, ok := s.evaluate(ctx, min(1, math.Exp(math.Log(s.delta)-math.Copysign(step, slope))))
		if !ok {
			return
		}
		if slope = s.slope(); f >= before || slope > 0 != up {
			factor = 0.5
		}
	}
}

// polished is what the search may leave of f0, relatively.
const polished = 1e-4

// slope is the derivative of f0 by ln δ at the best margin, where the last program's costs are those of its model.
func (s *search) slope() float64 {
	here := kernellp.Stretch{From: 2 * s.delta, Coef: make([]float64, len(s.sol.A)), Rates: make([]float64, len(s.sol.A))}
	for i, a := range s.sol.A {
		here.Coef[i] = math.Abs(a)
		here.Slope += math.Abs(s.sol.M[i])
	}
	_, slope := (&minima{n: s.m.margins}).at(&here, s.delta).f0(s.C)
	return slope * s.delta
}

// Words of [Trainer.MarginBy].
const (
	byF0          = "f0"
	byCompression = "compression"
)

var _ learn.Several = Trainer{}

// complete checks the parameters of a training whose margin f0 chooses.
func (t *Trainer) complete() error {
	if err := learn.Complete(t); err != nil {
		return err
	}
	if t.Leaves() {
		return &learn.ParamError{Method: t.Name(), Param: "margin_by", Value: t.MarginBy,
			Want: byF0 + " (" + byCompression + " is for bounds of the error rate, without a path or a refit)"}
	}
	return nil
}

// Leaves implements [learn.Several].
func (t Trainer) Leaves() bool { return t.MarginBy == byCompression }

// Models implements [learn.Several]: after the model of the least f0 come those of the fixed margins, then those of a
// golden section around the best of these. Each is the model of three programs at its margin.
func (t Trainer) Models(ctx context.Context, p *learn.Problem, value func(*learn.Result) (float64, error)) error {
	if err := learn.Complete(&t); err != nil {
		return err
	}
	if t.Delta > 0 {
		return &learn.ParamError{Method: t.Name(), Param: "margin_by", Value: t.MarginBy, Want: byF0 + " for a margin that is chosen already"}
	}
	start := time.Now()
	t.MarginBy = byF0
	r, err := t.Train(ctx, p)
	if err != nil {
		return err
	}
	best, err := value(r)
	if err != nil || r.Report.Status.Limit() {
		return err
	}
	m, err := t.training(p)
	if err != nil {
		return err
	}
	defer m.Matrix.Release()
	e := &each{Trainer: t, m: m, progress: p.Progress, value: value, start: start, report: &r.Report}
	at := r.Report.Figures.(Figures).Delta
	for _, delta := range fixed {
		v, ok := e.at(ctx, delta)
		if !ok {
			return e.err
		}
		if v < best {
			best, at = v, delta
		}
	}
	near := math.Log(fixed[0] / fixed[1])
	golden(func(u float64) (float64, bool) { return e.at(ctx, math.Exp(u)) },
		max(math.Log(at)-near, math.Log(deltaMin)), min(math.Log(at)+near, 0), width)
	return e.err
}

// each trains at one margin after the other.
type each struct {
	Trainer
	m        *training
	progress func(learn.Event)
	value    func(*learn.Result) (float64, error)
	start    time.Time
	report   *learn.Report // of the last model, which counts all before it
	err      error
}

// at returns the value of the model at a margin, and whether the search can go on.
func (e *each) at(ctx context.Context, delta float64) (float64, bool) {
	s := &search{Trainer: e.Trainer, m: e.m, progress: e.progress, last: new(beginning), pivots: e.report.InnerIterations,
		rounds: slices.Clone(e.report.Rounds)}
	f := e.report.Figures.(Figures)
	s.deltas, s.solves, s.Delta = slices.Clone(f.Deltas), f.Solves, delta
	r, err := s.run(ctx, nil, 0)
	if e.err = err; err != nil {
		return math.Inf(1), false
	}
	r.Report.Seconds.Solve = time.Since(e.start).Seconds()
	e.report = &r.Report
	v, err := e.value(r)
	e.err = err
	return v, err == nil && !r.Report.Status.Limit()
}
