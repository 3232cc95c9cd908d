package skm

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/status"
)

func init() {
	learn.Register(L0SVM{C: 1, MaxIter: 50, Starts: 2, Offset: 0.1, Settled: 1e-6, Subset: learn.AllSamples}, learn.Method{
		Name: "l0svm", Paper: "Peleg & Meir (2009), eq. (10) and (11)",
		Refit: true, KernelOnly: true, Programs: true, Candidates: learn.OwnSide,
		About: "l0-norm SVM: least sum of logarithms of the coefficients, by successive linear programs",
		Own: []learn.Param{
			{Name: "offset", Range: learn.Positive, Doc: "δ of the sum of log(α + δ)."},
			{Name: "settled", Range: learn.Positive, Doc: "Stop where no coefficient moves by more than this part of the largest."},
		},
	})
	learn.Register(L1SVM{C: 1, Subset: learn.AllSamples}, learn.Method{
		Name: "l1svm", Paper: "Peleg & Meir (2009), eq. (6)",
		Refit: true, KernelOnly: true, Programs: true, Candidates: learn.OwnSide,
		About: "l1-norm SVM: least sum of nonnegative coefficients, by a linear program",
	})
	learn.Register(L1SVR{C: 1, Epsilon: 0.1, Subset: learn.AllSamples}, learn.Method{
		Name: "l1svr", Paper: "Smola, Schölkopf & Rätsch (1999)",
		Tasks: []learn.Task{learn.Regress}, KernelOnly: true, Programs: true, Candidates: learn.AnySide,
		About: "regression with the least sum of absolute coefficients, by a linear program",
	})
	learn.Register(LPSVC{C: 1, Subset: learn.AllSamples}, learn.Method{
		Name: "lpsvc", Paper: "Kecman & Hadzic (2000)",
		Refit: true, KernelOnly: true, Programs: true, Candidates: learn.AnySide,
		About: "LP-SVC: least sum of absolute coefficients with a free bias, by a linear program",
	})
}

// L1SVM is the method "l1svm": min 1ᵀα + C 1ᵀξ with 0 ≤ α ≤ C and a free bias,
// Peleg & Meir (2009), eq. (6). The upper bound on α is meant: the dual (7) has its multiplier η.
type L1SVM struct {
	learn.Named[L1SVM]
	C         float64 // cost of a unit of slack, and the bound of α; 0 means 1
	Threshold float64 // as in [Trainer]
	learn.Subset
}

// LPSVC is the method "lpsvc" of Kecman & Hadzic (2000): min Σ|α_i| + C Σξ_i with α
// of either sign and a bias that costs nothing.
type LPSVC struct {
	learn.Named[LPSVC]
	C         float64 // cost of a unit of slack; 0 means 1
	Threshold float64 // as in [Trainer]
	learn.Subset
}

// L0SVM is the method "l0svm": min Σ log(α_i + δ) + C 1ᵀξ with α ≥ 0, by successive linearisation from α* = 1, eq.
// (10) and (11). The paper prints no rule for the end.
type L0SVM struct {
	learn.Named[L0SVM]
	C         float64 // cost of a unit of slack; 0 means 1
	Threshold float64 // as in [Trainer]
	MaxIter   int     // limit of linearisations; 0 means 50
	// Starts is how many α* are tried: 1 as in the paper; then one that makes the first program that of [L1SVM] without
	// its bound of α; then drawn ones. The model of the least (10) stays. 0 means 2, which takes 1.7 of the time of 1.
	Starts  int
	Offset  float64 // δ; 0 means 0.1, as in all the paper's experiments (section 3, footnote 1)
	Settled float64 // the training ends when no α moves by more than this part of the largest; 0 means 1e-6
	learn.Subset
}

// L1SVR is the method "l1svr", [LPSVC] for regression: min Σ|α_i| + C Σ(ξ_i + ξ*_i) with the ε-insensitive loss, α of
// either sign and a bias that costs nothing (Smola, Schölkopf & Rätsch 1999, the linear program for a given ε).
//
// The sum of logarithms instead of Σ|α| is ssvr-b of package ssvclp.
type L1SVR struct {
	learn.Named[L1SVR]
	C         float64 // cost of a unit of slack; 0 means 1
	Epsilon   float64 // half the width of the tube; 0 means 0.1, a negative number 0
	Threshold float64 // as in [Trainer]
	learn.Subset
}

var (
	_ learn.ExactPath   = L1SVM{}
	_ learn.ExactPath   = LPSVC{}
	_ learn.PathTrainer = L1SVR{}
)

// EstimateMemory implements [learn.Trainer].
func (t L1SVM) EstimateMemory(n, d int) int64 { return kernellp.ChosenBytes(n, d, t.Subset) }

// EstimateMemory implements [learn.Trainer].
func (t LPSVC) EstimateMemory(n, d int) int64 { return kernellp.ChosenBytes(n, d, t.Subset) }

// EstimateMemory implements [learn.Trainer].
func (t L0SVM) EstimateMemory(n, d int) int64 { return kernellp.ChosenBytes(n, d, t.Subset) }

// EstimateMemory implements [learn.Trainer]: a sample has two constraints.
func (t L1SVR) EstimateMemory(n, d int) int64 { return kernellp.ChosenBytes(2*n, d, t.Subset) }

// Train implements [learn.Trainer]. Its Figures are a [LinearFigures].
func (t L1SVM) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return kernellp.Train(ctx, p, t, L1SVM.linear)
}

// Train implements [learn.Trainer]. Its Figures are a [LinearFigures].
func (t LPSVC) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return kernellp.Train(ctx, p, t, LPSVC.linear)
}

// Train implements [learn.Trainer]. Its Figures are a [LinearFigures].
func (t L0SVM) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return kernellp.Train(ctx, p, t, L0SVM.linear)
}

// Train implements [learn.Trainer] for real targets. Its Figures are a [LinearFigures].
func (t L1SVR) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	return kernellp.Train(ctx, p, t, L1SVR.linear)
}

// Path implements [learn.PathTrainer].
func (t L1SVM) Path(ctx context.Context, p *learn.Problem, c []float64, visit func(float64, *learn.Result) bool) error {
	return kernellp.Path(ctx, p, t, L1SVM.linear, c, visit)
}

// Path implements [learn.PathTrainer].
func (t LPSVC) Path(ctx context.Context, p *learn.Problem, c []float64, visit func(float64, *learn.Result) bool) error {
	return kernellp.Path(ctx, p, t, LPSVC.linear, c, visit)
}

// Path implements [learn.PathTrainer].
func (t L1SVR) Path(ctx context.Context, p *learn.Problem, c []float64, visit func(float64, *learn.Result) bool) error {
	return kernellp.Path(ctx, p, t, L1SVR.linear, c, visit)
}

// Exact implements [learn.ExactPath], by one parametric pass without the bound α ≤ C. Where that binds the model
// moves with C, and those at both ends of each of its straight lines are visited.
func (t L1SVM) Exact(ctx context.Context, p *learn.Problem, lo, hi float64,
	visit func(from, to float64, r *learn.Result) bool) error {
	return exact(ctx, p, t, L1SVM.linear, lo, hi, visit)
}

// Exact implements [learn.ExactPath], by one parametric pass.
func (t LPSVC) Exact(ctx context.Context, p *learn.Problem, lo, hi float64,
	visit func(from, to float64, r *learn.Result) bool) error {
	return exact(ctx, p, t, LPSVC.linear, lo, hi, visit)
}

func (t L1SVM) linear() linear {
	return linear{Parameters: samples.Parameters{Method: t.Name(), C: t.C, Subset: t.Subset}, threshold: t.Threshold,
		shape: kernellp.Shape{OneSided: true, Ceiling: t.C}}
}

func (t LPSVC) linear() linear {
	return linear{Parameters: samples.Parameters{Method: t.Name(), C: t.C, Subset: t.Subset}, threshold: t.Threshold}
}

func (t L0SVM) linear() linear {
	return linear{Parameters: samples.Parameters{Method: t.Name(), C: t.C, Subset: t.Subset}, threshold: t.Threshold,
		shape: kernellp.Shape{OneSided: true}, programs: t.MaxIter, starts: t.Starts, offset: t.Offset, settled: t.Settled,
		next:  func(alpha float64) float64 { return 1 / (alpha + t.Offset) },
		value: func(alpha float64) float64 { return math.Log1p(alpha / t.Offset) }}
}

func (t L1SVR) linear() linear {
	return linear{Parameters: samples.Parameters{Method: t.Name(), Task: learn.Regress, C: t.C, Epsilon: t.Epsilon,
		Subset: t.Subset}, threshold: t.Threshold}
}

// linear is a comparator. Its programs have margin 1.
type linear struct {
	samples.Parameters
	threshold float64
	shape     kernellp.Shape
	next      func(alpha float64) float64 // cost of the next |α|; nil for one program at the cost 1
	programs  int                         // most of them, where there is a next one
	value     func(alpha float64) float64 // that |α| adds to the objective, where there is a next one; of 0 it is 0
	starts    int                         // the same; 0 for one
	offset    float64                     // δ of l0svm
	settled   float64                     // the largest relative change of α at the end
}

// LinearFigures are the figures of l1svm, l0svm, lpsvc and l1svr in a report.
type LinearFigures struct {
	Solves      int `json:"solves"`       // linear programs solved, one for each batch of working rows
	WorkingRows int `json:"working_rows"` // rows of the dual that the last program held
	// Candidates is the number of samples that could be vectors, and Margins that of those whose margins were columns of
	// the last program; 0 where all samples can be vectors.
	Candidates int `json:"candidates,omitempty"`
	Margins    int `json:"margins,omitempty"`
	SVCounted  int `json:"sv_counted"` // support vectors in the sense of Peleg & Meir (2009), section 3.1: |α_i| ≥ 0.01 max |α|
}

// training is the programs of one problem.
type training struct {
	*kernellp.Training
	linear  linear
	margins int // samples with a weight
}

// Prepare implements [kernellp.Method].
func (l linear) Prepare(p *learn.Problem) (kernellp.Sequence, error) { return newTraining(p, l) }

// newTraining makes the programs of p. Repeated samples are not merged, as in the papers.
func newTraining(p *learn.Problem, l linear) (*training, error) {
	l.Apart = true
	m, err := kernellp.NewTraining(p, l.Parameters, l.shape)
	if err != nil {
		return nil, err
	}
	return &training{m, l, len(p.Present())}, nil
}

// Train implements [kernellp.Sequence]: it solves, linearises and reports.
func (m *training) Train(ctx context.Context) (*learn.Result, error) {
	return samples.Best(ctx, max(1, m.linear.starts), func(start int) (*learn.Result, float64, error) {
		return m.from(ctx, start)
	})
}

// begins returns the α* of a start.
func (m *training) begins(k int) []float64 {
	alpha := slices.Repeat([]float64{1}, len(m.Y))
	rng := rand.New(rand.NewPCG(m.linear.Subset.Seed, uint64(k)))
	for i := range alpha {
		switch {
		case k == 1:
			alpha[i] = 1 - m.linear.offset
		case k > 1:
			alpha[i] = math.Exp(2 * rng.NormFloat64())
		}
	}
	return alpha
}

// from trains from a start, and returns the method's objective too.
func (m *training) from(ctx context.Context, k int) (*learn.Result, float64, error) {
	start, evals := time.Now(), m.Matrix.KernelEvals()
	if k == 0 {
		evals = 0
	} else {
		m.LP = m.LP.Anew() // neighbouring programs may end at other models of the same value
	}
	alpha := m.begins(k)
	cost := func(r int) float64 {
		if m.linear.next == nil {
			return 1
		}
		return m.linear.next(alpha[r])
	}
	run, err := m.Run(ctx, kernellp.Rule{
		Rounds: m.linear.programs, Start: m.Costs(1, 0, cost), Idle: math.Inf(1),
		Next: func(sol *kernellp.Solution, _ kernellp.Costs) (kernellp.Costs, bool) {
			if m.linear.next == nil || !moved(alpha, sol.A, m.linear.settled) {
				return kernellp.Costs{}, true
			}
			return m.Costs(1, 0, cost), false
		},
		Counts: func(sol *kernellp.Solution) (float64, int) { return sol.Hinge, kernellp.Nonzeros(sol.A) },
	})
	if err != nil {
		return nil, 0, err
	}
	sol, err := m.Prune(ctx, run.Costs, run.Solution, m.linear.threshold)
	if err != nil {
		return nil, 0, err
	}
	figures := LinearFigures{Solves: run.Solves, WorkingRows: sol.Rows, SVCounted: counted(sol.A)}
	var over string
	figures.Candidates, figures.Margins, over = m.Limits(sol, m.margins)
	r := m.Result(ctx, sol, over)
	if len(r.Support) == 0 && ctx.Err() != nil {
		return nil, 0, learn.Nothing(ctx, m.linear.Method)
	}
	if run.Report(&r.Report); m.linear.next != nil {
		r.Report.EndAt(status.FixedPoint)
	}
	r.Report.Seconds.Solve, r.Report.Figures = time.Since(start).Seconds(), figures
	r.Report.KernelEvals -= evals
	objective := sol.Loss
	for _, a := range r.Coef {
		if m.linear.value != nil {
			objective += m.linear.value(math.Abs(a))
		}
	}
	return r, objective, nil
}

// moved stores |a| in alpha and reports whether that changed alpha by more than the part settled of the largest.
func moved(alpha, a []float64, settled float64) bool {
	var change, largest float64
	for i, v := range a {
		v = math.Abs(v)
		change = math.Max(change, math.Abs(v-alpha[i]))
		largest = math.Max(largest, v)
		alpha[i] = v
	}
	return change > settled*largest
}

// counted is the number of support vectors in the sense of Peleg & Meir (2009), section 3.1.
func counted(a []float64) (k int) {
	smallest := 0.01 * dense.Largest(a)
	for _, v := range a {
		if v != 0 && math.Abs(v) >= smallest {
			k++
		}
	}
	return k
}
