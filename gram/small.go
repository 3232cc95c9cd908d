package gram

import (
	"fmt"
	"math"
	"unsafe"
)

// Limits of a Small: its values and one scaled row fit in the stack frame of one call.
const (
	smallSamples  = 256
	smallFeatures = 128
)

// smallRows is the number of rows in a block of Small.scaling.
const smallRows = 5

// Affine maps each feature x to Lo + Width·(x−Center)/Spread, or to 0 if Spread is 0.
type Affine struct {
	Center, Spread []float64 // one element a feature
	Width, Lo      float64
}

// Small is an [Expansion] of few samples, with a map of the features before it and a bias for each output: f_o(x) =
// bias_o + Σ_j coef_o[j]·k(map(x), x_j). It is compiled for one row at a time. One assembly call reads flat tables,
// allocates nothing, and takes time in proportion to the number of samples. A Small is immutable and safe for
// concurrent use.
type Small struct {
	form    form
	d       int
	quads   int // ⌈samples/4⌉
	outputs int
	panels  []float64 // as in inPanels
	norms   []float64 // as in inPanels, for the expanded form only
	coefs   []float64 // outputs × whole panels
	bias    []float64
	scale   float64 // factor of a sum in the exponent, −γ, or under the root of a curve
	curve   curve   // of a Matérn kernel, with its first coefficient negated; else zero
	// scaling has five rows for each block of eight features: a mask whose bits are all set if the feature counts;
	// center; spread; and centre and scale of the transform of the samples. It is nil if rows are used as they are.
	scaling   []float64
	first     uint8 // bit k is set if feature k < 8 counts
	ranged    int   // 0 if width, lo and the transform are the identity
	width, lo float64
}

// NewSmall compiles e with the map m (nil for none) and one bias an output. It returns nil if e has more than 256
// samples or more than 128 features, or if no assembly exists for its kernel and layout.
func NewSmall(e *Expansion[float64], m *Affine, bias []float64) *Small {
	p := e.points
	if len(bias) != len(e.coefs) {
		panic(fmt.Sprintf("gram: %d biases for %d outputs", len(bias), len(e.coefs)))
	}
	if m != nil && (len(m.Center) != p.d || len(m.Spread) != p.d) {
		panic(fmt.Sprintf("gram: a map of %d and %d features for samples of dimension %d", len(m.Center), len(m.Spread), p.d))
	}
	x, ok := p.layout.(*inPanels[float64])
	if p.n == 0 || p.n > smallSamples || p.d == 0 || p.d > smallFeatures || !ok || !x.hasSmall() {
		return nil
	}
	s := &Small{
		form: x.form, d: p.d, quads: (p.n + 3) / 4, outputs: len(e.coefs),
		panels: x.panels, norms: x.norms, scale: -p.kernel.Gamma,
	}
	if c := p.kernel.trait().curve; c != nil {
		s.scale, s.curve = c.root*p.kernel.Gamma, curve{c.root, -c.first, c.second}
	}
	for o, c := range e.coefs {
		s.coefs = append(s.coefs, c...)
		s.bias = append(s.bias, bias[o]+0) // + 0 turns −0 into 0, so that the sign of a zero sum does not matter
	}
	if m != nil || x.feat.scale != nil || x.feat.centre != nil {
		s.setScaling(m, x.feat)
	}
	return s
}

// hasSmall reports whether Small supports the form and the formula of the kernel.
func (p *inPanels[T]) hasSmall() bool {
	t := p.kernel.trait()
	return t.decay || p.kernel.Additive() || t.curve != nil && t.curve.root != 0
}

// setScaling fills scaling for the map m and the transform f.
func (s *Small) setScaling(m *Affine, f transform) {
	l := lanes[float64]()
	s.scaling = Aligned[float64]((s.d + l - 1) / l * smallRows * l)
	s.width, s.lo = 1, 0
	if m != nil {
		s.width, s.lo = m.Width, m.Lo
	}
	if s.width != 1 || s.lo != 0 || f.scale != nil || f.centre != nil {
		s.ranged = 1
	}
	for k := range len(s.scaling) / smallRows {
		counts, center, spread, move, factor := uint64(0), 0.0, 1.0, 0.0, 1.0
		if k < s.d {
			if m == nil || m.Spread[k] != 0 {
				counts = math.MaxUint64
				s.first |= uint8(1 << min(k, l) & 0xff)
			}
			if m != nil && m.Spread[k] != 0 {
				center, spread = m.Center[k], m.Spread[k]
			}
			if f.centre != nil {
				move = f.centre[k]
			}
			if f.scale != nil {
				factor = f.scale[k]
			}
		}
		for i, v := range [smallRows]float64{math.Float64frombits(counts), center, spread, move, factor} {
			s.scaling[k/l*smallRows*l+i*l+k%l] = v
		}
	}
}

// Eval writes the outputs for one row x to the first elements of dst. It allocates nothing. The bits equal those of
// Expansion.Eval for the mapped row, plus the bias.
//
// unsafe.SliceData returns a *float64 and needs no conversion rule of package unsafe. The length check above the call
// keeps the assembly inside both slices.
func (s *Small) Eval(dst, x []float64) {
	if len(x) != s.d || len(dst) < s.outputs {
		s.panicLengths(len(dst), len(x))
	}
	to, from, done := unsafe.SliceData(dst), unsafe.SliceData(x), false
	switch {
	case s.curve.root != 0 && s.form == square:
		done = runSmallSquareBell(to, s, from)
	case s.curve.root != 0:
		done = runSmallExpandedBell(to, s, from)
	case s.form == square:
		done = runSmallSquare(to, s, from)
	case s.form == expanded:
		done = runSmallExpanded(to, s, from)
	case s.form == inner:
		done = runSmallInner(to, s, from)
	case s.form == absolute:
		done = runSmallAbsolute(to, s, from)
	}
	if !done {
		s.evalGeneric(dst, x)
	}
}

// panicLengths is a separate function, so that Eval needs no stack frame for the message.
//
//go:noinline
func (s *Small) panicLengths(results, features int) {
	panic(fmt.Sprintf("gram: a row of %d features and %d results, want %d and %d", features, results, s.d, s.outputs))
}

// evalGeneric is Eval in portable Go.
func (s *Small) evalGeneric(dst, x []float64) {
	var row [smallFeatures]float64
	var values [smallSamples]float64
	x = s.scaled(row[:s.d], x)
	l := lanes[float64]()
	for i := range s.quads {
		v := values[4*i:][:4:4]
		v[0], v[1], v[2], v[3] = sums4(s.form, x, 1, s.panels[4*i/l*l*s.d+4*i%l:], s.d)
	}
	k := values[:4*s.quads]
	if s.form == expanded {
		distancesGeneric(k, k, s.norms, normSquared(x, 1, s.d))
	}
	switch {
	case s.curve.root != 0:
		s.bells(k)
	case s.form != inner:
		expGeneric64(k, k, s.scale)
	}
	panels := (4*s.quads + l - 1) / l * l
	for o, b := range s.bias {
		var sums [4 * 8]float64
		weighGeneric(sums[:], values[:panels], s.coefs[o*panels:])
		dst[o] = total(sums[:]) + b
	}
}

// bells turns sums into values of a Matérn kernel.
//
//go:noinline
func (s *Small) bells(k []float64) {
	var room [smallSamples]float64
	t := room[:len(k)]
	rootsGeneric(t, k, s.scale)
	expGeneric64(k, t, -1)
	bendsGeneric(k, t, -s.curve.first, s.curve.second)
}

// scaled returns the mapped row x. It uses row as memory.
func (s *Small) scaled(row, x []float64) []float64 {
	if s.scaling == nil {
		return x
	}
	l := lanes[float64]()
	for k, v := range x {
		t := s.scaling[k/l*smallRows*l+k%l:]
		if row[k] = 0; math.Float64bits(t[0]) != 0 {
			row[k] = s.lo + s.width*(v-t[l])/t[2*l]
		}
		row[k] = (row[k] - t[3*l]) * t[4*l]
	}
	return row
}
