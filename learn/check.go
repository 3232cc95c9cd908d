package learn

import (
	"errors"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/gram"
)

// largestNumber bounds kernel values, and the sum of C times all weights. Methods multiply such numbers: squares, and
// sums of squares over any set that fits into memory, stay finite. An overflow later on could not name its cause.
const largestNumber = 1e150

// ErrIndefinite is in the chain of the error for a kernel that is not positive semidefinite on
// the training samples, from a method that needs it to be.
var ErrIndefinite = errors.New("the kernel is indefinite")

// validateKernelValues evaluates the kernel's diagonal and two rows, of the first sample and of the sample with the
// largest feature, and refuses values that overflow.
func (p *Problem) validateKernelValues() error {
	if p.Kernel.Bounded() && p.Kernel.Weights == nil { // a weight 0 times an overflow is no number
		return nil
	}
	first, largest, highest := -1, 0, -1.0
	for i := range p.N {
		if p.WeightOf(i) == 0 {
			continue
		}
		if first < 0 {
			first = i
		}
		for _, v := range p.row(i) {
			if v = math.Abs(v); v > highest {
				largest, highest = i, v
			}
		}
		if err := p.checkValue(i, i); err != nil {
			return err
		}
	}
	for j := range p.N {
		if p.WeightOf(j) == 0 {
			continue
		}
		for _, i := range []int{first, max(largest, first)} {
			if err := p.checkValue(i, j); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Problem) row(i int) []float64 { return p.X[i*p.D : (i+1)*p.D] }

// checkValue reports a k(x_i, x_j) that is too large, and the feature that makes it so.
func (p *Problem) checkValue(i, j int) error {
	v := p.Kernel.Eval(p.row(i), p.row(j))
	if math.Abs(v) <= largestNumber {
		return nil
	}
	why := "a custom kernel has to keep within that"
	if p.Kernel.Rows != nil {
		why = "the features or the kernel's parameters are too large; scale the features"
	} else if p.Kernel.Storable() {
		feature, size := 0, -1.0
		for k, x := range p.row(i) {
			if math.Abs(x) > size {
				feature, size = k, math.Abs(x)
			}
		}
		why = "the features or the kernel's parameters are too large; scale the features"
		if size >= 0 {
			why = fmt.Sprintf("feature %d of sample %d is %v; scale the features or lower the kernel's parameters", feature+1, i,
				p.row(i)[feature])
		}
	}
	found := fmt.Sprint(v)
	if math.IsNaN(v) {
		found = "not a number"
	}
	return fmt.Errorf("learn: the %v kernel of samples %d and %d is %s, want a number of size at most %v: %s",
		p.Kernel.Kind, i, j, found, largestNumber, why)
}

// ValidateCost reports a sum of c times the samples' weights that is too large: methods square such objectives.
func (p *Problem) ValidateCost(method string, c float64) error {
	pos, sum := 0, 0.0
	for i := range p.N {
		w := p.WeightOf(i)
		sum += c * w
		if w > p.WeightOf(pos) {
			pos = i
		}
	}
	if sum <= largestNumber {
		return nil
	}
	return fmt.Errorf("%s: C = %v times the weights is %v in sum, want at most %v; the largest weight is %v, of sample %d",
		method, c, sum, largestNumber, p.WeightOf(pos), pos)
}

// ValidateDefinite is for methods that need a positive semidefinite kernel. In up to eight rows it looks for a negative
// minor of two samples, k_ij² > k_ii k_jj; its error wraps [ErrIndefinite]. A kernel that passes may still be
// indefinite.
func (p *Problem) ValidateDefinite() error {
	rows := p.Present()
	x := p.Samples(rows)
	points := gram.Pack[float64](p.Kernel, x, len(rows), p.D)
	diag, row := make([]float64, len(rows)), make([]float64, len(rows))
	points.Diag(diag)
	const looks = 8
	for k := range min(looks, len(rows)) {
		i := k * len(rows) / min(looks, len(rows))
		points.Row(row, i)
		for j, v := range row {
			if minor := diag[i] * diag[j]; diag[i] < 0 || v*v > minor*(1+1e-9) {
				return fmt.Errorf("%w on these samples: k(x, x) is %.4g and %.4g for samples %d and %d, k of both %.4g",
					ErrIndefinite, diag[i], diag[j], rows[i], rows[j], v)
			}
		}
	}
	return nil
}
