package bayes

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/learn"
)

// normal is the likelihood of regression targets with noise of one unknown precision β, Tipping (2001), eq. (4). Each
// distinct sample stands for samples of total weight `weight`, with mean target y; scatter is their spread around it.
type normal struct {
	y, weight      []float64
	count, scatter float64 // Σ weight, and Σ weight (t − y)² over the samples
	beta           float64
	size           float64 // largest |y|
	given          bool    // do not estimate β
}

// firstNoises are the initial shares of noise in the variance of the targets: that of Tipping & Faul (2003), section 4,
// and a smaller one, with which smooth kernels find fits that no single basis function improves.
var firstNoises = []float64{0.1, 0.01}

// minNoise is the least standard deviation of the noise, relative to that of the targets.
const minNoise = 1e-5

// newNormal is the likelihood of the task's targets, which have standard deviation 1.
func newNormal(t *task) *normal {
	l := &normal{y: t.y, weight: t.pos, scatter: t.scatter, beta: 1, size: dense.Largest(t.y)}
	for _, w := range l.weight {
		l.count += w
	}
	return l
}

// likelihoodOf is the likelihood of the task's targets.
func (t *task) likelihoodOf() likelihood {
	if t.p.Task == learn.Regress {
		return newNormal(t)
	}
	return logistic{t.pos, t.neg}
}

func (l *normal) eval(f, slope, curvature []float64) float64 {
	for i, v := range f {
		curvature[i] = l.beta * l.weight[i]
		slope[i] = curvature[i] * (l.y[i] - v)
	}
	return (l.count*math.Log(l.beta/(2*math.Pi)) - l.beta*l.squares(f)) / 2
}

// squares is the sum of squared errors.
func (l *normal) squares(f []float64) float64 {
	sum := l.scatter
	for i, v := range f {
		sum += l.weight[i] * (l.y[i] - v) * (l.y[i] - v)
	}
	return sum
}

func times(x []float64, by float64) {
	for i := range x {
		x[i] *= by
	}
}

// rate is the unit of precisions and gradients: the noise precision, at least 1.
func (q *posterior) rate() float64 {
	if q.noise == nil {
		return 1
	}
	return max(1, q.noise.beta)
}

// unitOf is the unit of gradients; unit is the largest sample weight.
func (q *posterior) unitOf(unit float64) float64 {
	if q.noise == nil {
		return unit
	}
	return unit * q.noise.beta * max(1, q.noise.size)
}

// settleNoise multiplies β and all precisions α by their optimal common factor. With fixed α/β the mode does not
// change, and the evidence is largest at
//
//	1/β = tᵀ(I + Φᵀ(A/β)⁻¹Φ)⁻¹t / N = (‖t − Φᵀw‖² + Σ (α/β) w²) / N.
//
// v is the log posterior at the mode; it returns the new one.
func (q *posterior) settleNoise(v float64) float64 {
	l := q.noise
	if l == nil || l.given {
		return v
	}
	sum := l.squares(q.f)
	for s, a := range q.alpha {
		sum += a / l.beta * q.w[s] * q.w[s]
	}
	by := min(1/(minNoise*minNoise), l.count/sum) / l.beta
	l.beta *= by
	times(q.alpha, by)
	times(q.h[:q.size()*q.size()], math.Sqrt(by))
	q.gradient *= by
	return q.value(q.w, q.f)
}

// values computes weight and mean target of each distinct sample, in units of the standard deviation of the targets; if
// that is 0, of their size.
func (t *task) values(present, index []int) {
	var size float64
	for _, i := range present {
		size = max(size, math.Abs(t.p.Y[i]))
	}
	if t.y = make([]float64, t.n); size == 0 {
		size = 1
	}
	var count, mean, spread float64 // of the targets divided by size (Welford 1962, with weights)
	for k, sample := range index {
		i := present[k]
		w, y := t.p.WeightOf(i), t.p.Y[i]/size
		count += w
		d := y - mean
		mean += d * (w / count) // exact for the first one
		spread += w * d * (y - mean)
		t.pos[sample] += w
		d = y - t.y[sample]
		t.y[sample] += d * (w / t.pos[sample])
		t.scatter += w * d * (y - t.y[sample])
	}
	deviation := math.Sqrt(spread / count)
	if !(deviation > 1e-12) {
		deviation = 1
	}
	times(t.y, 1/deviation)
	t.scatter /= deviation * deviation
	t.target = size * deviation
}

// inUnits converts the evidence and its history to the units of the targets.
func (l *normal) inUnits(c *climber, unit float64) {
	change := l.count * math.Log(unit)
	for i := range c.history {
		c.history[i] -= change
	}
	c.evidence -= change
}

// products are the products Φ diag(weight) Φᵀ of the active basis functions. Under normal noise they depend neither on
// the coefficients nor on the noise: H is β times them, plus A. Only new functions are multiplied by the others.
type products struct {
	basis []int     // basis functions, in the order of the rows
	g, to []float64 // m×m; to is scratch for the next g
	place []int     // basis function → its row, −1 for none
}

// newProducts is for basis functions numbered from 0 to cols − 1.
func newProducts(cols int) *products { return &products{place: slices.Repeat([]int{-1}, cols)} }

// productsBytes is the memory for m functions.
func productsBytes(m int) int64 { return 16 * int64(m) * int64(m) }

// update computes the products of q's basis functions. After an error, the context's, they are unchanged.
func (p *products) update(ctx context.Context, q *posterior) error {
	m := q.size()
	if slices.Equal(p.basis, q.basis) {
		return nil
	}
	if cap(p.to) < m*m {
		if p.to = dense.New(ctx, m*m); p.to == nil {
			return ctx.Err()
		}
	}
	p.to = p.to[:m*m]
	var err error
	if many(q.basis, p.place) {
		if err = dense.MulWeighted(ctx, q.threads, p.to, q.phi, m, q.n, q.noise.weight, q.scratch); err == nil {
			err = mirror(ctx, p.to, m)
		}
	} else {
		err = p.gather(ctx, q)
	}
	if err != nil {
		return err
	}
	for _, j := range p.basis {
		p.place[j] = -1
	}
	for s, j := range q.basis {
		p.place[j] = s
	}
	p.basis, p.g, p.to = append(p.basis[:0], q.basis...), p.to, p.g
	return nil
}

// many reports whether so many basis functions have no row of products yet that the product of all is faster.
func many(basis, row []int) bool {
	fresh := 0
	for _, j := range basis {
		if row[j] < 0 {
			fresh++
		}
	}
	return fresh > len(basis)/8+1
}

// gather copies the known products and computes the others. The error is the context's.
func (p *products) gather(ctx context.Context, q *posterior) error {
	m, old := q.size(), len(p.basis)
	for s, j := range q.basis {
		if s%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row := p.to[s*m : (s+1)*m]
		if known := p.place[j]; known >= 0 {
			for k, l := range q.basis {
				if other := p.place[l]; other >= 0 {
					row[k] = p.g[known*old+other]
				}
			}
		}
	}
	weighted := make([]float64, q.n)
	for s, j := range q.basis {
		if p.place[j] >= 0 {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		weigh(weighted, q.phi[s*q.n:(s+1)*q.n], q.noise.weight)
		row := p.to[s*m : (s+1)*m]
		dense.MulVec(row, q.phi, q.n, weighted)
		for k, v := range row {
			p.to[k*m+s] = v
		}
	}
	return ctx.Err()
}

// hessian writes H. The error is the context's.
func (p *products) hessian(ctx context.Context, h []float64, q *posterior) error {
	m := q.size()
	for s, a := range q.alpha {
		if s%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row, from := h[s*m:(s+1)*m], p.g[s*m:(s+1)*m]
		for k := range s + 1 {
			row[k] = q.noise.beta * from[k]
		}
		row[s] += a
	}
	return nil
}
