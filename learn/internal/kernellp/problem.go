package kernellp

import (
	"math"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// Shape says which constraints a family of programs has. The zero value is LP-SVC's.
type Shape struct {
	OneSided bool // y_i a_i ≥ 0
	SumToOne bool // Σ y_i a_i = 1; needs OneSided
	// Ceiling bounds |a_i|; 0 means no bound.
	Ceiling float64
	// Edge is each sample's margin in units of Prices.Margin; nil means 1.
	Edge []float64
}

// edge is sample i's margin in units of Prices.Margin.
func (s *Shape) edge(i int) float64 {
	if s.Edge == nil {
		return 1
	}
	return s.Edge[i]
}

// Prices are the figures that change between the solves of one model.
type Costs struct {
	Margin float64
	// Coef holds the price of each |a_i|; +Inf fixes a_i = 0 at no cost of time.
	Coef []float64
	Bias float64 // price of |b|
}

// Options tune a Solver. The zero value is good.
type Options struct {
	// Budget pays for working rows beyond those that [Bytes] counts; nil means no limit. When
	// it is spent the solve ends with the model of the rows so far, IterationLimit, and [Solver.Spent].
	Budget *learn.Budget
	// Tolerance is the largest violation of a row of the dual, relative to max(1, price); 0 means 1e-9.
	Tolerance float64
	// Batch is how many violated rows join at a time; 0 means a number that grows with the working rows.
	Batch int
	// SiftFrom is the number of samples from which on most margins are left out of the program (see sift); 0 means 4096.
	SiftFrom int
	// InteriorFrom is the number of rows from which on programs over candidates that take many pivots are approached by
	// interior points (see siftinterior.go); 0 means 800.
	InteriorFrom int
	// Every is the number of stretches of a path from one look at all rows to the next; 0 means 12. With 1 the model of
	// every stretch is an optimum.
	Every int
	// Threads is the number of goroutines that share long passes; 0 means GOMAXPROCS.
	Threads int
	// MaxSolves limits the solves of one call; 0 means 10·n + 100.
	MaxSolves int
}

// Solution is an optimum, or with a status that is a limit the best model so far.
type Solution struct {
	Status     status.Status
	A          []float64 // n signed coefficients
	Bias       float64
	M          []float64 // n signed multipliers of the margin constraints
	Output     []float64 // n values (Ka)_i + b
	Hinge      float64   // Σ ξ
	Loss       float64   // Σ cap_i ξ_i
	Objective  float64   // primal value, evaluated from A, Bias and Output
	Dual       float64   // dual value of M, valid as far as Violation is 0
	Violation  float64   // largest violation of a dual row, over max(1, price)
	Iterations int       // pivots, bound flips and steps of interior points
	Solves     int       // linear programs, one for each batch of rows
	Rows       int       // working rows at the end
	Margins    int       // that were columns of the program at the end
}

// What a program's certificate, recomputed from its model, has to keep within for an
// optimum, relative to the objective. The rows' own tolerance is tighter; these leave room for
// the rounding of coefficients that are large and cancel.
const (
	OptimalGap       = 1e-6
	OptimalViolation = 1e-6
)

// Gap returns (Objective − Dual) / max(1, |Objective|).
func (s *Solution) Gap() float64 {
	return (s.Objective - s.Dual) / math.Max(1, math.Abs(s.Objective))
}
