package simplex

import (
	"errors"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/simplex/prove"
	"github.com/sparsekm/sparsekm/status"
)

// Method says which simplex method starts.
type Method uint8

const (
	// By default the dual method runs if flipping boxed variables makes the start dual feasible or the start is not
	// primal feasible, and the primal method otherwise. Where all boxes reach 0, the dual method makes way for the primal
	// one if 0 turns out to be nearer.
	_ Method = iota
	// Primal starts with the primal method if the start is primal feasible.
	Primal
	// Dual starts with the dual method, also after a change of costs: boxed
	// variables flip to their other bounds. That pays when nearly all are boxed.
	Dual
)

// Options tune a Solver. The zero value is good.
type Options struct {
	Method Method
	// MaxIter limits the pivots and bound flips of one Solve; 0 means 100·(m+n) + 10000.
	MaxIter int
	// Tolerance is the largest violation of a bound, and of the sign of a reduced cost, in the scaled program that
	// the solver ignores at first, and the largest residual and gap (see [Certificate]) of an optimum; 0 means 1e-9.
	Tolerance float64
	// Unit is the size below which residuals and gap are absolute: bounds, costs and the sums
	// that they are relative to count as Unit at least. 0 measures everything by its own
	// size, as [Check] does; 1 suits programs whose numbers below 1 are differences of larger ones.
	Unit float64
	// NoScaling solves with the matrix as it is, even if it is a [Scaler].
	NoScaling bool
	// Seed of the perturbations. The same seed gives the same pivots.
	Seed uint64
}

// check refuses tolerances that are not finite: every residual is within an infinite one, none within a NaN.
func (o *Options) check() error {
	for _, v := range [2]float64{o.Tolerance, o.Unit} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return invalid("tolerance %v and unit %v, want finite numbers", o.Tolerance, o.Unit)
		}
	}
	return nil
}

// Position is where a variable rests.
type Position uint8

const (
	Basic   Position = iota // one of the m basic variables
	AtLower                 // nonbasic at its lower bound
	AtUpper                 // nonbasic at its upper bound
	AtZero                  // nonbasic and free
)

// Basis says where every variable rests; exactly m of them are basic.
type Basis struct {
	Cols []Position // n structural variables
	Rows []Position // m row activities
}

// Result is where a solve ended. X is the best iterate so far, whatever Status says. Its vectors belong to the caller.
type Result struct {
	Status       status.Status
	Objective    float64   // cᵀx + offset
	X            []float64 // n
	Activity     []float64 // m: Ax
	Y            []float64 // m duals: what the objective gains when a row's active bound rises by one
	ReducedCosts []float64 // n: c − Aᵀy
	Iterations   int       // pivots and bound flips, primal and dual
	Basis        Basis     // whose solution X is, but for rounding
	Certificate
}

// Certificate is what proves a result; see [Check]. After the end of a context, residuals and gap are upper bounds.
type Certificate struct {
	// PrimalResidual is the largest relative violation of a bound b: for a row relative to max(|b|, Σ_j |a_ij·x_j|),
	// for a column relative to max(|b|, |x_j|).
	PrimalResidual float64
	// DualResidual is the largest reduced cost of the wrong sign, or with an infinite bound on its side, relative to
	// max(|c_j|, Σ_i |a_ij·y_i|). It is 1 if a dual value is such a one.
	DualResidual float64
	// Gap is |primal − dual objective| / (Σ_j |c_j·x_j| + |offset|); 1e-4 of the sizes of the
	// dual's terms is added below. A gap of no more than 1e-15 of the terms that the dual's are sums of is 0. Where the
	// terms are more than 100 times the objective, it is at least Σ |dual · distance to its bound| in doubled precision,
	// without what the rounding of X and Y explains, over 100 times the objective.
	Gap float64
	// Farkas (status Infeasible): m multipliers f with fᵀAx ≠ fᵀs for all x and s within their bounds.
	Farkas []float64
	// Ray (status Unbounded): a direction of n components that keeps X feasible and lowers the cost for ever.
	Ray []float64
}

// Sentinels that errors.Is finds in the errors of this package.
var (
	// ErrInvalid: a program, a change or a basis is refused; nothing has changed.
	ErrInvalid = errors.New("simplex: invalid program")
	// ErrCertificate: [Check] found that a result does not prove what it claims, or [Prove] found no proof.
	ErrCertificate = prove.ErrCertificate
)

// refusal is an error whose text says all and which is one of the sentinels.
type refusal struct {
	text string
	is   error
}

func (e *refusal) Error() string        { return "simplex: " + e.text }
func (e *refusal) Is(target error) bool { return target == e.is }

func invalid(format string, args ...any) error {
	return &refusal{fmt.Sprintf(format, args...), ErrInvalid}
}

func unproven(format string, args ...any) error {
	return &refusal{fmt.Sprintf(format, args...), ErrCertificate}
}
