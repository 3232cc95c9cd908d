package learn

import (
	"context"
	"iter"
	"maps"
	"math"
	"slices"
)

// PathTrainer is a trainer that trains over a grid of C, with warm starts.
type PathTrainer interface {
	Trainer
	// Path trains at every value of c, in that order, and calls visit with each result until visit returns false. It ends
	// after a result whose status is a limit. A context that ends before the next model is an error, see [Nothing]; the
	// models visited stay valid.
	Path(ctx context.Context, p *Problem, c []float64, visit func(c float64, r *Result) bool) error
}

// FreePath is a PathTrainer whose models are those of single trainings, bit for bit, unless a limit ends the path.
// Settings that differ in C alone may then be trained together.
type FreePath interface {
	PathTrainer
	// FreePath marks the trainer.
	FreePath()
}

// ExactPath is a PathTrainer whose model is piecewise constant or piecewise linear in C.
type ExactPath interface {
	PathTrainer
	// Exact calls visit with the models for C from lo to hi, in ascending order, until visit returns false: r is
	// optimal at every C from `from` to `to`, and its report is that at `to`. Where `from` is above the last `to`,
	// coefficients and bias are linear in C in between. A context that ends is an error; the models visited stand.
	Exact(ctx context.Context, p *Problem, lo, hi float64, visit func(from, to float64, r *Result) bool) error
}

// Several is a trainer that can leave the choice among the models of its search to the caller.
type Several interface {
	Trainer
	// Leaves reports whether the parameters say that it does. Train is an error then.
	Leaves() bool
	// Models calls value with one model after the other, the one that Train would return otherwise first. A smaller value
	// is better, and says where to look next. The search ends with an error of value, or after a report whose status is a
	// limit.
	Models(ctx context.Context, p *Problem, value func(*Result) (float64, error)) error
}

// GeometricPath returns n values from lo to hi, both > 0, in geometric progression;
// lo alone for n = 1.
func GeometricPath(lo, hi float64, n int) []float64 {
	c := make([]float64, n)
	for i := range c {
		c[i] = lo
		if n > 1 {
			c[i] = lo * math.Pow(hi/lo, float64(i)/float64(n-1))
		}
	}
	return c
}

// Sparsest keeps, of the results of a path, the last one for every number of
// support vectors met: the largest C, hence the fewest errors, at that size.
type Sparsest struct{ bySize map[int]visited }

type visited struct {
	c float64
	*Result
}

// Add takes in the next model of a path of growing C.
func (s *Sparsest) Add(c float64, r *Result) {
	if s.bySize == nil {
		s.bySize = make(map[int]visited)
	}
	s.bySize[len(r.Support)] = visited{c, r}
}

// All yields C and result of the models kept, by ascending number of support vectors.
func (s *Sparsest) All() iter.Seq2[float64, *Result] {
	return func(yield func(float64, *Result) bool) {
		for _, size := range slices.Sorted(maps.Keys(s.bySize)) {
			if v := s.bySize[size]; !yield(v.c, v.Result) {
				return
			}
		}
	}
}
