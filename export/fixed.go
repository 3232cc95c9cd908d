package export

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// A model in fixed point has features in 16 bits. Those of vectors are in units in which a kernel value is 2 to the
// power −‖q − v‖² times a power of two: the square is summed in 32 bits, and the power comes from a table over one
// octave, with lines between. Planes and steps have weights in 16 bits, for the same features.
const (
	maxInt16   = math.MaxInt16
	maxQuery   = 16383 // features of vectors: a difference of two has 16 bits, and its square 30
	farAway    = 4.0   // in units of the distance: 2^(−4²) is less than the step of a kernel value
	octave     = 64    // steps of the table
	maxLess    = 15
	expBits    = 13 // of an exponent behind the point
	minBits    = 8  // of the square of a distance
	valueOne   = 1 << 15
	valueStep  = 1.0 / valueOne
	lineError  = 1.47e-5 // (ln 2/64)²/8
	tableError = lineError + 1.5*valueStep
	cutError   = 2 * valueStep // of a kernel value below 2^−16, which is 0, and of a feature that is cut
	floatError = 4.0 / (1 << 24)
)

// ErrNoFixed is in the chain of [Write]'s error for a model that [Options.Fixed] does not take.
var ErrNoFixed = errors.New("fixed point is for vectors of one RBF kernel, planes and steps")

// fixed is a model of integers.
type fixed struct {
	*program
	Row     fixedRow
	Near    *fixedNear // vectors; nil for none
	Rises   *fixedRises
	Planes  *fixedPlanes
	Weights []int // coefficients of vectors, then of steps, for each submodel
	Less    int   // bits of a product that are dropped
	Offsets []int // biases
	Scale   float64
	Bounds  []float64 // of the difference of each submodel's decision values to those in double precision
	One     int       // 1 as a decision value
	Odds    *fixedOdds

	unit   float64 // of Weights
	errors []float64
}

// fixedRow is how raw features become integers: q = (x − Center)·Factor, rounded and cut at ±Largest.
type fixedRow struct {
	Used           []int     // the features that change something
	Center, Factor []float64 // of each of Used
	Largest        int
	Off            []float64 // bounds of the errors of q, of all features
	Limited        []span    // of all features: beyond a closed span cutting may change a decision
}

// fixedNear is the vectors of an RBF kernel.
type fixedNear struct {
	Used  []int // features
	Units []int // vectors, N×len(Used)
	Drop  int   // bits of a square that are dropped, so that all squares fit into 32 bits
	Shift int   // from the sum to an exponent with expBits bits
	Limit uint64
	Table []int
	Slack float64 // bound of the error of a kernel value

	center, factor, vectors []float64 // in double precision, in units of the distance
	need, grid              float64   // the largest feature, and the integers a unit
}

// newFixed rounds a model to integers and bounds what that changes.
func newFixed(f *flat, o Options) (*fixed, error) {
	if err := f.fixable(); err != nil {
		return nil, err
	}
	p := &fixed{program: newProgram(f, o)}
	l := p.linear()
	spans, err := p.spans(l)
	if err != nil {
		return nil, err
	}
	if f.N > 0 && f.Kernel.Kind == gram.KindRBF {
		if err = p.place(spans); err != nil {
			return nil, err
		}
	}
	if err = p.roundRow(spans); err != nil {
		return nil, err
	}
	if p.Near != nil {
		p.bind()
	}
	p.rise(l)
	p.weigh(l)
	if !(slices.Max(p.Bounds) <= math.MaxFloat32) {
		return nil, errors.New("numbers beyond the range of fixed point")
	}
	p.odds()
	p.size()
	p.Lowered = p
	return p, nil
}

// flattenFor is flatten without what no program in fixed point has: with variances a linear kernel is none.
// Steps of one feature are single if a target has them so.
func flattenFor(c *model.Classifier, o Options, singles bool) (*flat, error) {
	p := c.Parts()
	if p.Latent != nil && (o.Fixed || o.Float) {
		return nil, fmt.Errorf("export: a classifier of Gaussian processes in single precision or integers, which lose "+
			"the digits of its probabilities: %w", ErrNoCode)
	}
	if o.Fixed && p.Posterior != nil {
		p.Posterior = nil
		var err error
		if c, err = model.New(p); err != nil {
			return nil, err
		}
	}
	f, err := flatten(c)
	if err == nil && !o.Fixed {
		f.compress(singles)
	}
	return f, err
}

// tables lists the tables of the program in fixed point.
func (p *fixed) tables() (all tableList) {
	all.real("center", p.Row.Center)
	all.real("factor", p.Row.Factor)
	if len(p.Row.Used) < p.D {
		all.whole("used", uint16s, p.Row.Used)
	}
	if n := p.Near; n != nil {
		all.whole("near", uint16s, p.listed(n.Used))
		all.whole("vectors", int16s, n.Units)
		all.whole("octave", uint16s, n.Table)
	}
	if r := p.Rises; r != nil {
		all.whole("turned", uint16s, p.listed(r.Used))
		all.whole("stepfeature", uint16s, r.Feature)
		all.whole("slopes", int16s, r.Slopes)
		all.whole("stepoffset", int32s, r.Offset)
		all.whole("stepshift", uint16s, r.shifts())
	}
	if w := p.Planes; w != nil {
		all.whole("flat", uint16s, p.listed(w.Used))
		all.whole("planes", int16s, w.Weights)
	}
	all.whole("weights", int16s, p.Weights)
	if len(p.Offsets) > 1 {
		all.whole("bias", int32s, p.Offsets)
	}
	all.classes(p.program, uint16s)
	if q := p.Odds; q != nil && len(q.Limits) > 1 {
		all.whole("oddlimit", int32s, q.Limits)
		all.whole("oddoffset", int32s, q.Offsets)
		all.whole("oddslope", int16s, q.Slopes)
	}
	if p.Rises != nil || p.Odds != nil {
		fall := make([]int, int(falls)+1)
		for i := range fall {
			fall[i] = int(math.Round(valueOne / (1 + math.Exp(float64(i)/fallCells))))
		}
		all.whole("fall", uint16s, fall)
	}
	all.values(p.Values, uint16s)
	return all
}

// size counts the memory of the tables and of the arrays on the stack.
func (p *fixed) size() {
	p.Bytes = 0
	for _, t := range p.tables() {
		p.Bytes += t.kind.bytes(true) * (len(t.reals) + len(t.whole))
	}
	if p.Stack = 4 * len(p.Submodels); p.pairs {
		p.Stack += 4 * len(p.Labels)
	}
	if p.Odds != nil {
		p.Stack += 2 * len(p.Labels)
	}
}

// places returns the place of each of d features in a list; -1 for a feature that it lacks.
func places(list []int, d int) []int {
	index := slices.Repeat([]int{-1}, d)
	for i, k := range list {
		index[k] = i
	}
	return index
}

// listed is the table of some features, nil if they are all, or those of the row.
func (p *fixed) listed(used []int) []int {
	if len(used) == p.D || slices.Equal(used, p.Row.Used) {
		return nil
	}
	return used
}

// fixable says why a model has no fixed point.
func (f *flat) fixable() error {
	p := &f.Parts
	kernels := slices.ContainsFunc(p.Submodels, func(m learn.Submodel) bool { return m.Kernel != nil })
	switch {
	case kernels:
		return fmt.Errorf("a model of several kernels: %w", ErrNoFixed)
	case p.D == 0:
		return fmt.Errorf("a model without features: %w", ErrNoFixed)
	case p.N > 0 && p.Kernel.Kind != gram.KindRBF && p.Kernel.Kind != gram.KindLinear:
		return fmt.Errorf("a model with kernel %v: %w", p.Kernel.Kind, ErrNoFixed)
	case p.D > maxInt16 || p.N > maxInt16:
		return fmt.Errorf("%d vectors of %d features: fixed point has at most %d", p.N, p.D, maxInt16)
	}
	return nil
}

// place centres the vectors and the spans of planes and steps, and chooses the grid.
func (p *fixed) place(spans []span) error {
	d, k := p.D, p.Kernel
	k.Gamma *= math.Log2E // of a power of two
	g := group{Sum: squares, Vectors: slices.Clone(p.Vectors), N: p.N, D: d}
	n := &fixedNear{vectors: g.Vectors}
	n.center, n.factor = g.moveWidths(k, p.Scaling)
	for k := range d {
		lo, hi := math.Inf(1), math.Inf(-1)
		for i := k; i < len(n.vectors); i += d {
			lo, hi = min(lo, n.vectors[i]), max(hi, n.vectors[i])
		}
		if n.factor[k] != 0 || lo != 0 || hi != 0 {
			n.Used = append(n.Used, k)
		}
		lo, hi = lo-farAway, hi+farAway
		if s := spans[k]; s.used {
			lo, hi = min(lo, (s.lo-n.center[k])*n.factor[k]), max(hi, (s.hi-n.center[k])*n.factor[k])
		}
		middle := 0.0
		if n.factor[k] != 0 {
			middle = (lo + hi) / 2
			n.center[k] += middle / n.factor[k]
		}
		for i := k; i < len(n.vectors); i += d {
			n.vectors[i] -= middle
		}
		n.need = max(n.need, hi-middle, middle-lo)
	}
	if len(n.Used) == 0 {
		if !p.Simple() {
			return fmt.Errorf("vectors that no feature changes, with a plane or steps: %w", ErrNoFixed)
		}
		return errors.New("a model that no feature changes: fixed point has nothing to do")
	}
	square := int(math.Floor(2 * math.Log2(maxQuery/n.need)))
	n.grid = math.Exp2(float64(square) / 2)
	n.Drop = max(0, int(math.Ceil(math.Log2(float64(len(n.Used)))))-2)
	if square-n.Drop < minBits {
		return fmt.Errorf("ranges of %d features as wide as %.3g widths of the kernel: too far for 16 bits", d, 2*n.need)
	}
	n.Shift, n.Limit = square-n.Drop-expBits, 16<<(square-n.Drop)
	p.Near = n
	return nil
}

// roundRow chooses the integers of features.
func (p *fixed) roundRow(spans []span) error {
	r := &p.Row
	r.Largest, r.Off, r.Limited = maxInt16, make([]float64, p.D), spans
	var near []int
	if p.Near != nil {
		r.Largest = int(math.Ceil(p.Near.need * p.Near.grid))
		near = places(p.Near.Used, p.D)
	}
	for k := range p.D {
		center, factor := 0.0, 0.0
		if n := p.Near; n != nil {
			center, factor = n.center[k], n.factor[k]*n.grid
			if !spans[k].used && near[k] < 0 {
				continue
			}
		} else if !spans[k].used {
			continue
		}
		if s := spans[k]; factor == 0 && s.used {
			center = s.lo + (s.hi-s.lo)/2
			factor = float64(r.Largest) / ((s.hi - s.lo) / 2)
		}
		if factor == 0 { // a constant one is 0, whatever comes
			continue
		}
		if !(math.Abs(center) <= math.MaxFloat32 && factor <= math.MaxFloat32) {
			return fmt.Errorf("feature %d: a center of %g, or steps of %g, are beyond the range of float", k, center, 1/factor)
		}
		c := float64(float32(center))
		r.Used = append(r.Used, k)
		r.Center = append(r.Center, c)
		r.Factor = append(r.Factor, float64(float32(factor)))
		// Rounding of q, of the center to float, and of the factor and three operations in float.
		r.Off[k] = 0.5 + math.Abs(center-c)*factor + floatError*float64(r.Largest)
	}
	if len(r.Used) == 0 {
		return errors.New("a model that no feature changes: fixed point has nothing to do")
	}
	return nil
}

// bind rounds the vectors, and bounds the error of a kernel value.
func (p *fixed) bind() {
	n, squares := p.Near, 0.0
	for _, k := range n.Used {
		e := 0.5 + p.Row.Off[k]
		squares += e * e
	}
	for i := range p.N {
		for _, k := range n.Used {
			n.Units = append(n.Units, int(math.Round(n.vectors[i*p.D+k]*n.grid)))
		}
	}
	for i := range octave + 1 {
		n.Table = append(n.Table, int(math.Round(valueOne*math.Exp2(-float64(i)/octave))))
	}
	// The square of a distance, from rounded features; then what the integers drop of it.
	n.Slack = math.Sqrt(2*math.Ln2/math.E) * math.Sqrt(squares) / n.grid
	n.Slack += math.Ln2 * math.Exp2(-expBits-1)
	if n.Drop > 0 {
		n.Slack += math.Ln2 * float64(len(n.Used)) * math.Exp2(float64(n.Drop)) / (n.grid * n.grid)
	}
	n.Slack += tableError + cutError
}

// weigh rounds coefficients, planes and biases, and bounds what that changes.
func (p *fixed) weigh(l *linear) {
	m := len(p.Submodels)
	coef := p.coefficients(l)
	largest, widest := 0.0, 0.0 // a coefficient, and a plane with its bias
	sums, planes := make([]float64, m), make([]float64, m)
	for i, a := range coef {
		largest = max(largest, math.Abs(a))
		sums[i%m] += math.Abs(a)
	}
	steepest := 0.0
	for o := range m {
		for i := range p.Row.Used {
			w := math.Abs(l.weight(p, o, i))
			steepest, planes[o] = max(steepest, w), planes[o]+w*float64(p.Row.Largest)
		}
		widest = max(widest, planes[o]+math.Abs(l.bias[o]))
	}
	if p.unit = largest / maxInt16; largest == 0 {
		if p.unit = widest / valueOne; widest == 0 {
			p.unit = 1
		}
	}
	fits := func() bool {
		p.Scale = p.unit * math.Exp2(float64(p.Less)) / valueOne
		for o, sum := range sums {
			// Every product may be larger by two units, and every weight of a plane by half a step.
			all := sum + 2*p.unit*float64(len(coef)/m) + planes[o] + math.Abs(l.bias[o])
			if l.flat != nil {
				all += p.Scale * (float64(len(p.Row.Used)*p.Row.Largest)/2 + 1)
			}
			if !(all <= math.MaxInt32*p.Scale) {
				return false
			}
		}
		return steepest <= maxInt16*p.Scale
	}
	for range 4096 { // it ends there if numbers overflow
		if fits() {
			break
		} else if p.Less < maxLess {
			p.Less++
		} else {
			p.unit *= 2
		}
	}
	p.One = int(min(math.MaxInt32, math.Round(1/p.Scale)))
	p.round(l, coef)
	if l.flat != nil {
		p.roundPlanes(l)
	}
}

// coefficients returns the coefficients of vectors, then of steps, and sets the bounds of the errors of their values.
func (p *fixed) coefficients(l *linear) []float64 {
	m, n := len(p.Submodels), 0
	if p.Near != nil {
		n = p.N
	}
	coef := make([]float64, n*m, n*m+len(l.coef))
	for o := range p.Submodels {
		s := &p.Submodels[o]
		for i, j := range s.Support {
			if n > 0 {
				coef[j*m+o] = s.Coef[i]
			}
		}
	}
	p.errors = make([]float64, n)
	for i := range p.errors {
		p.errors[i] = p.Near.Slack
	}
	if p.Rises != nil {
		p.errors = append(p.errors, p.Rises.Slack...)
	}
	return append(coef, l.coef...)
}

// round rounds coefficients and biases.
func (p *fixed) round(l *linear, coef []float64) {
	m := len(p.Submodels)
	p.Bounds = make([]float64, m)
	for i, a := range coef {
		w := math.Round(a / p.unit)
		p.Weights = append(p.Weights, int(w))
		p.Bounds[i%m] += math.Abs(a)*p.errors[i/m] + math.Abs(w*p.unit-a)
	}
	for o := range p.Bounds {
		bias := math.Round(l.bias[o] / p.Scale)
		p.Offsets = append(p.Offsets, int(bias))
		if p.Bounds[o] += p.Scale / 2; p.Less > 0 {
			p.Bounds[o] += float64(len(coef)/m) * p.Scale
		}
	}
}

// threeDigits has three digits, rounded up.
func threeDigits(v float64) string {
	digits := 1.0
	for v > 0 && v*digits < 100 {
		digits *= 10
	}
	return strconv.FormatFloat(math.Ceil(v*digits)/digits, 'g', 6, 64)
}

// writeFixed writes a C header without floating point but for the conversion of features.
func writeFixed(w io.Writer, f *flat, o Options) error {
	p, err := newFixed(f, o)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	c := &fixedWriter{newWriter(p.program, true, true)}
	c.write()
	return c.flush(w)
}
