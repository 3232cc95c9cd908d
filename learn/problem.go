package learn

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/gram"
)

// Problem is one training task of two classes. Trainers read it and keep no reference to it.
type Problem struct {
	X      []float64 // N×D, row-major, already scaled
	N, D   int
	Y      []float64 // N targets: labels, each +1 or −1
	Weight []float64 // N sample weights >= 0, nil for all 1; weight 0 is the same as an absent row
	Kernel gram.Kernel
	// Validation is held-out data, which a method with [Method.Validation] decides
	// on when to stop; nil means the training points. Other methods do not read it.
	Validation *Validation
	Resources
}

// Validation is labelled points beside the training points, scaled like them.
type Validation struct {
	X []float64 // N×D of the problem, row-major
	Y []float64 // N labels, each +1 or −1
	N int
}

// ErrOneClass is in the chain of the error for points that are all of one class.
var ErrOneClass = errors.New("one class only")

// Validate reports what is wrong with the problem: shapes, labels, weights, non-finite values, one class only,
// kernel values that overflow.
func (p *Problem) Validate() error {
	switch {
	case p.N < 1:
		return errors.New("learn: no training points")
	case p.D < 0 || len(p.X) < p.N*p.D:
		return fmt.Errorf("learn: %d values for %d points of dimension %d", len(p.X), p.N, p.D)
	case len(p.Y) != p.N:
		return fmt.Errorf("learn: %d labels for %d points", len(p.Y), p.N)
	case p.Weight != nil && len(p.Weight) != p.N:
		return fmt.Errorf("learn: %d weights for %d points", len(p.Weight), p.N)
	}
	if err := p.validateClasses(); err != nil {
		return err
	}
	if i := notFinite(p.X[:p.N*p.D]); i >= 0 {
		return fmt.Errorf("learn: feature %d of point %d is %v", i%p.D+1, i/p.D, p.X[i])
	}
	if err := p.validateHeldOut(); err != nil {
		return err
	}
	if err := p.Kernel.Validate(p.D); err != nil {
		return err
	}
	if err := p.Kernel.ValidatePoints(p.X, p.N, p.D); err != nil {
		return err
	}
	if err := p.Kernel.ValidateMatrix(p.X, p.N, p.D); err != nil {
		return err
	}
	return p.validateKernelValues()
}

func (p *Problem) validateClasses() error {
	var pos, neg int
	for i, y := range p.Y {
		switch w := p.WeightOf(i); {
		case !(w >= 0) || math.IsInf(w, 0):
			return fmt.Errorf("learn: weight of point %d is %v, want a finite number >= 0", i, w)
		case w == 0:
		case y == 1:
			pos++
		case y == -1:
			neg++
		default:
			return fmt.Errorf("learn: label of point %d is %v, want +1 or -1", i, y)
		}
	}
	if pos == 0 || neg == 0 {
		return fmt.Errorf("learn: %w (%d positive, %d negative points)", ErrOneClass, pos, neg)
	}
	return nil
}

func (p *Problem) validateHeldOut() error {
	v := p.Validation
	if v == nil {
		return nil
	}
	if v.N < 1 || len(v.X) < v.N*p.D || len(v.Y) != v.N {
		return fmt.Errorf("learn: validation set of %d points has %d values and %d labels, want dimension %d", v.N, len(v.X),
			len(v.Y), p.D)
	}
	if i := notFinite(v.X[:v.N*p.D]); i >= 0 {
		return fmt.Errorf("learn: feature %d of validation point %d is %v", i%p.D+1, i/p.D, v.X[i])
	}
	for i, y := range v.Y {
		if y != 1 && y != -1 {
			return fmt.Errorf("learn: label of validation point %d is %v, want +1 or -1", i, y)
		}
	}
	return nil
}

// Present lists the points whose weight is not zero.
func (p *Problem) Present() []int {
	rows := make([]int, 0, p.N)
	for i := range p.N {
		if p.WeightOf(i) > 0 {
			rows = append(rows, i)
		}
	}
	return rows
}

// Points returns the features of the given rows, row-major; without a copy when rows
// are all of them in their order.
func (p *Problem) Points(rows []int) []float64 {
	i := 0
	for i < len(rows) && rows[i] == i {
		i++
	}
	if i == p.N {
		return p.X
	}
	x := make([]float64, 0, len(rows)*p.D)
	for _, i := range rows {
		x = append(x, p.X[i*p.D:(i+1)*p.D]...)
	}
	return x
}

// WeightOf returns the weight of point i.
func (p *Problem) WeightOf(i int) float64 {
	if p.Weight == nil {
		return 1
	}
	return p.Weight[i]
}

// notFinite returns the index of the first NaN or infinity in x, −1 when there is none.
func notFinite(x []float64) int {
	const block = 4096
	for lo := 0; lo < len(x); lo += block {
		b := x[lo:min(lo+block, len(x))]
		var s float64 // v − v is 0 for a finite v, else NaN
		for _, v := range b {
			s += v - v
		}
		if s != 0 {
			return lo + slices.IndexFunc(b, func(v float64) bool { return v-v != 0 })
		}
	}
	return -1
}
