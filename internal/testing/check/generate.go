package check

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/sparsekm/sparsekm/gram"
)

// Regime is how hostile a problem is.
type Regime int

const (
	Moderate Regime = iota // C from 0.01 to 1000, γ from 0.01 to 100, features near 1
	Wild                   // C and γ over many decades; repeated, equal, constant, tiny and offset samples
	Nasty                  // features and weights at the ends of float64, indefinite and huge kernels as well
)

func (r Regime) String() string { return [...]string{"moderate", "wild", "nasty"}[r] }

// Regimes lists them.
func Regimes() []Regime { return []Regime{Moderate, Wild, Nasty} }

// Problem is samples with two classes, a kernel, weights and a C for methods that have one.
type Problem struct {
	Name   string // what was drawn, for people
	X      []float64
	N, D   int
	Class  []int // 0 or 1, both there
	Weight []float64
	Kernel gram.Kernel
	C      float64
	// For other tasks than classes: targets near the classes' signs, the half width of a tube, and a share.
	Value       []float64
	Epsilon, Nu float64
}

// source draws.
type source struct{ *rand.Rand }

// NewProblem makes problem number seed of a regime.
func NewProblem(r Regime, seed uint64) *Problem {
	s := source{rand.New(rand.NewPCG(seed, uint64(r)+1))}
	p := &Problem{N: 3 + s.IntN(10), D: 1 + s.IntN(6)}
	if s.IntN(4) == 0 {
		p.N = 3 + s.IntN(58)
	}
	if r != Moderate && s.IntN(10) == 0 {
		p.N = 2
	}
	p.X = make([]float64, p.N*p.D)
	for i := range p.X {
		p.X[i] = s.NormFloat64()
	}
	s.classes(p)
	s.kernel(p, r)
	p.C = s.decades(-2, 3)
	if r != Moderate && s.IntN(2) == 0 {
		p.C = s.decades(-12, 12)
	}
	if r != Moderate {
		s.deform(p)
	}
	if r == Nasty {
		s.spoil(p)
	}
	s.values(p, r)
	p.Name = fmt.Sprintf("%v %d: n %d, d %d, C %.3g, %v γ %.3g%s", r, seed, p.N, p.D, p.C, p.Kernel.Kind, p.Kernel.Gamma,
		p.Name)
	return p
}

// decades draws from 10^lo to 10^hi, every decade alike.
func (s source) decades(lo, hi float64) float64 { return math.Pow(10, lo+(hi-lo)*s.Float64()) }

// classes draws labels: at random, by a plane, by a ball or by turns, some of them flipped.
func (s source) classes(p *Problem) {
	p.Class = make([]int, p.N)
	rule, flips := s.IntN(4), s.IntN(3) == 0
	for i := range p.Class {
		x := p.X[i*p.D : (i+1)*p.D]
		var v float64
		switch rule {
		case 0:
			v = s.NormFloat64()
		case 1:
			v = x[0]
		case 2:
			for _, f := range x {
				v += f*f - 0.8
			}
		default:
			v = float64(i%2) - 0.5
		}
		if v > 0 != (flips && s.IntN(5) == 0) {
			p.Class[i] = 1
		}
	}
	p.Class[0], p.Class[p.N-1] = 0, 1
}

// values draws targets from a source of their own, so that what is drawn next to them stays. Some are all alike.
func (s source) values(p *Problem, r Regime) {
	s = source{rand.New(rand.NewPCG(uint64(p.N), math.Float64bits(p.C)))}
	p.Value, p.Epsilon, p.Nu = make([]float64, p.N), s.decades(-3, 0), 0.02+0.9*s.Float64()
	size, noise := 1.0, s.Float64()
	if r != Moderate {
		size = s.decades(-6, 6)
		if s.IntN(3) == 0 {
			p.Epsilon = 0
		}
	}
	for i, c := range p.Class {
		p.Value[i] = size * (float64(2*c-1) + noise*s.NormFloat64())
	}
	if r != Moderate && s.IntN(8) == 0 {
		for i := range p.Value {
			p.Value[i] = p.Value[0]
		}
	}
}

// kernel draws the kernel.
func (s source) kernel(p *Problem, r Regime) {
	gamma := s.decades(-2, 2)
	if r != Moderate && s.IntN(2) == 0 {
		gamma = s.decades(-12, 12)
	}
	kinds := 8
	if r == Wild {
		kinds = 9
	} else if r == Nasty {
		kinds = 11
	}
	switch s.IntN(kinds) {
	default:
		p.Kernel = gram.RBF(gamma)
	case 4:
		p.Kernel = gram.Laplacian(gamma)
	case 5:
		p.Kernel = gram.Linear()
	case 6, 7:
		if r == Moderate {
			gamma = s.decades(-1, 1)
		}
		p.Kernel = gram.Poly(2+s.IntN(2), gamma, float64(s.IntN(2)))
	case 8:
		p.Kernel = gram.Sigmoid(gamma, s.NormFloat64())
	case 9:
		p.Kernel = gram.Custom(distance)
		p.Name += ", −‖x−z‖"
	case 10:
		size := s.decades(-300, 300)
		p.Kernel = gram.Custom(func(x, z []float64) float64 { return size * math.Exp(distance(x, z)) })
		p.Name += fmt.Sprintf(", %.0e exp(−‖x−z‖)", size)
	}
}

// distance is −‖x−z‖, positive definite only on coefficients whose sum is 0.
func distance(x, z []float64) float64 {
	var s float64
	for i, v := range x {
		s += (v - z[i]) * (v - z[i])
	}
	return -math.Sqrt(s)
}

// deform makes samples repeat, agree, differ by little, or lie far from 0.
func (s source) deform(p *Problem) {
	rows := func(i int) []float64 { return p.X[i*p.D : (i+1)*p.D] }
	switch s.IntN(9) {
	case 0: // the same few samples, whatever their class
		for i := range p.N {
			copy(rows(i), rows(s.IntN(1+min(i, 2))))
		}
		p.Name += ", repeated"
	case 1: // one sample
		for i := range p.N {
			copy(rows(i), rows(0))
		}
		p.Name += ", all equal"
	case 2: // a constant feature
		for i := range p.N {
			rows(i)[0] = 3
		}
		p.Name += ", constant feature"
	case 3:
		scale := s.decades(-12, 0)
		for i := range p.X {
			p.X[i] *= scale
		}
		p.Name += fmt.Sprintf(", × %.1e", scale)
	case 4:
		offset := s.decades(0, 8)
		for i := range p.X {
			p.X[i] += offset
		}
		p.Name += fmt.Sprintf(", + %.1e", offset)
	case 5: // on a line
		for i := range p.N {
			for k := range rows(i) {
				rows(i)[k] = rows(i)[0] * float64(k+1)
			}
		}
		p.Name += ", collinear"
	case 6: // pairs that differ by 1e-12
		for i := 1; i < p.N; i += 2 {
			copy(rows(i), rows(i-1))
			rows(i)[0] += 1e-12
		}
		p.Name += ", near pairs"
	case 7: // one sample of a class
		for i := range p.N - 1 {
			p.Class[i] = 0
		}
		p.Name += ", one against the rest"
	}
}

// spoil takes numbers to the ends of float64.
func (s source) spoil(p *Problem) {
	switch s.IntN(7) {
	case 0:
		scale := s.decades(-323, 300)
		for i := range p.X {
			p.X[i] *= scale
		}
		p.Name += fmt.Sprintf(", × %.1e", scale)
	case 1: // one value
		v := s.decades(-323, 300)
		p.X[s.IntN(len(p.X))] = v
		p.Name += fmt.Sprintf(", a feature %.1e", v)
	case 2: // every feature in units of its own
		for k := range p.D {
			scale := s.decades(-200, 200)
			for i := range p.N {
				p.X[i*p.D+k] *= scale
			}
		}
		p.Name += ", features of any size"
	case 3, 4:
		p.Weight = make([]float64, p.N)
		reach := [...]float64{2, 12, 323}[s.IntN(3)]
		for i := range p.Weight {
			p.Weight[i] = s.decades(-reach, min(reach, 300))
			if s.IntN(8) == 0 {
				p.Weight[i] = 0
			}
		}
		p.Weight[0], p.Weight[p.N-1] = max(p.Weight[0], 1), max(p.Weight[p.N-1], 1)
		p.Name += fmt.Sprintf(", weights of ±%v decades", reach)
	}
}
