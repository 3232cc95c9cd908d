// Package skm trains the linear-programming models of Peleg & Meir (2009): the
// sparsity driven kernel machine (SKM), which minimises a generalisation bound,
// and its comparators, the l1-norm SVM, the l0-norm SVM and the LP-SVC of Kecman &
// Hadzic (2000).
//
// All four are sequences of programs of one form, solved by learn/internal/kernellp with
// row generation and warm starts. The kernel may be any; the bound (2) is proven
// for kernels with values in [0, 1].
package skm

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
	"github.com/sparsekm/sparsekm/learn/internal/reweight"
	"github.com/sparsekm/sparsekm/status"
)

// Trainer is the method "skm": problem (3), by successive linearisation (Table 1) for a
// given margin δ and a search for the δ with the least f0(δ).
type Trainer struct {
	learn.Named[Trainer]
	C     float64 // cost of the complexity term; 0 means 1
	Delta float64 // margin δ in (0, 1]; 0 means search
	// Threshold, when positive, drops the coefficients with α_i / max α below it and solves the
	// last program again over the rest, whose certificate the report has. 0 keeps every nonzero
	// coefficient. The paper's count at 0.01 (section 3.1) is in the figures whatever it is.
	Threshold float64
	learn.Subset
}

func init() {
	learn.Register(Trainer{C: 1, Subset: learn.AllSamples}, learn.Method{
		Name: "skm", Paper: "Peleg & Meir (2009), eq. (3) and Table 1",
		Refit: true, KernelOnly: true, Programs: true, Candidates: learn.OwnSide,
		About: "sparsity driven kernel machine: minimises a generalisation bound over coefficients and margin",
		Own: []learn.Param{{Name: "margin", Field: "Delta", Range: learn.UpToOne,
			Doc: "Margin δ of skm in (0, 1]. Default: search for the best."}},
	})
}

var _ learn.FreePath = Trainer{}

// Figures are those of skm in a report.
type Figures struct {
	Delta       float64   `json:"delta"`        // margin δ of the model returned
	Deltas      []float64 `json:"deltas"`       // all margins evaluated, in the order of the report's Rounds
	F0          float64   `json:"f0"`           // f0(δ), the least of them
	Solves      int       `json:"solves"`       // linear programs solved, one for each batch of working rows
	WorkingRows int       `json:"working_rows"` // rows of the dual that the model's last program held
	SVCounted   int       `json:"sv_counted"`   // support vectors in the sense of section 3.1: α_i ≥ 0.01 max α
	Bound       Bound     `json:"bound"`
}

// EstimateMemory implements [learn.Trainer].
func (t Trainer) EstimateMemory(n, d int) int64 { return kernellp.ChosenBytes(n, d, t.Subset) }

// linearisations is the number of programs for one δ: "while ‖α−α*‖₁ > τ for 3
// iterations" (Table 1) is read as at most three, fewer when α stops changing,
// which agrees with "approximately three LPs for a given δ" (section 3.3).
const linearisations = 3

// width is the relative length of the bracket at which the search for δ ends.
const width = 0.2

// Train implements [learn.Trainer]. Rounds has one entry for each margin evaluated, and
// Figures are a [Figures].
func (t Trainer) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := learn.Complete(&t); err != nil {
		return nil, err
	}
	var r *learn.Result
	err := t.train(ctx, p, []float64{t.C}, func(_ float64, one *learn.Result) bool { r = one; return true })
	return r, err
}

// Path implements [learn.PathTrainer]. One walk over the margins is for every C, and its pivots are counted in each
// report.
func (t Trainer) Path(ctx context.Context, p *learn.Problem, c []float64,
	visit func(float64, *learn.Result) bool) error {
	if err := learn.Complete(&t); err != nil {
		return err
	}
	for _, c := range c {
		if !learn.Positive.Has(c) {
			return &learn.ParamError{Method: t.Name(), Param: "c", Value: c, Want: learn.Positive.Text}
		}
	}
	return t.train(ctx, p, c, visit)
}

// FreePath implements [learn.FreePath].
func (Trainer) FreePath() {}

// train trains at every value of cs.
func (t Trainer) train(ctx context.Context, p *learn.Problem, cs []float64,
	visit func(float64, *learn.Result) bool) error {
	start := time.Now()
	m, err := newTraining(p, linear{shape: kernellp.Shape{OneSided: true, SumToOne: true},
		Parameters: reweight.Parameters{Method: t.Name(), C: 1, Subset: t.Subset}})
	if err != nil {
		return err
	}
	defer m.Matrix.Release()
	if m.margins < 3 {
		return fmt.Errorf("skm: %d samples; the bound needs at least 3", m.margins)
	}
	var w walked
	if t.Delta == 0 {
		if w, err = m.walk(ctx, cs); err != nil {
			return err
		}
	}
	for i, c := range cs {
		t.C = c
		own := *m.Training // whose solver the search replaces
		s := &search{Trainer: t, m: &training{Training: &own, margins: m.margins}, progress: p.Progress,
			pivots: w.end.Iterations, solves: w.end.Solves, last: &w.last}
		r, err := s.run(ctx, w, i)
		if err != nil {
			return err
		}
		r.Report.Seconds.Solve = time.Since(start).Seconds()
		if start = time.Now(); !visit(c, r) || r.Report.Status.Limit() {
			return nil
		}
		if ctx.Err() != nil && i+1 < len(cs) {
			return learn.Nothing(ctx, t.Name())
		}
	}
	return nil
}

// run trains at the C of place i of the walk.
func (s *search) run(ctx context.Context, w walked, i int) (*learn.Result, error) {
	switch {
	case s.Delta > 0:
		s.evaluate(ctx, s.Delta)
	case w.stopped: // the model of where the path is
		s.evaluate(ctx, w.reached)
		s.stop = max(w.end.Status, status.FromContext(ctx))
	case w.end.Status == status.Optimal:
		s.descend(ctx, &w.each[i])
	default:
		minimise(func(delta float64) (float64, bool) { return s.evaluate(ctx, delta) }, width)
	}
	if s.err != nil {
		return nil, s.err
	}
	if s.pivots == 0 && ctx.Err() != nil { // the first vertex is a model of one vector, whatever the data
		return nil, learn.Nothing(ctx, s.Name())
	}
	var err error
	if s.sol, err = s.m.Prune(ctx, s.costs, s.sol, s.Threshold); err != nil {
		return nil, err
	}
	return s.result(ctx), nil
}

// search evaluates f0 and keeps the best model.
type search struct {
	Trainer
	m        *training
	progress func(learn.Event)
	err      error

	best   float64
	delta  float64
	sol    *kernellp.Solution
	costs  kernellp.Costs // of sol's program
	rounds []learn.Round
	deltas []float64
	solves int
	pivots int
	stop   status.Status // of the last program
	last   *beginning    // of the last margin of the walk that was evaluated
}

// evaluate returns f0(δ) (Table 1) and whether the search can go on.
func (s *search) evaluate(ctx context.Context, delta float64) (float64, bool) {
	alpha, columns := make([]float64, len(s.m.Y)), s.m.Matrix.Columns()
	for _, i := range columns {
		alpha[i] = 1 / float64(len(columns))
	}
	return s.linearise(ctx, delta, alpha, linearisations)
}

// linearise is evaluate from some α* on, with so many programs at most.
func (s *search) linearise(ctx context.Context, delta float64, alpha []float64, programs int) (float64, bool) {
	pen := newPenalty(s.m.margins, delta)
	var costs kernellp.Costs
	var sol *kernellp.Solution
	pivots := 0
	for range programs {
		costs = s.m.Costs(2*delta, 0, func(i int) float64 { return s.C * pen.scale * pen.slope(alpha[i]) })
		if sol, s.err = s.m.LP.Solve(ctx, costs); s.err != nil {
			return math.Inf(1), false
		}
		s.solves += sol.Solves
		pivots += sol.Iterations
		if change := s.m.next(alpha, sol); sol.Status != status.Optimal || change <= 1e-2/float64(len(alpha)) {
			break
		}
	}
	value := sol.Loss + s.C*(math.Log(4/delta)+pen.scale*pen.effective(alpha))
	s.keep(delta, value, sol, costs, pivots)
	return value, sol.Status == status.Optimal
}

// next makes alpha the coefficients of sol, and returns by how much they differ.
func (m *training) next(alpha []float64, sol *kernellp.Solution) (change float64) {
	for i, y := range m.Y {
		a := math.Max(0, y*sol.A[i])
		change += math.Abs(a - alpha[i])
		alpha[i] = a
	}
	return change
}

func (s *search) keep(delta, value float64, sol *kernellp.Solution, costs kernellp.Costs, pivots int) {
	s.stop = sol.Status
	s.pivots += pivots
	if s.sol == nil || (sol.Status == status.Optimal && value < s.best) {
		s.best, s.delta, s.sol, s.costs = value, delta, sol, costs
	}
	s.deltas = append(s.deltas, delta)
	round := learn.Round{
		Objective: value, Hinge: sol.Hinge, Nonzeros: reweight.Nonzeros(sol.A),
		KKT: sol.Violation, Gap: sol.Gap(), InnerIterations: pivots}
	s.rounds = append(s.rounds, round)
	if s.progress != nil {
		e := learn.OfRound("delta", len(s.rounds), round)
		e.Text = fmt.Sprintf("delta %.4g", delta)
		s.progress(e)
	}
}

func (s *search) result(ctx context.Context) *learn.Result {
	e, loss := s.m.Expansion(s.sol), learn.Hinge(s.costs.Margin)
	if !s.last.is(&e, s.delta) {
		s.last.model, s.last.delta = e, s.delta
		s.last.lost = s.m.Problem.Loss(ctx, &e, loss, s.m.C)
	}
	r := s.m.ResultOf(ctx, s.sol, e, s.last.lost, loss, s.C*math.Log(4/s.delta)) // eq. (3)
	if s.stop != status.Optimal {
		r.Report.Status = s.stop
	}
	alpha, margins := make([]float64, len(s.m.Y)), make([]float64, 0, len(s.m.Y))
	for i, y := range s.m.Y {
		alpha[i] = math.Max(0, y*s.sol.A[i])
		if s.m.Problem.WeightOf(s.m.Samples[i]) > 0 {
			margins = append(margins, y*s.sol.Output[i])
		}
	}
	r.Report.Iterations, r.Report.InnerIterations, r.Report.Rounds = len(s.rounds), s.pivots, s.rounds
	r.Report.Figures = Figures{Delta: s.delta, Deltas: s.deltas, F0: s.best, Solves: s.solves, WorkingRows: s.sol.Rows,
		SVCounted: counted(s.sol.A), Bound: bound(alpha, margins, s.delta)}
	_, _, over := s.m.Limits(s.sol, s.m.margins)
	r.Report.AddMessage(over)
	return r
}
