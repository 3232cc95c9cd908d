package interior

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

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
	var most float64
	for j := range s.theta {
		s.theta[j] = s.columns.share(j)
		most = max(most, s.theta[j])
	}
	var in []int
	for j, v := range s.theta {
		if s.scale[j] = math.Sqrt(v); v > negligible*most {
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
