// Package density trains sparse density estimates: few weighted Gaussians at training samples.
package density

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/status"
)

// SKDE is the method "skde": sparse kernel density estimation by Huang et al. (2010), eq. (18)-(20), with α ≥ 0,
//
//	min −C Σ w_i ln p(x_i) + Σ λ_j α_j²   subject to   Σ α_j = 1, α ≥ 0,
//	p(x) = (2πσ²)^(−d/2) Σ α_j exp(−‖x − x_j‖²/(2σ²)),
//
// solved repeatedly with λ_j = 1/α_j² of the last solution, 1 at first. The model's f is p itself.
type SKDE struct {
	learn.Named[SKDE]
	C       float64 // weight of the likelihood; 0 means 1, the paper's
	MaxIter int     // limit on programs; 0 means 1000
	// Starts is how many first λ are tried: 1 as in the paper, then drawn ones. The model of the least objective stays.
	// 0 means 1, since each start takes as long as the first.
	Starts int
}

// EstimateMemory implements [learn.Trainer]: the kernel matrix, its columns times their unit, the Hessian, and weighted
// and packed strips.
func (SKDE) EstimateMemory(n, d int) int64 { return bytes(n, d, 0) }

func bytes(n, d, threads int) int64 {
	m := int64(n)
	return gram.Bytes[float64](n, d) + 8*(3*m*m+(20+3*strip)*m+dense.Packed(n, parallel.Workers(threads))) + 8*m*int64(d)
}

// Figures are the figures of a report of a density.
type Figures struct {
	LogLikelihood float64 `json:"log_likelihood"` // mean of ln p over the training samples
	Merged        int     `json:"merged"`         // samples that repeat another's features and share its Gaussian
	// Rounds has one entry for each program solved.
	Rounds []Round `json:"density_rounds"`
}

// Round is one program.
type Round struct {
	LogLikelihood float64 `json:"log_likelihood"` // Σ w ln p
	Penalty       float64 `json:"penalty"`        // Σ λα²
	Vectors       int     `json:"vectors"`        // remaining Gaussians
}

// Train implements [learn.Trainer] for samples without targets. The report's Objective is that of the program for λ =
// 1/α² of the model: −C Σ w ln p plus the number of vectors. At a fixed point the model is the solution of this
// program; Duality bounds the distance from it.
//
// If ctx ends in the first program, the model is the iterate of this program, which has all Gaussians; with equal
// weights it is the kernel density estimate. Before, there is none.
func (t SKDE) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := learn.Complete(&t); err != nil {
		return nil, err
	}
	if err := p.Validate(learn.Density); err != nil {
		return nil, err
	}
	if err := p.ValidateCost(t.Name(), t.C); err != nil {
		return nil, err
	}
	height, err := heightOf(p)
	if err != nil {
		return nil, err
	}
	return samples.Best(ctx, t.Starts, func(start int) (*learn.Result, float64, error) {
		r, err := t.from(ctx, p, height, start)
		if err != nil {
			return nil, 0, err
		}
		return r, r.Report.Objective, nil
	})
}

// from trains from a start.
func (t SKDE) from(ctx context.Context, p *learn.Problem, height float64, start int) (*learn.Result, error) {
	begin := time.Now()
	e, err := newEstimate(ctx, p, t.C, height)
	if err != nil {
		return nil, err
	}
	if start > 0 {
		rng := rand.New(rand.NewPCG(uint64(start), 0))
		for s := range e.units {
			e.units[s] = 0.1 * math.Exp(rng.NormFloat64())
		}
	}
	st := e.run(ctx, t.MaxIter)
	if st.Limit() && len(e.rounds) == 0 && !e.begun {
		return nil, learn.Nothing(ctx, t.Name())
	}
	r := &learn.Result{Report: learn.Report{Status: st, Iterations: len(e.rounds), InnerIterations: e.steps,
		KernelEvals: int64(e.n) * int64(e.n+1) / 2}}
	r.Expansion = e.expansion()
	figures := Figures{Merged: e.merged, Rounds: e.rounds}
	e.recompute(ctx, r, &figures)
	r.Report.Figures = figures
	r.Report.Seconds = learn.Seconds{Gram: e.gram.Seconds(), Solve: (time.Since(begin) - e.gram).Seconds()}
	return r, nil
}

// heightOf is the logarithm of (2πσ²)^(−d/2) = (γ/π)^(d/2), which eq. (20) prints as 1/√(2πσ).
func heightOf(p *learn.Problem) (float64, error) {
	const maxLog = 600
	if k := p.Kernel; k.Kind != gram.KindRBF || k.Weights != nil {
		return 0, fmt.Errorf("skde: found the %v kernel, want rbf with one width", k.Kind)
	}
	height := float64(p.D) / 2 * math.Log(p.Kernel.Gamma/math.Pi)
	if !(math.Abs(height) <= maxLog) {
		return 0, fmt.Errorf("skde: a Gaussian of %d features has a height of e^%.4g at γ = %v, want a number of size "+
			"at most e^%d; choose fewer features or scale them", p.D, height, p.Kernel.Gamma, maxLog)
	}
	return height, nil
}

// recompute computes objective and gap from the returned model.
func (e *estimate) recompute(ctx context.Context, r *learn.Result, figures *Figures) {
	p := e.p.Decisions(ctx, &r.Expansion, e.first)
	over := make([]float64, e.n)
	var sum float64
	for i, v := range p {
		sum += e.weight[i] * math.Log(v)
		over[i] = e.c * e.weight[i] / v
	}
	slope := e.p.Sums(ctx, e.first, r.Support, over)
	if r.Report.Unjudged(ctx) {
		return
	}
	figures.LogLikelihood = sum / e.total
	r.Report.Objective = float64(len(r.Coef)) - e.c*sum
	var mean, largest float64
	unit := math.Exp(e.height)
	lowest := math.Inf(1)
	for s, g := range slope {
		a := r.Coef[s] / unit
		slope[s] = 2/a - g*unit
		mean += a * slope[s]
		lowest = min(lowest, slope[s])
	}
	for s, g := range slope {
		largest = max(largest, r.Coef[s]/unit*math.Abs(g-mean))
	}
	gap := max(0, mean-lowest)
	d := &learn.Duality{Objective: r.Report.Objective - gap, Gap: gap / max(1, math.Abs(r.Report.Objective)),
		KKT: largest / max(1, e.c*e.total)}
	if r.Report.Duality = d; r.Report.Status == status.Optimal && !(d.Gap <= tolerance && d.KKT <= 10*tolerance) {
		r.Report.Status = status.Numerical
		r.Report.AddMessage(fmt.Sprintf("gap %.2g, violation %.2g; optimal means at most %v and %v", d.Gap, d.KKT, tolerance,
			10*tolerance))
	}
	if r.Report.Status == status.Numerical && !e.uncovered && r.Report.Message == "" {
		r.Report.AddMessage("rounding keeps a program's steps from its solution: weights differ by too much")
	}
	if e.uncovered {
		r.Report.AddMessage("the density of a sample goes to 0, and no other Gaussian reaches it: " +
			"choose a wider kernel or a larger C")
	}
	r.Report.AddMessage(learn.Repeats(e.merged))
	r.Report.EndAt(status.FixedPoint)
}
