package skm

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
	"github.com/sparsekm/sparsekm/status"
)

// valleys looks for the least f0(δ) over the machines of the first programs of Table 1, which
// need no program each: at α* = 1/n all prices are equal and Σα = 1, so that (4) is
//
//	L(δ) = min Σξ,  ξ_i ≥ 2δ − y_i f(x_i),  Σα = 1, α ≥ 0
//
// plus a constant, whatever C. On a stretch of its path L and α are linear in δ, and
// f0(δ) = L(δ) + C (ln 4/δ + s(δ) Σ h(α_i(δ), δ)) is smooth.
type valleys struct {
	c      float64
	n      int
	lowest []lowest // by octaves of δ from 1 down
	now    kernellp.Mark
}

// lowest is the least f0 of an octave.
type lowest struct {
	f0, delta float64
	mark      kernellp.Mark
}

func newValleys(c float64, n int) *valleys {
	v := &valleys{c: c, n: n, lowest: make([]lowest, 1-math.Ilogb(DeltaMin))}
	for k := range v.lowest {
		v.lowest[k].f0 = math.Inf(1)
	}
	return v
}

// longest is the ratio of the ends of what is looked at at once: f0 may have two minima on a longer stretch.
const longest = 1.05

// see looks at one stretch of the path.
func (v *valleys) see(s *kernellp.Stretch) {
	v.now = s.Mark
	for from := s.From / 2; ; {
		to := max(from/longest, s.To/2)
		v.between(s, from, to)
		if from = to; from <= s.To/2 {
			return
		}
	}
}

// between looks for the least f0 from margin from down to margin to.
func (v *valleys) between(s *kernellp.Stretch, from, to float64) {
	f, slope := v.at(s, to)
	v.take(to, f)
	if !(slope < 0) || !(f+slope*(from-to) < v.of(to).f0) {
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

// of returns the octave of δ.
func (v *valleys) of(delta float64) *lowest { return &v.lowest[-math.Ilogb(delta)] }

// take keeps the least.
func (v *valleys) take(delta, f float64) {
	if o := v.of(delta); f < o.f0 {
		*o = lowest{f, delta, v.now}
	}
}

// sorted returns the octaves that the path came to, the least first.
func (v *valleys) sorted() []lowest {
	slices.SortFunc(v.lowest, func(a, b lowest) int { return cmp.Compare(a.f0, b.f0) })
	for k, o := range v.lowest {
		if math.IsInf(o.f0, 1) {
			return v.lowest[:k]
		}
	}
	return v.lowest
}

// at returns f0 and its derivative at δ of a stretch.
func (v *valleys) at(s *kernellp.Stretch, delta float64) (f, slope float64) {
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

// looked is how many octaves' margins get their three programs: where the first program's machine is not the last,
// another octave may have the least f0.
const looked = 4

// walk evaluates the margins of the least f0 that the path of the first programs has. It reports
// whether there was such a path, up to a limit at least.
func (s *search) walk(ctx context.Context) bool {
	v := newValleys(s.C, len(s.m.y))
	prices := kernellp.Prices{Margin: 2, Coef: make([]float64, v.n)}
	reached := 1.0
	end, err := s.m.lp.Path(ctx, prices, 2*DeltaMin, func(g *kernellp.Stretch) bool {
		v.see(g)
		reached = g.To / 2
		return true
	})
	s.pivots, s.solves, s.err = end.Iterations, end.Solves, err
	switch {
	case err != nil:
		return true
	case end.Status.Limit() || ctx.Err() != nil: // the machine of where the path is
		s.evaluate(ctx, reached)
		s.stop = max(end.Status, status.FromContext(ctx))
		return true
	case end.Status != status.Optimal:
		return false
	}
	all := v.sorted()
	for _, o := range all[:min(looked, len(all))] {
		if s.err = s.m.lp.Return(o.mark); s.err != nil {
			return true
		}
		if _, ok := s.evaluate(ctx, o.delta); !ok {
			return true
		}
	}
	if s.best < all[0].f0*(1-1e-9) { // not on the path, which says nothing of what is around it
		at := math.Log(s.delta)
		golden(func(u float64) (float64, bool) { return s.evaluate(ctx, math.Exp(u)) },
			max(at-width, math.Log(DeltaMin)), min(at+width, 0), width/10)
	}
	return true
}
