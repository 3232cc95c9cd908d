// Package ssvc trains sparse support vector machines for classification and regression, after K. Huang, D. Zheng, J.
// Sun, Y. Hotta, K. Fujimoto, S. Naoi: Sparse learning for support vector classification, Pattern Recognition Letters
// 31 (2010).
//
// The model is f(x) = Σ α_i k(x, x_i) + α_0. Its coefficients are not multipliers but free variables, under a penalty
// that favours few of them. The program
//
//	min ½ αᵀ diag(λ) α + Σ C_i ξ_i   subject to   y_i f(x_i) ≥ 1 − ξ_i, ξ ≥ 0      (9)
//
// is solved repeatedly with λ_i = 1/ᾱ_i², where ᾱ is the last solution. Each round lowers Σ log|α_i| + Σ C_i ξ_i.
// Coefficients that reduce the losses too little go to zero doubly exponentially. The bias α_0 is a coefficient like
// the others: it is penalised, and often pruned.
//
// For regression the losses are ε-insensitive, as section 3.5.2 suggests. A sample has a constraint for each side of
// the tube, y f(x_i) ≥ edge − ξ with y = ±1, and (9) has these constraints instead.
//
// These are the methods by quadratic programs. Package ssvclp has those by linear programs.
package ssvc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/smo/boxqp"
	"github.com/sparsekm/sparsekm/status"
)

func init() {
	learn.Register(A{C: 1, Tolerance: 1e-6, MaxIter: 200, Starts: 1, Subset: learn.AllSamples}, learn.Method{
		Name: "ssvc-a", Refit: true, KernelOnly: true, Proves: true, Candidates: learn.AnySide,
		Paper: "Huang et al. (2010), Implementation A; with norm eq. (21), with c1 the remarks of section 3.3.2",
		About: "sparse support vector classifier by reweighted quadratic programs; usually the sparsest",
		Own: []learn.Param{
			{Name: "c1", Field: "TwoNorm", Range: learn.NonNegative,
				Doc: "Weight of the zero norm against the two-norm of the combined objective. Default: no two-norm."},
			{Name: "norm", Range: norms, Doc: "Penalise the p-norm of the coefficients: 1 is one linear program, 2 one " +
				"quadratic program. Default: the zero norm."},
			samples.ExactRounds,
		},
	})
	learn.Register(RegressA{C: 1, Epsilon: 0.1, Tolerance: 1e-6, MaxIter: 200, Subset: learn.AllSamples}, learn.Method{
		Name: "ssvr-a", Paper: "Huang et al. (2010), section 3.5.2: Implementation A with the ε-insensitive loss",
		Tasks: []learn.Task{learn.Regress}, KernelOnly: true, Proves: true, Candidates: learn.AnySide,
		About: "sparse support vector regression by reweighted quadratic programs",
	})
	learn.Register(Features{C: 1, Tolerance: 1e-6, MaxIter: 200}, learn.Method{
		Name: "ssvc-features", Proves: true, Paper: "Huang et al. (2010), section 3.5.2: Implementation A on the features",
		OwnKernel: true,
		About:     "linear model of few features by reweighted quadratic programs; the model asks for no others",
		Own: []learn.Param{samples.Squares, {Name: "ranked",
			Doc: "Rank the features in one round and let folds choose how many to keep; no reweighting."}},
	})
}

// A is the method "ssvc-a" with its parameters. The zero value is SSVC-A with C = 1.
type A struct {
	learn.Named[A]
	// C is the cost of a unit of slack; 0 means 1.
	C float64
	// TwoNorm, when positive, is C₁ of the combined objective of the remarks of
	// section 3.3.2, ½ αᵀKα + C₁ αᵀ diag(λ) α + Σ C_i ξ_i. It needs Norm 0 and a
	// positive semidefinite kernel.
	TwoNorm float64
	// Norm is p of the p-norm regularised model, eq. (21), with λ_i = |ᾱ_i|^(p−2):
	// 0 ≤ p ≤ 2. The default 0 is SSVC-A. 2, the L2 prior of section 3.1, is one quadratic program with λ = 1. 1 and
	// +Inf are one linear program each, for which the program must import package ssvclp, as learn/all does.
	Norm float64
	// Tolerance is the KKT tolerance of the last rounds' quadratic programs, in units of
	// the decision function; 0 means 1e-6. Looser values change which samples survive.
	Tolerance float64
	// MaxIter limits the rounds; 0 means 200. With the infinity norm it limits pivots;
	// 0 means the simplex method's default. Norms 1 and 2 have one round.
	MaxIter int
	// ExactRounds solves the quadratic program of every round to Tolerance, as Implementation A says. Otherwise rounds far
	// from the fixed point end at a gap of 2 % or less, and drop coefficients that are about to fall twentyfold. They take
	// a fraction of the time, and now and then lead to another fixed point.
	ExactRounds bool
	// Starts is how many first penalties are tried: λ = 1 as in the paper, then drawn ones. The fixed point with the
	// least objective stays; with Norm 0 that is ½‖α‖₀ + Σ C_i ξ_i. 0 means 1: each start takes as long.
	Starts       int
	learn.Subset     // neither with the infinity norm nor with the combined objective
	start        int // of the training
}

var norms = learn.Range{
	Text: "0 <= p <= 2 or +Inf",
	Has:  func(p float64) bool { return p >= 0 && p <= 2 || math.IsInf(p, 1) },
}

// Figures are the figures of ssvc-a in a report.
type Figures struct {
	// Certificate is the largest |α_i (K̄β)_i − 1| over the remaining coefficients (Norm 0). It is 0 at a fixed point
	// of the reweighting.
	Certificate float64 `json:"certificate"`
	Live        []int   `json:"live"`   // number of coefficients that entered each round, including the bias
	Merged      int     `json:"merged"` // number of samples that repeat the features of another
}

// InfinityFigures are the figures of ssvc-a with the infinity norm in a report.
type InfinityFigures struct {
	MaxCoefficient float64 `json:"max_coefficient"` // ‖α‖∞
	Merged         int     `json:"merged"`          // as in [Figures]
}

// Train implements [learn.Trainer]. The report's Objective is (9) in the last round. Each round's KKT, gap and
// objective belong to its quadratic program. For f = 0 the objective is the sum of the costs.
//
// Status is Numerical, with a message that begins with "rounding limit", if double precision cannot represent the
// fixed point: at large C, a nearly singular kernel matrix requires coefficients beyond 1e7.
//
// If ctx ends before the kernel values are known, there is no model. In the first round the model is the best
// multiple of the solver's iterate, or of one pass of steps if that is better. With candidates whose kernel values
// are not kept there may be none. In a later round the model is the last round's without the coefficients that were
// going to zero. It is solved again until no coefficient goes to zero, for at most 0.15 s, and the report describes
// this solution. Rounds far from the fixed point are solved to a rough gap, which their report shows, unless
// ExactRounds is set. The last rounds are solved to Tolerance.
//
// From some 1450 samples on, if kernel values are in [0, 1], the first rounds store no kernel matrix but the rows of
// the samples with losses, and of those near them. A first round that ctx ends then leaves a model of 256 samples.
//
// Its Figures are a [Figures]. Those of the infinity norm are an [InfinityFigures], and those of the 1-norm and its
// objective are ssvc-b's after its first round. Samples with the same features share
// one coefficient, under the lowest index.
func (t A) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	pivots := t.MaxIter // before Complete sets the default, which is a number of rounds
	if err := learn.Complete(&t); err != nil {
		return nil, err
	}
	if t.TwoNorm > 0 && t.Norm != 0 {
		return nil, fmt.Errorf("ssvc-a: the combined objective (c1 = %v) takes the zero norm, not p = %v", t.TwoNorm, t.Norm)
	}
	if t.ExactRounds && math.IsInf(t.Norm, 1) {
		return nil, errors.New("ssvc-a: the infinity norm has no rounds that could be exact")
	}
	if (t.Candidates > 0 || p.Candidates != nil) && (t.TwoNorm > 0 || math.IsInf(t.Norm, 1)) {
		return nil, errors.New("ssvc-a: candidates go with no combined objective and no infinity norm")
	}
	if t.Norm == 1 || math.IsInf(t.Norm, 1) && samples.Infinity == nil {
		return t.linear(ctx, p)
	}
	s, err := samples.Parameters{Method: t.Name(), C: t.C}.Samples(p)
	if err != nil {
		return nil, err
	}
	return samples.Best(ctx, t.Starts, func(start int) (*learn.Result, float64, error) {
		t.start = start
		r, err := t.train(ctx, p, s, pivots)
		if err != nil {
			return nil, 0, err
		}
		return r, r.Report.Objective, nil
	})
}

// linear trains with the 1-norm.
func (t A) linear(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if samples.OneNorm == nil {
		return nil, fmt.Errorf("ssvc-a: p = %v is a linear program; the program must import learn/ssvc/ssvclp", t.Norm)
	}
	r, err := samples.OneNorm(t.C, t.Subset).Train(ctx, p)
	if err == nil {
		relative(ctx, &r.Report)
	}
	return r, err
}

// train trains on the merged samples of a validated problem.
func (t A) train(ctx context.Context, p *learn.Problem, s *samples.Merged, pivots int) (*learn.Result, error) {
	choice, distinct := samples.Choice{At: s.Only, Subset: t.Subset}, len(s.First)
	limited := choice.Limits(distinct)
	need := t.estimate(int64(len(s.Row)), int64(distinct), int64(p.D))
	if limited {
		need = t.overFew(len(s.Row), distinct, p.D, choice.Most())
	}
	budget := p.Budget(s.Method, p.N, p.D)
	if err := budget.Take(need); err != nil {
		return nil, err
	}
	m := &quadratic{A: t, Merged: s, outer: outer{progress: p.Progress}}
	if !limited {
		m.noProof = proofMemory(ctx, budget, s)
	}
	begin := time.Now()
	var r *learn.Result
	var err error
	switch {
	case limited:
		r, err = m.overCandidates(ctx, p, choice, budget)
	case t.sifts(ctx, s, p):
		var z *sifted
		if z, err = newSifted(ctx, m, p); err == nil {
			defer z.release()
			r, err = m.model(ctx, z, &z.columns.Evals, &z.spent)
		}
	default:
		r, err = m.overAll(ctx, p, budget.Left(), pivots)
	}
	if err != nil {
		return nil, err
	}
	r.Recompute(ctx, p, m.size, s.Loss, t.C)
	relative(ctx, &r.Report)
	if r.Report.Settle(samples.OptimalGap, max(t.Tolerance, 1e-6)); t.Norm < 2 { // else it is one program
		r.Report.EndAt(status.FixedPoint)
	}
	r.Report.Seconds.Solve = time.Since(begin).Seconds() - r.Report.Seconds.Gram
	if limited {
		r.Report.AddMessage(choice.Over(len(s.First), distinct))
	}
	return r, nil
}

// overCandidates trains with the candidates as columns.
func (m *quadratic) overCandidates(ctx context.Context, p *learn.Problem, choice samples.Choice,
	budget *learn.Budget) (*learn.Result, error) {
	begin := time.Now()
	v, err := newStreamed(ctx, p, m.Merged, choice)
	if err != nil {
		return nil, err
	}
	m.noProof = proofMemory(ctx, budget, m.Merged) // of the candidates' columns
	var pen penalty
	if z := v.whole(ctx, len(m.Row), 8*sifting.stored); z != nil {
		pen = newDiagonal(ctx, z, m.Merged, m.Norm)
	} else {
		pen = newStreamedPenalty(ctx, v, m.Merged, m.Norm)
	}
	if ctx.Err() != nil {
		return nil, learn.Nothing(ctx, m.Method)
	}
	gram := time.Since(begin)
	return m.model(ctx, pen, &v.columns.Evals, &gram)
}

// model trains from a penalty over all columns. At the end evals and spent are what kernel values took.
func (m *quadratic) model(ctx context.Context, pen penalty, evals *int64, spent *time.Duration) (*learn.Result, error) {
	if err := m.rounds(ctx, pen); err != nil {
		return nil, err
	}
	r := m.result()
	r.Report.KernelEvals, r.Report.Seconds.Gram = *evals, spent.Seconds()
	return r, nil
}

// overAll trains on the kernel matrix of all samples. It may reuse memory with at most spare bytes too many.
func (m *quadratic) overAll(ctx context.Context, p *learn.Problem, spare int64,
	pivots int) (*learn.Result, error) {
	begin := time.Now()
	z, err := matrix(ctx, m.Merged, p, spare)
	if err != nil {
		return nil, err
	}
	defer cpu.Release(z)
	gram, evals := time.Since(begin), int64(len(m.First))*int64(len(m.First)+1)/2
	switch {
	case math.IsInf(m.Norm, 1):
		var r *learn.Result
		if r, m.size, err = samples.Infinity(ctx, m.Merged, z, pivots); err != nil {
			return nil, err
		}
		r.Report.Figures = InfinityFigures{MaxCoefficient: m.size, Merged: m.Repeats}
		r.Report.KernelEvals, r.Report.Seconds.Gram = evals, gram.Seconds()
		return r, nil
	case m.TwoNorm > 0:
		pen, err := newCombined(ctx, z, m.Merged, m.TwoNorm)
		if ctx.Err() != nil {
			return nil, learn.Nothing(ctx, m.Method)
		}
		if err != nil {
			return nil, err
		}
		return m.model(ctx, pen, &evals, &gram)
	}
	return m.model(ctx, newDiagonal(ctx, z, m.Merged, m.Norm), &evals, &gram)
}

// ForSize implements [learn.Sized]. What candidates do not go with, and other norms, are of all samples.
func (t A) ForSize(samples int) learn.Trainer {
	if t.TwoNorm == 0 && t.Norm == 0 && !t.ExactRounds {
		t.Subset = learn.FewAbove(4000, samples, learn.FewAbove(20_000, samples, t.Subset, 500), 1000)
	}
	return t
}

// EstimateMemory implements [learn.Trainer]: the kernel matrix with a column for the bias, several copies of it for
// the combined objective and the infinity norm, and vectors.
func (t A) EstimateMemory(n, d int) int64 {
	if t.Norm == 1 && samples.OneNorm != nil {
		return samples.OneNorm(t.C, t.Subset).EstimateMemory(n, d)
	}
	return t.bytes(n, n, d)
}

// bytes is EstimateMemory for the given rows of hinge losses.
func (t A) bytes(rows, n, d int) int64 {
	if k := t.Candidates; k > 0 && k < n {
		return t.overFew(rows, n, d, k)
	}
	return t.estimate(int64(rows), int64(n), int64(d))
}

// overFew is EstimateMemory with k candidates, for hinge losses of n samples: the samples, a packed copy from which
// the candidates are chosen, and the kernel values of the rows of a program.
func (t A) overFew(rows, n, d, k int) int64 {
	const vectors = 40 * 8 // bytes a row, for bookkeeping and crossings
	ld := k + 1
	inside := rows
	if int64(rows)*int64(ld) > keptElements {
		inside = min(rows, max(64, insideElements/ld))
	}
	return int64(n)*int64(d)*8 + gram.Bytes[float64](n, d) + vectors*int64(rows) +
		8*int64(inside)*int64(ld) + boxqp.Bytes(inside, ld)
}

// estimate is EstimateMemory for the given rows of hinge losses and q distinct samples.
func (t A) estimate(rows, q, d int64) int64 {
	const vectors = 20 * 8 // bytes a row, for bookkeeping
	copies, scratch := int64(1), boxqp.Bytes(int(rows), int(q)+1)
	switch {
	case t.TwoNorm > 0:
		copies = 3 // the kernel matrix, the factor of the penalty, and the features computed from both
	case math.IsInf(t.Norm, 1):
		copies, scratch = 5, 0 // the kernel matrix, and the basis of twice its order
	}
	return copies*rows*(q+1)*8 + scratch + 3*q*d*8 + vectors*rows
}

// matrix returns K̄ᵀ without the labels, a row for each hinge loss: k(x_row, x_col) for every column, then 1 for the
// bias. The row stride is s.Columns(). It may reuse memory of an earlier training with at most spare bytes too many.
// The caller releases it. The error is the context's.
func matrix(ctx context.Context, s *samples.Merged, p *learn.Problem, spare int64) ([]float64, error) {
	q, ld := len(s.First), s.Columns()
	k, err := gram.PackContext[float64](ctx, p.Kernel, p.Samples(s.First), q, p.D)
	if err != nil {
		return nil, learn.Nothing(ctx, s.Method)
	}
	size := len(s.Row) * ld
	z := cpu.Reuse[float64](size, size+int(spare/8))
	if z == nil {
		if z = dense.New(ctx, size); z == nil {
			return nil, learn.Nothing(ctx, s.Method)
		}
	}
	z = z[:size]
	if learn.FullMatrix(ctx, k, z, ld, s.Threads) != nil {
		cpu.Release(z)
		return nil, learn.Nothing(ctx, s.Method)
	}
	for r, col := range s.Row {
		if r%64 == 0 && ctx.Err() != nil {
			cpu.Release(z)
			return nil, learn.Nothing(ctx, s.Method)
		}
		if r >= q {
			copy(z[r*ld:(r+1)*ld], z[col*ld:(col+1)*ld])
		}
		z[r*ld+q] = 0
		if s.Biased {
			z[r*ld+q] = 1
		}
	}
	return z, nil
}

// reachOf returns, for each column i, the largest |(K̄β)_i| over all β in the box: the larger of the sums of the
// positive and of the negative parts of C_r y_r k_ri. If ctx ends, the result is too small.
func reachOf(ctx context.Context, s *samples.Merged, z []float64) []float64 {
	const width = 2048 // columns of a task
	ld := s.Columns()
	bound := make([]float64, ld)
	parallel.Chunks(s.Threads, ld, width, func(_, lo, hi int) {
		up, down, size := bound[lo:hi], make([]float64, hi-lo), make([]float64, hi-lo)
		for r := range s.Row {
			if r%512 == 0 && ctx.Err() != nil {
				break
			}
			addReach(s, up, down, size, z[r*ld+lo:r*ld+hi], r)
		}
		largerPart(s, up, down, size)
	})
	return bound
}

// addReach adds C_r times a row to the sum of its side, and the absolute values to size if the kernel has both signs.
func addReach(s *samples.Merged, up, down, size, row []float64, r int) {
	if s.Y[r] > 0 {
		dense.Axpy(s.Cost[r], row, up)
	} else {
		dense.Axpy(s.Cost[r], row, down)
	}
	if s.Mixed {
		for i, k := range row {
			size[i] += s.Cost[r] * math.Abs(k)
		}
	}
}

// largerPart stores in up, and returns, the larger of the sums of the positive and of the negative parts. It is given
// the sums of addReach.
func largerPart(s *samples.Merged, up, down, size []float64) []float64 {
	if !s.Mixed { // up has all positive and down all negative parts
		size = nil
	}
	for i := range size { // half of Σ|c| ± Σc are the sums of the parts
		v := size[i]
		up[i], down[i] = (v+up[i]-down[i])/2, (v-up[i]+down[i])/2
	}
	for i := range up {
		up[i] = max(up[i], down[i])
	}
	return up
}

// RegressA is the method "ssvr-a": Implementation A of Huang et al. (2010) with the ε-insensitive loss instead of the
// hinge loss, as section 3.5.2 suggests for regression. It repeatedly solves
//
//	min ½ αᵀ diag(λ) α + Σ C_i (ξ_i + ξ*_i)   subject to   f(x_i) − y_i ≤ ε + ξ*_i,  y_i − f(x_i) ≤ ε + ξ_i,  ξ, ξ* ≥ 0
//
// with λ_i = 1/ᾱ_i². The bias is a coefficient like the others.
type RegressA struct {
	learn.Named[RegressA]
	C         float64 // cost of a unit of slack; 0 means 1
	Epsilon   float64 // half the width of the tube; 0 means 0.1, a negative number 0
	Tolerance float64 // as of [A], in units of y; 0 means 1e-6
	MaxIter   int     // limits the rounds; 0 means 200
	learn.Subset
}

// Train implements [learn.Trainer] for real targets. Report, statuses and [Figures] are as for [A].
func (t RegressA) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := learn.Complete(&t); err != nil {
		return nil, err
	}
	s, err := samples.Parameters{Method: t.Name(), Task: learn.Regress, C: t.C, Epsilon: t.Epsilon}.Samples(p)
	if err != nil {
		return nil, err
	}
	a := A{C: t.C, Tolerance: t.Tolerance, MaxIter: t.MaxIter, Subset: t.Subset}
	return a.train(ctx, p, s, 0)
}

// ForSize implements [learn.Sized].
func (t RegressA) ForSize(samples int) learn.Trainer {
	t.Subset = learn.FewAbove(4000, samples, t.Subset, 500)
	return t
}

// EstimateMemory implements [learn.Trainer]. A sample has two constraints.
func (t RegressA) EstimateMemory(n, d int) int64 { return A{Subset: t.Subset}.bytes(2*n, n, d) }
