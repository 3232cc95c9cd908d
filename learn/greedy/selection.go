package greedy

import (
	"math"
	"slices"

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
	r     [][]float64 // columns of R; r[k] has k+1 values
	u     []float64   // Q'y
	mean  []float64   // mean of each chosen column
	ybar  float64
	scale float64 // J = scale·Σu²
}

// selection packs up what f chose. It keeps no vector of f's.
func (f *forward) selection(st status.Status) *Selection {
	b := f.basis
	s := &Selection{
		Support: f.Rows(f.kept), Status: st, Message: f.message, KernelEvals: f.evals,
		criterion: f.criterion, r: f.columnsOfR(), u: b.u, ybar: f.ybar,
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
	v := ridge(r, slices.Clone(s.u[:n]), s.penalty(c))
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

// ridge returns the v that minimises ‖R v − u‖² + mu ‖v‖² for an upper
// triangular R given by its columns. Each row √mu e_k' below R is rotated away
// by Givens rotations; r and u are overwritten. Where R and mu leave an element
// undetermined (a pivot of exactly zero), it is zero.
func ridge(r [][]float64, u []float64, mu float64) []float64 {
	n := len(u)
	row := make([]float64, n)
	for k := 0; mu > 0 && k < n; k++ {
		clear(row)
		row[k] = math.Sqrt(mu)
		var right float64
		for i := k; i < n; i++ {
			if row[i] == 0 {
				continue
			}
			h := math.Hypot(r[i][i], row[i])
			c, s := r[i][i]/h, row[i]/h
			r[i][i] = h
			for j := i + 1; j < n; j++ {
				r[j][i], row[j] = c*r[j][i]+s*row[j], c*row[j]-s*r[j][i]
			}
			u[i], right = c*u[i]+s*right, c*right-s*u[i]
		}
	}
	for k := n - 1; k >= 0; k-- {
		if r[k][k] == 0 {
			u[k] = 0
			continue
		}
		u[k] /= r[k][k]
		for i := range k {
			u[i] -= r[k][i] * u[k]
		}
	}
	return u
}
