package learn

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/gram"
)

// Problem is one training task: two classes, regression targets, or samples alone. Trainers read it and keep no
// reference to it.
type Problem struct {
	X      []float64 // N×D, row-major, already scaled
	N, D   int
	Task   Task      // what Y is
	Y      []float64 // N targets by the task: labels, each +1 or −1; regression targets; or nil
	Weight []float64 // N sample weights >= 0, nil for all 1; weight 0 is the same as an absent row
	Kernel gram.Kernel
	// Group has a number for each sample, or is nil. Samples of one group, such as one patient's, stay on the same side of
	// every fold that a method makes.
	Group []int
	// Validation is held-out data, which a method with [Method.Validation] decides
	// on when to stop; nil means the training samples. Other methods do not read it.
	Validation *Validation
	// Candidates are the only samples that may become support vectors, as ascending rows; nil means all. A candidate of
	// weight 0 carries no loss. Methods without [Method.Candidates] do not read it.
	Candidates []int
	// Shared, where it is not nil, holds what trainings on parts of these samples share, for a [Deciding].
	Shared *SharedSet
	// Coded lists features whose numbers are those of levels, for methods that learn a value for each level
	// ([Result.Values]).
	Coded []Coded
	// Soft has probabilities in place of labels, for methods with [Method.Soft]: N×1 that a sample is of the class +1,
	// or N×k for k > 2 classes. Y then has the classes for folds. Nil for labels.
	Soft []float64
	// Known is what is known about the features: callers may know it, or [Problem.Scanned] has found it.
	Known Known
	Resources
}

// Coded is a feature whose numbers are those of levels, from 1; a sample of any other number has none.
type Coded struct {
	Feature, Levels int
	Part            int // 0, or how many features before this one have the same levels
}

// Validation is validation samples with targets, scaled like the training samples.
type Validation struct {
	X []float64 // N×D of the problem, row-major
	Y []float64 // N targets: labels, each +1 or −1, or regression targets
	N int
}

// ErrOneClass is in the chain of the error for samples that are all of one class.
var ErrOneClass = errors.New("one class only")

// Validate reports what is wrong with the problem: a task that is none of those given (without one: that is not
// Classify), shapes, targets, weights, non-finite values, one class only, kernel values that overflow.
func (p *Problem) Validate(tasks ...Task) error {
	if tasks == nil {
		tasks = []Task{Classify}
	}
	switch {
	case !slices.Contains(tasks, p.Task):
		return fmt.Errorf("learn: a problem of the task %v, but this method takes %v", p.Task, tasks)
	case p.N < 1:
		return errors.New("learn: no training samples")
	case p.D < 0 || len(p.X) < p.N*p.D:
		return fmt.Errorf("learn: %d values for %d samples of dimension %d", len(p.X), p.N, p.D)
	case p.Task.Blind() && p.Y != nil:
		return fmt.Errorf("learn: %d targets for a problem of the task %v", len(p.Y), p.Task)
	case !p.Task.Blind() && len(p.Y) != p.N:
		return fmt.Errorf("learn: %d labels for %d samples", len(p.Y), p.N)
	case p.Group != nil && len(p.Group) != p.N:
		return fmt.Errorf("learn: %d groups for %d samples", len(p.Group), p.N)
	case p.Weight != nil && len(p.Weight) != p.N:
		return fmt.Errorf("learn: %d weights for %d samples", len(p.Weight), p.N)
	}
	if err := p.validateSoft(); err != nil {
		return err
	}
	for _, c := range p.Coded {
		if c.Feature < 0 || c.Feature >= p.D || c.Levels < 1 {
			return fmt.Errorf("learn: %d levels of feature %d, of %d features", c.Levels, c.Feature, p.D)
		}
	}
	if err := p.validateTargets(); err != nil {
		return err
	}
	if err := p.validateCandidates(); err != nil {
		return err
	}
	if i := p.notFinite(); i >= 0 {
		return fmt.Errorf("learn: feature %d of sample %d is %v", i%p.D+1, i/p.D, p.X[i])
	}
	if err := p.validateHeldOut(); err != nil {
		return err
	}
	if p.Kernel.Composed() { // budgets count the samples once
		return errors.New("learn: found a composite kernel, want another: they are for models of Gaussian processes that " +
			"come from elsewhere")
	}
	if err := p.Kernel.Validate(p.D); err != nil {
		return err
	}
	if err := p.Kernel.ValidateSamples(p.X, p.N, p.D); err != nil {
		return err
	}
	if err := p.Kernel.ValidateMatrix(p.X, p.N, p.D); err != nil {
		return err
	}
	return p.validateKernelValues()
}

// validateSoft checks that probabilities in place of labels are some, for each sample of as many classes.
func (p *Problem) validateSoft() error {
	switch {
	case p.Soft == nil:
		return nil
	case p.Task != Classify || p.Validation != nil:
		return errors.New("learn: probabilities in place of labels are for classes without validation samples")
	case len(p.Soft) == 0 || len(p.Soft)%p.N != 0:
		return fmt.Errorf("learn: %d probabilities for %d samples", len(p.Soft), p.N)
	}
	for i, v := range p.Soft {
		if !(v >= 0 && v <= 1) {
			return fmt.Errorf("learn: probability %d of sample %d is %v, want a number from 0 to 1", i%(len(p.Soft)/p.N),
				i/(len(p.Soft)/p.N), v)
		}
	}
	return nil
}

// validateTargets checks weights, and the targets of samples that have a weight.
func (p *Problem) validateTargets() error {
	var pos, neg, present int
	for i := range p.N {
		w := p.WeightOf(i)
		if !(w >= 0) || math.IsInf(w, 0) {
			return fmt.Errorf("learn: weight of sample %d is %v, want a finite number >= 0", i, w)
		}
		if w == 0 {
			continue
		}
		present++
		if p.Task.Blind() {
			continue
		}
		switch y := p.Y[i]; {
		case !p.Task.has(y):
			return fmt.Errorf("learn: label of sample %d is %v, want %s", i, y, p.Task.targets())
		case y > 0:
			pos++
		default:
			neg++
		}
	}
	if p.Task != Classify {
		if present == 0 {
			return errors.New("learn: no training samples, every weight is 0")
		}
		return nil
	}
	if pos == 0 || neg == 0 {
		return fmt.Errorf("learn: %w (%d positive, %d negative samples)", ErrOneClass, pos, neg)
	}
	return nil
}

func (p *Problem) validateHeldOut() error {
	v := p.Validation
	if v == nil {
		return nil
	}
	if v.N < 1 || len(v.X) < v.N*p.D || len(v.Y) != v.N {
		return fmt.Errorf("learn: validation set of %d samples has %d values and %d labels, want dimension %d", v.N, len(v.X),
			len(v.Y), p.D)
	}
	if i := notFinite(v.X[:v.N*p.D]); i >= 0 {
		return fmt.Errorf("learn: feature %d of validation sample %d is %v", i%p.D+1, i/p.D, v.X[i])
	}
	for i, y := range v.Y {
		if !p.Task.has(y) {
			return fmt.Errorf("learn: label of validation sample %d is %v, want %s", i, y, p.Task.targets())
		}
	}
	return nil
}

// has reports whether y may be a target.
func (t Task) has(y float64) bool {
	if t == Classify {
		return y == 1 || y == -1
	}
	return math.Abs(y) <= largestNumber
}

// targets says what a target may be.
func (t Task) targets() string {
	if t == Classify {
		return "+1 or -1"
	}
	return fmt.Sprintf("a number of size at most %v", largestNumber)
}

// Present lists the samples whose weight is not zero.
func (p *Problem) Present() []int {
	rows := make([]int, 0, p.N)
	for i := range p.N {
		if p.WeightOf(i) > 0 {
			rows = append(rows, i)
		}
	}
	return rows
}

// Samples returns the features of the given rows, row-major; without a copy when rows
// are all of them in their order and no others.
func (p *Problem) Samples(rows []int) []float64 {
	i := 0
	for i < len(rows) && rows[i] == i {
		i++
	}
	if i == p.N && i == len(rows) {
		return p.X
	}
	x := make([]float64, 0, len(rows)*p.D)
	for _, i := range rows {
		x = append(x, p.X[i*p.D:(i+1)*p.D]...)
	}
	return x
}

// WeightOf returns the weight of sample i.
func (p *Problem) WeightOf(i int) float64 {
	if p.Weight == nil {
		return 1
	}
	return p.Weight[i]
}

// notFinite finds the first feature that is not finite.
func (p *Problem) notFinite() int {
	if s := p.scanned(); s != nil && s.largest <= math.MaxFloat64 {
		return -1
	}
	return notFinite(p.X[:p.N*p.D])
}

// notFinite returns the index of the first NaN or infinity in x, −1 when there is none.
func notFinite(x []float64) int {
	const block = 4096
	for lo := 0; lo < len(x); lo += block {
		b := x[lo:min(lo+block, len(x))]
		var s, t float64 // v − v is 0 for a finite v, else NaN
		for ; len(b) >= 4; b = b[4:] {
			s += (b[0] - b[0]) + (b[1] - b[1])
			t += (b[2] - b[2]) + (b[3] - b[3])
		}
		for _, v := range b {
			s += v - v
		}
		if s+t != 0 {
			b = x[lo:min(lo+block, len(x))]
			return lo + slices.IndexFunc(b, func(v float64) bool { return v-v != 0 })
		}
	}
	return -1
}
