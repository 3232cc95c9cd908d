package export

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	_ "embed"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

//go:embed fixed.tmpl
var fixedText string

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
	FuzzyOne       int     // 1 as a decision value
}

// writeFixed writes a C header without floating point but for the conversion of features.
func writeFixed(w io.Writer, f *flat, o Options) error {
	p, err := newFixed(f, o)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	e := emitter{float: true, open: "{", end: "};", decl: func(name string, n int, integer bool) string {
		kind := "float"
		switch {
		case strings.HasSuffix(name, "_octave"):
			kind = "uint16_t"
		case integer:
			kind = "int16_t"
		}
		return fmt.Sprintf("static const %s %s[%d] SPARSEKM_TABLE = ", kind, name, n)
	}}
	return e.run(w, fixedText, p)
}

// newFixed rounds a model to integers and bounds what that changes.
func newFixed(f *flat, o Options) (*fixed, error) {
	if err := f.fixable(); err != nil {
		return nil, err
	}
	p := &fixed{program: newProgram(f, o)}
	p.Guard = strings.ToUpper(o.Name) + "_H"
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
	if !p.Ordered() {
		p.Bytes += 2 * m
	}
	if p.Pairs {
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
	p.FuzzyOne = int(min(math.MaxInt32, math.Round(1/p.Scale)))
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

// Half is half of a step after the shift of a sum.
func (p *fixed) Half() int { return 1 << (p.Shift - 1) }

// BoundText has three digits, rounded up.
func (p *fixed) BoundText() string {
	digits := 1.0
	for v := p.Bound; v < 100; v *= 10 {
		digits *= 10
	}
	return strconv.FormatFloat(math.Ceil(p.Bound*digits)/digits, 'g', 6, 64)
}

// ScaleText reads back to the same number.
func (p *fixed) ScaleText() string { return strconv.FormatFloat(p.Scale, 'e', -1, 64) }

// Longs writes a table of 32-bit integers.
func (p *fixed) Longs(name string, v []int) string {
	cells := make([]string, len(v))
	for i, at := range v {
		cells[i] = strconv.Itoa(at)
	}
	return fmt.Sprintf("static const int32_t %s[%d] SPARSEKM_TABLE = { %s };", name, len(v), strings.Join(cells, ", "))
}

// Left is a shift the other way.
func (p *fixed) Left() int { return -p.Shift }

// FeatureLines are the names of the features in the first comment.
func (p *fixed) FeatureLines() string {
	if list := p.featureList(" *"); list != "" {
		return "\n *" + list
	}
	return ""
}
