package centres

import (
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// Levels says which features of a problem's samples are the numbers of levels, from 1. In their place the model has a
// value for each level, which is free. A sample of any other number has the value 0.
type Levels struct {
	Features []int     // ascending
	Counts   []int     // of levels, feature by feature
	Start    []float64 // values that new models begin with, feature by feature
	Penalty  float64   // κ of (1)
}

// Size is the number of values.
func (l *Levels) Size() (n int) {
	if l != nil {
		for _, c := range l.Counts {
			n += c
		}
	}
	return n
}

// index is 1 + the place among the values of a number of coded feature c, whose values begin at first; 0 for a number
// that is no level.
func (l *Levels) index(c, first int, x float64) int32 {
	if x = math.Round(x); x >= 1 && x <= float64(l.Counts[c]) {
		return int32(first + int(x))
	}
	return 0
}

// each calls f with every coded feature and the place of its first value.
func (l *Levels) each(f func(c, feature, first int)) {
	if l == nil {
		return
	}
	first := 0
	for c, feature := range l.Features {
		f(c, feature, first)
		first += l.Counts[c]
	}
}

// At is the problem with the values of a model's levels in its samples; itself if it has no levels.
func (p *Problem) At(m *Model) *Problem {
	if p.Levels == nil {
		return p
	}
	q := *p
	q.X, q.Levels = slices.Clone(p.X[:p.N*p.D]), nil
	p.Levels.each(func(c, feature, first int) {
		for i := range p.N {
			x := &q.X[i*p.D+feature]
			if index := p.Levels.index(c, first, *x); index > 0 {
				*x = m.Values[index-1]
			} else {
				*x = 0
			}
		}
	})
	return &q
}

// levels evaluates the values of levels. In the units of the store they are variables z.
type levels struct {
	*Levels
	table []float64 // 0, then z
	pull  []float64 // coded features × units: factors of the rows of kernel values and steps in ∂f/∂z
	plane []float64 // coded features × outputs
	start []float64 // zeros
	share []float64 // see rarity
}

func newLevels(o *objective) *levels {
	if o.Levels == nil {
		return nil
	}
	n := len(o.Levels.Features)
	l := &levels{Levels: o.Levels, table: make([]float64, 1+o.Levels.Size()), pull: make([]float64, n*o.units),
		start: make([]float64, n), share: o.rarity(o.Levels.Size())}
	if o.Plane {
		l.plane = make([]float64, n*o.Outputs)
	}
	return l
}

// code fills a block of the store with indices and the values that the problem begins with.
func (s *store) code(p *Problem, b int) {
	if p.Levels == nil {
		return
	}
	n := len(p.Levels.Features)
	p.Levels.each(func(c, feature, first int) {
		for i := b * s.block; i < min((b+1)*s.block, p.N); i++ {
			index := p.Levels.index(c, first, p.X[i*p.D+feature])
			s.level[(b*n+c)*s.block+i%s.block] = index
			z := &s.z[b*s.stride+feature*s.block+i%s.block]
			if *z = 0; index > 0 {
				*z = s.rate[feature] * p.Levels.Start[index-1]
			}
		}
	})
}

// prepare takes the values of an iterate, and returns a bound of ‖z‖² of what they add to samples.
func (l *levels) prepare(o *objective, v variables) (bound float64) {
	copy(l.table[1:], v.level)
	factor := o.factors(v)
	l.each(func(c, k, first int) {
		largest := 0.0
		for _, z := range v.level[first : first+l.Counts[c]] {
			largest = max(largest, z*z)
		}
		bound += largest
		row := l.pull[c*o.units : (c+1)*o.units]
		for j := range o.k {
			row[j] = 2 * o.width[k] * factor[j] * v.vec[j*o.d+k]
		}
		for j := range o.units - o.k {
			row[o.k+j] = o.steps.turn[j*o.d+k]
		}
		for out := range len(l.plane) / len(l.Features) {
			l.plane[c*o.Outputs+out] = o.steps.plane[out*o.d+k]
		}
	})
	return bound
}

// pack writes the values of an iterate into the rows of a block.
func (l *levels) pack(o *objective, z []float64, block int) {
	b, n := o.block, len(l.Features)
	for c, k := range l.Features {
		row := z[k*b : (k+1)*b]
		for i, index := range o.level[(block*n+c)*b:][:b] {
			row[i] = l.table[index]
		}
		if o.Widths == Each {
			square := z[(o.d+1+k)*b:][:b]
			for i, v := range row {
				square[i] = v * v
			}
		}
	}
	if o.Widths != Each {
		squares(z, o.d, b, o.Widths)
	}
}

// moments adds the derivatives of the loss for values, by (4), over a block to a part. The block's P of (2) and (3) are
// in sc.k, r is in sc.r.
func (l *levels) moments(o *objective, p *partial, sc *scratch, v variables, block int) {
	b, n, z := o.block, len(l.Features), o.z[block*o.stride:]
	total := sc.q[:b]
	clear(total)
	dense.AddRows(total, o.factors(v), sc.k, b)
	dense.MulRows(sc.level, b, l.start, l.pull, o.units, sc.k, b, o.units, b)
	for c, k := range l.Features {
		row, x := sc.level[c*b:(c+1)*b], z[k*b:(k+1)*b]
		if l.plane != nil {
			dense.AddRows(row, l.plane[c*o.Outputs:(c+1)*o.Outputs], sc.r, b)
		}
		back := -2 * o.width[k]
		for i, index := range o.level[(block*n+c)*b:][:b] {
			p.levels[index] += row[i] + back*x[i]*total[i]
		}
	}
}

const (
	levelCorner = 0.03 // ε of (1)
	rareLevel   = 10   // τ of (1)
)

// rarity is τ/(1 + n_l) of (1) for the levels.
func (s *store) rarity(levels int) []float64 {
	r := make([]float64, levels)
	for _, index := range s.level {
		if index > 0 {
			r[index-1]++
		}
	}
	for l, n := range r {
		r[l] = rareLevel / (1 + n)
	}
	return r
}

// penalty returns what (1) has for levels, and adds its gradient.
func (l *levels) penalty(v, g variables) (value float64) {
	l.each(func(c, _, first int) {
		own, grad := v.level[first:first+l.Counts[c]], g.level[first:first+l.Counts[c]]
		length := rounded(own)
		value += l.Penalty * (length - levelCorner)
		dense.Axpy(l.Penalty/length, own, grad)
	})
	for i, z := range v.level {
		w := l.Penalty * l.share[i] * z
		value += w / 2 * z
		g.level[i] += w
	}
	return value
}

// rounded is √(‖x‖² + ε²).
func rounded(x []float64) float64 { return math.Sqrt(dense.Dot(x, x) + levelCorner*levelCorner) }

// loadLevels writes the values of a model in the units of the store.
func (f *Fitter) loadLevels(v variables, m *Model) {
	f.p.Levels.each(func(c, k, first int) {
		for i, x := range m.Values[first : first+f.p.Levels.Counts[c]] {
			v.level[first+i] = f.s.rate[k] * x
		}
	})
}

// unloadLevels is the inverse of loadLevels; a feature that the kernel does not see keeps its values.
func (f *Fitter) unloadLevels(m *Model, v variables) {
	f.p.Levels.each(func(c, k, first int) {
		for i := first; f.s.rate[k] > 0 && i < first+f.p.Levels.Counts[c]; i++ {
			m.Values[i] = v.level[i] / f.s.rate[k]
		}
	})
}

// LevelLengths is ‖z_k‖ for each coded feature.
func (f *Fitter) LevelLengths(m *Model) (lengths []float64) {
	f.p.Levels.each(func(c, k, first int) {
		own := m.Values[first : first+f.p.Levels.Counts[c]]
		lengths = append(lengths, f.s.rate[k]*norm(own))
	})
	return lengths
}
