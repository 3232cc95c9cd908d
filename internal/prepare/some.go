package prepare

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

const (
	fewest  = 256  // samples of the first training on some
	ofEach  = 8    // of them at least, of each class that has as many
	judges  = 1024 // samples that say whether what a limit left of all samples is of use
	share   = 8    // a part in so many of the time to a deadline is for trainings on some
	doubled = 6    // how many times as long a training on twice as many samples may take
)

// Late is how long the first training on some may take after the context's end. Only tests change it.
var Late = 2 * time.Second

type ofSomeKey struct{}

// OfSome returns a context whose trainings leave a model of some samples, drawn by class, where its end leaves none of
// all. An eighth of the time to a deadline is for that, if there is no model by then; after a cancellation few samples
// are trained on.
func OfSome(ctx context.Context) context.Context { return context.WithValue(ctx, ofSomeKey{}, true) }

// OfSomeAsked reports whether ctx is from [OfSome].
func OfSomeAsked(ctx context.Context) bool { return ctx.Value(ofSomeKey{}) != nil }

// OrOfSome returns a trainer that does what [OfSome] asks for. It is t itself if nothing asks, and a [learn.Joint],
// which has a model at any time.
func OrOfSome(ctx context.Context, t learn.Trainer) learn.Trainer {
	if _, joint := t.(learn.Joint); joint || !OfSomeAsked(ctx) {
		return t
	}
	return orOfSome{t}
}

type orOfSome struct{ learn.Trainer }

// Train implements [learn.Trainer].
func (t orOfSome) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	all := newPatience(ctx)
	defer all.release()
	var r *learn.Result
	err := learn.Nothing(all, t.Name())
	if all.Err() == nil {
		q := *p
		q.Progress = all.watching(p.Progress)
		r, err = t.Trainer.Train(all, &q)
	}
	_, timed := ctx.Deadline()
	ended := status.FromContext(all)
	switch {
	case err == nil && !r.Report.Status.Limit():
		return r, nil
	case timed && errors.As(err, new(*learn.BudgetError)):
		ended = status.TimeLimit // what is too large for all samples has the whole time for fewer
	case ended == status.Unknown || p.Kernel.Func != nil && ctx.Err() != nil: // such a kernel has ended too
		return r, err
	}
	s := &some{Problem: p, order: byClass(p), why: ended}
	if len(s.order) <= fewest || err == nil && !s.worthless(r) {
		return r, err
	}
	if of := s.train(ctx, t.Trainer); of != nil && (err != nil || !s.worthless(of)) {
		return of, nil
	}
	return r, err
}

// patience is a context that ends with another one, and some time before its deadline if no event has told of a model.
type patience struct {
	context.Context
	cancel, release context.CancelFunc
	model           atomic.Bool // there is one
	over            atomic.Bool // the time for one
}

func newPatience(ctx context.Context) *patience {
	p := &patience{Context: ctx, release: func() {}}
	end, timed := ctx.Deadline()
	if !timed {
		return p
	}
	p.Context, p.cancel = context.WithCancel(ctx)
	left := time.Until(end)
	clock := time.AfterFunc(left-left/share, p.end)
	p.release = func() { clock.Stop(); p.cancel() }
	return p
}

// end ends the time for all samples.
func (p *patience) end() {
	if !p.model.Load() {
		p.over.Store(true)
		p.cancel()
	}
}

// Err implements [context.Context].
func (p *patience) Err() error {
	err := p.Context.Err()
	if err != nil && p.over.Load() {
		return context.DeadlineExceeded
	}
	return err
}

// watching returns a receiver of events that passes them on, and sees whether there is a model.
func (p *patience) watching(to func(learn.Event)) func(learn.Event) {
	return func(e learn.Event) {
		if e.Round != nil || e.Vectors > 0 {
			p.model.Store(true)
		}
		if to != nil {
			to(e)
		}
	}
}

// some is a problem of which some samples are trained on.
type some struct {
	*learn.Problem
	order []int // the samples with a weight: any first part of them is a sample of all
	why   status.Status
}

// byClass returns the samples with a weight in random order: a few of each class first, then each class in proportion.
func byClass(p *learn.Problem) []int {
	rnd := dataset.NewRand(1)
	order := p.Present()
	rnd.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
	if p.Task != learn.Classify {
		return order
	}
	var sides [2][]int
	for _, i := range order {
		side := 0
		if p.Y[i] > 0 {
			side = 1
		}
		sides[side] = append(sides[side], i)
	}
	var next [2]int
	place := func(side int) float64 {
		n, all := next[side], len(sides[side])
		switch {
		case n == all:
			return math.Inf(1)
		case n < ofEach:
			return float64(n - ofEach)
		}
		return (float64(n) + 0.5) / float64(all)
	}
	for k := range order {
		side := 0
		if place(1) < place(0) {
			side = 1
		}
		order[k] = sides[side][next[side]]
		next[side]++
	}
	return order
}

// train trains on twice as many samples again and again while there is time, and returns the last model; nil for none.
func (s *some) train(ctx context.Context, t learn.Trainer) (best *learn.Result) {
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), Late)
	defer cancel()
	end, timed := ctx.Deadline()
	for n := fewest; n < len(s.order); n *= 2 {
		began := time.Now()
		p := *s.Problem
		p.Weight = make([]float64, s.N) // a sample of weight 0 is absent
		for _, i := range s.order[:n] {
			p.Weight[i] = s.WeightOf(i)
		}
		r, err := t.Train(own, &p)
		if err != nil || r.Empty() || best != nil && r.Report.Status.Limit() {
			break
		}
		best = r
		s.tell(r, n)
		if own = ctx; !timed || time.Until(end) < doubled*time.Since(began) {
			break
		}
	}
	return best
}

// tell says in a report what its model is of. Objective and certificate would be those of other programs.
func (s *some) tell(r *learn.Result, n int) {
	r.Decisions, r.Report.Status = nil, s.why
	r.Report.Objective, r.Report.Duality, r.Report.Residual = math.NaN(), nil, nil
	r.Report.Message = fmt.Sprintf("the limit left no model of all samples: this is one of %d of the %d", n, len(s.order))
}

// worthless reports whether a model is no better than one answer for all, on the first samples.
func (s *some) worthless(r *learn.Result) bool {
	if r.Empty() || s.Task.Blind() || r.Vectors != nil || r.Kernel != nil || !r.Simple() {
		return r.Empty()
	}
	rows := s.order[:min(judges, len(s.order))]
	var errors, total, sum, squares float64
	for k, f := range s.Decisions(context.Background(), &r.Expansion, rows) {
		y, w := s.Y[rows[k]], s.WeightOf(rows[k])
		total, sum, squares = total+w, sum+w*y, squares+w*y*y
		switch {
		case s.Task == learn.Regress:
			errors += w * (y - f) * (y - f)
		case !(y*f > 0):
			errors += w
		}
	}
	if s.Task == learn.Regress {
		return !(errors < squares-sum*sum/total)
	}
	return !(errors < (total-math.Abs(sum))/2)
}
