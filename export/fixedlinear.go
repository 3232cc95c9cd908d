package export

import (
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/dataset"
)

// Planes and steps need the range of a feature, since 16 bits have one. A step of one feature is 0 or 1 beyond its own.
const (
	fallBits   = 11   // of a step's argument behind the point
	fallCells  = 16   // of the table of a step, for each 1
	fallEnd    = 11.5 // beyond it a step is 0 or 1
	falls      = fallEnd * fallCells
	fallLine   = 4.7e-5 // 1/16², over 8, times the largest second derivative of a step, 0.0963
	fallEnds   = 2.1e-5 // twice exp(−11.5): of the table that ends there, and of a feature that is cut there
	fallError  = fallLine + valueStep + fallEnds
	deviations = 16.0 // on either side of a mean
	maxPower   = 30
	maxPlane   = 15 // bits of planes behind those of decision values
)

// linear is planes and steps over raw features, in double precision.
type linear struct {
	d      int
	flat   []float64 // planes, submodels×d; nil for none
	bias   []float64 // of each submodel
	slope  []float64 // directions of steps, n×d
	offset []float64
	coef   []float64 // n×submodels
}

// span is the range of a raw feature.
type span struct {
	lo, hi       float64
	used, closed bool // whether planes or steps have the feature, and whether the range is narrower than they
}

// fixedRises is steps: s = Σ Slopes q + Offset, in steps of 2^−Power of each.
type fixedRises struct {
	Used    []int // features of directions
	Feature []int // of each step, if all have one; Used is nil then
	Slopes  []int
	Offset  []int
	Power   []int
	Slack   []float64 // bounds of the errors of their values
}

// fixedPlanes is weights of the features Used, of each submodel: their sum is shifted by Shift.
type fixedPlanes struct {
	Used    []int
	Weights []int
	Shift   int
}

// linear collects planes, linear kernels and steps.
func (p *fixed) linear() *linear {
	m := len(p.Submodels)
	l := &linear{d: p.D, bias: append([]float64{}, p.Bias...)}
	for i := range p.Groups {
		g := &p.Groups[i]
		switch {
		case g.Sum == weights:
			if l.flat == nil {
				l.flat = make([]float64, m*p.D)
			}
			for j, o := range g.Submodels {
				for k := range g.D {
					w := g.Vectors[j*g.D+k]
					l.flat[o*p.D+k] += w
					if g.Center != nil {
						l.bias[o] -= w * g.Center[k]
					}
				}
			}
		case g.Value == rise:
			l.addSteps(g, m)
		}
	}
	if !slices.ContainsFunc(l.flat, func(w float64) bool { return w != 0 }) {
		l.flat = nil
	}
	return l
}

// addSteps adds those that some feature changes; others are biases.
func (l *linear) addSteps(g *group, m int) {
	for j, offset := range g.Offset {
		slope, coef := g.Vectors[j*l.d:(j+1)*l.d], g.Coef[j*m:(j+1)*m]
		if slices.ContainsFunc(slope, func(a float64) bool { return a != 0 }) {
			l.slope = append(l.slope, slope...)
			l.offset = append(l.offset, offset)
			l.coef = append(l.coef, coef...)
			continue
		}
		for o, a := range coef {
			l.bias[o] += a / (1 + math.Exp(-offset))
		}
	}
}

// spans returns the ranges of features that planes and steps have. Of steps of one feature that is where they rise;
// else that of the scaling: 16 deviations, or three times the training's range.
func (p *fixed) spans(l *linear) ([]span, error) {
	spans, wide := make([]span, p.D), make([]bool, p.D)
	for i, w := range l.flat {
		wide[i%p.D] = wide[i%p.D] || w != 0
	}
	for i, offset := range l.offset {
		slope := l.slope[i*p.D : (i+1)*p.D]
		only, count := 0, 0
		for k, a := range slope {
			if a != 0 {
				only = k
				count++
			}
		}
		switch s := &spans[only]; {
		case count > 1:
			for k, a := range slope {
				wide[k] = wide[k] || a != 0
			}
		case count == 1:
			lo, hi := (-fallEnd-offset)/slope[only], (fallEnd-offset)/slope[only]
			if lo, hi = min(lo, hi), max(lo, hi); s.used {
				lo, hi = min(lo, s.lo), max(hi, s.hi)
			}
			s.lo, s.hi, s.used = lo, hi, true
		}
	}
	for k := range spans {
		if err := spans[k].within(p.Scaling, k, wide[k]); err != nil {
			return nil, err
		}
	}
	return spans, nil
}

// within limits the span of feature k to the range of the scaling.
func (s *span) within(scaling *dataset.Scaling, k int, wide bool) error {
	switch {
	case !wide && !s.used:
		return nil
	case scaling == nil && wide:
		return fmt.Errorf("a plane or a direction over feature %d without scaling: fixed point needs the range of "+
			"features: %w (train --scale zscore)", k, ErrNoFixed)
	case scaling == nil:
		return nil
	}
	lo, hi := scaling.Center[k]-deviations*scaling.Spread[k], scaling.Center[k]+deviations*scaling.Spread[k]
	if scaling.Kind == dataset.ScaleMinMax {
		lo, hi = scaling.Center[k]-scaling.Spread[k], scaling.Center[k]+2*scaling.Spread[k]
	}
	if !wide {
		if s.lo >= lo && s.hi <= hi {
			return nil
		}
		if a, b := max(lo, s.lo), min(hi, s.hi); a < b {
			lo, hi = a, b
		}
	}
	*s = span{lo: lo, hi: hi, used: true, closed: true}
	return nil
}

// weight is the weight of the row's feature i in the plane of submodel o, for each of its steps.
func (l *linear) weight(p *fixed, o, i int) float64 {
	if l.flat == nil || p.Row.Factor[i] == 0 {
		return 0
	}
	return l.flat[o*l.d+p.Row.Used[i]] / p.Row.Factor[i]
}

// rise rounds the steps, and moves the centers of planes to the biases.
func (p *fixed) rise(l *linear) {
	row := &p.Row
	if l.flat != nil {
		for o := range l.bias {
			for i, k := range row.Used {
				l.bias[o] += l.flat[o*p.D+k] * row.Center[i]
			}
		}
	}
	n := len(l.offset)
	if n == 0 {
		return
	}
	r := &fixedRises{Used: l.used(row.Used, l.slope)}
	place := places(r.Used, p.D)
	var features []int
	for i := range n {
		slope := make([]float64, len(r.Used))
		offset, only := l.offset[i], []int{}
		for j, k := range row.Used {
			a := l.slope[i*p.D+k]
			offset += a * row.Center[j]
			if a != 0 {
				slope[place[k]] = a / row.Factor[j]
				only = append(only, k)
			}
		}
		if len(only) == 1 {
			features = append(features, only[0])
		}
		r.add(row, slope, offset)
	}
	if len(features) == n {
		slopes := make([]int, n)
		for i, k := range features {
			slopes[i] = r.Slopes[i*len(r.Used)+place[k]]
		}
		r.Slopes, r.Feature, r.Used = slopes, features, nil
	}
	p.Rises = r
}

// used are the features of those of the row that some vector of a table has.
func (l *linear) used(row []int, table []float64) (used []int) {
	for _, k := range row {
		for i := k; i < len(table); i += l.d {
			if table[i] != 0 {
				used = append(used, k)
				break
			}
		}
	}
	return used
}

// add rounds a step: to the smallest steps of its argument with which slopes have 16 bits, and the sum 32.
func (r *fixedRises) add(row *fixedRow, slope []float64, offset float64) {
	steepest, reach, rounding := 0.0, math.Abs(offset), 0.5+float64(len(slope)*row.Largest)/2
	largest := float64(row.Largest)
	for _, a := range slope {
		steepest = max(steepest, math.Abs(a))
		reach += math.Abs(a) * largest
	}
	fits := func(power int) bool {
		one := math.Exp2(float64(power))
		return steepest*one <= maxInt16 && reach*one+rounding <= math.MaxInt32
	}
	power, slack := maxPower, 0.0
	for power > fallBits && !fits(power) {
		power--
	}
	shrink := 1.0
	if !fits(power) { // steeper than the features' steps: it is 0 or 1, and either may be wrong
		one := math.Exp2(float64(power))
		shrink, slack = min(maxInt16/(steepest*one), (math.MaxInt32-rounding)/(reach*one)), 1
	}
	one := math.Exp2(float64(power)) * shrink
	off := math.Exp2(-fallBits - 1)
	for j, a := range slope {
		u := math.Round(a * one)
		r.Slopes = append(r.Slopes, int(u))
		off += math.Abs(a)*row.Off[r.Used[j]] + math.Abs(u-a*one)*largest/one
	}
	o := math.Round(offset * one)
	off += math.Abs(o-offset*one) / one
	r.Offset = append(r.Offset, int(o))
	r.Power = append(r.Power, power)
	r.Slack = append(r.Slack, min(1, slack+off/4+fallError))
}

// shifts is the table of shifts, nil if all are the same.
func (r *fixedRises) shifts() []int {
	shifts, same := make([]int, len(r.Power)), true
	for i, v := range r.Power {
		shifts[i] = v - fallBits
		same = same && v == r.Power[0]
	}
	if same {
		return nil
	}
	return shifts
}

// roundPlanes rounds the planes, in the smallest steps with which weights have 16 bits, and sums 32.
func (p *fixed) roundPlanes(l *linear) {
	w := &fixedPlanes{Used: l.used(p.Row.Used, l.flat), Shift: maxPlane}
	largest := float64(p.Row.Largest)
	fits := func() bool {
		step := p.Scale * math.Exp2(-float64(w.Shift))
		for o := range p.Submodels {
			sum := float64(int(1)<<w.Shift) + float64(len(w.Used))*largest/2
			for i := range p.Row.Used {
				a := math.Abs(l.weight(p, o, i)) / step
				if sum += a * largest; !(a <= maxInt16 && sum <= math.MaxInt32) {
					return false
				}
			}
		}
		return true
	}
	for w.Shift > 0 && !fits() {
		w.Shift--
	}
	step := p.Scale * math.Exp2(-float64(w.Shift))
	place := places(w.Used, p.D)
	for o := range p.Submodels {
		for i, k := range p.Row.Used {
			if place[k] < 0 {
				continue
			}
			a := l.weight(p, o, i)
			u := math.Round(a / step)
			w.Weights = append(w.Weights, int(u))
			p.Bounds[o] += math.Abs(a)*p.Row.Off[k] + math.Abs(u*step-a)*largest
		}
		if w.Shift > 0 {
			p.Bounds[o] += p.Scale / 2
		}
	}
	p.Planes = w
}
