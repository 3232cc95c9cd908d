package learn

import (
	"slices"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/fileformat"
	"github.com/sparsekm/sparsekm/status"
)

// Expansion is a decision function f(x) = Σ Coef_s k(x, x_Support[s]) + Bias; its sign is the class. To that some
// methods add a plane and steps, [Expansion.Extra].
type Expansion struct {
	Support []int     // rows of the problem; ascending, except greedy selections, which keep their order
	Vectors []float64 // instead of Support: vectors that are no rows of the problem, row-major
	Coef    []float64 // signed (the label is folded in), one a vector
	Bias    float64
	Plane   []float64 // a weight for each feature; nil for no plane
	Steps   []Step
}

// Rest is a model's Neg when it separates Pos from all other classes.
const Rest = -1

// Submodel is one decision function of a classifier; it is positive for class Pos. Support are rows of a set, or
// indices into a pool of vectors: whoever makes the submodel says which.
type Submodel struct {
	Pos, Neg int // class indices; Neg may be [Rest]
	Expansion
	Kernel *gram.Kernel // a kernel of this submodel alone; nil for the classifier's
}

// Trained is a submodel and the report of its training.
type Trained struct {
	Submodel
	Report Report
}

// Chooser is implemented by the [Report.Figures] of a method that chooses parameters by itself.
type Chooser interface {
	// Chosen returns the chosen parameters, by name, and γ: a training with these makes the same model. Edges are those
	// of what was tried at which they lie.
	Chosen() (values Values, gamma float64, edges []Edge)
}

// Edge is an end of the values that were tried at which a choice lies: a better value may lie beyond it.
type Edge struct {
	Name  string  `json:"name"` // of the parameter
	Value float64 `json:"value"`
	Least bool    `json:"least"` // the end of the smallest value
}

// Result is what a trainer returns. With a status that is a limit, the expansion is the best so far.
type Result struct {
	Expansion
	Kernel *gram.Kernel // a kernel that the method has learnt; nil for the problem's
	Report Report
	// Values has a value for each level of Problem.Coded, feature by feature: what the features of vectors, steps and
	// planes are in the units of.
	Values []float64
	// Posterior is the distribution of the coefficients of a Bayesian regression; nil for other methods.
	Posterior *Posterior
	// Decisions are those of the problem's samples, if [WithDecisions] asked and the method has them; [Result.Current]
	// returns them.
	Decisions *Decisions
}

// KernelOf is the kernel of the model trained on p.
func (r *Result) KernelOf(p *Problem) gram.Kernel {
	if r.Kernel != nil {
		return *r.Kernel
	}
	return p.Kernel
}

// Report says how a training went.
type Report struct {
	Status    status.Status
	Message   string  // for people: a collapse to f = 0, merged duplicates, ...
	Objective float64 // of the (last) problem solved, at the model returned
	// Duality is the certificate of a convex program; nil where the method solves none.
	Duality *Duality
	// Residual, for least-squares models, is the relative residual ‖b − A z‖/‖b‖ of
	// the linear system or the normal equations at the returned coefficients,
	// computed afresh from the data; nil for other models.
	Residual        *float64
	Iterations      int // outer iterations
	InnerIterations int
	KernelEvals     int64
	Rounds          []Round // one for each outer iteration of a reweighted method
	Seconds         Seconds
	// Slope gives class Pos the probability 1/(1 + exp(−Slope f)); nil for methods without probabilities.
	Slope *float64
	// Refit compares the method's coefficients with refitted ones on held-out samples; nil without a refit.
	Refit *Refit
	// Figures is a struct of the method's own figures, such as svc.Figures, with JSON names; nil for none.
	Figures any

	idle float64 // the objective of f = 0, where it is known
}

// Duality bounds how far a model is from the optimum of its convex program.
type Duality struct {
	Objective float64 // of the dual
	Gap       float64 // (primal − dual objective) / max(1, |primal objective|)
	KKT       float64 // largest violation of the optimality conditions, in units of the decision function
	Proved    *Proved // nil where nobody asked, see [WithProof]
}

// Refit says whether a model has the method's own coefficients or refitted ones.
type Refit struct {
	Kept    bool    `json:"kept"`    // the model has the refitted ones
	C       float64 `json:"c"`       // of the refit
	Samples int     `json:"samples"` // held out
	Before  HeldOut `json:"before"`  // the method's own coefficients
	After   HeldOut `json:"after"`
}

// HeldOut is a model's weighted mean loss and error on held-out samples.
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

// reportJSON has the names of the command's reports.
type reportJSON struct {
	Status          status.Status `json:"status"`
	Message         string        `json:"message,omitempty"`
	Objective       float64       `json:"objective"`
	DualObjective   *float64      `json:"dual_objective,omitempty"`
	Gap             *float64      `json:"gap,omitempty"`
	KKT             *float64      `json:"kkt,omitempty"`
	Proved          *Proved       `json:"proved,omitempty"`
	Residual        *float64      `json:"residual,omitempty"`
	Slope           *float64      `json:"probability_slope,omitempty"`
	Iterations      int           `json:"iterations"`
	InnerIterations int           `json:"inner_iterations"`
	KernelEvals     int64         `json:"kernel_evals"`
	Rounds          []Round       `json:"rounds,omitempty"`
	Seconds         Seconds       `json:"seconds"`
	Figures         any           `json:"figures,omitempty"`
}

// MarshalJSON writes status (a word), message, objective, dual_objective, gap, kkt, proved, residual,
// probability_slope, iterations, inner_iterations, kernel_evals, rounds, seconds and figures. What nobody computed is
// absent, and a number that is not finite is null.
func (r Report) MarshalJSON() ([]byte, error) {
	j := reportJSON{Status: r.Status, Message: r.Message, Objective: r.Objective, Residual: r.Residual, Slope: r.Slope,
		Iterations: r.Iterations, InnerIterations: r.InnerIterations, KernelEvals: r.KernelEvals, Rounds: r.Rounds,
		Seconds: r.Seconds, Figures: r.Figures}
	if d := r.Duality; d != nil {
		j.DualObjective, j.Gap, j.KKT, j.Proved = &d.Objective, &d.Gap, &d.KKT, d.Proved
	}
	return fileformat.Marshal(j)
}

// MarshalJSON writes the fields by their names; a number that is not finite is null.
func (r Round) MarshalJSON() ([]byte, error) {
	type plain Round
	return fileformat.Marshal(plain(r))
}

// Posterior is what the variance of a regression model's predictions follows from: the normal posterior of its
// coefficients, whose mean they are, or that of a Gaussian process.
type Posterior struct {
	Noise float64 // variance of a target around f
	// Covariance of the coefficients, in the order of [Expansion.Coef] and the bias last: the lower triangle, row by row,
	// of m(m+1)/2 elements for m − 1 coefficients. Nil with a Process.
	Covariance []float64
	Process    *Process // nil for a posterior of coefficients
}

// Process is the variance of f for a Gaussian process, Prior·k(x, x) − ‖Tk‖² + ‖SᵀTk‖² with the kernel values k of a
// sample x with the m vectors, in the order of [Expansion.Coef]. The kernel has k(x, x) = 1 or is composite. Both lower
// triangles have m(m+1)/2 elements, row by row.
type Process struct {
	Prior    float64   // variance of f before any data, the factor of the kernel
	Triangle []float64 // T: Prior·L⁻¹ for the Cholesky factor L of the vectors' covariances
	Spread   []float64 // S: SSᵀ is the covariance of L⁻¹f at the vectors; nil for 0, where f is known there
}

// Clone returns a copy that shares nothing; nil of nil.
func (p *Posterior) Clone() *Posterior { return p.Times(1) }

// Times returns the posterior for targets multiplied by a number; nil of nil.
func (p *Posterior) Times(by float64) *Posterior {
	if p == nil {
		return nil
	}
	q := &Posterior{Noise: p.Noise * by * by, Covariance: times(p.Covariance, by*by)}
	if f := p.Process; f != nil {
		q.Process = &Process{Prior: f.Prior * by * by, Triangle: times(f.Triangle, by), Spread: times(f.Spread, 1)}
	}
	return q
}

// times returns the products of v with a number; nil of nil.
func times(v []float64, by float64) []float64 {
	v = slices.Clone(v)
	for i := range v {
		v[i] *= by
	}
	return v
}

// Variance is the predictive variance of a target for a posterior of coefficients, noise + φᵀΣφ (Tipping 2001, eq.
// (22)). phi has the sample's kernel values with the support vectors, and a last element of 1 for the bias.
func (p *Posterior) Variance(phi []float64) float64 {
	v, row := p.Noise, p.Covariance
	for i, x := range phi {
		var sum float64
		for j, c := range row[:i] {
			sum += c * phi[j]
		}
		v += x * (2*sum + row[i]*x)
		row = row[i+1:]
	}
	return v
}
