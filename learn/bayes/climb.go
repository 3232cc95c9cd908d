package bayes

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// climber raises the evidence of a posterior by changing all precisions at once.
type climber struct {
	*posterior
	unit     float64   // unit of gradients: the largest sample weight, at least 1
	history  []float64 // evidence after each accepted step
	progress func(func() learn.Event)

	before   saved
	variance []float64 // diagonal of H⁻¹
	c        []float64 // correction computed by drift
	step     []float64 // change of ln α; +Inf to drop
	leaves   []bool
	exact    bool // MacKay's step has failed
}

// saved is a state that a failed step returns to.
type saved struct {
	alpha, w []float64
	evidence float64
	beta     float64 // of the noise
}

const (
	least     = 1e-4  // least gain of evidence: a factor of 1.0001
	leastRate = 1e-10 // bounds of the precisions for basis functions of size 1
	mostRate  = 1e14  // in units of the noise precision
	gone      = 1e-3  // a basis function with a smaller γ may be dropped at once
)

func newClimber(q *posterior, unit float64, r learn.Resources, most int) *climber {
	return &climber{posterior: q, unit: unit, progress: r.Throttle(), variance: make([]float64, most), c: make([]float64, most)}
}

// climb re-estimates until the evidence does not rise any more. No accepted step lowers it.
func (c *climber) climb(ctx context.Context, most int) status.Status {
	for c.size() > 0 {
		if len(c.history) >= most {
			return status.IterationLimit
		}
		rose, err := c.round(ctx)
		if err != nil {
			return c.failure(ctx)
		}
		if !rose {
			break
		}
		c.history = append(c.history, c.evidence)
		c.progress(func() learn.Event {
			return learn.Event{Phase: "round", Done: -1, Step: len(c.history), Vectors: c.size(), Violation: c.gradient}
		})
	}
	return status.Optimal
}

// failure goes back to the last accepted step after an error of [posterior.fit], and returns the status.
func (c *climber) failure(ctx context.Context) status.Status {
	c.back()
	if st := status.FromContext(ctx); st != status.Unknown {
		return st
	}
	return status.Numerical
}

// round takes one step and reports whether the evidence rose. It first tries the step of MacKay (1992), α ← γ/w²
// (Tipping 2001, eq. 16), which ignores that the mode changes with α and may lower the evidence. Then it takes the
// direction that accounts for the mode, which is one of ascent, and shortens the step until the evidence rises.
func (c *climber) round(ctx context.Context) (rose bool, err error) {
	c.save()
	if err = c.variances(ctx, c.variance[:c.size()]); err != nil {
		return false, err
	}
	if clear(c.c); !c.exact {
		if rose, err = c.try(ctx, 1, true); err != nil || rose {
			return rose, err
		}
		c.exact = true
	}
	if err = c.drift(ctx, c.c[:c.size()], make([]float64, c.n)); err != nil {
		return false, err
	}
	for t := 1.0; t > 1e-4; t /= 4 {
		if rose, err = c.try(ctx, t, t == 1); err != nil || rose {
			return rose, err
		}
	}
	return false, nil
}

func (c *climber) save() {
	c.before = saved{append(c.before.alpha[:0], c.alpha...), append(c.before.w[:0], c.w...), c.evidence, 1}
	if c.noise != nil {
		c.before.beta = c.noise.beta
	}
}

// back restores the saved state; the basis functions must be the same.
func (c *climber) back() {
	copy(c.alpha, c.before.alpha)
	copy(c.w, c.before.w)
	if c.evidence = c.before.evidence; c.noise != nil {
		c.noise.beta = c.before.beta
	}
}

// better reports whether the evidence exceeds the saved one by more than rounding.
func (c *climber) better() bool {
	return c.evidence-c.before.evidence > max(least, 1e-12*math.Abs(c.before.evidence))
}

// try moves t times the step and reports whether the evidence is better at the new mode; otherwise it goes back.
func (c *climber) try(ctx context.Context, t float64, leave bool) (better bool, err error) {
	c.direction(leave)
	left, most := 0, mostRate*c.rate()
	c.leaves = c.leaves[:0]
	for s, d := range c.step {
		c.alpha[s] = max(leastRate, min(most, c.alpha[s]*math.Exp(t*d)))
		if c.leaves = append(c.leaves, c.alpha[s] == most); c.leaves[s] {
			left++
		}
	}
	if err = c.fit(ctx, c.unit); err != nil {
		return false, err
	}
	if c.better() || left > 0 && c.evidence >= c.before.evidence {
		if left > 0 {
			c.keep(func(s int) bool { return !c.leaves[s] })
			c.save()
			err = c.fit(ctx, c.unit)
		}
		return err == nil, err
	}
	c.back()
	return false, c.fit(ctx, c.unit)
}

// direction sets the change of ln α to the one that solves γ = α w (w − c), limited to a factor of 100. If w² is less
// than γ Σ_jj, the best precision with all else fixed is infinite (Faul & Tipping 2002). If w (w − c) is not positive,
// the evidence rises with α.
func (c *climber) direction(leave bool) {
	const most = 4.6
	c.step = c.step[:0]
	for s, a := range c.alpha {
		gamma := max(0, 1-a*c.variance[s])
		w2 := c.w[s] * (c.w[s] - c.c[s])
		d := math.Log(gamma/w2) - math.Log(a)
		if !(w2 > 0) || !(gamma > 0) || d > 0 && w2 < gamma*c.variance[s] {
			if d = most; leave && gamma < gone {
				d = math.Inf(1)
			}
		}
		c.step = append(c.step, max(-most, d))
		if !math.IsInf(d, 1) {
			c.step[s] = min(most, c.step[s])
		}
	}
}
