package numpy

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/gram"
)

// termKernels are the kernels of factors; those after processKernels have one lengthscale. A constant is no factor.
const termKernels = processKernels + ", linear, poly, constant"

// composite makes the kernel of the arrays that have an element for each factor.
func (f *processFile) composite() gram.Kernel {
	k := gram.Kernel{Kind: gram.KindComposite}
	terms := f.numbers("term", []int{-1})
	if terms == nil {
		return k
	}
	m := len(terms.Numbers)
	if m > gram.MostFactors {
		f.fail("term", "found %d factors, want at most %d", m, gram.MostFactors)
		return k
	}
	for _, scale := range f.positive("variance", []int{-1}) {
		k.Terms = append(k.Terms, gram.Term{Scale: scale})
	}
	alpha, offset, degree := f.positive("alpha", []int{m}), f.each("offset", m, 0), f.each("degree", m, 1)
	scales := f.positive("lengthscales", []int{m, 1}, []int{m, f.d})
	name := f.array("kernel")
	if name == nil || scales == nil || len(k.Terms) == 0 {
		return k
	}
	if len(name.Texts) != m || len(name.Shape) != 1 {
		f.fail("kernel", "found %d texts of the shape %s, want %s", len(name.Texts), shapeText(name.Shape), shapeText([]int{m}))
		return k
	}
	factors := make([]int, len(k.Terms))
	for i, text := range name.Texts {
		t := terms.Numbers[i]
		if !(t >= 0 && t < float64(len(k.Terms))) || t != math.Trunc(t) {
			f.fail("term", "element %d is %v, want a term of the %d variances, from 0", i, t, len(k.Terms))
			return k
		}
		factors[int(t)]++
		if text == "constant" {
			continue
		}
		factor := f.factor(i, text, scales[i*len(scales)/m:(i+1)*len(scales)/m])
		if factor.Coef0, factor.Degree = offset[i], int(degree[i]); alpha != nil && factor.HasAlpha() {
			factor.Alpha = alpha[i]
		}
		if text != "poly" {
			factor.Coef0, factor.Degree = 0, 0
		}
		term := &k.Terms[int(t)]
		if text == "linear" { // which has no γ
			term.Scale, factor.Gamma = term.Scale*factor.Gamma, 0
		}
		term.Factors = append(term.Factors, factor)
	}
	if i := slices.Index(factors, 0); i >= 0 {
		f.fail("term", "no factor is in term %d, want one of each of the %d variances", i, len(k.Terms))
	}
	if err := k.Validate(f.d); f.d > 0 && err != nil && !f.wrong() {
		f.fail("kernel", "%s", strings.TrimPrefix(err.Error(), "gram: "))
	}
	return k
}

// each is an array of a number for each of m factors, from smallest on, or of that number if it is absent or wrong.
func (f *processFile) each(name string, m int, smallest float64) []float64 {
	want := fmt.Sprintf("a number from %v on, whole for a degree", smallest)
	numbers := f.bounded(name, want, func(v float64) bool {
		return v >= smallest && (name != "degree" || v == math.Trunc(v) && v <= math.MaxInt32)
	}, []int{m})
	if numbers == nil {
		return slices.Repeat([]float64{smallest}, m)
	}
	return numbers
}

// factor is factor i of a name, with one lengthscale or one for each feature, but without other numbers.
func (f *processFile) factor(i int, name string, scales []float64) (k gram.Kernel) {
	kind, err := gram.ParseKind(name)
	if err != nil || !slices.Contains(strings.Split(termKernels, ", "), name) {
		f.wrongKernel(termKernels, fmt.Sprintf("%q", name))
		return k
	}
	k.Kind = kind
	equal := slices.Max(scales) == slices.Min(scales)
	switch one := k.Inner(); {
	case one && !equal:
		f.fail("lengthscales", "those of factor %d differ, want equal ones for the %s kernel", i, name)
	case one:
		k.Gamma = 1 / scales[0] / scales[0]
	case equal && !math.IsInf(scales[0], 1):
		k.Gamma = 0.5 / scales[0] / scales[0]
	default:
		k.Gamma, k.Weights = 0.5, make([]float64, len(scales))
		for j, v := range scales {
			k.Weights[j] = 1 / v / v
		}
	}
	return k
}
