package skm

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
)

// valleys looks for the least f0(δ) over the models of the first programs of Table 1, which
// need no program each: at α* = 1/n all costs are equal and Σα = 1, so that (4) is
//
//	L(δ) = min Σξ,  ξ_i ≥ 2δ − y_i f(x_i),  Σα = 1, α ≥ 0
//
// plus a constant, whatever C. On a stretch of its path L and α are linear in δ, and
// f0(δ) = L(δ) + C (ln 4/δ + s(δ) Σ h(α_i(δ), δ)) is smooth. One walk is for every C.
type valleys struct {
	n    int
	each []valley
}

// valley is the walk at one C.
type valley struct {
	c      float64
	lowest []lowest // by octaves of δ from 1 down
}

// lowest is the least f0 of an octave.
type lowest struct {
	f0, delta float64
	mark      kernellp.Mark
	support   []int     // samples of the coefficients that are not 0
	alpha     []float64 // these
}

func newValleys(cs []float64, n int) *valleys {
	v := &valleys{n: n, each: make([]valley, len(cs))}
	for i, c := range cs {
		v.each[i] = valley{c, make([]lowest, 1-math.Ilogb(deltaMin))}
		for k := range v.each[i].lowest {
			v.each[i].lowest[k].f0 = math.Inf(1)
		}
	}
	return v
}

// longest is the ratio of the ends of what is looked at at once: f0 may have two minima on a longer stretch.
const longest = 1.05

// see looks at one stretch of the path.
func (v *valleys) see(s *kernellp.Stretch) {
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
	low, high, known := v.at(s, to), place{}, false
	for i := range v.each {
		o := &v.each[i]
		f, slope := low.f0(o.c)
		o.take(s, &low, f)
		if !(slope < 0) || !(f+slope*(from-to) < o.of(to).f0) {
			continue
		}
		if !known {
			high, known = v.at(s, from), true
		}
		o.bottom(v, s, &low, &high)
	}
}

// bottom looks for the least f0 between two places, from the lower of which it falls.
func (o *valley) bottom(v *valleys, s *kernellp.Stretch, low, high *place) {
	lo, hi := low.delta, high.delta
	_, slope := low.f0(o.c)
	g, rise := high.f0(o.c)
	o.take(s, high, g)
	for k := 0; rise > 0 && k < 100 && hi-lo > 1e-9*hi; k++ {
		mid := lo + (hi-lo)*slope/(slope-rise) // secant of the derivative, kept off the ends
		mid = max(lo+0.1*(hi-lo), min(hi-0.1*(hi-lo), mid))
		at := v.at(s, mid)
		f, by := at.f0(o.c)
		o.take(s, &at, f)
		if by < 0 {
			lo, slope = mid, by
		} else {
			hi, rise = mid, by
		}
	}
}

// of returns the octave of δ.
func (o *valley) of(delta float64) *lowest { return &o.lowest[-math.Ilogb(delta)] }

// take keeps the least.
func (o *valley) take(s *kernellp.Stretch, at *place, f float64) {
	l := o.of(at.delta)
	if !(f < l.f0) {
		return
	}
	at.expand(s)
	*l = lowest{f, at.delta, s.Mark(), at.support, at.alpha}
}

// sorted returns the octaves that the path came to, the least first.
func (o *valley) sorted() (met []*lowest) {
	for k := range o.lowest {
		if l := &o.lowest[k]; !math.IsInf(l.f0, 1) {
			met = append(met, l)
		}
	}
	slices.SortFunc(met, func(a, b *lowest) int { return cmp.Compare(a.f0, b.f0) })
	return met
}

// place is what f0 is made of at a margin, and the derivatives.
type place struct {
	delta, loss, gain float64 // L
	penalty, rise     float64 // ln 4/δ + s Σh

	support []int // the first program's model, once it is asked for
	alpha   []float64
}

// expand finds the model.
func (p *place) expand(s *kernellp.Stretch) {
	if p.alpha != nil {
		return
	}
	by := 2*p.delta - s.From
	p.support, p.alpha = slices.Clone(s.Support), make([]float64, len(s.Coef))
	for k, a := range s.Coef {
		p.alpha[k] = math.Max(0, a+by*s.Rates[k])
	}
}

// f0 returns f0 and its derivative at one C.
func (p place) f0(c float64) (f, slope float64) { return p.loss + c*p.penalty, p.gain + c*p.rise }

// at returns a place of a stretch.
func (v *valleys) at(s *kernellp.Stretch, delta float64) place {
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
	return place{delta: delta, loss: s.Value + by*s.Slope, gain: 2 * s.Slope,
		penalty: math.Log(4/delta) + p.scale*e, rise: p.scale*rise - 2/delta*e - 1/delta}
}

// spare is what f0 can lose of the penalty by further programs (Table 1), whose costs are C s h'(α_i): a coefficient
// that has one may vanish. Once h is close to 1 it has none, as the least loss has none, and the model stays.
func (l *lowest) spare(c float64, n int) (sum float64) {
	p := newPenalty(n, l.delta)
	for _, a := range l.alpha {
		if c*p.scale*p.slope(a)*a > 1e-12*l.f0 {
			sum += c * p.scale * p.value(a)
		}
	}
	return sum
}

// looked is how many octaves' margins get their three programs: where the first program's model is not the last,
// another octave may have the least f0.
const looked = 4

// walk follows the path of the first programs, for every C, as far as a limit lets it.
func (m *training) walk(ctx context.Context, cs []float64) (w walked, err error) {
	w.valleys, w.reached = newValleys(cs, m.margins), 1
	costs := m.Costs(2, 0, func(int) float64 { return 0 })
	w.end, err = m.LP.Path(ctx, costs, 2*deltaMin, func(g *kernellp.Stretch) bool {
		w.see(g)
		w.reached = g.To / 2
		return true
	})
	w.stopped = w.end.Status.Limit() || ctx.Err() != nil
	return w, err
}

// walked is what a walk leaves.
type walked struct {
	*valleys
	last    beginning
	reached float64 // margin δ
	end     kernellp.PathEnd
	stopped bool // by a limit
}

// descend evaluates the margins of the least f0 that the path of the first programs has at the search's C.
func (s *search) descend(ctx context.Context, o *valley) {
	all := o.sorted()
	n, walked := s.m.margins, s.m.LP
	for k, l := range all[:min(looked, len(all))] {
		if k > 0 && !(l.f0-l.spare(s.C, n) < s.best) {
			continue
		}
		if !s.from(ctx, walked, l) {
			return
		}
	}
	if s.best < all[0].f0*(1-1e-9) { // not on the path, which says nothing of what is around it
		at := math.Log(s.delta)
		golden(func(u float64) (float64, bool) { return s.evaluate(ctx, math.Exp(u)) },
			max(at-width, math.Log(deltaMin)), min(at+width, 0), width/10)
	}
}

// beginning is where the programs of a margin of the path start, and the model that came of the last ones.
// Neighbouring C have the same margins, and mostly the same models there.
type beginning struct {
	mark kernellp.Mark
	lp   *kernellp.Solver

	model       learn.Expansion
	delta, lost float64
}

// is reports whether e at margin δ is the model, whose loss is known.
func (b *beginning) is(e *learn.Expansion, delta float64) bool {
	return b.delta == delta && b.model.Bias == e.Bias && slices.Equal(b.model.Support, e.Support) &&
		slices.Equal(b.model.Coef, e.Coef)
}

// from evaluates the margin of l, where the path has the first program's model, and reports whether the search can
// go on.
func (s *search) from(ctx context.Context, walked *kernellp.Solver, l *lowest) bool {
	if s.last.lp == nil || !s.last.mark.Same(l.mark) {
		s.last.mark, s.last.lp = l.mark, walked.Fork(l.mark)
	} else {
		s.last.lp.Rewind()
	}
	s.m.LP = s.last.lp
	alpha := make([]float64, len(s.m.Y))
	for k, i := range l.support {
		alpha[i] = l.alpha[k]
	}
	_, ok := s.linearise(ctx, l.delta, alpha, linearisations-1)
	return ok
}
