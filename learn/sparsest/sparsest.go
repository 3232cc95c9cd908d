// Package sparsest finds the best kernel machine of at most K support vectors, with a proof that no other choice of K
// vectors is better. Over all choices S of at most K of the samples, or of the candidates, it minimises
//
//	½ Σ_{j in S} β_j² + C Σ_i w_i max(0, 1 − y_i f(x_i)),   f(x) = Σ_{j in S} β_j k(x, x_j) + b,
//
// with a free bias b: the first quadratic program of ssvc-a (Huang et al. 2010, eq. (9) with unit weights), of which at
// most K coefficients may differ from 0. The kernel need not be positive semidefinite.
//
// A branch and bound proves the optimum (Bertsimas, Pauphilet and Van Parys 2021 for the dual bound). For any α with
// 0 ≤ α_i ≤ C w_i and Σ y_i α_i = 0, no choice has an objective below
//
//	Σ α − ½ · (sum of the K largest c_j²),   c_j = Σ_i α_i y_i k(x_i, x_j),
//
// so that a bound holds however roughly the relaxation behind α was solved. Nodes divide the candidates into cells, and
// say how many vectors each cell has.
package sparsest

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/status"
)

func init() {
	learn.Register(Trainer{C: 1, MaxSV: 5, MaxIter: 10_000, Subset: learn.AllSamples}, learn.Method{
		Name: "sparsest", Paper: "Bertsimas, Pauphilet & Van Parys (2021); Huang et al. (2010), eq. (9)",
		KernelOnly: true, Candidates: learn.AnySide,
		About: "best classifier of at most max-sv support vectors, proven by branch and bound",
	})
}

// Trainer is the method "sparsest" with its parameters.
type Trainer struct {
	learn.Named[Trainer]
	C       float64 // cost of a unit of slack; 0 means 1
	MaxSV   int     // K, the most support vectors; 0 means 5
	MaxIter int     // limits the nodes of the branch and bound; 0 means 10000
	learn.Subset
}

// Figures are the figures of a report that only this method has.
type Figures struct {
	Candidates int     `json:"distinct_candidates"`
	RootBound  float64 `json:"root_bound"` // lower bound before the first branch
	Fits       int     `json:"fits"`       // choices whose coefficients were fitted
	Open       int     `json:"open_nodes"` // at the end, 0 with a proof
}

// EstimateMemory implements [learn.Trainer].
func (t Trainer) EstimateMemory(n, d int) int64 {
	m := n
	if t.Candidates > 0 {
		m = min(n, t.Candidates)
	}
	return t.bytes(n, d, m)
}

// bytes is the memory for n distinct samples of which m are candidates, without open nodes.
func (t Trainer) bytes(n, d, m int) int64 {
	const vectors = 60 * 8 // bytes a sample
	in := int64(inUse(t.MaxSV, m))
	relaxation := (in+1)*int64(n) + 2*(in+1)*(in+300)
	return gram.Bytes[float64](n, d) + 8*(int64(n)*int64(m)+2*int64(n)*int64(d)+2*relaxation) + vectors*int64(n) +
		samples.Choice{Subset: t.Subset}.Bytes(d)
}

// Train implements [learn.Trainer]. The report's Objective is that of the package's comment. Duality has the proven
// lower bound of all choices as its dual objective; its KKT is 0. Iterations counts nodes, InnerIterations the steps of
// interior-point methods, and Figures are a [Figures]. A limit leaves the best choice so far and its gap. Samples with
// equal features are one candidate.
func (t Trainer) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := learn.Complete(&t); err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := p.ValidateCost(t.Name(), t.C); err != nil {
		return nil, err
	}
	begin := time.Now()
	s, err := t.begin(ctx, p)
	if err != nil {
		return nil, err
	}
	kernel := time.Since(begin)
	st := s.run(ctx)
	if len(s.best.chosen) == 0 && ctx.Err() != nil {
		return nil, learn.Nothing(ctx, t.Name())
	}
	r := s.result(st)
	t.certify(ctx, p, r)
	r.Report.Seconds = learn.Seconds{Gram: kernel.Seconds(), Solve: (time.Since(begin) - kernel).Seconds()}
	return r, nil
}

// training is the search of a problem.
type training struct {
	*search
	merged  *samples.Merged
	columns []int // of the candidates among the distinct samples
}

// row is the problem's row of a candidate.
func (s *training) row(j int32) int { return s.merged.First[s.columns[j]] }

// begin takes the memory, evaluates the kernel and makes the search.
func (t Trainer) begin(ctx context.Context, p *learn.Problem) (*training, error) {
	merged := samples.Classifier(t.Name(), p, t.C)
	n := len(merged.First)
	choice := samples.Choice{At: merged.Only, Subset: t.Subset}
	m := n
	if choice.Limits(n) {
		m = choice.Most()
	}
	budget := p.Budget(t.Name(), p.N, p.D)
	if err := budget.Take(t.bytes(len(merged.Row), p.D, m)); err != nil {
		return nil, err
	}
	room := budget.Left() / 2
	if err := budget.Take(room); err != nil {
		return nil, err
	}
	pts := gram.Pack[float64](p.Kernel, p.Samples(merged.First), n, p.D)
	columns := deal.All(n)
	if choice.Limits(n) {
		columns = choice.Of(pts, n)
	}
	program, err := newProgram(ctx, merged, pts, columns)
	switch {
	case ctx.Err() != nil:
		return nil, learn.Nothing(ctx, t.Name())
	case err != nil:
		return nil, fmt.Errorf("%s: %w", t.Name(), err)
	}
	s := newSearch(program, t.MaxSV, t.MaxIter, room)
	s.progress = t.progress(p)
	return &training{s, merged, columns}, nil
}

// progress reports nodes with the gap that is left.
func (t Trainer) progress(p *learn.Problem) func(*search) {
	throttle := p.Throttle()
	return func(s *search) {
		throttle(func() learn.Event {
			gap := (s.best.objective - s.lower()) / s.best.objective
			return learn.Event{Phase: "node", Done: -1, Step: s.nodes, Vectors: len(s.best.chosen),
				Text: fmt.Sprintf("gap %.2g %%", 100*gap)}
		})
	}
}

// result makes the model of the best choice, in the samples' units.
func (s *training) result(st status.Status) *learn.Result {
	unit := s.unit * s.unit
	lower := s.lower() / unit
	n := len(s.merged.First)
	r := &learn.Result{Report: learn.Report{
		Status: st, Iterations: s.nodes, InnerIterations: s.steps, Objective: s.best.objective / unit,
		KernelEvals: int64(n) * int64(s.m),
		Duality:     &learn.Duality{Objective: lower},
		Figures:     Figures{Candidates: s.m, RootBound: s.root / unit, Fits: s.fits, Open: len(s.open) + len(s.deep)},
	}}
	r.Expansion = learn.Expansion{Support: []int{}, Coef: []float64{}, Bias: s.best.bias}
	for q, j := range s.best.chosen {
		if b := s.best.beta[q] / s.unit; b != 0 {
			r.Support = append(r.Support, s.row(j))
			r.Coef = append(r.Coef, b)
		}
	}
	d := r.Report.Duality
	d.Gap = (r.Report.Objective - d.Objective) / math.Max(1, math.Abs(r.Report.Objective))
	r.Report.AddMessage(s.merged.Message(false))
	if s.m < n {
		r.Report.AddMessage(fmt.Sprintf("the proof is for %d candidates of %d samples", s.m, n))
	}
	if st.Limit() {
		r.Report.AddMessage(fmt.Sprintf("stopped with a gap of %.2g %%: no choice of %d vectors has an objective below %.6g",
			100*(1-lower/r.Report.Objective), s.max, lower))
	}
	return r
}

// certify recomputes the objective from the model.
func (t Trainer) certify(ctx context.Context, p *learn.Problem, r *learn.Result) {
	var penalty float64
	for _, b := range r.Coef {
		penalty += b * b / 2
	}
	r.Recompute(ctx, p, penalty, learn.Hinge(1), t.C)
	r.Report.Settle(2*relative, 1)
}
