package ssvc

import (
	"context"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// featureSpace is a problem as the methods that choose features see it: rows of hinge losses, columns that are
// features in units of their largest size, with their squares after them where they are wanted, and the bias's last.
type featureSpace struct {
	*samples
	problem learn.Problem // with the kernel of the models
	squares bool
	at      []int     // row → row of the problem
	unit    []float64 // column → its largest size before it is squared, 1 for one that is 0
}

// featureColumns is the number of coefficients of d features, the bias's among them.
func featureColumns(d int, squares bool) int {
	if squares {
		return 2*d + 1
	}
	return d + 1
}

// featuresOf lists rows and columns: distinct samples of p, which it validates, and features.
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

// values are the columns of every row; what is in units of the largest size is squared after it.
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

// groups maps a column to what it is kept or dropped with: a feature and its square are one, the bias is alone.
func (f *featureSpace) groups() []int {
	group := all(f.columns())
	for k := f.problem.D; k < len(group)-1; k++ {
		group[k] = k - f.problem.D
	}
	return group
}

// expand turns a result whose Support are columns into one of vectors, and returns the features that it keeps, from 1:
// w as the one vector of a linear kernel, or for each feature t = x_k/u that is kept with its
// square the vectors ±e_k/u, since with k(x, z) = (xᵀz + 1)²
//
//	4t = k(x, e_k/u) − k(x, −e_k/u),   2t² + 2 = k(x, e_k/u) + k(x, −e_k/u).
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

// recompute gives the report the objective of the model itself: the penalty and the losses of its own decisions.
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
