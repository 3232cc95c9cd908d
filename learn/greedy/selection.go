package greedy

import (
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// Selection is an ordered choice of training points together with the least
// squares of their kernel columns. It does not depend on C, and a selection at
// one η contains those at every larger η as prefixes: one selection serves the
// whole grid over (η, C).
type Selection struct {
	Support     []int     // rows of the problem in the order of selection
	J           []float64 // objective of eq. (11) of Abe (2008) after each point: M²/(M1 M2) R²
	Status      status.Status
	Message     string // why the selection ended before its limits; usually empty
	KernelEvals int64
	Seconds     float64 // of the selection, kernel evaluations included

	criterion
	threads int
	r       [][]float64 // columns of R; r[k] has k+1 values
	u       []float64   // Q'y
	rest    float64     // ‖y‖² without a ridge of the residual y − Q u, with one of y itself
	mean    []float64   // mean of each chosen column
	ybar    float64
	scale   float64 // J = scale·Σu²
}

// selection packs up what f chose. It keeps no vector of f's.
func (f *forward) selection(st status.Status) *Selection {
	b := f.basis
	s := &Selection{
		Support: f.Rows(f.kept), Status: st, Message: f.message, KernelEvals: f.evals,
		criterion: f.criterion, threads: f.Threads, r: f.columnsOfR(), u: b.u, rest: dense.Dot(b.y, b.y), ybar: f.ybar,
	}
	for _, j := range f.kept {
		s.mean = append(s.mean, f.mean[j])
	}
	var positive float64
	for i, y := range f.Y {
		if y > 0 {
			positive += f.W[i]
		}
	}
	s.scale = f.Total * f.Total / (positive * (f.Total - positive)) / f.energy
	var sum float64
	for _, u := range s.u {
		sum += u * u
		s.J = append(s.J, s.scale*sum)
	}
	return s
}

// columnsOfR copies R, so that a selection does not keep the store.
func (f *forward) columnsOfR() [][]float64 {
	r := make([][]float64, len(f.kept))
	for k := range r {
		r[k] = slices.Clone(f.basis.r(k))
	}
	return r
}

// Prefix returns how many points the selection would have had with a larger η:
// those before the first whose relative increase of J, eq. (19), is below eta.
func (s *Selection) Prefix(eta float64) int {
	old := 0.0
	for k, j := range s.J {
		if j-old < eta*j {
			return k
		}
		old = j
	}
	return len(s.J)
}

// Solve returns the expansion on the first n selected points that minimises
// ½‖v‖² + (C/2) Σ w_i ξ_i², Abe (2008), eq. (3) and (4), where 1/C on the left
// of (4) means I/C. C = +Inf gives plain least squares. A selection with a
// ridge (SGGP, PFSALS) carries its own penalty and ignores c.
func (s *Selection) Solve(n int, c float64) learn.Expansion {
	r := make([][]float64, n)
	for k := range r {
		r[k] = slices.Clone(s.r[k])
	}
	v := ridge(s.threads, r, slices.Clone(s.u[:n]), s.penalty(c))
	e := learn.Expansion{Support: append([]int(nil), s.Support[:n]...), Coef: v, Bias: s.ybar}
	for k, a := range v {
		e.Bias -= a * s.mean[k]
	}
	return e
}

// penalty is the factor of ‖v‖² beside the squared error when C is c.
func (s *Selection) penalty(c float64) float64 {
	if s.ridge > 0 {
		return 0
	}
	return 1 / c
}

// objective is ½‖v‖² + (C/2) Σ w_i ξ_i², eq. (1), for coefficients v of the whole
// selection; with a ridge ρ it is half of what that penalises, and for C = +Inf
// half the squared error alone.
func (s *Selection) objective(v []float64, c float64) float64 {
	sum := s.rest
	if s.ridge > 0 { // half the minimum of ‖y − K_S v‖² + ρ v'K_SS v
		return (sum - dense.Dot(s.u, s.u)) / 2
	}
	left := slices.Clone(s.u) // ξ = (y − Q u) + Q (u − R v)
	for k, a := range v {
		dense.Axpy(-a, s.r[k], left)
	}
	sum += dense.Dot(left, left)
	if math.IsInf(c, 1) {
		return sum / 2
	}
	return (c*sum + dense.Dot(v, v)) / 2
}
