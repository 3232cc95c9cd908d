package ssvc

import (
	"context"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// featureSpace is a problem as the methods that choose features see it. Its rows are hinge losses. Its columns are the
// features divided by their largest absolute values, then their squares if wanted, and the bias's column last.
type featureSpace struct {
	*samples
	problem learn.Problem // with the kernel of the models
	squares bool
	at      []int     // row → row of the problem
	unit    []float64 // column → its largest absolute value before it is squared, 1 instead of 0
}

// featureColumns is the number of coefficients of d features, the bias's among them.
func featureColumns(d int, squares bool) int {
	if squares {
		return 2*d + 1
	}
	return d + 1
}

// featuresOf validates p and lists rows and columns: its distinct samples, and its features.
func featuresOf(p *learn.Problem, t learn.Trainer, c float64, squares bool) (*featureSpace, error) {
	if p.Kernel.Indexed() {
		return nil, fmt.Errorf("%s: found the kernel %v, whose samples have no features", t.Name(), p.Kernel.Kind)
	}
	f := &featureSpace{problem: *p, squares: squares}
	q := &f.problem
	if q.Kernel = gram.Linear(); squares {
		q.Kernel = gram.Poly(2, 1, 1)
	}
	if err := q.Validate(); err != nil {
		return nil, err
	}
	if err := q.ValidateCost(t.Name(), c); err != nil {
		return nil, err
	}
	if err := p.Budget(t.Name(), p.N, p.D).Take(t.EstimateMemory(p.N, p.D)); err != nil {
		return nil, err
	}
	f.samples = classifier(t.Name(), q, c)
	for _, col := range f.row {
		f.at = append(f.at, f.first[col])
	}
	f.first, f.mixed = all(featureColumns(p.D, squares)-1), true
	return f, nil
}

// values returns the columns of every row. Features are squared after the division.
func (f *featureSpace) values() []float64 {
	d, cols := f.problem.D, f.columns()
	z := make([]float64, len(f.at)*cols)
	f.unit = make([]float64, cols)
	for r, i := range f.at {
		row, x := z[r*cols:(r+1)*cols], f.problem.X[i*d:(i+1)*d]
		copy(row, x)
		if row[cols-1] = 1; f.squares {
			copy(row[d:], x)
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
		for k := d; k < cols-1; k++ {
			row[k] *= row[k]
		}
	}
	return z
}

// groups maps each column to its group. A feature and its square are one group, the bias is another.
func (f *featureSpace) groups() []int {
	group := all(f.columns())
	for k := f.problem.D; k < len(group)-1; k++ {
		group[k] = k - f.problem.D
	}
	return group
}

// expand turns a result whose Support are columns into one of vectors. It returns the features kept, counted from 1.
// The vector is w, under a linear kernel. With squares, each feature t = x_k/u has the vectors ±e_k/u, because for k(x,
// z) = (xᵀz + 1)²
func (f *featureSpace) expand(r *learn.Result) []int {
	d, kept := f.problem.D, []int{}
	alpha := make([]float64, f.columns())
	for s, col := range r.Support {
		alpha[col] = r.Coef[s]
	}
	r.Kernel, r.Support, r.Coef = &f.problem.Kernel, nil, nil
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

// recompute sets the report's objective from the model's own decisions: the penalty and the losses.
func (f *featureSpace) recompute(ctx context.Context, r *learn.Result, penalty float64) {
	p, decisions := &f.problem, make([]float64, len(f.at))
	if n := len(r.Coef); n > 0 {
		gram.Pack[float64](p.Kernel, r.Vectors, n, p.D).Expand(r.Coef).Eval(decisions, p.Samples(f.at), len(f.at))
	}
	loss := 0.0
	for i, v := range decisions {
		loss += f.cost[i] * max(0, 1-f.y[i]*(v+r.Bias))
	}
	if r.Report.Unjudged(ctx) {
		return
	}
	r.Report.Objective = penalty + loss
	d := r.Report.Duality
	d.Gap = (r.Report.Objective - d.Objective) / max(1, r.Report.Objective)
}
