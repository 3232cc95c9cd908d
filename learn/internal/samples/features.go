package samples

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
)

// FeatureSpace is a problem as the methods that choose features see it. Its rows are hinge losses. Its columns are the
// features divided by their largest absolute values, then their squares if wanted, and the bias's column last.
type FeatureSpace struct {
	*Merged
	Problem learn.Problem // with the kernel of the models
	Budget  *learn.Budget // without what the training takes
	squares bool
	At      []int     // row → row of the problem
	unit    []float64 // column → its largest absolute value before it is squared, 1 instead of 0
}

// FeatureFigures are the figures of ssvc-features and ssvc-features-b in a report.
type FeatureFigures struct {
	Features []int `json:"features"` // that were kept, from 1, ascending
	// Certificate is the largest |Σ α_i (K̄β)_i − 1| over the features left, and the bias, of ssvc-features-b the
	// largest |λ_k Σ|α| − 1|: at a fixed point it is 0. Nil with Ranked, which looks for none.
	Certificate *float64 `json:"certificate,omitempty"`
	Live        []int    `json:"live"`   // coefficients that entered each round, the bias among them
	Merged      int      `json:"merged"` // samples that repeat another's features
}

// Squares declares the parameter of the methods that may take every feature with its square.
var Squares = learn.Param{Name: "squares",
	Doc: "Take every feature with its square; both are kept or dropped together."}

// FeatureColumns is the number of coefficients of d features, the bias's among them.
func FeatureColumns(d int, squares bool) int {
	if squares {
		return 2*d + 1
	}
	return d + 1
}

// NewFeatures validates p and lists rows and columns: its distinct samples, and its features.
func NewFeatures(p *learn.Problem, t learn.Trainer, c float64, squares bool) (*FeatureSpace, error) {
	if p.Kernel.Indexed() {
		return nil, fmt.Errorf("%s: found the kernel %v, whose samples have no features", t.Name(), p.Kernel.Kind)
	}
	f := &FeatureSpace{Problem: *p, squares: squares}
	q := &f.Problem
	if q.Kernel = gram.Linear(); squares {
		q.Kernel = gram.Poly(2, 1, 1)
	}
	var err error
	if f.Merged, err = (Parameters{Method: t.Name(), C: c}).Samples(q); err != nil {
		return nil, err
	}
	f.Budget = p.Budget(t.Name(), p.N, p.D)
	if err := f.Budget.Take(t.EstimateMemory(p.N, p.D)); err != nil {
		return nil, err
	}
	f.At = deal.Pick(f.First, f.Row)
	f.First, f.Mixed = deal.All(FeatureColumns(p.D, squares)-1), true
	return f, nil
}

// Values returns the columns of every row. Features are squared after the division.
func (f *FeatureSpace) Values() []float64 {
	d, cols := f.Problem.D, f.Columns()
	z := make([]float64, len(f.At)*cols)
	f.unit = make([]float64, cols)
	for r, i := range f.At {
		row, x := z[r*cols:(r+1)*cols], f.Problem.X[i*d:(i+1)*d]
		copy(row, x)
		if row[cols-1] = 1; f.squares {
			copy(row[d:], x)
		}
		for k, v := range row {
			f.unit[k] = max(f.unit[k], math.Abs(v))
		}
	}
	for k, v := range f.unit {
		f.unit[k] = cmp.Or(v, 1)
	}
	for r := range f.At {
		row := z[r*cols : (r+1)*cols]
		for k := range row {
			row[k] /= f.unit[k]
		}
		for k := d; k < cols-1; k++ {
			row[k] *= row[k]
		}
	}
	return z
}

// Groups maps each column to its group. A feature and its square are one group, the bias is another.
func (f *FeatureSpace) Groups() []int {
	group := deal.All(f.Columns())
	for k := f.Problem.D; k < len(group)-1; k++ {
		group[k] = k - f.Problem.D
	}
	return group
}

// Expand turns a result whose Support are columns into one of vectors. It returns the features kept, counted from 1.
// The vector is w, under a linear kernel. With squares, each feature t = x_k/u has the vectors ±e_k/u, because for k(x,
// z) = (xᵀz + 1)²
func (f *FeatureSpace) Expand(r *learn.Result) []int {
	d, kept := f.Problem.D, []int{}
	alpha := make([]float64, f.Columns())
	for s, col := range r.Support {
		alpha[col] = r.Coef[s]
	}
	r.Kernel, r.Support, r.Coef = &f.Problem.Kernel, nil, nil
	w := make([]float64, d)
	for k, a := range alpha[:d] {
		var square float64
		if f.squares {
			square = alpha[d+k]
		}
		if a == 0 && square == 0 {
			continue
		}
		kept = append(kept, k+1)
		if w[k] = a / f.unit[k]; !f.squares {
			continue
		}
		e := make([]float64, d)
		e[k] = 1 / f.unit[k]
		r.Vectors = append(r.Vectors, e...)
		e[k] = -e[k]
		r.Vectors = append(r.Vectors, e...)
		r.Coef = append(r.Coef, square/2+a/4, square/2-a/4)
		r.Bias -= square
	}
	if !f.squares && len(kept) > 0 {
		r.Vectors, r.Coef = w, []float64{1}
	}
	return kept
}

// Recompute sets the report's objective from the model's own decisions: the penalty and the losses.
func (f *FeatureSpace) Recompute(ctx context.Context, r *learn.Result, penalty float64) {
	p, decisions := &f.Problem, make([]float64, len(f.At))
	if n := len(r.Coef); n > 0 {
		gram.Pack[float64](p.Kernel, r.Vectors, n, p.D).Expand(r.Coef).Eval(decisions, p.Samples(f.At), len(f.At))
	}
	loss := 0.0
	for i, v := range decisions {
		loss += f.Cost[i] * max(0, 1-f.Y[i]*(v+r.Bias))
	}
	if r.Report.Unjudged(ctx) {
		return
	}
	r.Report.Objective = penalty + loss
	d := r.Report.Duality
	d.Gap = (r.Report.Objective - d.Objective) / max(1, r.Report.Objective)
}
