package distill

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// Kind says what a teacher's numbers are.
type Kind uint8

const (
	// Probabilities has one number a class, or for two classes only that of the last one. Numbers below 0.001 and above
	// 0.999 are moved there.
	Probabilities Kind = iota
	Logits             // log odds: one number a class before the softmax, or for two classes one for the last
	// Scores are decision values of no unit, such as an SVM's, of which the largest is the class; for two classes one
	// number, > 0 for the last. A factor makes them log odds: the one of the least log loss to the labels, or without
	// labels the one that gives them a mean size of 3.
	Scores
	Values // the numbers to follow: one a sample
)

var kinds = []string{"probability", "logit", "score", "value"}

// String returns the kind's name.
func (k Kind) String() string { return kinds[k] }

// ParseKind is the inverse of String.
func ParseKind(s string) (Kind, error) {
	if index := slices.Index(kinds, s); index >= 0 {
		return Kind(index), nil
	}
	return 0, fmt.Errorf("distill: found the kind %q, want one of %q", s, kinds)
}

// minProbability is the smallest probability that a student is trained to follow: those below, and those of the other
// end, are moved to it, so that log odds are at most 6.9.
const minProbability = 0.001

// Teacher returns what the teacher says of n samples of raw features (row-major), sample by sample, in as many numbers
// as Options.Values has for each.
type Teacher func(ctx context.Context, x []float64, n int) ([]float64, error)

// Options says what to follow and how large the student may be.
type Options struct {
	Kind   Kind
	Values []float64 // the teacher's for the samples of the set, sample by sample; nil asks for them
	// Labels are the classes in the order of the teacher's numbers; nil for the set's.
	Labels []string
	Ask    Teacher // nil for a teacher that answers no more

	// Budgets, 0 for none: vectors and steps together; bytes of tables in C of single precision ([export.TableBytes]);
	// nanoseconds of a decision as measured on this host. The largest student within all of them is trained.
	MaxUnits, MaxBytes int
	MaxNanos           float64

	Rounds      int      // of asking again at most; 0 means 4, a negative number none
	LabelWeight *float64 // weight of the labels, from 0 to 1; nil lets folds choose
	Seed        uint64   // 0 means 1
	learn.Resources
}

// Result is a student with its report.
type Result struct {
	Classifier *model.Classifier `json:"-"`
	Report
	// Failed is why the teacher answered no more; nil if it always did. The student follows the answers before.
	Failed error `json:"-"`
}

// Distill trains a student. Labels or regression targets of the set are true ones; they are not needed.
//
// If the context ends, or the teacher stops to answer, the student is the best so far: Report.Ended and Result.Failed
// say so. It is an error if there is none yet, or if the teacher does not answer for the set's own samples.
func Distill(ctx context.Context, set *dataset.Set, o Options) (*Result, error) {
	r, err := newRun(ctx, set, o)
	if err != nil {
		return nil, err
	}
	for _, stage := range []func(context.Context) error{r.choose, r.weigh, r.rounds, r.finish} {
		if err = stage(ctx); err != nil || ctx.Err() != nil {
			break
		}
	}
	if r.best == nil {
		if err == nil {
			err = learn.Nothing(ctx, "distill")
		}
		return nil, err
	}
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	return r.result(ctx)
}

// run is a distillation under way.
type run struct {
	Options
	set     *dataset.Set // dense
	columns int          // of the teacher's numbers
	outputs int          // targets of a sample: 1, or one a class
	truth   []int        // the true class of each of the set's samples, −1 for none; nil without labels
	fields  []field

	pool    pool
	setting setting
	weight  float64 // of the labels
	scale   float64 // of scores
	splits  []dataset.Split
	heldOut *heldOut // of the folds' students
	best    *model.Classifier
	report  Report
	failed  error
}

// pool is the samples with the teacher's answers: those of the set, and then those that it was asked about.
type pool struct {
	n       int
	x       []float64 // n×D, raw
	teacher []float64 // n×outputs: probabilities, or values
	parents [][2]int  // of the samples after the set's: those of the set that were mixed
}

func newRun(ctx context.Context, set *dataset.Set, o Options) (*run, error) {
	if o.Seed == 0 {
		o.Seed = 1
	}
	if o.Rounds == 0 {
		o.Rounds = 4
	}
	if err := set.Validate(); err != nil {
		return nil, err
	}
	set, err := set.Dense(o.Budget("distill", set.N, set.D).Left())
	if err != nil {
		return nil, err
	}
	r := &run{Options: o, set: set}
	if err = r.validate(); err != nil {
		return nil, err
	}
	values := o.Values
	if values == nil {
		if values, err = o.Ask(ctx, set.X, set.N); err != nil {
			return nil, err
		}
	}
	if err = r.shape(values); err != nil {
		return nil, err
	}
	r.pool = pool{n: set.N, x: slices.Clip(set.X[:set.N*set.D])}
	if err = r.checked(values, set.N); err != nil {
		return nil, err
	}
	r.scale = r.fitScale(values)
	r.pool.teacher = r.targets(values, set.N)
	r.fields = fieldsOf(set)
	return r, nil
}

func (r *run) validate() error {
	o, w := &r.Options, r.LabelWeight
	switch {
	case r.set.N < 2:
		return fmt.Errorf("distill: found %d samples, want at least 2", r.set.N)
	case o.Values == nil && o.Ask == nil:
		return errors.New("distill: found neither a teacher's values nor a teacher to ask")
	case o.MaxUnits < 0 || o.MaxBytes < 0 || !(o.MaxNanos >= 0):
		return errors.New("distill: found a negative budget")
	case w != nil && !(*w >= 0 && *w <= 1):
		return fmt.Errorf("distill: found a weight of the labels of %v, want a number from 0 to 1", *w)
	case w != nil && *w > 0 && !r.set.Targeted():
		return errors.New("distill: the labels have a weight, but the samples have none")
	case o.Kind == Values && r.set.Y != nil:
		return errors.New("distill: the teacher has values, the set classes")
	case o.Kind != Values && r.set.Targets != nil:
		return errors.New("distill: the teacher has classes, the set values")
	}
	return nil
}

// shape finds the classes, and how many numbers the teacher has for a sample.
func (r *run) shape(values []float64) error {
	n := r.set.N
	if len(values) == 0 || len(values)%n != 0 {
		return fmt.Errorf("distill: found %d numbers of the teacher for %d samples, want as many for each", len(values), n)
	}
	r.columns, r.outputs = len(values)/n, len(values)/n
	if r.Kind == Values {
		if r.columns != 1 {
			return fmt.Errorf("distill: found %d values a sample, want one: a model predicts one value", r.columns)
		}
		return nil
	}
	if r.Labels == nil {
		if r.Labels = r.set.Labels; r.Labels == nil {
			for c := range max(2, r.columns) {
				r.Labels = append(r.Labels, fmt.Sprint(c))
			}
		}
	}
	if k := len(r.Labels); k < 2 || r.columns != k && (k != 2 || r.columns != 1) {
		return fmt.Errorf("distill: found %d numbers a sample for %d classes (%q), want one a class, or one of two classes",
			r.columns, k, r.Labels)
	}
	if len(r.Labels) == 2 {
		r.outputs = 1
	}
	if r.set.Y != nil {
		r.truth = r.set.ClassOf(r.Labels)
	}
	return nil
}

// checked fails for numbers that no teacher of the kind says.
func (r *run) checked(values []float64, n int) error {
	if len(values) != n*r.columns {
		return fmt.Errorf("found %d numbers of the teacher for %d samples, want %d for each", len(values), n, r.columns)
	}
	for i, v := range values {
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			return fmt.Errorf("found %v of the teacher for sample %d, want a finite number", v, i/r.columns+1)
		case r.Kind == Probabilities && !(v >= -slack && v <= 1+slack):
			return fmt.Errorf("found the probability %v of the teacher for sample %d, want a number from 0 to 1", v,
				i/r.columns+1)
		}
	}
	for i := 0; r.Kind == Probabilities && r.columns > 1 && i < n; i++ {
		var sum float64
		for _, v := range values[i*r.columns : (i+1)*r.columns] {
			sum += v
		}
		if !(math.Abs(sum-1) <= sumSlack) {
			return fmt.Errorf("found probabilities of the teacher for sample %d that sum to %v, want 1", i+1, sum)
		}
	}
	return nil
}

const (
	slack    = 1e-6 // of probabilities in single precision
	sumSlack = 0.01 // of probabilities with few digits
)
