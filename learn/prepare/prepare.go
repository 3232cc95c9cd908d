// Package prepare turns a set of samples into a [learn.Problem], and what was learnt back into the set's terms.
//
// [Select] and [Set] run the stages in order. Each stage is a function from a set and a [Spec] to a new set; no stage
// changes the caller's samples.
//
//	stage                        undone by
//	zeros stored where needed
//	weights of samples, classes
//	samples of weight 0 dropped  [Rows.Original]
//	features scaled              the model's own scaling; [Prepared.Undo] for a density
//	sparse rows numbered         [Prepared.Vectors]
//	targets scaled               [Prepared.Undo]
//	validation samples, external candidates: checked and scaled like the samples
//
// What the stages copy is added to the bytes in use, before anything is copied where that is possible.
package prepare

import (
	"context"
	"fmt"
	"math"
	"slices"

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
	ScaleTarget bool // regression targets get mean 0 and standard deviation 1

	ClassWeight  map[string]float64
	SampleWeight []float64

	Validation *dataset.Set // raw; nil for none
	Candidates *dataset.Set // raw external candidates; nil for none

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
}

// Set prepares the selected samples. The error is [learn.Nothing] if the context ended, a [*learn.BudgetError] if the
// copies have no room, or says what is wrong with the samples.
func Set(ctx context.Context, from *Selected, s *Spec) (*Prepared, error) {
	r := s.Resources
	r.InUse = from.InUse + from.Copies
	if err := from.fits(s, r); err != nil {
		return nil, err
	}
	p := &Prepared{Rows: from.Rows}
	var err error
	if p.Set, p.Scaling, err = scaled(ctx, from, s); err != nil {
		if ctx.Err() != nil {
			return nil, learn.Nothing(ctx, s.Trainer.Name())
		}
		return nil, err
	}
	kernel, err := s.kernel(p.Set)
	if err != nil {
		return nil, err
	}
	if m := p.Set.Sparse; m != nil {
		p.Set, p.Sparse, kernel = numbered(p.Set), m, kernel.On(m)
		r.InUse += 2 * m.Bytes() // packed, by samples and by features
	}
	y, err := p.targets(s)
	if err != nil {
		return nil, err
	}
	validation, err := p.validation(s, r)
	if err != nil {
		return nil, err
	}
	if r.InUse, err = p.candidates(s, r); err != nil {
		return nil, err
	}
	p.Problem = learn.Problem{X: p.Set.X, N: p.Set.N, D: p.Set.D, Task: s.Task, Y: y, Weight: from.Weight, Kernel: kernel,
		Group: groups(p.Set), Validation: validation, Resources: r}
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
		times(e, t.Spread)
		e.Bias = math.FMA(e.Bias, t.Spread, t.Center)
	}
	if p.Problem.Task == learn.Density && p.Scaling != nil {
		times(e, math.Exp(-logVolume(p.Scaling)))
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

// kernel returns the kernel with its γ chosen from the scaled samples.
func (s *Spec) kernel(set *dataset.Set) (gram.Kernel, error) {
	k := s.Kernel
	if !k.HasGamma() || k.Gamma != 0 {
		return k, nil
	}
	rule := s.Gamma
	if rule == nil {
		rule = GammaScale
	}
	if k.Gamma = rule(set); !(k.Gamma > 0) {
		return k, fmt.Errorf("sparsekm: γ = %v by its rule for these samples: their features are too far apart; "+
			"scale them, or give γ", k.Gamma)
	}
	return k, nil
}

// targets returns signs, class indices, regression targets in the units of the training, or nil.
func (p *Prepared) targets(s *Spec) ([]float64, error) {
	switch {
	case s.Task.Blind():
		return nil, nil
	case s.Task == learn.Classify && s.Submodels > 1:
		return floats(p.Set.Y), nil
	case s.Task == learn.Classify:
		return p.Set.RestSigns(1), nil
	case s.ScaleTarget:
		t, err := ScaleOf(p.Set.Targets)
		if err != nil {
			return nil, err
		}
		p.Target = &t
	}
	return p.Target.to(p.Set.Targets), nil
}

// groups numbers the set's groups; nil for none.
func groups(set *dataset.Set) []int {
	if set.Groups == nil {
		return nil
	}
	number := make(map[string]int)
	group := make([]int, set.N)
	for i, name := range set.Groups {
		g, ok := number[name]
		if !ok {
			g = len(number)
			number[name] = g
		}
		group[i] = g
	}
	return group
}

// floats converts class indices.
func floats(class []int) []float64 {
	y := make([]float64, len(class))
	for i, c := range class {
		y[i] = float64(c)
	}
	return y
}

// times multiplies a copy of the coefficients.
func times(e *learn.Expansion, by float64) {
	e.Coef = slices.Clone(e.Coef)
	for i := range e.Coef {
		e.Coef[i] *= by
	}
}
