package ipm

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

// LP is a linear program with few rows and many bounded columns,
//
//	min cᵀx + limit Σ_i (violation of the bounds of row i of Ax)   subject to   lo ≤ x ≤ hi,
//
// with given duals |y| ≤ limit to begin with. A step solves a system of the order of the rows. The number of steps
// hardly depends on the columns, or on how many of them are between their bounds at the optimum; a simplex method makes
// a pivot for each of these.
type LP struct {
	A            [][]float64 // rows
	C, Lo, Hi    []float64   // of columns; Lo < Hi, finite
	RowLo, RowHi []float64   // RowLo < RowHi, finite
	Limit        float64     // cost of a unit of violation of a row
	Y            []float64   // first duals, |y| < Limit
	Mu           float64     // first mean product of the distance from a bound and its multiplier
	Gap          float64     // relative duality gap at which Solve stops
	Threads      int
}

// LPPoint is an iterate within the bounds: columns X, activities Ax, duals Y, and the primal and dual objective. The
// dual objective is a lower bound of the optimum.
type LPPoint struct {
	X, Activity, Y []float64
	Primal, Dual   float64
	Steps          int
}

const maxSteps = 100

// Solve returns the first iterate with a relative gap of at most Gap, or the last one if rounding, objectives that are
// not finite or the limit of steps end the solve before. The error is the context's. The result does not depend on
// Threads.
func (p *LP) Solve(ctx context.Context) (*LPPoint, error) {
	s := newLPSolver(p)
	for steps := 0; ; steps++ {
		s.measure()
		primal, dual := s.values()
		gap := primal - dual
		trouble := gap-gap != 0 // objectives that are not finite, which no step mends
		good := gap <= p.Gap*max(1, math.Abs(dual))
		if trouble || good || steps == maxSteps || s.Step(ctx, s) != nil {
			return &LPPoint{X: s.x, Activity: s.act, Y: s.y, Primal: primal, Dual: dual, Steps: steps}, ctx.Err()
		}
	}
}

// LPBytes is the memory that Solve takes in addition to the program.
func LPBytes(rows, columns int) int64 {
	m, n := int64(rows), int64(columns)
	return 8 * (m*m + m*strip + 15*n + 24*m)
}

// lpSolver is an iterate. With t the activities within their bounds, and over and under the violations,
//
//	Ax − t − over + under = 0,   c − Aᵀy = Low.Z − High.Z of x,   y = Low.Z − High.Z of t,
//	limit + y = Z of over,   limit − y = Z of under,   all products X·Z → 0.
//
// The first equation holds in the limit, the others except the last always.
type lpSolver struct {
	*LP
	Method
	columns, rows Box
	over, under   Side
	y, dy         []float64
	x, act        []float64 // of the iterate: x and Ax

	normal       []float64 // the factor of AΘAᵀ + D, of the order of the rows
	theta, scale []float64 // Θ, and scratch of the columns
	sums         []float64 // scratch of the rows
}

// newLPSolver returns the first iterate: on the central path with duals y, except for the first equation.
func newLPSolver(p *LP) *lpSolver {
	m, n := len(p.A), len(p.C)
	s := &lpSolver{LP: p, y: append([]float64(nil), p.Y...), dy: make([]float64, m), x: make([]float64, n),
		act: make([]float64, m), normal: make([]float64, m*m), theta: make([]float64, n), scale: make([]float64, n),
		sums: make([]float64, m)}
	s.Method = NewMethod(&s.columns, &s.rows)
	s.Parts, s.Apart = append(s.Parts, &s.over, &s.under), true
	s.columns.Resize(n)
	s.rows.Resize(m)
	s.over.Resize(m)
	s.under.Resize(m)
	s.transposed(s.scale, s.y)
	for j, v := range s.scale {
		s.columns.Center(j, p.Hi[j]-p.Lo[j], p.C[j]-v, p.Mu)
	}
	for i, y := range s.y {
		s.rows.Center(i, p.RowHi[i]-p.RowLo[i], y, p.Mu)
		s.over.Z[i], s.under.Z[i] = p.Limit+y, p.Limit-y
		s.over.X[i], s.under.X[i] = p.Mu/s.over.Z[i], p.Mu/s.under.Z[i]
	}
	return s
}

// measure computes x and Ax.
func (s *lpSolver) measure() {
	for j := range s.x {
		s.x[j] = s.columns.Value(j, s.Lo[j], s.Hi[j])
	}
	s.times(s.act, s.x)
}

// values returns the objective at x and the dual objective at y.
func (s *lpSolver) values() (primal, dual float64) {
	primal = dense.Dot(s.C, s.x)
	for i, v := range s.act {
		primal += s.Limit * max(0, v-s.RowHi[i], s.RowLo[i]-v)
		if y := s.y[i]; y > 0 {
			dual += y * s.RowLo[i]
		} else {
			dual += y * s.RowHi[i]
		}
	}
	s.transposed(s.scale, s.y)
	for j, v := range s.scale {
		if d := s.C[j] - v; d > 0 {
			dual += d * s.Lo[j]
		} else {
			dual += d * s.Hi[j]
		}
	}
	return primal, dual
}

// The number of columns or rows that a worker takes at once.
const (
	passColumns = 1024
	passRows    = 32
)

// transposed sets dst = Aᵀy.
func (s *lpSolver) transposed(dst, y []float64) {
	parallel.Chunks(s.Threads, len(dst), passColumns, func(_, lo, hi int) {
		clear(dst[lo:hi])
		sum := dense.NewGather()
		for i, v := range y {
			sum.Add(v, s.A[i][lo:hi])
		}
		sum.AddTo(dst[lo:hi])
	})
}

// times sets dst = Ax.
func (s *lpSolver) times(dst, x []float64) {
	parallel.Chunks(s.Threads, len(dst), passRows, func(_, lo, hi int) {
		clear(dst[lo:hi])
		dense.AddMulGathered(dst[lo:hi], s.A[lo:hi], x)
	})
}

// strip is the number of columns whose product is added to the normal matrix at a time.
const strip = 2048

// negligible is the share of the largest weight below which a column adds nothing but rounding.
const negligible = 1e-14

// Factor implements [Newton]: it factors AΘAᵀ + D, with Θ the columns' shares, and D those of the rows and X/Z of what
// is beyond them.
func (s *lpSolver) Factor(ctx context.Context) error {
	m := len(s.A)
	var largest float64
	for j := range s.theta {
		s.theta[j] = s.columns.Share(j)
		largest = max(largest, s.theta[j])
	}
	var in []int
	for j, v := range s.theta {
		if s.scale[j] = math.Sqrt(v); v > negligible*largest {
			in = append(in, j)
		}
	}
	clear(s.normal)
	part := make([]float64, m*min(strip, len(in)))
	for lo := 0; lo < len(in); lo += strip {
		some := in[lo:min(lo+strip, len(in))]
		k := len(some)
		parallel.For(s.Threads, m, func(_, i int) {
			row, dst := s.A[i], part[i*k:(i+1)*k]
			for t, j := range some {
				dst[t] = s.scale[j] * row[j]
			}
		})
		b := dense.Of(part, m, k, k)
		if err := dense.MulLower(ctx, parallel.Workers(s.Threads), 1, b, b.T(), dense.Of(s.normal, m, m, m)); err != nil {
			return err
		}
	}
	for i := range m {
		s.normal[i*m+i] += s.rows.Share(i) + 1/s.over.Ratio[i] + 1/s.under.Ratio[i]
	}
	return cholupdate.Cholesky(ctx, s.normal, m, m, s.Threads)
}

// Direction implements [Newton]. All but y is eliminated: with v the pulls,
//
//	(AΘAᵀ + D) Δy = −(Ax − t − over + under) − AΘv + Θ_t v_t + (pull/Ratio of over) − (pull/Ratio of under),
//	Δx = Θ (AᵀΔy + v),   Δt = Θ_t (v_t − Δy),   ΔZ = Δy of over, −Δy of under.
func (s *lpSolver) Direction(bool) {
	for j, theta := range s.theta {
		s.scale[j] = theta * s.columns.Pull(j)
	}
	s.times(s.sums, s.scale)
	for i, sum := range s.sums {
		t := s.rows.Value(i, s.RowLo[i], s.RowHi[i])
		lacks := t + s.over.X[i] - s.under.X[i] - s.act[i]
		beyond := s.over.DZ[i]/s.over.Ratio[i] - s.under.DZ[i]/s.under.Ratio[i]
		s.dy[i] = lacks - sum + s.rows.Share(i)*s.rows.Pull(i) + beyond
	}
	cholupdate.Solve(s.normal, len(s.A), len(s.A), s.dy)
	s.transposed(s.scale, s.dy)
	for j, v := range s.scale {
		s.columns.Move(j, s.theta[j]*(v+s.columns.Pull(j)))
	}
	for i, dy := range s.dy {
		s.rows.Move(i, s.rows.Share(i)*(s.rows.Pull(i)-dy))
		s.over.DX[i], s.over.DZ[i] = (s.over.DZ[i]-dy)/s.over.Ratio[i], dy
		s.under.DX[i], s.under.DZ[i] = (s.under.DZ[i]+dy)/s.under.Ratio[i], -dy
	}
}

// Move implements [Newton].
func (s *lpSolver) Move(_, z float64) { dense.Axpy(z, s.dy, s.y) }
