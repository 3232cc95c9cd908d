// Package refit fits the coefficients of a sparse model once more. The zero norm and the 1-norm choose few vectors,
// but by the same cost they shrink the coefficients of those that they keep. With the vectors c_j of the model, this
// package minimises
//
//	½ aᵀ(K_cc + 10⁻⁹ I)a + C Σ_i v_i max(0, 1 − y_i f(x_i))²,   f(x) = Σ_j a_j k(x, c_j) + b
//
// over a and b, with v the samples' weights: a convex program, whose dual bound the report has.
//
// # What is held out
//
// C is the one of 0.01 to 1000 whose squared hinge loss is least on folds of the training samples. On the same folds
// the method is trained once more without the samples held out, and refitted: the model keeps the method's own
// coefficients where these have the smaller loss. Of five folds as many are used as hold out 400 samples, one from
// 2000 samples on, so that five trainings are added to one of few samples, and one to one of many.
package refit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm/internal/centres"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// trainer trains with a method and refits what the method keeps; name and memory are the method's. The method must have
// [learn.Method.Refit], and the kernel slopes, as that of package direct; both are errors otherwise. A refit for which
// there is no memory is left out.
type trainer struct{ learn.Trainer }

func init() {
	learn.RegisterRefit(func(t learn.Trainer) learn.Trainer { return trainer{t} })
}

// Train implements [learn.Trainer]. The report is that of the model returned: of the convex program above where the
// refit was kept, with the method's own status unless that was an optimum, and of the method's training where it was
// not. Report.Refit has what the held-out samples say of both; it is nil, and the message says why, where there are
// no vectors, too few samples of a class or too little memory to look.
func (t trainer) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if m, err := learn.Lookup(t.Name()); err == nil && !m.Refit {
		return nil, fmt.Errorf("%s: it has no refit, since it does not shrink coefficients to choose vectors", t.Name())
	}
	if err := p.Kernel.ValidateSlopes(); err != nil {
		return nil, fmt.Errorf("%s: refit: %w", t.Name(), err)
	}
	r, err := t.Trainer.Train(ctx, p)
	if err != nil {
		return nil, err
	}
	learn.Collect(t.EstimateMemory(p.N, p.D))
	start := time.Now()
	j := &job{trainer: t, problem: p, rows: p.Present(), trained: r}
	why := j.run(ctx)
	if st := status.FromContext(ctx); st != status.Unknown {
		why = "stopped"
		if r.Report.Status.Done() {
			r.Report.Status = st
		}
	}
	if why != "" {
		r.Report.AddMessage("not refitted: " + why)
	}
	r.Report.Refit = j.found
	r.Report.Seconds.Solve += time.Since(start).Seconds()
	return r, nil
}

// job is one refit under way.
type job struct {
	trainer
	problem *learn.Problem
	rows    []int // samples with weight
	trained *learn.Result
	found   *learn.Refit
}

// run refits the model, or says why not. It leaves the model as it was when the context ends.
func (j *job) run(ctx context.Context) (why string) {
	r := j.trained
	switch {
	case !r.Simple():
		return "a plane or steps are fitted with the vectors"
	case len(r.Coef) == 0:
		return "there are no vectors"
	case r.Report.Status == status.Numerical:
		return "the selection has not ended well"
	}
	if err := j.take(); err != nil {
		return err.Error()
	}
	q := j.state()
	folds := deals(q)
	if folds == nil {
		return fmt.Sprintf("a class has fewer than %d samples, or is in one group", 2*parts)
	}
	m := q.NewModel(j.problem.Samples(r.Support))
	found := &learn.Refit{C: choose(ctx, q, m, folds)}
	if err := j.compare(ctx, q, folds, found); err != nil {
		return err.Error()
	}
	j.found = found
	if !(found.After.Loss <= found.Before.Loss) {
		return "the samples held out would lose by it"
	}
	cert, err := centres.Refit(ctx, weighted(q, found.C), m)
	if err != nil {
		return err.Error()
	}
	return j.keep(m, &cert[0])
}

// keep puts the refitted coefficients instead of the model's, or says why they are no optimum.
func (j *job) keep(m *centres.Model, cert *centres.Certificate) (why string) {
	r, old := j.trained, j.trained.Report
	report := learn.Report{Iterations: old.Iterations, InnerIterations: old.InnerIterations + cert.Steps,
		KernelEvals: old.KernelEvals + cert.Evals, Seconds: old.Seconds, Status: cert.Status, Objective: cert.Objective,
		Duality: &learn.Duality{Objective: cert.Dual, KKT: cert.Gradient,
			Gap: (cert.Objective - cert.Dual) / max(1, cert.Objective)}}
	if report.Settle(centres.OptimalGap, centres.OptimalViolation); report.Status != status.Optimal {
		return report.Message
	}
	j.found.Kept = true
	report.Status, report.Message = old.Status, old.Message
	report.AddMessage("the coefficients are refitted with the squared hinge")
	r.Coef, r.Bias, r.Report = m.Coef, m.Bias[0], report
	return ""
}

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

// deals are the folds of the samples; nil where there are too few of a class, or groups.
func deals(q *centres.Problem) []fold {
	class, negative := make([]int, q.N), 0
	for i, y := range q.Target {
		if y < 0 {
			class[i] = 1
			negative++
		}
	}
	if min(negative, q.N-negative) < 2*parts {
		return nil
	}
	foldOf := deal.Fair(class, 2, q.Group, parts, rand.New(rand.NewPCG(foldSeed, 0)))
	if foldOf == nil {
		return nil
	}
	dealt := slices.Max(foldOf) + 1
	folds := make([]fold, max(1, min(dealt, (enough*dealt+q.N-1)/q.N)))
	for k := range folds {
		folds[k].in, folds[k].out = deal.Parts(foldOf, k)
	}
	return folds
}

// state states the convex program of the samples, with C = 1.
func (j *job) state() *centres.Problem {
	p := j.problem
	q := &centres.Problem{X: p.Samples(j.rows), N: len(j.rows), D: p.D, Kernel: p.Kernel, Outputs: 1,
		Loss: centres.SquaredHinge, Norm: 1, Threads: p.Threads, Target: deal.Pick(p.Y, j.rows),
		Group: deal.Pick(p.Group, j.rows)}
	for _, i := range j.rows {
		q.Weight = append(q.Weight, p.WeightOf(i))
	}
	return q
}

// weighted is the problem with c times the weights.
func weighted(q *centres.Problem, c float64) *centres.Problem {
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
			if _, err := centres.Refit(ctx, weighted(in, c), own); err != nil {
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
			p = p.WithCandidates(j.problem.Samples(c), deal.Pick(j.problem.Y, c), len(c))
		}
		r, err := j.Trainer.Train(ctx, p)
		if err != nil {
			return err
		}
		m := in.NewModel(p.Samples(r.Support))
		copy(m.Coef, r.Coef)
		m.Bias[0] = r.Bias
		before.add(m, out)
		if _, err = centres.Refit(ctx, weighted(in, found.C), m); err != nil {
			return err
		}
		after.add(m, out)
		found.Samples += out.N
		learn.Collect(j.EstimateMemory(p.N, p.D))
	}
	found.Before, found.After = before.mean(), after.mean()
	return nil
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
