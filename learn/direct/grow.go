package direct

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sparsekm/sparsekm/internal/moving"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

const (
	most     = 64      // that are tried
	look     = 10      // steps between two looks at the held-out points
	patience = 4       // looks without a smaller loss
	holdOut  = 5       // one of so many points of each class
	large    = 100_000 // points; more begin with a part of them
	part     = 25_000
)

// fit is a machine and what it is fitted to.
type fit struct {
	q      *moving.Problem
	fitter *moving.Fitter
	m      *moving.Machine
	found  moving.Found
	wanted int // vectors
	job    *job
	chosen string // how the number of vectors was chosen
}

// lay lays the points out for fits.
func (j *job) lay(ctx context.Context, q *moving.Problem) (fit, error) {
	fitter, err := moving.NewFitter(ctx, q)
	if ctx.Err() != nil {
		return fit{}, learn.Nothing(ctx, j.Name())
	}
	if err != nil {
		return fit{}, fmt.Errorf("direct: %w", err)
	}
	return fit{q: q, fitter: fitter, job: j}, nil
}

// begin makes a machine of k vectors: those of the last, if there is one, and new ones by k-means++, in the
// proportions of the classes and at first anywhere, later where the last machine has its loss. Its coefficients
// are the best for the vectors.
func (f fit) begin(ctx context.Context, last *moving.Machine, k int, rng *rand.Rand) (*fit, error) {
	f.wanted = k
	chance := slices.Clone(f.q.Weight[:f.q.N])
	var vectors []float64
	if last != nil {
		vectors = slices.Clone(last.Vectors)
		for i, m := range misses(last, f.q) {
			chance[i] *= m
		}
		k -= last.K
	}
	class := classes(f.q)
	sizes := make([]float64, f.job.classes)
	for i, c := range chance {
		sizes[class[i]] += c
	}
	for s, count := range moving.Shares(k, sizes) {
		vectors = append(vectors, f.fitter.Centres(ctx, count, func(i int) float64 {
			if class[i] == s {
				return chance[i]
			}
			return 0
		}, rng)...)
	}
	m := f.q.NewMachine(vectors)
	if last != nil {
		m.Kernel = last.Kernel
		copy(m.Coef, last.Coef)
		copy(m.Bias, last.Bias)
	}
	certs, err := moving.Refit(ctx, f.q, m)
	if err != nil {
		return nil, learn.Nothing(ctx, f.job.Name())
	}
	for i := range certs {
		f.job.inner += certs[i].Steps
	}
	f.m = m
	return &f, nil
}

// classes has each point's class: the output whose target is 1, of one output 0 for 1 and 1 for −1.
func classes(q *moving.Problem) []int {
	class := make([]int, q.N)
	for i := range class {
		for class[i] < q.Outputs && q.Target[class[i]*q.N+i] < 0 {
			class[i]++
		}
	}
	return class
}

// misses are the points' slacks, summed over the outputs.
func misses(m *moving.Machine, q *moving.Problem) []float64 {
	sum := make([]float64, q.N)
	for o := range q.Outputs {
		for i, f := range m.Decisions(q, o) {
			sum[i] += math.Max(0, 1-q.Target[o*q.N+i]*f)
		}
	}
	return sum
}

// search moves the vectors.
func (f *fit) search(ctx context.Context, steps int, visit func(int, *moving.Machine) bool) {
	progress := f.job.progress
	f.found = f.fitter.Fit(ctx, f.m, steps, f.job.Tolerance, func(step int, m *moving.Machine) bool {
		progress(func() learn.Event {
			return learn.Event{Phase: "move", Done: float64(step) / float64(steps), Step: step, Vectors: m.K}
		})
		return visit == nil || visit(step, m)
	})
	f.job.evals += f.found.Evaluations
}

// message says what the certificate does not: how far the search of the vectors went.
func (f *fit) message() string {
	s := "the vectors"
	if f.found.Status == status.Optimal {
		s += " are a local optimum"
	} else {
		s += fmt.Sprintf(" stopped after %d steps near a local optimum", f.found.Steps)
	}
	s += fmt.Sprintf(", gradient norm %.2g", f.found.Gradient)
	if f.m.K < f.wanted {
		s += fmt.Sprintf("; there are not more than %d different points for %d vectors", f.m.K, f.wanted)
	}
	return s + f.chosen
}

// fixed trains k vectors on all points. Many points are begun at the vectors that a part of them, chosen at random
// and weighed for all, has found, and then need fewer steps.
func (j *job) fixed(ctx context.Context, all *moving.Problem, k int, rng *rand.Rand) (*fit, error) {
	var last *moving.Machine
	steps := j.MaxIter
	if all.N > large {
		f, err := j.sample(ctx, all, k, rng)
		if err != nil || ctx.Err() != nil {
			return f, err
		}
		last, k, steps = f.m, f.m.K, max(look, steps/4)
	}
	laid, err := j.lay(ctx, all)
	if err != nil {
		return nil, err
	}
	f, err := laid.begin(ctx, last, k, rng)
	if err == nil {
		f.search(ctx, steps, nil)
	}
	return f, err
}

// sample trains on a part of the points.
func (j *job) sample(ctx context.Context, all *moving.Problem, k int, rng *rand.Rand) (*fit, error) {
	size := *all
	size.N = part
	if err := j.budget.Take(moving.Bytes(&size, k) + 8*part*int64(all.D+2*all.Outputs+2) + 8*int64(all.N)); err != nil {
		return nil, err
	}
	rows := rng.Perm(all.N)[:part]
	slices.Sort(rows)
	q := all.Subset(rows)
	for i := range q.Weight {
		q.Weight[i] *= float64(all.N) / part // for all outputs
	}
	return j.fixed(ctx, q, k, rng)
}

// grow tries 2, 4, 8, ... vectors, of several classes one, two, four, ... a class, and trains the number that
// held-out points choose.
func (j *job) grow(ctx context.Context, all *moving.Problem, rng *rand.Rand) (*fit, error) {
	q, held, err := j.divide(all, rng)
	if err != nil {
		return nil, err
	}
	if held == nil {
		return j.fixed(ctx, all, j.least(j.classes), rng)
	}
	tried, err := j.try(ctx, q, all, held, rng)
	if len(tried) == 0 {
		return nil, err
	}
	best := choose(tried).fit
	if q == all || ctx.Err() != nil {
		return best, nil
	}
	for _, t := range tried { // the points have to be laid out once more, and twice may be too many
		t.fit.fitter = nil
	}
	laid, err := j.lay(ctx, all)
	if ctx.Err() != nil {
		return best, nil
	}
	if err != nil {
		return nil, err
	}
	f, err := laid.begin(ctx, best.m, best.m.K, rng)
	if err != nil {
		return best, nil // the context has ended
	}
	f.chosen = best.chosen
	f.search(ctx, max(look, best.found.Steps), nil)
	return f, nil
}

// divide sets a part of each class aside unless the caller has; held is nil where a class is too small.
func (j *job) divide(all *moving.Problem, rng *rand.Rand) (q, held *moving.Problem, err error) {
	if v := j.problem.Validation; v != nil {
		if err = j.budget.Take(16 * int64(v.N) * int64(j.outputs)); err != nil {
			return nil, nil, err
		}
		return all, &moving.Problem{X: v.X, N: v.N, D: all.D, Outputs: j.outputs, Loss: all.Loss,
			Target: j.targets(v.Y)}, nil
	}
	rows := make([][]int, j.classes)
	for i, c := range classes(all) {
		rows[c] = append(rows[c], i)
	}
	for _, class := range rows {
		if len(class) < 2*holdOut {
			return all, nil, nil
		}
	}
	if err = j.budget.Take(8 * int64(all.N) * int64(all.D+2*j.outputs+2)); err != nil {
		return nil, nil, err
	}
	var keep, out []int
	for _, class := range rows {
		rng.Shuffle(len(class), func(a, b int) { class[a], class[b] = class[b], class[a] })
		n := len(class) / holdOut
		out, keep = append(out, class[:n]...), append(keep, class[n:]...)
	}
	slices.Sort(keep)
	return all.Subset(keep), all.Subset(out), nil
}

// trial is a number of vectors with what the held-out points say.
type trial struct {
	fit  *fit
	loss float64
	se   float64 // standard error of loss
}

// try trains ever more vectors until the held-out loss has not fallen twice.
func (j *job) try(ctx context.Context, q, all, held *moving.Problem, rng *rand.Rand) ([]trial, error) {
	var tried []trial
	var last *moving.Machine
	least, worse := math.Inf(1), 0
	laid, err := j.lay(ctx, q)
	if err != nil {
		return nil, err
	}
	first := j.least(j.classes)
	for k := first; k <= most && k < q.N && worse < 2; k *= 2 {
		if k > first && j.budget.Take(moving.Bytes(all, k)-moving.Bytes(all, k/2)) != nil {
			break
		}
		f, err := laid.begin(ctx, last, k, rng)
		if err != nil {
			return tried, err
		}
		t := f.watch(ctx, held, j.MaxIter)
		tried, last = append(tried, t), f.m
		h := HeldOut{SV: f.m.K, Loss: t.loss, Error: wrong(f.m, held)}
		j.held = append(j.held, h)
		worse++
		if t.loss < least {
			least, worse = t.loss, 0
		}
		if f.m.K < k || ctx.Err() != nil {
			break
		}
	}
	if len(tried) == 0 {
		return nil, errors.New("direct: two points are not enough to choose a number of vectors")
	}
	return tried, nil
}

// watch searches and keeps the machine of least held-out loss.
func (f *fit) watch(ctx context.Context, held *moving.Problem, steps int) trial {
	loss, se := lossOf(f.m, held)
	best, kept, at, stale := loss, f.m.Clone(), 0, 0
	f.search(ctx, steps, func(step int, m *moving.Machine) bool {
		if step%look != 0 {
			return true
		}
		stale++
		if l, s := lossOf(m, held); l < best {
			best, se, kept, at, stale = l, s, m.Clone(), step, 0
		}
		return stale < patience
	})
	f.m, f.found.Steps = kept, at
	return trial{f, best, se}
}

// lossOf is the mean loss on held-out points, and its standard error.
func lossOf(m *moving.Machine, held *moving.Problem) (mean, se float64) {
	loss := make([]float64, held.N)
	for o := range held.Outputs {
		for i, f := range m.Decisions(held, o) {
			loss[i] += held.Loss.At(held.Target[o*held.N+i], f)
		}
	}
	var sum, square float64
	for _, l := range loss {
		sum, square = sum+l, square+l*l
	}
	n := float64(held.N)
	mean = sum / n
	return mean, math.Sqrt(math.Max(0, square/n-mean*mean) / n)
}

// wrong is the share of held-out points that get another class: on the wrong side, or where another's decision is
// the largest.
func wrong(m *moving.Machine, held *moving.Problem) float64 {
	largest, at := make([]float64, held.N), make([]int, held.N)
	for o := range held.Outputs {
		for i, f := range m.Decisions(held, o) {
			switch {
			case held.Outputs == 1 && !(f > 0):
				at[i] = 1
			case o == 0 || f > largest[i]:
				largest[i], at[i] = f, o
			}
		}
	}
	n := 0
	for i, c := range classes(held) {
		if at[i] != c {
			n++
		}
	}
	return float64(n) / float64(held.N)
}

// choose takes the smallest number whose loss is within a standard error of the least.
func choose(tried []trial) trial {
	best := tried[0]
	for _, t := range tried[1:] {
		if t.loss < best.loss {
			best = t
		}
	}
	limit := best.loss + best.se
	for _, t := range tried {
		if t.loss <= limit {
			best = t
			break
		}
	}
	best.fit.chosen = fmt.Sprintf("; held-out loss chose among %d to %d", tried[0].fit.m.K, tried[len(tried)-1].fit.m.K)
	return best
}
