package learn

import (
	"context"
	"maps"
	"math"
	"slices"
)

// PathTrainer is a trainer that follows its machine along C, each training warm
// from the last.
type PathTrainer interface {
	Trainer
	// Path trains at every value of c, in that order, and calls visit with each
	// result until visit returns false. A result with a limit for its status is the last one;
	// a context that ends before the next machine is one is an error, and those visited stand: see [Nothing].
	Path(ctx context.Context, p *Problem, c []float64, visit func(c float64, r *Result) bool) error
}

// GeometricPath returns n values from lo to hi in geometric progression.
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
type Sparsest struct{ bySize map[int]PathPoint }

// PathPoint is a machine of a path.
type PathPoint struct {
	C float64
	*Result
}

// Add takes in the next machine of a path of growing C.
func (s *Sparsest) Add(c float64, r *Result) {
	if s.bySize == nil {
		s.bySize = make(map[int]PathPoint)
	}
	s.bySize[len(r.Support)] = PathPoint{c, r}
}

// Points returns the machines kept, by ascending number of support vectors.
func (s *Sparsest) Points() []PathPoint {
	ps := make([]PathPoint, 0, len(s.bySize))
	for _, k := range slices.Sorted(maps.Keys(s.bySize)) {
		ps = append(ps, s.bySize[k])
	}
	return ps
}
