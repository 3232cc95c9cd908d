// Package ssvclp trains the sparse support vector machines of package ssvc by linear programs: Implementation B of
// Huang et al. (2010) and what follows from it. It also has the linear
// programs of ssvc-a's 1-norm and infinity norm.
package ssvclp

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
)

func init() {
	samples.Infinity = infinity
	samples.OneNorm = func(c float64, s learn.Subset) learn.Trainer { return oneNorm{B{C: c, Subset: s}} }
	learn.Register(B{C: 1, MaxIter: 50, Subset: learn.AllSamples}, learn.Method{
		Name: "ssvc-b", Paper: "Huang et al. (2010), Implementation B, eq. (10), (14) and (15)",
		Refit: true, KernelOnly: true, Programs: true, Candidates: learn.AnySide, Own: []learn.Param{samples.ExactRounds},
		About: "sparse support vector classifier by reweighted linear programs",
	})
	learn.Register(W{C: 1, MaxIter: 50, Subset: learn.AllSamples}, learn.Method{
		Name: "ssvc-w", Paper: "Weston et al. (2003); Huang et al. (2010), eq. (16) and section 3.5.1",
		Refit: true, KernelOnly: true, Programs: true, Candidates: learn.AnySide, Own: []learn.Param{samples.ExactRounds},
		About: "zero-norm classifier by a multiplicative update; gives the models of ssvc-b",
	})
	learn.Register(RegressB{C: 1, Epsilon: 0.1, MaxIter: 50, Subset: learn.AllSamples}, learn.Method{
		Name: "ssvr-b", Paper: "Huang et al. (2010), section 3.5.2: Implementation B with the ε-insensitive loss",
		Tasks: []learn.Task{learn.Regress}, KernelOnly: true, Programs: true, Candidates: learn.AnySide,
		About: "sparse support vector regression by reweighted linear programs",
	})
	learn.Register(OneClass{C: 1, Nu: 0.5, MaxIter: 50, Subset: learn.AllSamples}, learn.Method{
		Name: "sparse-one-class", Tasks: []learn.Task{learn.OneClass},
		KernelOnly: true, Programs: true, Candidates: learn.AnySide,
		Paper: "Huang et al. (2010), Implementation B; Schölkopf, Platt, Shawe-Taylor, Smola & Williamson (2001)",
		About: "one-class model of few vectors by reweighted linear programs",
	})
	learn.Register(FeaturesB{C: 1, MaxIter: 50}, learn.Method{
		Name: "ssvc-features-b", Paper: "Huang et al. (2010), section 3.5.2: Implementation B on the features",
		OwnKernel: true, Programs: true, Own: []learn.Param{samples.Squares},
		About: "linear model of few features by reweighted linear programs; the model asks for no others",
	})
}

// B is the method "ssvc-b", Implementation B of the paper. It repeatedly solves the linear program
//
//	min Σ λ_i |α_i| + Σ C_i ξ_i   subject to   y_i f(x_i) ≥ 1 − ξ_i, ξ ≥ 0         (10), (14)
//
// with λ_i = 1/|ᾱ_i|, through its dual (15). From round to round only the bounds of the dual's rows change, so the
// last basis stays dual feasible. A coefficient that is 0 stays 0. A coefficient with |ᾱ_i| max|(K̄β)_i| < 1 cannot
// return either. Its row is never violated, so keeping it costs nothing.
type B struct {
	learn.Named[B]
	C float64 // cost of a unit of slack; 0 means 1
	// MaxIter limits the rounds; 0 means 50 as in section 4.2.
	MaxIter int
	// ExactRounds solves linear programs only, as the paper does. Otherwise, if the first of them takes many pivots, the
	// first rounds are the quadratic programs of ssvc-a, which lower the same sum. They take a fraction of the time, and
	// lead to another fixed point. This needs package ssvc in the program, as learn/all has it.
	ExactRounds bool
	learn.Subset
}

// W is the method "ssvc-w", the zero-norm model of Weston et al. (2003), eq. (16): it multiplies the kernel columns
// by z, and then z by the solution. B's solver solves its programs, which are [B]'s in other units.
// Parameters and models are the same (section 3.5.1).
type W B

// RegressB is the method "ssvr-b": Implementation B with the ε-insensitive loss. It repeatedly solves the linear
// program
//
//	min Σ λ_i |α_i| + Σ C_i (ξ_i + ξ*_i)   subject to   f(x_i) − y_i ≤ ε + ξ*_i,  y_i − f(x_i) ≤ ε + ξ_i,  ξ, ξ* ≥ 0
//
// with λ_i = 1/|ᾱ_i|, by the solver of [B].
type RegressB struct {
	learn.Named[RegressB]
	C       float64 // cost of a unit of slack; 0 means 1
	Epsilon float64 // half the width of the tube; 0 means 0.1, a negative number 0
	MaxIter int     // limits the rounds; 0 means 50
	learn.Subset
}

var (
	_ learn.PathTrainer = B{}
	_ learn.PathTrainer = W{}
	_ learn.PathTrainer = RegressB{}
)

// Name implements [learn.Trainer].
func (W) Name() string { return learn.Named[W]{}.Name() }

// ForSize implements [learn.Sized].
func (t B) ForSize(samples int) learn.Trainer {
	t.Subset = learn.FewAbove(4000, samples, learn.FewAbove(20_000, samples, t.Subset, 500), 1000)
	return t
}

// EstimateMemory implements [learn.Trainer].
func (t B) EstimateMemory(n, d int) int64 { return kernellp.ChosenBytes(n, d, t.Subset) }

// EstimateMemory implements [learn.Trainer].
func (t W) EstimateMemory(n, d int) int64 { return B(t).EstimateMemory(n, d) }

// ForSize implements [learn.Sized].
func (t RegressB) ForSize(samples int) learn.Trainer {
	t.Subset = learn.FewAbove(4000, samples, t.Subset, 500)
	return t
}

// EstimateMemory implements [learn.Trainer]. A sample has two constraints.
func (t RegressB) EstimateMemory(n, d int) int64 { return kernellp.ChosenBytes(2*n, d, t.Subset) }

// Train implements [learn.Trainer]. The report's Objective is (10) in the last round, and its Figures are a
// [LinearFigures].
func (t B) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return kernellp.Train(ctx, p, t, B.linear)
}

// Train implements [learn.Trainer]. The report is as for [B.Train].
func (t W) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return kernellp.Train(ctx, p, t, W.linear)
}

// Train implements [learn.Trainer] for real targets. The report is as for [B.Train].
func (t RegressB) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return kernellp.Train(ctx, p, t, RegressB.linear)
}

// Path implements [learn.PathTrainer].
func (t B) Path(ctx context.Context, p *learn.Problem, c []float64, visit func(float64, *learn.Result) bool) error {
	return kernellp.Path(ctx, p, t, B.linear, c, visit)
}

// Path implements [learn.PathTrainer].
func (t W) Path(ctx context.Context, p *learn.Problem, c []float64, visit func(float64, *learn.Result) bool) error {
	return kernellp.Path(ctx, p, t, W.linear, c, visit)
}

// Path implements [learn.PathTrainer].
func (t RegressB) Path(ctx context.Context, p *learn.Problem, c []float64,
	visit func(float64, *learn.Result) bool) error {
	return kernellp.Path(ctx, p, t, RegressB.linear, c, visit)
}

func (t B) linear() linear {
	return linear{Parameters: samples.Parameters{Method: t.Name(), C: t.C, Subset: t.Subset}, rounds: t.MaxIter,
		exact: t.ExactRounds}
}

// oneNorm is ssvc-a with the 1-norm, Σ|α_i| + Σ C_i ξ_i: the first program of [B].
type oneNorm struct{ B }

// Train implements [learn.Trainer].
func (t oneNorm) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return kernellp.Train(ctx, p, t.B, func(b B) linear {
		l := b.linear()
		l.Method, l.once = "ssvc-a", true
		return l
	})
}

func (t W) linear() linear {
	l := B(t).linear()
	l.Method = t.Name()
	return l
}

func (t RegressB) linear() linear {
	return linear{Parameters: samples.Parameters{Method: t.Name(), Task: learn.Regress, C: t.C, Epsilon: t.Epsilon,
		Subset: t.Subset}, rounds: t.MaxIter, exact: true}
}

// OneClass is the method "sparse-one-class". It estimates the region of the training samples, by the reweighting of
// [B]:
//
//	min Σ λ_i |α_i| + Σ C_i ξ_i   subject to   g(x_i) = Σ_j α_j k(x_i, x_j) ≥ 1 − ξ_i,  ξ ≥ 0,   λ_i = 1/|ᾱ_i|,
//
// a cover of the samples by few kernels. It is the one-class model of Schölkopf et al. (2001) in units of its ρ, with
// Σ log|α_i| instead of ½‖w‖². (In ρ itself this sum has no lower bound.) The model is f = g − ρ. The threshold ρ is
// the largest, halfway between two values of g, for which at most the share ν of the samples' weight has f < 0.
type OneClass struct {
	learn.Named[OneClass]
	C       float64 // cost of a unit of slack; 0 means 1
	Nu      float64 // 0 means 0.5
	MaxIter int     // limits the rounds; 0 means 50
	learn.Subset
}

// EstimateMemory implements [learn.Trainer].
func (t OneClass) EstimateMemory(n, d int) int64 { return kernellp.ChosenBytes(n, d, t.Subset) }

// Train implements [learn.Trainer] for samples without targets. Objective, certificate and [LinearFigures] belong to
// the last linear program, whose model is g.
func (t OneClass) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return kernellp.Train(ctx, p, t, OneClass.linear)
}

func (t OneClass) linear() linear {
	return linear{Parameters: samples.Parameters{Method: t.Name(), Task: learn.OneClass, C: t.C, Subset: t.Subset},
		rounds: t.MaxIter, nu: t.Nu, exact: true}
}

// sameValue is the largest relative difference of two values of g that count as equal. The values at the support
// vectors are 1 up to rounding.
const sameValue = 1e-7

// threshold returns ρ for the values g of the samples.
func (m *reweighted) threshold(g []float64) float64 {
	order := make([]int, 0, len(m.First))
	var total, largest float64
	for r := range m.First {
		if m.Cost[r] == 0 { // an external candidate
			continue
		}
		order = append(order, r)
		total += m.Cost[r]
		largest = max(largest, math.Abs(g[r]))
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(g[a], g[b]) })
	rho := g[order[0]] - sameValue*largest
	below := 0.0
	for k, r := range order[:len(order)-1] {
		if below += m.Cost[r]; !(below <= m.linear.nu*total*(1+1e-12)) {
			break
		}
		if next := g[order[k+1]]; next-g[r] > sameValue*largest {
			rho = (g[r] + next) / 2
		}
	}
	return rho
}
