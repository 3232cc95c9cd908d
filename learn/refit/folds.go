package refit

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sparsekm/sparsekm/internal/centres"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
)

const (
	parts    = 5 // folds that the samples are dealt into
	enough   = 400
	foldSeed = 1
)

// costs are the values of C that are tried, ascending.
var costs = []float64{0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000}

// fold is the samples of one: places in job.rows, or in a fold's own rows.
type fold struct{ in, out []int }

// take sets aside what a refit needs in addition to a training of the method.
func (j *job) take() error {
	n, k := len(j.rows), len(j.trained.Coef)
	q := &centres.Problem{N: n, D: j.problem.D, Outputs: 1, Threads: j.problem.Threads}
	b := j.problem.Budget(j.Name(), j.problem.N, j.problem.D)
	return b.Take(centres.Bytes(q, k) + 8*int64(k)*int64(q.D) + j.copies())
}

// copies is what the samples of the problem, a fold's and those held out of it take.
func (j *job) copies() int64 { return 8 * int64(len(j.rows)) * (2*int64(j.problem.D) + 10) }

// folds deals the samples out; nil where there are too few of a class, or groups.
func (j *job) folds() []fold {
	p := j.problem
	var class, group []int
	count := make([]int, 2)
	for _, i := range j.rows {
		side := 0
		if p.Y[i] < 0 {
			side = 1
		}
		class = append(class, side)
		count[side]++
		if p.Group != nil {
			group = append(group, p.Group[i])
		}
	}
	if slices.Min(count) < 2*parts {
		return nil
	}
	of := deal.Fair(class, 2, group, parts, rand.New(rand.NewPCG(foldSeed, 0)))
	if of == nil {
		return nil
	}
	dealt := slices.Max(of) + 1
	folds := make([]fold, max(1, min(dealt, (enough*dealt+len(of)-1)/len(of))))
	for k := range folds {
		folds[k].in, folds[k].out = deal.Parts(of, k)
	}
	return folds
}

// state states the convex program of the samples, with C = 1.
func (j *job) state() *centres.Problem {
	p, rows := j.problem, j.rows
	q := &centres.Problem{X: p.Samples(rows), N: len(rows), D: p.D, Kernel: p.Kernel, Outputs: 1,
		Loss: centres.SquaredHinge, Norm: 1, Threads: p.Threads,
		Target: make([]float64, len(rows)), Weight: make([]float64, len(rows))}
	for k, i := range rows {
		q.Target[k], q.Weight[k] = p.Y[i], p.WeightOf(i)
	}
	return q
}

// priced is the problem with c times the weights.
func priced(q *centres.Problem, c float64) *centres.Problem {
	r := *q
	r.Weight = make([]float64, len(q.Weight))
	for i, v := range q.Weight {
		r.Weight[i] = c * v
	}
	return &r
}

// choose returns the C of least held-out loss for the vectors of m, by the folds of q's samples. Each value begins at
// the coefficients of the last.
func choose(ctx context.Context, q *centres.Problem, m *centres.Model, folds []fold) float64 {
	sums := make([]score, len(costs))
	for _, f := range folds {
		in, out := q.Subset(f.in), q.Subset(f.out)
		own := in.NewModel(m.Vectors)
		for i, c := range costs {
			if _, err := centres.Refit(ctx, priced(in, c), own); err != nil {
				return costs[0]
			}
			sums[i].add(own, out)
		}
	}
	best := 0
	for i := range sums {
		if sums[i].loss < sums[best].loss {
			best = i
		}
	}
	return costs[best]
}

// compare trains the method and refits it without each fold's samples, and counts what both make of these.
func (j *job) compare(ctx context.Context, q *centres.Problem, folds []fold, found *learn.Refit) error {
	var before, after score
	for _, f := range folds {
		in, out := q.Subset(f.in), q.Subset(f.out)
		p := &learn.Problem{X: in.X, N: in.N, D: in.D, Y: in.Target, Weight: in.Weight, Kernel: in.Kernel,
			Resources: j.problem.Resources}
		p.InUse += j.copies()
		if c := j.problem.Candidates; c != nil {
			p = p.WithCandidates(j.problem.Samples(c), j.sides(c), len(c))
		}
		r, err := j.Of.Train(ctx, p)
		if err != nil {
			return err
		}
		m := in.NewModel(p.Samples(r.Support))
		copy(m.Coef, r.Coef)
		m.Bias[0] = r.Bias
		before.add(m, out)
		if _, err = centres.Refit(ctx, priced(in, found.C), m); err != nil {
			return err
		}
		after.add(m, out)
		found.Points += out.N
		j.collect(p)
	}
	found.Before, found.After = before.mean(), after.mean()
	return nil
}

// sides are the labels of samples of the problem.
func (j *job) sides(rows []int) (y []float64) {
	for _, i := range rows {
		y = append(y, j.problem.Y[i])
	}
	return y
}

// score adds up what a model makes of samples.
type score struct{ loss, wrong, weight float64 }

func (s *score) add(m *centres.Model, p *centres.Problem) {
	for i, f := range m.Decisions(p, 0) {
		v, y := p.Weight[i], p.Target[i]
		miss := math.Max(0, 1-y*f)
		s.loss += v * miss * miss
		s.weight += v
		if f > 0 != (y > 0) {
			s.wrong += v
		}
	}
}

func (s *score) mean() learn.HeldOut {
	return learn.HeldOut{Loss: s.loss / s.weight, Error: s.wrong / s.weight}
}
