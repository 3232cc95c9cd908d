package ssvc

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
)

// Features is the method "ssvc-features": a linear machine of few features, Implementation A of Huang et al. (2010) on
// the features themselves, as section 3.5.2 suggests. With f(x) = wᵀx + b it minimises
//
//	½ Σ_k λ_k w_k² + ½ λ_0 b² + Σ C_i ξ_i   subject to   y_i f(x_i) ≥ 1 − ξ_i, ξ ≥ 0
//
// again and again with λ_k = 1/w̄_k²: each round lowers Σ_k log|w_k| + log|b| + Σ C_i ξ_i. Features that do not earn
// their place go to 0 and stay there. It begins with features in units of their largest size.
//
// The machine has a kernel of its own and does not read the problem's: [gram.Linear] with w as its one vector, or with
// Squares a polynomial of degree 2. A feature that was dropped is 0 in every vector, so that no decision depends on it:
// a [github.com/sparsekm/sparsekm/model.Classifier] knows, and does not ask for it.
type Features struct {
	C float64 // cost of a unit of slack; 0 means 1
	// Squares gives every feature its square beside it, f(x) = Σ_k w_k x_k + u_k x_k² + b. A feature is kept or dropped
	// with its square: λ_k = 1/(w̄_k² + ū_k²), in units of the largest x_k.
	Squares   bool
	Tolerance float64 // as of [A]; 0 means 1e-6
	MaxIter   int     // limits the rounds; 0 means 200
}

func (t *Features) declare(p *learn.Params) {
	p.Cost(&t.C, 1)
	p.Bool("squares", &t.Squares, "Take every feature with its square; both are kept or dropped together.")
	p.Tolerance(&t.Tolerance, 1e-6)
	p.MaxIter(&t.MaxIter, 200)
}

func init() {
	learn.Register(learn.Method{
		Name:      "ssvc-features",
		About:     "linear machine of few features by reweighted quadratic programs; the model asks for no others",
		Paper:     "Huang et al. (2010), section 3.5.2: Implementation A on the features",
		OwnKernel: true,
	}, (*Features).declare)
}

// FeatureFigures are those of ssvc-features in a report.
type FeatureFigures struct {
	Features []int `json:"features"` // that were kept, from 1, ascending
	// Certificate is the largest |Σ α_i (K̄β)_i − 1| over the features left, and the bias: at a fixed point it is 0.
	Certificate float64 `json:"certificate"`
	Live        []int   `json:"live"`   // coefficients that entered each round, the bias among them
	Merged      int     `json:"merged"` // points that repeat another's features
}

// Name implements [learn.Trainer].
func (Features) Name() string { return "ssvc-features" }

// EstimateMemory implements [learn.Trainer]: the features, with their squares, the free part of a quadratic program of
// so few columns, and vectors.
func (t Features) EstimateMemory(n, d int) int64 {
	const vectors, free = 300, 16 // bytes a row; points in a working set, a column
	cols := t.columns(d) + 1
	return 8*int64(n)*int64(cols) + vectors*int64(n) + smo.BoxScratch(min(n, free*cols), cols)
}

// columns is the number of coefficients without the bias.
func (t Features) columns(d int) int {
	if t.Squares {
		return 2 * d
	}
	return d
}

// kernel is that of the machines.
func (t Features) kernel() gram.Kernel {
	if t.Squares {
		return gram.Poly(2, 1, 1)
	}
	return gram.Linear()
}

// Train implements [learn.Trainer]. The report is that of [A.Train], with the features in the place of kernel columns;
// its Figures are a [FeatureFigures].
func (t Features) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := learn.Complete(t.Name(), t.declare); err != nil {
		return nil, err
	}
	if p.Kernel.Indexed() {
		return nil, fmt.Errorf("%s: found the kernel %v, whose points have no features", t.Name(), p.Kernel.Kind)
	}
	q := *p
	q.Kernel = t.kernel()
	if err := q.Validate(); err != nil {
		return nil, err
	}
	if err := q.ValidateCost(t.Name(), t.C); err != nil {
		return nil, err
	}
	if err := p.Budget(t.Name(), p.N, p.D).Take(t.EstimateMemory(p.N, p.D)); err != nil {
		return nil, err
	}
	begin := time.Now()
	f := t.machine(&q)
	z := f.values(&q)
	cols := f.points.columns()
	group := make([]int, cols)
	for k := range group {
		group[k] = k
		if k < cols-1 {
			group[k] = k % max(1, p.D)
		}
	}
	if err := f.rounds(ctx, newGrouped(newDiagonal(ctx, z, f.points, 0), group)); err != nil {
		return nil, err
	}
	r := f.expansion(&q)
	f.judge(ctx, &q, r)
	r.Report.Seconds = learn.Seconds{Solve: time.Since(begin).Seconds()}
	return r, nil
}

// linearMachine is a training of coefficients of features.
type linearMachine struct {
	machine
	Features
	at   []int     // row → row of the problem
	unit []float64 // column → its largest size, 1 for one that is 0
}

// machine lists the rows and columns: distinct points, and features with their squares.
func (t Features) machine(p *learn.Problem) *linearMachine {
	s := classifier(t.Name(), p, t.C)
	f := &linearMachine{Features: t}
	for _, col := range s.row {
		f.at = append(f.at, s.first[col])
	}
	s.first, s.mixed = all(t.columns(p.D)), true
	a := A{C: t.C, Tolerance: t.Tolerance, MaxIter: t.MaxIter}
	f.machine = machine{A: a, points: s, progress: p.Progress}
	return f
}

// values are the columns in units of their largest size, one row a hinge loss, and 1 for the bias.
func (f *linearMachine) values(p *learn.Problem) []float64 {
	cols := f.points.columns()
	z := make([]float64, len(f.at)*cols)
	f.unit = make([]float64, cols)
	for r, i := range f.at {
		row, x := z[r*cols:(r+1)*cols], p.X[i*p.D:(i+1)*p.D]
		copy(row, x)
		if row[cols-1] = 1; f.Squares {
			copy(row[p.D:], x)
		}
		for k, v := range row {
			f.unit[k] = max(f.unit[k], math.Abs(v))
		}
	}
	for k, v := range f.unit {
		if v == 0 {
			f.unit[k] = 1
		}
	}
	for r := range f.at {
		row := z[r*cols : (r+1)*cols]
		for k := range row {
			row[k] /= f.unit[k]
		}
		for k := p.D; k < cols-1; k++ {
			row[k] *= row[k]
		}
	}
	return z
}

// expansion is the machine: w as the one vector of a linear kernel, or for each feature t = x_k/u that is kept with its
// square the vectors ±e_k/u, since with k(x, z) = (xᵀz + 1)²
//
//	4t = k(x, e_k/u) − k(x, −e_k/u),   2t² + 2 = k(x, e_k/u) + k(x, −e_k/u).
func (f *linearMachine) expansion(p *learn.Problem) *learn.Result {
	r := f.result()
	alpha := make([]float64, len(f.first))
	for s, col := range r.Support {
		alpha[col] = r.Coef[s]
	}
	figures := FeatureFigures{Certificate: f.residual, Live: f.count, Merged: f.merged, Features: []int{}}
	k := f.kernel()
	r.Kernel, r.Support, r.Coef = &k, nil, nil
	w := make([]float64, p.D)
	for k, a := range alpha[:p.D] {
		var square float64
		if f.Squares {
			square = alpha[p.D+k]
		}
		if a == 0 && square == 0 {
			continue
		}
		figures.Features = append(figures.Features, k+1)
		if w[k] = a / f.unit[k]; !f.Squares {
			continue
		}
		e := make([]float64, p.D)
		e[k] = 1 / f.unit[k]
		r.Vectors = append(r.Vectors, e...)
		e[k] = -e[k]
		r.Vectors = append(r.Vectors, e...)
		r.Coef = append(r.Coef, square/2+a/4, square/2-a/4)
		r.Bias -= square
	}
	if !f.Squares && len(figures.Features) > 0 {
		r.Vectors, r.Coef = w, []float64{1}
	}
	r.Report.Figures = figures
	return r
}

// judge recomputes the objective from the machine, and looks at the certificate.
func (f *linearMachine) judge(ctx context.Context, p *learn.Problem, r *learn.Result) {
	decisions := make([]float64, len(f.at))
	if n := len(r.Coef); n > 0 {
		gram.Pack[float64](p.Kernel, r.Vectors, n, p.D).Expand(r.Coef).Eval(decisions, p.Points(f.at), len(f.at))
	}
	loss := 0.0
	for i, v := range decisions {
		loss += f.cost[i] * max(0, 1-f.y[i]*(v+r.Bias))
	}
	if r.Report.Unjudged(ctx) {
		return
	}
	if len(f.live) == 0 {
		r.Report.Duality = &learn.Duality{Objective: f.idle()}
	}
	r.Report.Objective = f.size + loss
	d := r.Report.Duality
	d.Gap = (r.Report.Objective - d.Objective) / max(1, r.Report.Objective)
	r.Report.Settle(optimalGap, max(f.Features.Tolerance, 1e-6))
}
