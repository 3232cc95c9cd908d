// Package learn holds what every trainer shares: the problem it is given, the
// kernel expansion it finds and the report on how it found it. Each family of
// methods has a folder of its own below.
package learn

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/status"
)

// Problem is one two-class training task. Trainers read it and keep no reference to it.
type Problem struct {
	X      []float64 // N×D, row-major, already scaled
	N, D   int
	Y      []float64 // N labels, each +1 or −1
	Weight []float64 // N sample weights >= 0, nil for all 1; weight 0 is the same as an absent row
	Kernel gram.Kernel
	Resources
}

// Resources bounds a training and receives its progress. The zero value means
// one thread for each core, no memory limit and no progress.
type Resources struct {
	Threads  int         // worker goroutines; 0 means GOMAXPROCS. The result does not depend on it.
	Memory   int64       // budget in bytes for everything a trainer allocates; 0 means 4 GiB
	Progress func(Event) // called from the training goroutine, at most every 50 ms or so; may be nil
}

// Event is one sign of life of a long training.
type Event struct {
	Phase string  // "gram", "smo", "round", ...
	Done  float64 // fraction done in [0, 1], or −1 when it cannot be known
	Text  string  // short, for people
}

// Validate reports what is wrong with the problem: shapes, labels, weights, non-finite values, one class only.
func (p *Problem) Validate() error {
	switch {
	case p.N < 1:
		return fmt.Errorf("learn: no training points")
	case p.D < 0 || len(p.X) < p.N*p.D:
		return fmt.Errorf("learn: %d values for %d points of dimension %d", len(p.X), p.N, p.D)
	case len(p.Y) != p.N:
		return fmt.Errorf("learn: %d labels for %d points", len(p.Y), p.N)
	case p.Weight != nil && len(p.Weight) != p.N:
		return fmt.Errorf("learn: %d weights for %d points", len(p.Weight), p.N)
	}
	var pos, neg int
	for i, y := range p.Y {
		if p.Weight != nil {
			if w := p.Weight[i]; !(w >= 0) || math.IsInf(w, 0) {
				return fmt.Errorf("learn: weight of point %d is %v, want a finite number >= 0", i, w)
			} else if w == 0 {
				continue
			}
		}
		switch y {
		case 1:
			pos++
		case -1:
			neg++
		default:
			return fmt.Errorf("learn: label of point %d is %v, want +1 or -1", i, y)
		}
	}
	if pos == 0 || neg == 0 {
		return fmt.Errorf("learn: one class only (%d positive, %d negative points)", pos, neg)
	}
	if i := notFinite(p.X[:p.N*p.D]); i >= 0 {
		return fmt.Errorf("learn: feature %d of point %d is %v", i%p.D+1, i/p.D, p.X[i])
	}
	if err := p.Kernel.Validate(p.D); err != nil {
		return err
	}
	if err := p.Kernel.ValidatePoints(p.X, p.N, p.D); err != nil {
		return err
	}
	return p.Kernel.ValidateMatrix(p.X, p.N, p.D)
}

// notFinite returns the index of the first NaN or infinity in x, −1 when there is none.
func notFinite(x []float64) int {
	const block = 4096
	for lo := 0; lo < len(x); lo += block {
		b := x[lo:min(lo+block, len(x))]
		var s float64 // v − v is 0 for a finite v, else NaN
		for _, v := range b {
			s += v - v
		}
		if s != 0 {
			return lo + slices.IndexFunc(b, func(v float64) bool { return v-v != 0 })
		}
	}
	return -1
}

// Expansion is a decision function f(x) = Σ Coef_s k(x, x_Support[s]) + Bias; its sign is the class.
type Expansion struct {
	Support []int     // rows of the problem; ascending, except greedy selections, which keep their order
	Coef    []float64 // signed (the label is folded in), same length
	Bias    float64
}

// Result is what a trainer returns. With a status that is a limit, the expansion is the best so far.
type Result struct {
	Expansion
	Report Report
}

// Report says how a training went. Fields that a method has no use for stay zero.
type Report struct {
	Status          status.Status
	Message         string  // what a person should know: a collapse to f = 0, merged duplicates, ...
	Objective       float64 // primal objective of the (last) problem solved
	DualObjective   float64
	Gap             float64 // (Objective − DualObjective) / max(1, |Objective|)
	KKT             float64 // largest violation of the optimality conditions, in units of the decision function
	Iterations      int     // outer iterations
	InnerIterations int
	KernelEvals     int64
	Rounds          []Round // one for each outer iteration of a reweighted method
	Seconds         Seconds
	Extra           map[string]any // figures of one method only, by their JSON names
}

// Round is one outer iteration of a reweighted method.
type Round struct {
	Objective       float64 `json:"objective"`
	Hinge           float64 `json:"hinge"` // Σξ, without C
	Nonzeros        int     `json:"nonzeros"`
	KKT             float64 `json:"kkt"`
	Gap             float64 `json:"gap"`
	InnerIterations int     `json:"inner_iterations"`
}

// Seconds splits the wall time of a training.
type Seconds struct {
	Gram  float64 `json:"gram"`  // kernel evaluations
	Solve float64 `json:"solve"` // everything else
}

// Trainer is a method with its parameters: a struct such as svc.Trainer{C: 1}.
type Trainer interface {
	// Name is the method's name on the command line.
	Name() string
	// Train checks p and the parameters and trains. Stopping early is not an
	// error: see Report.Status. Errors are for input that cannot be trained on.
	Train(ctx context.Context, p *Problem) (*Result, error)
	// EstimateMemory returns the bytes that a training of n points of dimension d needs at least.
	EstimateMemory(n, d int) int64
}
