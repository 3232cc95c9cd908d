package bayes

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// Fast is the method "rvm-fast" with its parameters: the relevance vector machine of Tipping & Faul (2003). It adds,
// re-estimates or drops one basis function at a time.
type Fast struct {
	learn.Named[Fast]
	NoBias  bool // the model has no bias
	MaxIter int  // limit on accepted steps; 0 means 10000
	// Starts is how many initial models are tried: none of the basis functions, as in the paper; then evenly spaced
	// ones; then drawn ones. The best result stays. 0 means 2.
	Starts int
}

// EstimateMemory implements [learn.Trainer]: the kernel matrix, and the first basis functions.
func (Fast) EstimateMemory(n, d int) int64 {
	return taskBytes(n, d, 0, 0) + activeBytes(n, min(n+1, firstActive))
}

// firstActive is the number of basis functions for which memory is taken at the start.
const firstActive = 128

// activeBytes is the memory of q active basis functions: their values, their products with all others, and the matrices
// of their order.
func activeBytes(n, q int) int64 { return 8 * int64(q) * (3*int64(n+1) + strip + 8*int64(q)) }

// Train implements [learn.Trainer]. The report is that of [RVM.Train]. Status is LocalOptimum if no addition,
// removal or re-estimation of a single basis function raises the marginal likelihood, and FixedPoint if only the most
// promising ones were tried.
func (t Fast) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := learn.Complete(&t); err != nil {
		return nil, err
	}
	task, err := newTask(ctx, p, t.Name(), !t.NoBias, 0, learn.Classify, learn.Regress)
	if err != nil {
		return nil, err
	}
	s, st, err := task.search(ctx, t.Starts, t.MaxIter)
	if err != nil {
		return nil, err
	}
	if s.climber == nil || st.Limit() && s.size() == 0 {
		return nil, learn.Nothing(ctx, t.Name())
	}
	r := task.result(ctx, s.climber, st)
	if s.full {
		r.Report.AddMessage("the memory budget has no room for more vectors: the search ended there")
	}
	return r, nil
}

// search maximises the marginal likelihood sequentially. Steps are taken in the Gaussian model of Laplace's
// approximation at the present mode, each in O(n·m). After a run of steps the mode and the evidence are computed anew.
// A run that has not raised the evidence is undone, and the next one is shorter.
type search struct {
	*task
	*climber
	g    *gaussian
	room int // number of basis functions with memory
	full bool
}

// search runs a search. The error is the budget's.
func (t *task) search(ctx context.Context, starts, limit int) (*search, status.Status, error) {
	s := &search{task: t}
	if err := s.makeRoom(ctx, min(t.cols, firstActive)); err != nil {
		return nil, status.Unknown, err
	}
	return s, s.run(ctx, starts, limit), nil
}

// makeRoom takes memory for q basis functions. The error is the budget's.
func (s *search) makeRoom(ctx context.Context, q int) error {
	if err := s.budget.Take(activeBytes(s.task.n, q) - activeBytes(s.task.n, s.room)); err != nil {
		return err
	}
	old := s.climber
	l := s.task.likelihoodOf()
	if old != nil {
		l = old.likelihood
	}
	post := newPosterior(context.WithoutCancel(ctx), l, s.task.n, q, s.task.Threads)
	post.phi = make([]float64, 0, q*s.task.n)
	if post.noise != nil {
		post.products = newProducts(s.task.cols)
	}
	s.climber = newClimber(post, s.heaviest(), s.task.Resources, q)
	if old != nil {
		s.history, s.steps = old.history, old.steps
		post.phi, post.basis, post.alpha, post.w = append(post.phi, old.phi...), old.basis, old.alpha, old.w
	}
	s.room, s.g = q, newGaussian(s.task, q)
	return nil
}

const (
	longest  = 16   // steps before the Gaussian model is computed anew
	exact    = 64   // the same under normal noise, where it is no approximation
	refused  = 8    // and undone steps
	joint    = 5    // joint re-estimations of all precisions between single steps
	settling = 40   // joint re-estimations at first from basis functions
	flat     = 1e-2 // no single step promises this gain of evidence at the end
)

// run searches until no step raises the evidence: first in runs of steps, then by single steps with joint
// re-estimations of all precisions between them.
func (s *search) run(ctx context.Context, starts, limit int) status.Status {
	if s.starts(ctx, starts, limit) != nil {
		return s.failure(ctx)
	}
	for rounds := joint; len(s.history) < limit; {
		before := len(s.history)
		if st := s.climb(ctx, min(limit, before+rounds)); !st.Done() && len(s.history) < before+rounds {
			return st
		}
		settled := len(s.history) < before+rounds
		taken, err := s.epoch(ctx)
		switch {
		case err != nil:
			return s.failure(ctx)
		case taken > 0:
			rounds = joint
		case settled && s.full: // no step helps, and the precisions are jointly optimal
			return status.IterationLimit
		case settled:
			if len(s.g.rejected) < refused {
				s.ends = status.LocalOptimum
			}
			return status.Optimal
		default:
			rounds *= 4
		}
	}
	return status.IterationLimit
}

// begins returns the basis functions that start k begins with: none at first, then evenly spaced ones, then drawn ones.
func (s *search) begins(k int) (basis []int) {
	m := min(s.room, s.cols, firstActive)
	switch k {
	case 0:
		return nil
	case 1:
		for i := range m {
			basis = append(basis, s.cols-1-i*s.cols/m)
		}
	default:
		basis = rand.New(rand.NewPCG(uint64(k), 0)).Perm(s.cols)[:m]
	}
	return slices.DeleteFunc(basis, func(j int) bool { return !(s.scale[j] > 0) })
}

// leaps takes runs of steps from some basis functions on, whose precisions are estimated jointly at first.
func (s *search) leaps(ctx context.Context, from []int, largest int) error {
	s.adopt(from, slices.Repeat([]float64{s.task.firstRate()}, len(from)), make([]float64, len(from)))
	err := s.fit(ctx, s.unit)
	if err == nil && len(from) > 0 && !s.climb(ctx, min(largest, settling)).Done() {
		err = ctx.Err()
	}
	limit := longest
	if s.noise != nil {
		limit = exact
	}
	for length, ok := 1, true; ok && err == nil && len(s.history) < largest; length = min(limit, 2*length) {
		ok, err = s.leap(ctx, length)
	}
	return err
}

// starts calls leaps from several initial models and noise levels, and goes on from the best result. Without basis
// functions, as in the paper, a kernel whose columns are alike ends at f = 0, since no single one of them raises the
// evidence; from the variance of the targets alone, a regression often ends at a model that is all noise.
func (s *search) starts(ctx context.Context, starts, limit int) error {
	var basis []int
	var history []float64
	var best saved
	for k := range starts {
		from, err := s.begins(k), error(nil)
		s.history = s.history[:0:0]
		if s.noise != nil {
			s.noise.beta, s.noise.given = 1/firstNoises[k%len(firstNoises)], true
		}
		if err = s.leaps(ctx, from, limit); s.noise != nil {
			if s.noise.given = false; err == nil {
				err = s.fit(ctx, s.unit)
			}
		}
		if err != nil && (k == 0 || ctx.Err() == nil) {
			return err
		}
		if k == 0 || err == nil && s.evidence > best.evidence {
			s.save()
			best, s.before = s.before, saved{}
			basis, history = slices.Clone(s.basis), s.history
		}
	}
	s.adopt(basis, best.alpha, best.w)
	s.history, s.before = history, best
	if s.noise != nil {
		s.noise.beta = best.beta
	}
	return errors.Join(s.fit(ctx, s.unit), ctx.Err())
}

// leap takes up to length steps in the Gaussian model and reports whether the evidence is better at the new mode;
// otherwise it undoes them.
func (s *search) leap(ctx context.Context, length int) (better bool, err error) {
	if err = s.begin(ctx); err != nil {
		return false, err
	}
	s.save()
	before := slices.Clone(s.basis)
	for range length {
		if ctx.Err() != nil { // the steps are the Gaussian model's alone so far
			return false, ctx.Err()
		}
		a, gain := s.g.best(false)
		if !(gain > flat) || a.kind == add && len(s.g.basis) >= s.room {
			break
		}
		s.g.take(a)
	}
	s.adopt(s.g.basis, s.g.alpha, s.g.mean)
	return s.settle(ctx, before)
}

// settle computes the mode and reports whether the evidence is better than the saved one; otherwise it goes back to the
// saved state, with basis functions at. The error is the context's or that of [posterior.fit].
func (s *search) settle(ctx context.Context, before []int) (better bool, err error) {
	if err = s.fit(ctx, s.unit); err == nil && s.better() {
		s.record("step")
		return true, nil
	}
	if s.noise != nil {
		s.noise.beta = s.before.beta
	}
	s.adopt(before, s.before.alpha, s.before.w)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	return false, s.fit(ctx, s.unit)
}

// begin computes the Gaussian model at the mode, and makes room for the next steps if memory allows. The error is the
// context's.
func (s *search) begin(ctx context.Context) error {
	if !s.full && s.room < s.cols && s.size()+longest > s.room {
		if s.makeRoom(ctx, min(s.cols, 2*s.room)) != nil {
			s.full = true
		} else if err := s.fit(ctx, s.unit); err != nil {
			return err
		}
	}
	return s.g.start(ctx, s.posterior)
}

// epoch computes the Gaussian model at the present mode and adds or drops the most promising basis functions, one after
// the other. One that does not raise the evidence at its own mode is rejected until the next epoch. It returns the
// number of steps taken.
func (s *search) epoch(ctx context.Context) (taken int, err error) {
	if err = s.begin(ctx); err != nil {
		return 0, err
	}
	for tries := 0; taken < longest && tries < refused; {
		a, gain := s.g.best(true)
		if !(gain > flat) || a.kind == add && s.size() >= s.room {
			break
		}
		better, err := s.attempt(ctx, a)
		if err != nil {
			return taken, err
		}
		if !better {
			s.g.rejected[a.j] = true
			tries++
			continue
		}
		s.g.take(a)
		taken++
	}
	return taken, ctx.Err()
}

// attempt adds or drops a basis function and reports whether the evidence is better.
func (s *search) attempt(ctx context.Context, a action) (better bool, err error) {
	s.save()
	before := slices.Clone(s.basis)
	if a.kind == add {
		s.add(a.j, a.alpha, 0, s.column(a.j))
	} else {
		s.keep(func(q int) bool { return before[q] != a.j })
	}
	return s.settle(ctx, before)
}

// adopt sets the basis functions of the posterior.
func (s *search) adopt(basis []int, alpha, w []float64) {
	q := s.posterior
	q.basis, q.alpha, q.w, q.phi = q.basis[:0], q.alpha[:0], q.w[:0], q.phi[:0]
	for k, j := range basis {
		q.add(j, alpha[k], w[k], s.column(j))
	}
}
