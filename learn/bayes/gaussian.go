package bayes

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// gaussian is the linear Gaussian model of Laplace's approximation: targets z = f + B⁻¹ slope with noise of precision
// B, both fixed. Its posterior has the factors of Tipping & Faul (2003), eq. (24)-(25) and section 3,
//
//	S_m = φ_mᵀBφ_m − φ_mᵀBΦᵀ Σ ΦBφ_m,   Q_m = φ_mᵀB(z − Φᵀμ),
//
// for every basis function m. A change of one precision updates each of them in O(m).
type gaussian struct {
	t    *task
	room int // basis functions that there is memory for
	active
	factors
	productRows
	curvature   []float64 // B
	rate        float64   // unit of precisions
	row, column []float64 // scratch
	rejected    map[int]bool
}

// active are the basis functions in the model.
type active struct {
	basis []int
	place []int // basis function → its place in at, −1 for none
	alpha []float64
	mean  []float64 // μ
	cov   []float64 // Σ, with rows of length room
}

// factors has one number for each basis function.
type factors struct {
	s, q  []float64 // S_m and Q_m
	norm2 []float64 // φ_mᵀBφ_m
	d     []float64 // correction of q_m for the change of the mode, see drift
}

// productRows are the products ΦBφ of the active basis functions with all others.
type productRows struct {
	prod    []float64 // a row for each active basis function
	scratch []float64 // scratch of the same size
	oldRow  []int     // basis function → its row of prod before the last start
	beta    float64   // regression: the noise precision in prod; 0 before the first start
}

// kind of a step.
type kind int

const (
	add kind = iota
	alter
	drop
)

// action is a step: add, alter or drop basis function j, with its new precision.
type action struct {
	kind  kind
	j     int
	alpha float64
}

// dependent is the share of φ_mᵀBφ_m below which S_m is only rounding.
const dependent = 1e-9

func newGaussian(t *task, room int) *gaussian {
	vector := func(n int) []float64 { return make([]float64, n) }
	g := &gaussian{t: t, room: room, rejected: make(map[int]bool), row: vector(t.cols), column: vector(room)}
	g.active = active{place: make([]int, t.cols), cov: vector(room * room)}
	g.factors = factors{s: vector(t.cols), q: vector(t.cols), norm2: vector(t.cols), d: vector(t.cols)}
	g.productRows = productRows{prod: vector(room * t.cols), scratch: vector(room * t.cols), oldRow: make([]int, t.cols)}
	return g
}

// start sets the model to that of a posterior at its mode. The error is the context's.
func (g *gaussian) start(ctx context.Context, p *posterior) error {
	t, m := g.t, p.size()
	g.basis = append(g.basis[:0], p.basis...)
	g.alpha = append(g.alpha[:0], p.alpha...)
	g.mean = append(g.mean[:0], p.w...)
	g.curvature = append(g.curvature[:0], p.curvature...)
	g.rate = p.rate()
	clear(g.rejected)
	copy(g.oldRow, g.place)
	for j := range g.place {
		g.place[j] = -1
	}
	for s, j := range g.basis {
		g.place[j] = s
	}
	if err := p.invert(ctx, g.cov, g.room); err != nil {
		return err
	}
	if err := g.squares(ctx, p); err != nil {
		return err
	}
	dense.MulVec(g.q, t.phi, t.n, p.slope)
	copy(g.s, g.norm2)
	clear(g.d)
	if m == 0 {
		if p.noise != nil {
			g.beta = p.noise.beta
		}
		return ctx.Err()
	}
	if err := g.drift(ctx, p); err != nil {
		return err
	}
	if err := g.multiply(ctx, p); err != nil {
		return err
	}
	copy(g.scratch, g.prod[:m*t.cols])
	h, rows := dense.Of(p.h, m, m, m), dense.Of(g.scratch, m, t.cols, t.cols)
	if err := dense.SolveLower(ctx, p.threads, h, rows); err != nil {
		return err
	}
	for s := range m {
		for j, v := range g.scratch[s*t.cols : (s+1)*t.cols] {
			g.s[j] -= v * v
		}
	}
	return ctx.Err()
}

// squares fills norm2. Normal noise only changes its factor. The error is the context's.
func (g *gaussian) squares(ctx context.Context, p *posterior) error {
	if g.beta > 0 {
		times(g.norm2, p.noise.beta/g.beta)
		return nil
	}
	for j := range g.norm2 {
		if j%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		g.norm2[j] = square(g.t.column(j), g.curvature)
	}
	return nil
}

// multiply fills prod. Under normal noise old rows are only rescaled, and new basis functions alone are multiplied by
// all others. The error is the context's; prod is unusable then.
func (g *gaussian) multiply(ctx context.Context, p *posterior) error {
	t, m := g.t, p.size()
	known, ratio := g.beta > 0, 0.0
	if p.noise != nil {
		ratio, g.beta = p.noise.beta/g.beta, p.noise.beta
	}
	if !known || many(g.basis, g.oldRow) {
		weighted := make([]float64, m*t.n)
		for s := range m {
			weigh(weighted[s*t.n:(s+1)*t.n], p.phi[s*t.n:(s+1)*t.n], g.curvature)
		}
		clear(g.prod[:m*t.cols])
		err := dense.Mul(ctx, p.threads, 1, dense.Of(weighted, m, t.n, t.n), dense.Of(t.phi, t.cols, t.n, t.n).T(),
			dense.Of(g.prod, m, t.cols, t.cols))
		if err != nil {
			g.beta = 0
		}
		return err
	}
	weighted := make([]float64, t.n)
	for s, j := range g.basis {
		row := g.scratch[s*t.cols : (s+1)*t.cols]
		if old := g.oldRow[j]; old >= 0 {
			clear(row)
			dense.Axpy(ratio, g.prod[old*t.cols:(old+1)*t.cols], row)
			continue
		}
		weigh(weighted, t.column(j), g.curvature)
		dense.MulVec(row, t.phi, t.n, weighted)
	}
	g.prod, g.scratch = g.scratch, g.prod
	return ctx.Err()
}

// drift sets d so that gains with q (q − d) instead of q² are those of the evidence to first order. They account for
// the change of the mode, and so of B and ln |H|. During a run of steps, d keeps its value from the start of the run.
func (g *gaussian) drift(ctx context.Context, p *posterior) error {
	m, t := p.size(), g.t
	c, u, along := make([]float64, m), make([]float64, t.n), make([]float64, t.n)
	if err := p.drift(ctx, c, u); err != nil {
		return err
	}
	dense.AddRows(along, c, p.phi, t.n)
	for i, b := range g.curvature {
		u[i] -= b * along[i]
	}
	dense.MulVec(g.d, t.phi, t.n, u)
	for s, j := range g.basis {
		g.d[j] = c[s] / g.cov[s*g.room+s]
	}
	return nil
}

// weigh writes b x to dst, element by element.
func weigh(dst, x, b []float64) {
	b = b[:len(x)]
	for i, v := range x {
		dst[i] = v * b[i]
	}
}

// square is Σ b x².
func square(x, b []float64) float64 {
	var s0, s1, s2, s3 float64
	b = b[:len(x)]
	i := 0
	for ; i+4 <= len(x); i += 4 {
		s0 += b[i] * x[i] * x[i]
		s1 += b[i+1] * x[i+1] * x[i+1]
		s2 += b[i+2] * x[i+2] * x[i+2]
		s3 += b[i+3] * x[i+3] * x[i+3]
	}
	for ; i < len(x); i++ {
		s0 += b[i] * x[i] * x[i]
	}
	return s0 + s1 + (s2 + s3)
}

// part is the term of a basis function of precision α in the log marginal likelihood, eq. (18).
func part(alpha, s, q2 float64) float64 {
	return (math.Log(alpha/(alpha+s)) + q2/(alpha+s)) / 2
}

// best returns the step of the largest gain, eq. (20)-(21), and the gain. With members it considers only steps that add
// or drop.
func (g *gaussian) best(members bool) (best action, gain float64) {
	for j, s := range g.s {
		if g.rejected[j] || g.t.scale[j] == 0 {
			continue
		}
		q, p, now := g.q[j], g.place[j], 0.0
		if p >= 0 {
			v := g.cov[p*g.room+p]
			s, q = max(0, 1-g.alpha[p]*v)/v, g.mean[p]/v
			now = part(g.alpha[p], s, q*(q-g.d[j]))
		} else if !(s > dependent*g.norm2[j]) {
			continue
		}
		a, q2 := action{j: j, kind: drop}, q*(q-g.d[j])
		then := 0.0
		if excess := q2 - s; excess > 0 && s > 0 && s*s/excess < maxRate/2*g.rate {
			a.alpha = max(minRate, s*s/excess)
			then = part(a.alpha, s, q2)
			if a.kind = alter; p < 0 {
				a.kind = add
			}
		} else if p < 0 {
			continue
		}
		if then-now > gain && !(members && a.kind == alter) {
			best, gain = a, then-now
		}
	}
	return best, gain
}

// take performs a step.
func (g *gaussian) take(a action) {
	if a.kind == add {
		g.add(a.j, a.alpha)
		return
	}
	p := g.place[a.j]
	m := len(g.basis)
	kappa := 1 / g.cov[p*g.room+p]
	if a.kind == alter {
		kappa = 1 / (g.cov[p*g.room+p] + 1/(a.alpha-g.alpha[p]))
		g.alpha[p] = a.alpha
	}
	own := append(g.column[:0], g.cov[p*g.room:p*g.room+m]...)
	clear(g.row)
	dense.AddRows(g.row, own, g.prod, len(g.row))
	g.move(kappa, kappa*g.mean[p])
	change := -kappa * g.mean[p]
	dense.Axpy(change, own, g.mean)
	for i := range m {
		dense.Axpy(-kappa*own[i], own, g.cov[i*g.room:i*g.room+m])
	}
	if a.kind == drop {
		g.remove(p)
	}
}

// move updates S += κ row², Q += by·row.
func (g *gaussian) move(kappa, by float64) {
	for j, v := range g.row {
		g.s[j] += kappa * v * v
		g.q[j] += by * v
	}
}

// add adds basis function j.
func (g *gaussian) add(j int, alpha float64) {
	t, m := g.t, len(g.basis)
	prod := g.prod[m*t.cols : (m+1)*t.cols]
	weighted := g.scratch[:t.n]
	weigh(weighted, t.column(j), g.curvature)
	dense.MulVec(prod, t.phi, t.n, weighted)
	u, cross := make([]float64, m), make([]float64, m)
	for p := range m {
		cross[p] = g.prod[p*t.cols+j]
	}
	dense.MulVec(u, g.cov, g.room, cross)
	copy(g.row, prod)
	for p, v := range u {
		dense.Axpy(-v, g.prod[p*t.cols:(p+1)*t.cols], g.row)
	}
	variance := 1 / (alpha + g.s[j])
	mean := variance * g.q[j]
	g.move(-variance, -mean)
	for i := range m {
		dense.Axpy(variance*u[i], u, g.cov[i*g.room:i*g.room+m])
		g.cov[i*g.room+m], g.cov[m*g.room+i] = -variance*u[i], -variance*u[i]
	}
	g.cov[m*g.room+m] = variance
	dense.Axpy(-mean, u, g.mean)
	g.basis = append(g.basis, j)
	g.alpha = append(g.alpha, alpha)
	g.mean = append(g.mean, mean)
	g.place[j] = m
}

// remove removes the basis function at place p.
func (g *gaussian) remove(p int) {
	m := len(g.basis)
	g.place[g.basis[p]] = -1
	for i := p; i+1 < m; i++ {
		copy(g.prod[i*g.t.cols:(i+1)*g.t.cols], g.prod[(i+1)*g.t.cols:(i+2)*g.t.cols])
		copy(g.cov[i*g.room:i*g.room+m], g.cov[(i+1)*g.room:(i+1)*g.room+m])
		g.place[g.basis[i+1]] = i
	}
	for i := range m - 1 {
		row := g.cov[i*g.room : i*g.room+m]
		copy(row[p:], row[p+1:])
	}
	g.basis = slices.Delete(g.basis, p, p+1)
	g.alpha, g.mean = slices.Delete(g.alpha, p, p+1), slices.Delete(g.mean, p, p+1)
}
