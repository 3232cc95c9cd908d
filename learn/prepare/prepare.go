// Package prepare turns a set of samples into a [learn.Problem], and what was learnt back into the set's terms.
//
// [Samples] runs the stages in order. Each stage is a function from a set and a [Spec] to a new set and what undoes it;
// no stage changes the caller's samples.
//
//	stage                        undone by
//	weights of samples, classes
//	samples of weight 0 dropped  [Rows.Original]
//	zeros stored where needed
//	folds to calibrate on
//	numbers in place of categories, whose values are learnt
//	the scaling chosen, if auto
//	features scaled              the model's own scaling; [Prepared.Undo] for a density
//	sparse rows numbered         [Prepared.Vectors]
//	targets scaled               [Prepared.Undo]
//	validation samples, external candidates: checked and scaled like the samples
//
// What the stages copy is added to the bytes in use, before anything is copied where that is possible.
package prepare

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// Spec says how samples are prepared. It is not changed.
type Spec struct {
	Trainer   learn.Trainer
	Method    learn.Method // of the trainer
	Task      learn.Task
	Submodels int // of the model; targets are class indices if there are several, else signs
	Kernel    gram.Kernel
	Gamma     GammaRule // chooses γ where the kernel leaves it open; nil means [GammaScale]

	Scale       dataset.ScaleKind
	RoundScaled bool // scaled features are rounded to 24 bits
	Coarse      bool // γ of a rule is a power of √2; features are not centred, and spreads are powers of two
	ScaleTarget bool // regression targets get mean 0 and standard deviation 1
	Values      int  // learnt for each category of a column; 0 for features of 0 and 1

	ClassWeight  map[string]float64
	SampleWeight []float64
	Soft         []float64 // [learn.Problem.Soft], of all samples

	Validation *dataset.Set // raw; nil for none
	Candidates *dataset.Set // raw external candidates; nil for none
	Calibrate  int          // folds to calibrate on; 0 for none

	ReadsFeatures string // what else reads features, so that zeros must be stored; "" for nothing
	Resources     learn.Resources
}

// Prepared is a problem, with what it takes to undo its preparation.
type Prepared struct {
	Problem    learn.Problem     // without the candidates, which [Prepared.WithCandidates] appends
	Set        *dataset.Set      // the samples of Problem, with their labels and columns
	Rows       Rows              // of the caller's set that are present
	Scaling    *dataset.Scaling  // nil for none
	Target     *TargetScale      // nil for none
	Sparse     *csr.Matrix       // the rows whose numbers are the features of Problem; nil for samples with features
	Candidates *learn.Validation // nil for none
	Folds      *Folds            // to calibrate on; nil for none
}

// Samples prepares a set. The error is [learn.Nothing] if the context ended, a [*learn.BudgetError] if the copies have
// no room, or says what is wrong with the samples.
func Samples(ctx context.Context, raw *dataset.Set, s *Spec) (*Prepared, error) {
	s, err := settled(ctx, raw, s)
	if err != nil {
		return nil, err
	}
	from, err := selected(raw, s)
	if err != nil {
		return nil, err
	}
	folds, err := foldsOf(from, s)
	if err != nil {
		return nil, err
	}
	if err = from.number(s); err != nil {
		return nil, err
	}
	budget, err := from.budget(s)
	if err != nil {
		return nil, err
	}
	set, scaling, err := scaled(ctx, from, s)
	if err != nil {
		return nil, err
	}
	kernel, err := s.kernel(set)
	if err != nil {
		return nil, err
	}
	set, sparse := numbered(set)
	if sparse != nil {
		kernel = kernel.On(sparse)
	}
	y, target, err := targets(set, s)
	if err != nil {
		return nil, err
	}
	p := &Prepared{Set: set, Rows: from.rows, Scaling: scaling, Target: target, Sparse: sparse, Folds: folds}
	validation, err := p.validation(s, budget)
	if err != nil {
		return nil, err
	}
	if p.Candidates, err = p.candidates(s, budget); err != nil {
		return nil, err
	}
	r := s.Resources
	r.InUse = budget.InUse()
	if sparse != nil {
		r.InUse += 2 * sparse.Bytes() // packed, by samples and by features
	}
	p.Problem = learn.Problem{X: set.X, N: set.N, D: set.D, Task: s.Task, Y: y, Weight: from.weight, Kernel: kernel,
		Group: groups(set), Validation: validation, Coded: coded(set), Soft: from.soft(s.Soft), Resources: r}
	return p, nil
}

// D is the number of features of the samples.
func (p *Prepared) D() int {
	if p.Sparse != nil {
		return p.Sparse.D
	}
	return p.Set.D
}

// WithCandidates returns the problem with the external candidates appended, or the problem itself if there are none.
func (p *Prepared) WithCandidates(q *learn.Problem) *learn.Problem {
	if c := p.Candidates; c != nil {
		return q.WithCandidates(c.X, c.Y, c.N)
	}
	return q
}

// Undo gives an expansion the units of the caller's targets and, for a density, of the caller's features.
func (p *Prepared) Undo(e *learn.Expansion) {
	if t := p.Target; t != nil {
		*e = e.Times(t.Spread)
		e.Bias = math.FMA(e.Bias, t.Spread, t.Center)
	}
	if p.Problem.Task == learn.Density && p.Scaling != nil {
		*e = e.Times(math.Exp(-logVolume(p.Scaling)))
	}
}

// Vectors returns the sparse rows whose numbers the vectors are.
func (p *Prepared) Vectors(numbers []float64) *csr.Matrix {
	rows := make([]int, len(numbers))
	for i, v := range numbers {
		rows[i] = int(v)
	}
	return p.Sparse.Subset(rows)
}
