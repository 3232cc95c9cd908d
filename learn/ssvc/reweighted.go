package ssvc

import (
	"context"
	"math"
	"time"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
	"github.com/sparsekm/sparsekm/learn/internal/reweight"
)

// linear is what a method by reweighted linear programs has for parameters, once they are complete.
type linear struct {
	task    learn.Task
	c       float64
	epsilon float64 // of [learn.Regress]
	maxIter int
	subset  learn.Subset
}

// reweighting is a method by linear programs that are reweighted by their own solutions.
type reweighting interface {
	learn.Trainer
	linear() linear
}

// constraints are those of the problem's distinct samples.
func (l linear) constraints(method string, p *learn.Problem) *samples {
	switch l.task {
	case learn.Regress:
		return regression(method, p, l.c, l.epsilon)
	case learn.OneClass:
		return oneClass(method, p, l.c)
	}
	return classifier(method, p, l.c)
}

// shape gives programs of rows that are not margins of 1 their edges.
func (s *samples) shape() kernellp.Shape {
	if s.classes {
		return kernellp.Shape{}
	}
	return kernellp.Shape{Edge: s.edge}
}

// LinearFigures are those of the methods by linear programs in a report.
type LinearFigures struct {
	// Certificate is the largest |α_i (K̄β)_i − 1| over the coefficients left, the bias among them.
	Certificate float64 `json:"certificate"`
	// Readout is the largest difference, relative, between the coefficients read from the
	// program's duals and those that solve K̄ᵀ_{I1,I2} α = 1 (section 3.4.2); nil where
	// the optimum is degenerate and that system does not determine them.
	Readout     *float64 `json:"readout,omitempty"`
	Solves      int      `json:"solves"`       // linear programs solved, one for each batch of working rows
	WorkingRows int      `json:"working_rows"` // rows of the dual that the last program held
	Merged      int      `json:"merged"`       // as in [Figures]
	// Candidates is the number of samples that could be vectors, and Margins that of those whose margins were columns of
	// the last program; all others' are on the side of 1 that it took them for. 0 where all samples can be vectors.
	Candidates int `json:"candidates,omitempty"`
	Margins    int `json:"margins,omitempty"`
}

// reweighted is a training in progress.
type reweighted struct {
	*reweight.Training
	*samples
	maxIter  int
	residual float64 // of the fixed-point certificate at the last solution
}

// trainReweighting is Train of such a method.
func trainReweighting[T reweighting](ctx context.Context, p *learn.Problem, t *T) (*learn.Result, error) {
	m, err := prepare(p, t)
	if err != nil {
		return nil, err
	}
	defer m.Matrix.Release()
	r, _, err := m.train(ctx)
	return r, err
}

// pathReweighting trains at every C from λ = 1 again, as a training does: its models are those of single trainings.
func pathReweighting[T reweighting](ctx context.Context, p *learn.Problem, t *T, cs []float64,
	visit func(float64, *learn.Result) bool) error {
	m, err := prepare(p, t)
	if err != nil {
		return err
	}
	return m.Path(cs, func() (*learn.Result, error) {
		m.samples.cost = m.Cost
		r, _, err := m.train(ctx)
		return r, err
	}, visit)
}

// prepare completes the method's parameters and merges the samples.
func prepare[T reweighting](p *learn.Problem, t *T) (*reweighted, error) {
	if err := learn.Complete(t); err != nil {
		return nil, err
	}
	l, name := (*t).linear(), (*t).Name()
	if err := p.Validate(l.task); err != nil {
		return nil, err
	}
	if err := p.ValidateCost(name, l.c); err != nil {
		return nil, err
	}
	s := l.constraints(name, p)
	of := reweight.Program{Method: s.method, C: l.c, Loss: s.loss, Shape: s.shape(), Y: s.y, Cost: s.cost,
		Choice: kernellp.Choice{At: s.only, Subset: l.subset}, First: len(s.first)}
	for r, col := range s.row {
		of.Samples = append(of.Samples, s.first[col])
		of.Weight = append(of.Weight, s.cost[r]/l.c)
	}
	training, err := reweight.New(p, of)
	if err != nil {
		return nil, err
	}
	return &reweighted{Training: training, samples: s, maxIter: l.maxIter}, nil
}

// train solves and reweights from λ = 1 to the fixed point. It returns the last solution too.
func (m *reweighted) train(ctx context.Context) (*learn.Result, *kernellp.Solution, error) {
	begin := time.Now()
	bias := 1.0
	if !m.biased {
		bias = math.Inf(1)
	}
	run, err := m.Run(ctx, reweight.Rule{
		Rounds: m.maxIter, Start: m.Costs(1, bias, func(int) float64 { return 1 }), Next: m.next, Counts: m.counts,
		Finished: true, Idle: m.idle(), Progress: m.Problem.Progress,
	})
	if err != nil {
		return nil, nil, err
	}
	sol := run.Solution
	figures := LinearFigures{Certificate: m.residual, Solves: run.Solves, WorkingRows: sol.Rows, Merged: m.merged}
	seconds := time.Since(begin).Seconds()
	message := ""
	if m.LP.Spent() == "" {
		message = m.message(sol.Bias == 0 && reweight.Nonzeros(sol.A) == 0)
	}
	var over string
	figures.Candidates, figures.Margins, over = m.Limits(sol, len(m.first))
	r := m.Result(ctx, sol, message, over)
	figures.Readout = m.readout(ctx, sol)
	run.Report(&r.Report)
	r.Report.Seconds.Solve, r.Report.Figures = seconds, figures
	return r, sol, nil
}

// next returns λ_i = 1/|ᾱ_i|, infinite for the coefficients that are 0: without the paper's ε (section 3.4.2). In the
// units of ssvc-w it is 1 and z_i = ᾱ_i. It evaluates the fixed-point certificate: at an optimum of (10)
// |(K̄β)_i| = λ_i wherever α_i ≠ 0, so that α_i (K̄β)_i = |α_i| λ_i, which is 1 where the training has settled.
func (m *reweighted) next(sol *kernellp.Solution, at kernellp.Costs) (next kernellp.Costs, settled bool) {
	m.residual = 0
	if sol.Bias != 0 {
		m.residual = math.Abs(math.Abs(sol.Bias)*at.Bias - 1)
	}
	next = kernellp.Costs{Margin: 1, Bias: 1 / math.Abs(sol.Bias), Coef: make([]float64, len(sol.A))}
	for r, a := range sol.A {
		if next.Coef[r] = 1 / math.Abs(a); a != 0 {
			m.residual = math.Max(m.residual, math.Abs(math.Abs(a)*at.Coef[r]-1))
		}
	}
	return next, m.residual <= fixedPoint
}

// counts has the bias among the coefficients.
func (m *reweighted) counts(sol *kernellp.Solution) (hinge float64, live int) {
	live = reweight.Nonzeros(sol.A)
	if sol.Bias != 0 {
		live++
	}
	return sol.Loss / m.C, live
}
