package bayes

import (
	"math"

	"github.com/sparsekm/sparsekm/learn"
)

// normal is the likelihood of real targets with noise of one unknown precision β, Tipping (2001), eq. (4), of samples
// that count like as many samples as they weigh and have targets of mean y and squares of `scatter` around it.
type normal struct {
	y, weight      []float64
	count, scatter float64 // Σ weight, and Σ weight (t − y)² over the samples
	beta           float64
	size           float64 // of the largest y
	held           bool    // β stays as it is
}

// firstNoises are the shares of the targets' variance that are taken for noise at first: the one of Tipping & Faul
// (2003), section 4, and a smaller one, at which smooth kernels find what no function does alone.
var firstNoises = []float64{0.1, 0.01}

// leastNoise is the least deviation of the noise, in units of the targets': nearer than that no model has to come.
const leastNoise = 1e-5

// newNormal is that of the task's targets, which have a deviation of 1.
func newNormal(t *task) *normal {
	l := &normal{y: t.y, weight: t.pos, scatter: t.scatter, beta: 1, size: size(t.y)}
	for _, w := range l.weight {
		l.count += w
	}
	return l
}

// likelihoodOf is that of the task's targets.
func (t *task) likelihoodOf() likelihood {
	if t.p.Task == learn.Regress {
		return newNormal(t)
	}
	return logistic{t.pos, t.neg}
}

func (l *normal) eval(f, slope, curve []float64) float64 {
	for i, v := range f {
		curve[i] = l.beta * l.weight[i]
		slope[i] = curve[i] * (l.y[i] - v)
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

// rate is what precisions and gradients are in units of: those of the noise, where it is small.
func (q *posterior) rate() float64 {
	if q.noise == nil {
		return 1
	}
	return max(1, q.noise.beta)
}

// unitOf is the size of gradients, for the heaviest sample's weight.
func (q *posterior) unitOf(unit float64) float64 {
	if q.noise == nil {
		return unit
	}
	return unit * q.noise.beta * max(1, q.noise.size)
}

// settleNoise gives β and all precisions α the common factor that is best, at the mode: with the α/β as they are the
// mode stays where it is, and the evidence is largest at
//
//	1/β = tᵀ(I + Φᵀ(A/β)⁻¹Φ)⁻¹t / N = (‖t − Φᵀw‖² + Σ (α/β) w²) / N.
//
// It returns the log posterior there.
func (q *posterior) settleNoise(v float64) float64 {
	l := q.noise
	if l == nil || l.held {
		return v
	}
	sum := l.squares(q.f)
	for s, a := range q.alpha {
		sum += a / l.beta * q.w[s] * q.w[s]
	}
	by := min(1/(leastNoise*leastNoise), l.count/sum) / l.beta
	l.beta *= by
	times(q.alpha, by)
	times(q.h[:q.size()*q.size()], math.Sqrt(by))
	q.gradient *= by
	return q.value(q.w, q.f)
}

// values lists what the distinct samples weigh and the means of their targets, in units of the targets' deviation;
// where they have none, of their size.
func (t *task) values(present, of []int) {
	var size float64
	for _, i := range present {
		size = max(size, math.Abs(t.p.Y[i]))
	}
	if t.y = make([]float64, t.n); size == 0 {
		size = 1
	}
	var count, mean, spread float64 // of the targets over size (Welford 1962, with weights)
	for k, at := range of {
		i := present[k]
		w, y := t.p.WeightOf(i), t.p.Y[i]/size
		count += w
		d := y - mean
		mean += d * w / count
		spread += w * d * (y - mean)
		t.pos[at] += w
		d = y - t.y[at]
		t.y[at] += d * w / t.pos[at]
		t.scatter += w * d * (y - t.y[at])
	}
	deviation := math.Sqrt(spread / count)
	if !(deviation > 1e-12) {
		deviation = 1
	}
	times(t.y, 1/deviation)
	t.scatter /= deviation * deviation
	t.target = size * deviation
}

// inUnits gives the history of evidence, and evidence, the units of the targets.
func (l *normal) inUnits(c *climber, unit float64) {
	change := l.count * math.Log(unit)
	for i := range c.history {
		c.history[i] -= change
	}
	c.evidence -= change
}
