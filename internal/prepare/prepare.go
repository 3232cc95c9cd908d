// Package prepare turns a set of samples into a [learn.Problem], and what was learnt back into the set's terms.
//
// [Samples] runs the stages in order. Each stage is a function from a set and a [Spec] to a new set and what undoes it;
// no stage changes the caller's samples.
//
//	stage                        undone by
//	weights of samples, classes
//	samples of weight 0 dropped  [Rows.Original]
//	samples held out             [Rows.Original]
//	the scaling chosen, if auto
//	zeros stored where needed
//	numbers in place of categories, whose values are learnt
//	folds to calibrate on
//	features scaled              the model's own scaling; [Prepared.Undo] for a density
//	sparse rows numbered         [Prepared.Vectors]
//	targets scaled               [Prepared.Undo]
//	validation samples, external candidates: checked and scaled like the samples
//
// What the stages copy is added to the bytes in use, before anything is copied where that is possible.
package prepare

import (
	"context"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
)

// Spec says how samples are prepared.
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
	Only       []int        // rows that train, ascending, as if the others were absent; nil for all
	Calibrate  int          // folds to calibrate on; 0 for none
	Conformal  Conformal    // prediction sets

	ReadsFeatures string // what else reads features, so that zeros must be stored; "" for nothing
	Resources     learn.Resources
}

// Prepared is a problem, with what it takes to undo its preparation.
type Prepared struct {
	Problem    learn.Problem     // without the candidates, which [Prepared.WithCandidates] appends
	Set        *dataset.Set      // the samples of Problem, with their labels and columns
	Rows       Rows              // of the caller's set that train; nil for all
	Given      int               // samples of the caller's set, without those held out
	Scaling    *dataset.Scaling  // nil for none
	Target     *TargetScale      // nil for none
	Sparse     *csr.Matrix       // the rows whose numbers are the features of Problem; nil for samples with features
	Candidates *learn.Validation // nil for none
	Folds      *Folds            // for probabilities or prediction sets; nil for none
}

// Samples prepares a set. The error is [learn.Nothing] if the context ended, a [*learn.BudgetError] if the copies have
// no room, or says what is wrong with the samples.
func Samples(ctx context.Context, raw *dataset.Set, s *Spec) (*Prepared, error) {
	settled := *s // the samples settle its scaling
	s = &settled
	from, err := selected(ctx, raw, s)
	if err != nil {
		return nil, err
	}
	folds := &Folds{Set: from.set, InUse: from.inUse} // which number categories themselves
	if err = from.number(s); err != nil {
		return nil, err
	}
	budget, err := from.budget(s)
	if err != nil {
		return nil, err
	}
	if folds, err = folds.assign(from, s); err != nil {
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
	p := &Prepared{Set: set, Rows: from.rows, Scaling: scaling, Sparse: sparse, Folds: folds,
		Given: raw.N - len(from.heldOut)}
	if s.Only != nil {
		p.Given = len(s.Only)
	}
	p.Problem = learn.Problem{X: set.X, N: set.N, D: set.D, Task: s.Task, Weight: from.weight, Kernel: kernel,
		Group: deal.Numbers(set.Groups), Coded: coded(set), Soft: from.soft(s.Soft), Resources: s.Resources}
	if p.Problem.Y, p.Target, err = targets(set, s); err != nil {
		return nil, err
	}
	if p.Problem.Validation, err = p.validation(s, budget); err != nil {
		return nil, err
	}
	if p.Candidates, err = p.candidates(s, budget); err != nil {
		return nil, err
	}
	p.Problem.Resources.InUse = budget.InUse()
	if sparse != nil {
		p.Problem.InUse += 2 * sparse.Bytes() // packed, by samples and by features
	}
	return p, nil
}
