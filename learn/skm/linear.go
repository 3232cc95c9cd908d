package skm

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
	"github.com/sparsekm/sparsekm/learn/internal/reweight"
)

// linear is what a comparator has for parameters, once they are complete. Its programs have margin 1.
type linear struct {
	name         string
	c, threshold float64
	shape        kernellp.Shape
	task         learn.Task
	epsilon      float64 // of [learn.Regress]
	subset       learn.Subset
	next         func(alpha float64) float64 // cost of the next |α|; nil for one program at the cost 1
	programs     int                         // most of them, where there is a next one
}

// LinearFigures are those of l1svm, l0svm, lpsvc and l1svr in a report.
type LinearFigures struct {
	Solves      int `json:"solves"`       // linear programs solved, one for each batch of working rows
	WorkingRows int `json:"working_rows"` // rows of the dual that the last program held
	// Candidates is the number of samples that could be vectors, and Margins that of those whose margins were columns of
	// the last program; 0 where all samples can be vectors.
	Candidates int `json:"candidates,omitempty"`
	Margins    int `json:"margins,omitempty"`
	SVCounted  int `json:"sv_counted"` // support vectors in the sense of Peleg & Meir (2009), section 3.1: |α_i| ≥ 0.01 max |α|
}

// comparator is a method of that kind.
type comparator interface {
	learn.Trainer
	linear() linear
}

// train is Train of a comparator.
func train[T comparator](ctx context.Context, p *learn.Problem, t *T) (*learn.Result, error) {
	l, m, err := prepare(p, t)
	if err != nil {
		return nil, err
	}
	defer m.Matrix.Release()
	return l.train(ctx, m)
}

// path is Path of a comparator: a training at every C, warm.
func path[T comparator](ctx context.Context, p *learn.Problem, t *T, cs []float64,
	visit func(float64, *learn.Result) bool) error {
	l, m, err := prepare(p, t)
	if err != nil {
		return err
	}
	return m.Path(cs, func() (*learn.Result, error) { return l.train(ctx, m) }, visit)
}

// prepare completes the comparator's parameters and makes its programs.
func prepare[T comparator](p *learn.Problem, t *T) (linear, *training, error) {
	if err := learn.Complete(t); err != nil {
		return linear{}, nil, err
	}
	l := (*t).linear()
	m, err := newTraining(p, l)
	return l, m, err
}

// training is the programs of one problem.
type training struct {
	*reweight.Training
	margins int // samples with a weight
}

// newTraining validates p and makes its programs, in which a unit of slack costs l.c times the sample's weight. For
// regression every sample comes twice: f ≥ t − ε − ξ, then −f ≥ −t − ε − ξ*.
func newTraining(p *learn.Problem, l linear) (*training, error) {
	if err := p.Validate(l.task); err != nil {
		return nil, err
	}
	if err := p.ValidateCost(l.name, l.c); err != nil {
		return nil, err
	}
	rows := p.Rows()
	n := len(rows)
	of := reweight.Program{Method: l.name, C: l.c, Loss: learn.Hinge(1), Shape: l.shape, Samples: rows, First: n,
		Choice: kernellp.Choice{At: places(rows, p.Candidates), Subset: l.subset}, Y: make([]float64, n)}
	for r, i := range rows {
		of.Y[r] = p.Y[i]
	}
	if l.task == learn.Regress {
		of.Loss = learn.Insensitive(l.epsilon)
		of.Samples, of.Y = slices.Repeat(rows, 2), slices.Repeat(of.Y, 2)
		of.Shape.Edge = make([]float64, 2*n)
		for r, t := range of.Y[:n] {
			of.Shape.Edge[r], of.Shape.Edge[n+r] = t-l.epsilon, -t-l.epsilon
			of.Y[r], of.Y[n+r] = 1, -1
		}
	}
	for _, i := range of.Samples {
		of.Weight = append(of.Weight, p.WeightOf(i))
		of.Cost = append(of.Cost, l.c*p.WeightOf(i))
	}
	m, err := reweight.New(p, of)
	if err != nil {
		return nil, err
	}
	return &training{m, len(p.Present())}, nil
}

// places are where the candidates are among the rows, nil for none.
func places(rows, candidates []int) (at []int) {
	for _, i := range candidates {
		k, _ := slices.BinarySearch(rows, i)
		at = append(at, k)
	}
	return at
}

// train solves, linearises and reports.
func (l linear) train(ctx context.Context, m *training) (*learn.Result, error) {
	start := time.Now()
	alpha := slices.Repeat([]float64{1}, len(m.Y))
	cost := func(r int) float64 {
		if l.next == nil {
			return 1
		}
		return l.next(alpha[r])
	}
	run, err := m.Run(ctx, reweight.Rule{
		Rounds: l.programs, Start: m.Costs(1, 0, cost), Idle: math.Inf(1),
		Next: func(sol *kernellp.Solution, _ kernellp.Costs) (kernellp.Costs, bool) {
			if l.next == nil || !moved(alpha, sol.A) {
				return kernellp.Costs{}, true
			}
			return m.Costs(1, 0, cost), false
		},
		Counts: func(sol *kernellp.Solution) (float64, int) { return sol.Hinge, reweight.Nonzeros(sol.A) },
	})
	if err != nil {
		return nil, err
	}
	sol, err := m.Prune(ctx, run.Costs, run.Solution, l.threshold)
	if err != nil {
		return nil, err
	}
	figures := LinearFigures{Solves: run.Solves, WorkingRows: sol.Rows, SVCounted: counted(sol.A)}
	var over string
	figures.Candidates, figures.Margins, over = m.Limits(sol, m.margins)
	r := m.Result(ctx, sol, over)
	if len(r.Support) == 0 && ctx.Err() != nil {
		return nil, learn.Nothing(ctx, l.name)
	}
	run.Report(&r.Report)
	r.Report.Seconds.Solve, r.Report.Figures = time.Since(start).Seconds(), figures
	return r, nil
}

// moved stores |a| in alpha and reports whether that changed alpha.
func moved(alpha, a []float64) bool {
	var change, largest float64
	for i, v := range a {
		v = math.Abs(v)
		change = math.Max(change, math.Abs(v-alpha[i]))
		largest = math.Max(largest, v)
		alpha[i] = v
	}
	return change > 1e-6*largest
}

// counted is the number of support vectors in the sense of Peleg & Meir (2009), section 3.1.
func counted(a []float64) (k int) {
	least := 0.01 * dense.Largest(a)
	for _, v := range a {
		if v != 0 && math.Abs(v) >= least {
			k++
		}
	}
	return k
}
