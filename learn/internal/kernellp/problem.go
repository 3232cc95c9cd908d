package kernellp

import (
	"math"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// Shape says which constraints a family of programs has. The zero value is the shape of LP-SVC.
type Shape struct {
	OneSided bool // y_i a_i ≥ 0
	SumToOne bool // Σ y_i a_i = 1; needs OneSided
	// Ceiling bounds |a_i|; 0 means no bound.
	Ceiling float64
	// Edge is each sample's margin in units of Costs.Margin; nil means 1.
	Edge []float64
}

// edge is sample i's margin in units of Costs.Margin.
func (s *Shape) edge(i int) float64 {
	if s.Edge == nil {
		return 1
	}
	return s.Edge[i]
}

// Costs are the parameters that change between the solves of one model.
type Costs struct {
	Margin float64
	// Coef holds the cost of each |a_i|; +Inf fixes a_i = 0 at no cost of time.
	Coef []float64
	Bias float64 // cost of |b|
}

// Options are the options of a Solver. The zero value selects the defaults.
type Options struct {
	// Budget pays for working rows beyond those that [Bytes] counts; nil means no limit. When it is spent, the solve
	// returns the model of the rows so far with the status IterationLimit; see [Solver.Spent].
	Budget *learn.Budget
	// Tolerance is the largest violation of a row of the dual, relative to max(1, cost); 0 means 1e-9.
	Tolerance float64
	// Batch is the number of violated rows that join at a time; 0 means a number that grows with the working rows.
	Batch int
	// SiftFrom is the number of samples from which most margins are left out of the program (see sift.go); 0 means
	// 4096.
	SiftFrom int
	// InteriorFrom is the number of rows from which an interior-point method approaches programs over candidates that
	// would take many pivots (see siftinterior.go); 0 means 800.
	InteriorFrom int
	// Every is the number of stretches of a path between two checks of all rows; 0 means 12. With 1 the model of
	// every stretch is an optimum.
	Every int
	// Threads is the number of goroutines for long passes; 0 means GOMAXPROCS.
	Threads int
	// MaxSolves limits the solves of one call; 0 means 10·n + 100.
	MaxSolves int
}

// Solution is an optimum, or the best model so far if the status is a limit.
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
	Violation  float64   // largest violation of a dual row, over max(1, cost)
	Iterations int       // pivots, bound flips and steps of the interior-point method
	Solves     int       // linear programs, one for each batch of rows
	Rows       int       // working rows at the end
	Margins    int       // margins that were columns of the program at the end
}

// Bounds of a program's certificate for an optimum, relative to the objective. The certificate is recomputed from the
// model. The tolerance of the rows is tighter; these bounds allow for the rounding of large coefficients that cancel.
const (
	OptimalGap       = 1e-6
	OptimalViolation = 1e-6
)

// Gap returns (Objective − Dual) / max(1, |Objective|).
func (s *Solution) Gap() float64 {
	return (s.Objective - s.Dual) / math.Max(1, math.Abs(s.Objective))
}
