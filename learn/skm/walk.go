package skm

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
	"github.com/sparsekm/sparsekm/status"
)

// valley looks for the least f0(δ) over the machines of the first programs of Table 1, which
// need no program each: at α* = 1/n all prices are equal and Σα = 1, so that (4) is
//
//	L(δ) = min Σξ,  ξ_i ≥ 2δ − y_i f(x_i),  Σα = 1, α ≥ 0
//
// plus a constant, whatever C. On a stretch of its path L and α are linear in δ, and
// f0(δ) = L(δ) + C (ln 4/δ + s(δ) Σ h(α_i(δ), δ)) is smooth.
type valley struct {
	c     float64
	n     int
	delta float64 // of the least so far
	least float64
	mark  kernellp.Mark
	fell  bool // the last stretch has a new least
}

// longest is the ratio of the ends of what is looked at at once: f0 may have two minima on a longer stretch.
const longest = 1.05

// see looks at one stretch of the path.
func (v *valley) see(s *kernellp.Stretch) {
	v.fell = false
	for from := s.From / 2; ; {
		to := max(from/longest, s.To/2)
		v.between(s, from, to)
		if from = to; from <= s.To/2 {
			return
		}
	}
}

// between looks for the least f0 from margin from down to margin to.
func (v *valley) between(s *kernellp.Stretch, from, to float64) {
	f, slope := v.at(s, to)
	v.take(to, f)
	if !(slope < 0) || !(f+slope*(from-to) < v.least) {
		return
	}
	g, rise := v.at(s, from)
	v.take(from, g)
	lo, hi := to, from
	for k := 0; rise > 0 && k < 100 && hi-lo > 1e-9*hi; k++ {
		mid := lo + (hi-lo)*slope/(slope-rise) // secant of the derivative, kept off the ends
		mid = max(lo+0.1*(hi-lo), min(hi-0.1*(hi-lo), mid))
		f, by := v.at(s, mid)
		v.take(mid, f)
		if by < 0 {
			lo, slope = mid, by
		} else {
			hi, rise = mid, by
		}
	}
}

// take keeps the least.
func (v *valley) take(delta, f float64) {
	if f < v.least {
		v.least, v.delta, v.fell = f, delta, true
	}
}

// at returns f0 and its derivative at δ of a stretch.
func (v *valley) at(s *kernellp.Stretch, delta float64) (f, slope float64) {
	p := newPenalty(v.n, delta)
	by := 2*delta - s.From
	var e, rise float64 // Σh and its derivative
	for k, a := range s.Coef {
		a = math.Max(0, a+by*s.Rates[k])
		if a >= 1 {
			e++
			continue
		}
		log := math.Log1p(-a)
		power := p.a * log
		e -= math.Expm1(power)
		rise += math.Exp(power) * (2*p.a*s.Rates[k]/(1-a) + 2/delta*power) // a' = −2a/δ
	}
	f = s.Value + by*s.Slope + v.c*(math.Log(4/delta)+p.scale*e)
	return f, 2*s.Slope + v.c*(p.scale*rise-2/delta*e-1/delta)
}

// beyond reports whether no smaller δ than that of the end of the stretch can have a smaller f0: L is above its tangent, and Σh ≥ Σα = 1
// because h is concave.
func (v *valley) beyond(s *kernellp.Stretch) bool {
	at := func(delta float64) float64 {
		return s.Value + (2*delta-s.From)*s.Slope + v.c*(math.Log(4/delta)+newPenalty(v.n, delta).scale)
	}
	least := 3 * v.c / (2 * s.Slope) // where the derivative of that sum is 0
	return at(math.Max(DeltaMin, math.Min(least, s.To/2))) > v.least
}

// walk finds the margin of the least f0 along the path, and makes the next program start there.
func (s *search) walk(ctx context.Context) (float64, status.Status) {
	v := &valley{c: s.C, n: len(s.m.y), least: math.Inf(1)}
	prices := kernellp.Prices{Margin: 2, Coef: make([]float64, v.n)}
	reached := 1.0
	pivots, st, err := s.m.lp.Path(ctx, prices, 2*DeltaMin, func(g *kernellp.Stretch) bool {
		v.see(g)
		reached = g.To / 2
		if v.fell {
			v.mark = s.m.lp.Mark()
		}
		return !v.beyond(g)
	})
	s.pivots += pivots
	if s.err = err; err != nil {
		return 0, st
	}
	if st != status.Optimal {
		return reached, st
	}
	s.err = s.m.lp.Return(v.mark)
	return v.delta, st
}
