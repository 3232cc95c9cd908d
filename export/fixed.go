package export

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// A model in fixed point has features in 16 bits, in units in which a kernel value is 2 to the power −‖q − v‖² times a
// power of two. The square is summed in 32 bits; the power comes from a table over one octave, with lines between.
const (
	mostInt16  = math.MaxInt16
	mostQuery  = 16383 // features: a difference of two has 16 bits, and its square 30
	farAway    = 4.0   // in units of the distance: 2^(−4²) is less than the step of a kernel value
	octave     = 64    // steps of the table
	mostLess   = 15
	expBits    = 13 // of an exponent behind the point
	leastBits  = 8  // of the square of a distance
	valueOne   = 1 << 15
	valueStep  = 1.0 / valueOne
	lineError  = 1.47e-5 // (ln 2/64)²/8
	tableError = lineError + 1.5*valueStep
	cutError   = 2 * valueStep // of a kernel value below 2^−16, which is 0, and of a feature that is cut
)

// ErrNoFixed is in the chain of [Write]'s error for a model that [Options.Fixed] does not take.
var ErrNoFixed = errors.New("fixed point is for vectors of one RBF kernel")

// fixed is a model of integers.
type fixed struct {
	*program
	Used           []int     // features; nil for all
	Count          int       // of those
	Center, Factor []float64 // q = (x − center)·factor, rounded and cut at ±Most
	Most           int
	Units          []int // vectors, N×Count
	Drop           int   // bits of a square that are dropped, so that all squares fit into 32 bits
	Shift          int   // from the sum to an exponent with expBits bits
	Limit          uint64
	Table          []int
	Weights        []int // coefficients, N×submodels
	Less           int   // bits of a product that are dropped
	Offsets        []int // biases
	Scale          float64
	Bound          float64 // of the difference of a decision value to that in double precision
	One            int     // 1 as a decision value
}

// writeFixed writes a C header without floating point but for the conversion of features.
func writeFixed(w io.Writer, f *flat, o Options) error {
	p, err := newFixed(f, o)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	c := &fixedWriter{newCWriter(p.program, "float", "int16_t"), p}
	c.words["$real"], c.words["$int"], c.words["$place"] = "int32_t", "int32_t", "(int)SPARSEKM_INT"
	c.words["$one"], c.words["$most"], c.words["$count"] = strconv.Itoa(p.One), strconv.Itoa(p.Most), strconv.Itoa(p.Count)
	c.head()
	c.tables()
	c.feature()
	c.put(fixedPower)
	c.decide()
	if p.Task.Real() {
		c.put(fixedValue)
	} else {
		c.class()
		c.put(fixedPredict)
	}
	c.put("\n\n#endif")
	return c.flush(w)
}

// newFixed rounds a model to integers and bounds what that changes.
func newFixed(f *flat, o Options) (*fixed, error) {
	if err := f.fixable(); err != nil {
		return nil, err
	}
	p := &fixed{program: newProgram(f, o)}
	slack, err := p.place()
	if err != nil {
		return nil, err
	}
	for i := range octave + 1 {
		p.Table = append(p.Table, int(math.Round(valueOne*math.Exp2(-float64(i)/octave))))
	}
	if err = p.weigh(slack); err != nil {
		return nil, err
	}
	p.size()
	return p, nil
}

// size counts the memory of the tables and of the arrays on the stack.
func (p *fixed) size() {
	m := len(p.Submodels)
	p.Bytes = 2*(len(p.Used)+len(p.Units)+len(p.Table)+len(p.Weights)) + 8*p.Count
	if p.Stack = 4 * m; m > 1 {
		p.Bytes += 4 * m
	}
	if !p.ordered() {
		p.Bytes += 2 * m
	}
	if p.pairs {
		p.Bytes += 2 * m
		p.Stack += 4 * len(p.Labels)
	}
}

// fixable says why a model has no fixed point.
func (f *flat) fixable() error {
	p := &f.Parts
	own := slices.ContainsFunc(p.Submodels, func(m learn.Submodel) bool { return m.Kernel != nil })
	switch {
	case own:
		return fmt.Errorf("a model of several kernels: %w", ErrNoFixed)
	case p.N == 0 || p.D == 0:
		return fmt.Errorf("a model without vectors: %w", ErrNoFixed)
	case p.Kernel.Kind != gram.KindRBF:
		return fmt.Errorf("a model with kernel %v: %w", p.Kernel.Kind, ErrNoFixed)
	case !p.Simple():
		return fmt.Errorf("a model with a plane or steps: %w (train --units vectors)", ErrNoFixed)
	case p.D > mostInt16 || p.N > mostInt16:
		return fmt.Errorf("%d vectors of %d features: fixed point has at most %d", p.N, p.D, mostInt16)
	case p.Columns.Valued():
		return fmt.Errorf("a model with learned values of categories: %w", ErrNoFixed)
	}
	return nil
}

// units returns what features and vectors are multiplied by: q = (x − center)·factor, with vectors in the same units.
func (f *flat) units() (center, factor, vectors []float64) {
	p := &f.Parts
	center, factor, base := affine(p.Scaling, p.D)
	vectors = slices.Clone(f.Vectors)
	for k := range p.D {
		r := p.Kernel.Gamma * math.Log2E
		if p.Kernel.Weights != nil {
			r *= p.Kernel.Weights[k]
		}
		r = math.Sqrt(r)
		factor[k] *= r
		for i := k; i < len(vectors); i += p.D {
			vectors[i] = (vectors[i] - base[k]) * r
		}
	}
	return center, factor, vectors
}

// place puts features and vectors on a grid of 16 bits, and returns the bound of the error of a kernel value.
func (p *fixed) place() (slack float64, err error) {
	center, factor, vectors := p.units()
	d, reach := p.D, 0.0
	for k := range d {
		lo, hi := math.Inf(1), math.Inf(-1)
		for i := k; i < len(vectors); i += d {
			lo, hi = min(lo, vectors[i]), max(hi, vectors[i])
		}
		middle := 0.0
		if factor[k] != 0 {
			middle = (lo + hi) / 2
			center[k] += middle / factor[k]
		}
		for i := k; i < len(vectors); i += d {
			vectors[i] -= middle
		}
		reach = max(reach, hi-middle, middle-lo)
		if factor[k] != 0 || lo != 0 || hi != 0 {
			p.Used = append(p.Used, k)
		}
	}
	if p.Count = len(p.Used); p.Count == 0 {
		return 0, errors.New("a model that no feature changes: fixed point has nothing to do")
	}
	square := int(math.Floor(2 * math.Log2(mostQuery/(reach+farAway))))
	grid := math.Exp2(float64(square) / 2)
	p.Drop = max(0, int(math.Ceil(math.Log2(float64(p.Count))))-2)
	if square-p.Drop < leastBits {
		return 0, fmt.Errorf("vectors of %d features, %.3g widths of the kernel apart: too far for 16 bits", d, 2*reach)
	}
	p.Most = int(math.Ceil((reach + farAway) * grid))
	p.Shift = square - p.Drop - expBits
	p.Limit = 16 << (square - p.Drop)
	off := p.round(center, factor, vectors, grid)
	// The square of a distance, from rounded features; then what the integers drop of it.
	slack = math.Sqrt(2*math.Ln2/math.E) * off / grid
	slack += math.Ln2 * math.Exp2(-expBits-1)
	if p.Drop > 0 {
		slack += math.Ln2 * float64(p.Count) * math.Exp2(float64(p.Drop-square))
	}
	return slack + tableError + cutError, nil
}

// round fills the tables of features and vectors, and returns the length of the error of a difference, in steps.
func (p *fixed) round(center, factor, vectors []float64, grid float64) float64 {
	squares := 0.0
	for _, k := range p.Used {
		c, r := float64(float32(center[k])), float64(float32(factor[k]*grid))
		p.Center = append(p.Center, c)
		p.Factor = append(p.Factor, r)
		// Rounding of q and of v, of the center to float, and of three operations in float.
		e := 1 + math.Abs(center[k]-c)*math.Abs(factor[k])*grid + 4*mostQuery*math.Exp2(-24)
		squares += e * e
	}
	for i := range p.N {
		for _, k := range p.Used {
			p.Units = append(p.Units, int(math.Round(vectors[i*p.D+k]*grid)))
		}
	}
	if p.Count == p.D {
		p.Used = nil
	}
	return math.Sqrt(squares)
}

// weigh rounds coefficients and biases, given the bound of the error of a kernel value.
func (p *fixed) weigh(slack float64) error {
	m := len(p.Submodels)
	coef, largest := make([]float64, p.N*m), 0.0
	for o := range p.Submodels {
		s := &p.Submodels[o]
		for i, j := range s.Support {
			coef[j*m+o] = s.Coef[i]
			largest = max(largest, math.Abs(s.Coef[i]))
		}
	}
	unit := 1.0
	if largest > 0 {
		unit = largest / mostInt16
	}
	sums := make([]float64, m) // of absolute weights
	for i, a := range coef {
		p.Weights = append(p.Weights, int(math.Round(a/unit)))
		sums[i%m] += math.Abs(a / unit)
	}
	fits := func() bool {
		for o, sum := range sums {
			largest := (sum + float64(p.N) + math.Abs(p.Bias[o])/unit) * valueOne
			if !(largest <= math.MaxInt32*math.Exp2(float64(p.Less))) {
				return false
			}
		}
		return true
	}
	for !fits() {
		if p.Less++; p.Less > mostLess {
			return errors.New("a bias that is too large for coefficients of 16 bits")
		}
	}
	one := math.Exp2(float64(p.Less))
	p.Scale = unit * one / valueOne
	p.One = int(min(math.MaxInt32, math.Round(1/p.Scale)))
	for o, sum := range sums {
		p.Offsets = append(p.Offsets, int(math.Round(p.Bias[o]/p.Scale)))
		bound := unit*sum*slack + float64(p.N)*unit/2 + p.Scale/2
		if p.Less > 0 {
			bound += float64(p.N) * p.Scale
		}
		p.Bound = max(p.Bound, bound)
	}
	return nil
}

// boundText has three digits, rounded up.
func (p *fixed) boundText() string {
	digits := 1.0
	for v := p.Bound; v < 100; v *= 10 {
		digits *= 10
	}
	return strconv.FormatFloat(math.Ceil(p.Bound*digits)/digits, 'g', 6, 64)
}

// fixedWriter writes the C of a model in fixed point.
type fixedWriter struct {
	*cWriter
	of *fixed
}

// head writes the comment, the macros, the sizes and the labels.
func (c *fixedWriter) head() {
	bound := c.of.boundText()
	c.put(`
/* $name.h: $what.
 * Written by sparsekm. C99 or C++, in integers of 16 and 32 bits. Include it where it is used: everything is static.
 *
 * int16_t $_feature(int k, float v)   feature k, from 0, of the raw value v: the only floating point`)
	if c.Task.Real() {
		c.put(` * int32_t $_value(const int16_t *features)   the prediction, in steps of $_SCALE`)
	} else {
		c.put(`
 * int32_t $_predict(const int16_t *features, int32_t features_length)   the class, an index into
 *     $_labels, or -1 where the length is not $features: as the models that emlearn writes`)
	}
	names := c.featureNames()
	if names != "" {
		names = "\n *" + names
	}
	c.put(`
 * void $_decide(const int16_t *features, int32_t *f)   the decision values, in steps of $_SCALE
 *
 * A decision value differs from that of the model in double precision by at most $bound, for every row of floats.$names
 *
 * Tables: $bytes bytes (in flash on AVR). Stack: $stack bytes in arrays at most.
 */
#ifndef $guard
#define $guard
#include <stdint.h>`, "$bound", bound, "$names", names)
	c.put(cMacros, "$flash", "tables stay in flash")
	c.put(`
#ifndef SPARSEKM_LONG
#ifdef __AVR__
#define SPARSEKM_LONG(p) pgm_read_dword(p)
#else
#define SPARSEKM_LONG(p) (*(p))
#endif
#endif

#define $_SCALE $scale
#define $_BOUND $bound`, "$scale", strconv.FormatFloat(c.of.Scale, 'e', -1, 64), "$bound", bound)
	c.sizes()
}

func (c *fixedWriter) tables() {
	c.reals("center", "", c.of.Center)
	c.reals("factor", "", c.of.Factor)
	if c.of.Used != nil {
		c.ints("used", "", c.of.Used)
	}
	c.ints("vectors", "", c.of.Units)
	c.ints("weights", "", c.of.Weights)
	if len(c.of.Offsets) > 1 {
		cells := make([]string, len(c.of.Offsets))
		for i, v := range c.of.Offsets {
			cells[i] = strconv.Itoa(v)
		}
		c.put(`static const int32_t $_bias[$machines] SPARSEKM_TABLE = { $cells };`, "$cells", strings.Join(cells, ", "))
	}
	if !c.ordered() {
		c.ints("pos", "", c.Pos)
	}
	if c.pairs {
		c.ints("neg", "", c.Neg)
	}
	c.table("uint16_t", "octave", len(c.of.Table), lay(c.of.Table, c.whole))
}

// feature writes the conversion of a raw value.
func (c *fixedWriter) feature() {
	c.put(`

/* Feature k of a raw value, rounded to a step and cut where kernel values are 0. */
static inline int16_t $_feature(int k, float v)
{
	float q;`)
	if c.of.Used != nil {
		c.put(`
	int i;
	for (i = 0; i < $count && SPARSEKM_INT(&$_used[i]) != k; i++)
		;
	if (i == $count)
		return 0; /* it changes nothing */
	k = i;`)
	}
	c.put(`
	q = (v - SPARSEKM_REAL(&$_center[k])) * SPARSEKM_REAL(&$_factor[k]);
	if (!(q > -$most.0f)) /* NaN too */
		return -$most;
	if (q > $most.0f)
		return $most;
	return (int16_t)(q < 0 ? q - 0.5f : q + 0.5f);
}`)
}

const fixedPower = `

/* 2 to the power -e, in steps of 2^-15, for e < 16 in steps of 2^-13. */
static inline uint16_t $_power(uint32_t e)
{
	uint8_t n = (uint8_t)(e >> 13), i = (uint8_t)(e >> 7) & 63;
	uint16_t a = SPARSEKM_INT(&$_octave[i]), b = SPARSEKM_INT(&$_octave[i + 1]);
	a = (uint16_t)(a - (uint16_t)(((uint16_t)(a - b) * (uint16_t)(e & 127) + 64) >> 7));
	return n ? (uint16_t)((uint16_t)(a >> (n - 1)) + 1) >> 1 : a;
}`

// decide writes the function of decision values.
func (c *fixedWriter) decide() {
	if len(c.of.Offsets) > 1 {
		c.put(`

/* The decision value of each submodel for the features of a row: $machines integers. */
static inline void $_decide(const int16_t *features, int32_t *f)
{
	int i, k;
	for (k = 0; k < $machines; k++)
		f[k] = (int32_t)SPARSEKM_LONG(&$_bias[k]);`)
	} else {
		c.put(`

/* The decision value of each submodel for the features of a row: 1 integer. */
static inline void $_decide(const int16_t *features, int32_t *f)
{
	int i, k;
	f[0] = $bias;`, "$bias", strconv.Itoa(c.of.Offsets[0]))
	}
	k := "k"
	if c.of.Used != nil {
		k = "SPARSEKM_INT(&" + c.Name + "_used[k])"
	}
	c.put(`
	for (i = 0; i < $n; i++) {
		uint32_t s = 0;
		uint16_t value;
		for (k = 0; k < $count; k++) {
			int16_t t = (int16_t)(features[$k] - (int16_t)SPARSEKM_INT(&$_vectors[i * $count + k]));
			s += (uint32_t)((int32_t)t * t)$drop;
		}
		if (s >= $limitUL)
			continue;
		value = $_power($exponent);`, "$n", strconv.Itoa(c.N), "$k", k, "$drop", shiftRight(c.of.Drop),
		"$limit", strconv.FormatUint(c.of.Limit, 10), "$exponent", c.of.exponent())
	if len(c.of.Offsets) > 1 {
		c.put(`
		for (k = 0; k < $machines; k++)
			f[k] += (int32_t)(int16_t)SPARSEKM_INT(&$_weights[i * $machines + k]) * (int32_t)value$less;`,
			"$less", shiftRight(c.of.Less))
	} else {
		c.put(`
		f[0] += (int32_t)(int16_t)SPARSEKM_INT(&$_weights[i]) * (int32_t)value$less;`, "$less", shiftRight(c.of.Less))
	}
	c.put(`
	}
}`)
}

// shiftRight is what drops some bits of the expression before it.
func shiftRight(bits int) string {
	if bits == 0 {
		return ""
	}
	return fmt.Sprintf(" >> %d", bits)
}

// exponent is the expression of an exponent with expBits bits, from the square s of a distance.
func (p *fixed) exponent() string {
	switch {
	case p.Shift < 0:
		return fmt.Sprintf("s << %d", -p.Shift)
	case p.Shift > 0:
		return fmt.Sprintf("(s + %dUL) >> %d", 1<<(p.Shift-1), p.Shift) // rounded
	}
	return "s"
}

const fixedValue = `

/* The prediction for the features of a row, in steps of $_SCALE. */
static inline int32_t $_value(const int16_t *features)
{
	int32_t f[1];
	$_decide(features, f);
	return f[0];
}`

const fixedPredict = `

/* The class of the features of a row, an index into $_labels, or -1 where their number is another one. */
static inline int32_t $_predict(const int16_t *features, int32_t features_length)
{
	int32_t f[$_MACHINES];
	if (features_length != $_FEATURES)
		return -1;
	$_decide(features, f);
	return $_class(f);
}`
