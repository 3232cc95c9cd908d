package learn

import (
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/status"
)

// Expansion is a decision function f(x) = Σ Coef_s k(x, x_Support[s]) + Bias; its sign is the class.
type Expansion struct {
	Support []int     // rows of the problem; ascending, except greedy selections, which keep their order
	Vectors []float64 // in the place of Support: vectors that are no rows of the problem, row-major
	Coef    []float64 // signed (the label is folded in), one a vector
	Bias    float64
}

// Rest is a machine's Neg when it separates Pos from all other classes.
const Rest = -1

// Machine is one two-class machine of a classifier; its decision is positive for class Pos.
// What its Support counts is for its holder to say: rows of a set, places in a pool of vectors.
type Submodel struct {
	Pos, Neg int // class indices; Neg may be [Rest]
	Expansion
	Kernel *gram.Kernel // nil for the classifier's; else a kernel of this machine's own
}

// Trained is a machine and how its training went.
type Trained struct {
	Submodel
	Report Report
}

// Chooser is implemented by the [Report.Figures] of a method that chooses parameters by itself.
type Chooser interface {
	// Chosen returns the values of the method's parameters, by name, and γ, with which it trains without a choice what it
	// has chosen.
	Chosen() (values Values, gamma float64)
}

// Result is what a trainer returns. With a status that is a limit, the expansion is the best so far.
type Result struct {
	Expansion
	Kernel *gram.Kernel // nil for the problem's; else one that the method has learnt
	Report Report
	// Posterior, where the method knows how sure it is of real values, is that of the coefficients; nil elsewhere.
	Posterior *Posterior
}

// KernelOf is the kernel of the machine trained on p.
func (r *Result) KernelOf(p *Problem) gram.Kernel {
	if r.Kernel != nil {
		return *r.Kernel
	}
	return p.Kernel
}

// Report says how a training went.
type Report struct {
	Status    status.Status
	Message   string  // what a person should know: a collapse to f = 0, merged duplicates, ...
	Objective float64 // of the (last) problem solved, at the machine returned
	// Duality is the certificate of a convex program; nil where the method solves none.
	Duality *Duality
	// Residual, for least-squares machines, is the relative residual ‖b − A z‖/‖b‖ of
	// the linear system or the normal equations at the returned coefficients,
	// computed afresh from the data; nil for other machines.
	Residual        *float64
	Iterations      int // outer iterations
	InnerIterations int
	KernelEvals     int64
	Rounds          []Round // one for each outer iteration of a reweighted method
	Seconds         Seconds
	// Slope, where the method knows probabilities, makes that of class Pos 1/(1 + exp(−Slope f)); nil elsewhere.
	Slope *float64
	// Refit is what held-out points say of a refit of the coefficients; nil where nobody looked.
	Refit *Refit
	// Figures is a struct of the method's own figures, such as svc.Figures, with JSON names; nil for none.
	Figures any

	idle float64 // what f = 0 costs, where it is known
}

// Duality says how far from the optimum of its convex program a machine is at most.
type Duality struct {
	Objective float64 // of the dual
	Gap       float64 // (primal − dual objective) / max(1, |primal objective|)
	KKT       float64 // largest violation of the optimality conditions, in units of the decision function
}

// Refit says whether a machine has the method's own coefficients or such as were fitted to its vectors again.
type Refit struct {
	Kept   bool    `json:"kept"`   // the machine has the refitted ones
	C      float64 `json:"c"`      // of the refit
	Points int     `json:"points"` // held out
	Before HeldOut `json:"before"` // the method's own coefficients
	After  HeldOut `json:"after"`
}

// HeldOut is what a machine makes of points that it was not trained on, by their weight.
type HeldOut struct {
	Loss  float64 `json:"loss"`  // mean squared hinge
	Error float64 `json:"error"` // fraction
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
