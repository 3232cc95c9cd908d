// Package interior solves linear programs with few rows and many bounded columns,
//
//	min cᵀx + limit Σ_i (violation of the bounds of row i of Ax)   subject to   lo ≤ x ≤ hi,
//
// by the primal-dual interior-point method of Mehrotra (1992), from given duals |y| ≤ limit. A step solves a
// system of the order of the rows. The number of steps hardly depends on the columns, or on how many of them are
// between their bounds at the optimum; a simplex method makes a pivot for each of these.
package interior

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

// Program is the linear program.
type Program struct {
	A            [][]float64 // rows
	C, Lo, Hi    []float64   // of columns; Lo < Hi, finite
	RowLo, RowHi []float64   // RowLo < RowHi, finite
	Limit        float64     // cost of a unit of violation of a row
	Y            []float64   // first duals, |y| < Limit
	Mu           float64     // first mean product of the distance from a bound and its multiplier
	Gap          float64     // relative duality gap at which Solve stops
	Threads      int
}

// Point is an iterate within the bounds: columns X, activities Ax, duals Y, and the primal and dual objective. The
// dual objective is a lower bound of the optimum.
type Point struct {
	X, Activity, Y []float64
	Primal, Dual   float64
	Steps          int
}

const maxSteps = 100

// Solve returns the first iterate with a relative gap of at most Gap, or the last one if rounding, objectives that are
// not finite or the limit of steps end the solve before. The error is the context's. The result does not depend on
// Threads.
func (p *Program) Solve(ctx context.Context) (*Point, error) {
	s := newSolver(p)
	for steps := 0; ; steps++ {
		s.measure()
		primal, dual := s.values()
		gap := primal - dual
		trouble := gap-gap != 0 // objectives that are not finite, which no step mends
		good := gap <= p.Gap*max(1, math.Abs(dual))
		if trouble || good || steps == maxSteps || !s.step(ctx) {
			return &Point{X: s.x, Activity: s.act, Y: s.y, Primal: primal, Dual: dual, Steps: steps}, ctx.Err()
		}
	}
}

// Bytes is the memory that Solve takes in addition to the program.
func Bytes(rows, columns int) int64 {
	m, n := int64(rows), int64(columns)
	return 8 * (m*m + m*strip + 16*n + 40*m)
}

// side holds the distances x of variables from a bound, the bound's multipliers z, and the directions of both. want is
// the target of the products x·z.
type side struct{ x, z, dx, dz, want []float64 }

func newSide(n int) side {
	all := make([]float64, 5*n)
	return side{all[:n:n], all[n : 2*n : 2*n], all[2*n : 3*n : 3*n], all[3*n : 4*n : 4*n], all[4*n:]}
}

// boxed are variables between two bounds: low.x + high.x is their distance.
type boxed struct{ low, high side }

func newBoxed(n int) boxed { return boxed{newSide(n), newSide(n)} }

// solver is an iterate. With t the activities within their bounds, and over and under the violations,
//
//	Ax − t − over + under = 0,   c − Aᵀy = z_low − z_high of x,   y = z_low − z_high of t,
//	limit + y = z of over,   limit − y = z of under,   all products x·z = μ → 0.
//
// The first equation holds in the limit, the others except the last always.
type solver struct {
	*Program
	columns, rows boxed
	over, under   side
	y, dy         []float64
	x, act        []float64 // of the iterate: x and Ax
	mu            float64

	normal       []float64 // the factor of AΘAᵀ + D, of the order of the rows
	theta, scale []float64 // Θ, and scratch of the columns
	sums         []float64 // scratch of the rows
}

// newSolver returns the first iterate: on the central path with duals y, except for the first equation.
func newSolver(p *Program) *solver {
	m, n := len(p.A), len(p.C)
	s := &solver{Program: p, columns: newBoxed(n), rows: newBoxed(m), over: newSide(m), under: newSide(m),
		y: append([]float64(nil), p.Y...), dy: make([]float64, m), x: make([]float64, n), act: make([]float64, m),
		normal: make([]float64, m*m), theta: make([]float64, n), scale: make([]float64, n), sums: make([]float64, m)}
	s.transposed(s.scale, s.y)
	for j, v := range s.scale {
		s.columns.center(j, p.Hi[j]-p.Lo[j], p.C[j]-v, p.Mu)
	}
	for i, y := range s.y {
		s.rows.center(i, p.RowHi[i]-p.RowLo[i], y, p.Mu)
		s.over.z[i], s.under.z[i] = p.Limit+y, p.Limit-y
		s.over.x[i], s.under.x[i] = p.Mu/s.over.z[i], p.Mu/s.under.z[i]
	}
	return s
}

// center puts variable j where z_low − z_high = d and both products are mu.
func (b *boxed) center(j int, width, d, mu float64) {
	wd := width * math.Abs(d)
	near := 2 * mu * width / (wd + 2*mu + math.Hypot(wd, 2*mu))
	if far := width - near; d >= 0 {
		b.low.x[j], b.high.x[j] = near, far
	} else {
		b.low.x[j], b.high.x[j] = far, near
	}
	b.low.z[j], b.high.z[j] = mu/b.low.x[j], mu/b.high.x[j]
}

// value returns variable j between lo and hi, computed from the nearer bound.
func (b *boxed) value(j int, lo, hi float64) float64 {
	if b.low.x[j] < b.high.x[j] {
		return lo + b.low.x[j]
	}
	return hi - b.high.x[j]
}

// sides returns all sides.
func (s *solver) sides() [6]*side {
	return [6]*side{&s.columns.low, &s.columns.high, &s.rows.low, &s.rows.high, &s.over, &s.under}
}

// measure computes x, Ax and the mean product.
func (s *solver) measure() {
	for j := range s.x {
		s.x[j] = s.columns.value(j, s.Lo[j], s.Hi[j])
	}
	s.times(s.act, s.x)
	var sum float64
	for _, v := range s.sides() {
		sum += dense.Dot(v.x, v.z)
	}
	s.mu = sum / s.products()
}

func (s *solver) products() float64 { return float64(2*len(s.C) + 4*len(s.A)) }

// values returns the objective at x and the dual objective at y.
func (s *solver) values() (primal, dual float64) {
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
func (s *solver) transposed(dst, y []float64) {
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
func (s *solver) times(dst, x []float64) {
	parallel.Chunks(s.Threads, len(dst), passRows, func(_, lo, hi int) {
		clear(dst[lo:hi])
		dense.AddMulGathered(dst[lo:hi], s.A[lo:hi], x)
	})
}

// step is a predictor, a corrector and the step along both. It reports whether the equations could be solved.
func (s *solver) step(ctx context.Context) bool {
	if err := s.factor(ctx); err != nil {
		return false
	}
	for _, v := range s.sides() {
		clear(v.want)
	}
	s.direction()
	px, pz := s.reach()
	var after float64
	for _, v := range s.sides() {
		for j, x := range v.x {
			after += (x + px*v.dx[j]) * (v.z[j] + pz*v.dz[j])
		}
	}
	after /= s.products()
	center := math.Pow(after/s.mu, 3) * s.mu
	for _, v := range s.sides() {
		for j, dx := range v.dx {
			v.want[j] = center - dx*v.dz[j]
		}
	}
	s.direction()
	px, pz = s.reach()
	px, pz = min(1, 0.995*px), min(1, 0.995*pz)
	for _, v := range s.sides() {
		dense.Axpy(px, v.dx, v.x)
		dense.Axpy(pz, v.dz, v.z)
	}
	dense.Axpy(pz, s.dy, s.y)
	return ctx.Err() == nil
}

// strip is the number of columns whose product is added to the normal matrix at a time.
const strip = 2048

// negligible is the share of the largest weight below which a column adds nothing but rounding.
const negligible = 1e-14

// factor makes the factor of AΘAᵀ + D, with Θ the inverse of z_low/x_low + z_high/x_high of the columns, and D that of
// the rows and x/z of what is beyond them.
func (s *solver) factor(ctx context.Context) error {
	m := len(s.A)
	var largest float64
	for j := range s.theta {
		s.theta[j] = s.columns.share(j)
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
		s.normal[i*m+i] += s.rows.share(i) + s.over.x[i]/s.over.z[i] + s.under.x[i]/s.under.z[i]
	}
	return cholupdate.Cholesky(ctx, s.normal, m, m, s.Threads)
}

// share is Θ of variable j.
func (b *boxed) share(j int) float64 { return 1 / (b.low.z[j]/b.low.x[j] + b.high.z[j]/b.high.x[j]) }

// pull is what z_low − z_high gains by products as wanted where x stays.
func (b *boxed) pull(j int) float64 {
	return b.low.want[j]/b.low.x[j] - b.low.z[j] - b.high.want[j]/b.high.x[j] + b.high.z[j]
}

// move makes the direction of variable j along which x gains dx.
func (b *boxed) move(j int, dx float64) {
	b.low.dx[j], b.high.dx[j] = dx, -dx
	b.low.dz[j] = (b.low.want[j]-b.low.z[j]*dx)/b.low.x[j] - b.low.z[j]
	b.high.dz[j] = (b.high.want[j]+b.high.z[j]*dx)/b.high.x[j] - b.high.z[j]
}

// direction solves Newton's equations for products as wanted. All but y is eliminated: with v the pulls,
//
//	(AΘAᵀ + D) Δy = −(Ax − t − over + under) − AΘv + Θ_t v_t + (want/z − x of over) − (want/z − x of under),
//	Δx = Θ (AᵀΔy + v),   Δt = Θ_t (v_t − Δy),   Δz = Δy of over, −Δy of under.
func (s *solver) direction() {
	for j, theta := range s.theta {
		s.scale[j] = theta * s.columns.pull(j)
	}
	s.times(s.sums, s.scale)
	for i, sum := range s.sums {
		t := s.rows.value(i, s.RowLo[i], s.RowHi[i])
		lacks := t + s.over.x[i] - s.under.x[i] - s.act[i]
		beyond := s.over.want[i]/s.over.z[i] - s.over.x[i] - s.under.want[i]/s.under.z[i] + s.under.x[i]
		s.dy[i] = lacks - sum + s.rows.share(i)*s.rows.pull(i) + beyond
	}
	cholupdate.Solve(s.normal, len(s.A), len(s.A), s.dy)
	s.transposed(s.scale, s.dy)
	for j, v := range s.scale {
		s.columns.move(j, s.theta[j]*(v+s.columns.pull(j)))
	}
	for i, dy := range s.dy {
		s.rows.move(i, s.rows.share(i)*(s.rows.pull(i)-dy))
		s.over.dz[i], s.under.dz[i] = dy, -dy
		s.over.dx[i] = (s.over.want[i]-s.over.x[i]*dy)/s.over.z[i] - s.over.x[i]
		s.under.dx[i] = (s.under.want[i]+s.under.x[i]*dy)/s.under.z[i] - s.under.x[i]
	}
}

// reach is the largest steps up to 1 that keep distances, and multipliers, from being negative.
func (s *solver) reach() (x, z float64) {
	x, z = 1, 1
	for _, v := range s.sides() {
		x, z = within(x, v.x, v.dx), within(z, v.z, v.dz)
	}
	return x, z
}

func within(t float64, x, dx []float64) float64 {
	for j, d := range dx {
		if x[j]+t*d < 0 {
			t = -x[j] / d
		}
	}
	return t
}
