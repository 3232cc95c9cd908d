// Package kernellp solves the linear programs of sparse kernel machines. With a_i = y_i α_i for methods whose α have
// no sign, all of them have the form
//
//	min  Σ cost_i |a_i| + biasCost |b| + Σ cap_i ξ_i
//	s.t. y_i ((Ka)_i + b) ≥ margin edge_i − ξ_i,  ξ ≥ 0,
//
// optionally with y_i a_i ≥ 0, with Σ y_i a_i = 1, or with |a_i| ≤ ceiling:
//
//	SSVC-B, SSVC-W   cost = λ, biasCost = λ_0, a free      Huang et al. (2010), eq. (14)
//	LP-SVC           cost = 1, biasCost = 0, a free        Kecman & Hadzic (2000)
//	SKM              cost = C̃v, Σ y_i a_i = 1, y_i a_i ≥ 0   Peleg & Meir (2009), eq. (4)
//	l1-SVM           cost = 1, 0 ≤ y_i a_i ≤ C              eq. (6)
//	l0-SVM           cost = 1/(α*+δ), y_i a_i ≥ 0            eq. (11)
//
// The edge is 1 for classes. For regression each sample appears twice: with y = 1 and the edge t − ε of its target t,
// and with y = −1 and the edge −t − ε. The second copy has the cost +Inf.
//
// # Row generation
//
// The dual in signed multipliers m_i = y_i μ_i has the kernel matrix itself as its matrix,
//
//	max  margin Σ edge_i y_i m_i − λ
//	s.t. −cost_i ≤ (Km)_i ≤ cost_i,   or, one-sided,  y_i (Km)_i ≤ cost_i + λ,
//	     −biasCost ≤ Σ m_i ≤ biasCost,   0 ≤ y_i m_i ≤ cap_i,
//
// (eq. (15) of Huang et al., (7) and (12) of Peleg & Meir). Few of its rows bind: as many as the model has support
// vectors. So the program starts with a few rows. After every solve, the most violated rows are added, and the dual
// simplex method continues from the last basis. Only the added rows are stored. The result is exact, because no row
// is violated at the end.
//
// # Sifting
//
// From a few thousand samples on, columns are generated as well: see sift.go. Programs with edges, ceilings or a sum
// constraint always have all columns.
//
// # Candidates
//
// With a [candidates] matrix, only some samples may have coefficients. Only their rows are priced, so only sums over
// the margins pass over all samples. This solves programs of a million samples, exactly except for the coefficients
// left out. If many coefficients are non-zero, an interior-point method first comes close to the optimum: see
// siftinterior.go.
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

// tolerance is the largest violation of a row of the dual, relative to max(1, cost).
const tolerance = 1e-9

// Options are the options of a Solver. The zero value selects the defaults.
type Options struct {
	// Budget pays for working rows beyond those that [Bytes] counts; nil means no limit. When it is spent, the solve
	// returns the model of the rows so far with the status IterationLimit; see [Solver.Spent].
	Budget *learn.Budget
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

	tell func(program int) // hears of every program, by its number since the costs changed; nil for nobody
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
