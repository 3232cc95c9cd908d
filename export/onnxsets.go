package export

import (
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// sets adds the output set (rows × classes, whether each is in the prediction set) or interval (rows × 2), and returns
// its description.
func (b *builder) sets() message {
	if b.Task.Real() {
		half := b.real(b.Conformal.Thresholds[0])
		if b.Variance != nil {
			half = b.mul(half, b.op("Sqrt", []string{b.variance()}))
		}
		b.opTo("interval", "Concat", []string{b.sub("decisions", half), b.add("decisions", half)}, "axis", 1)
		return described("interval", elemFloat64, "n", 2)
	}
	k := len(b.Labels)
	smallest := slices.Clone(b.Conformal.Thresholds)
	for len(smallest) < k {
		smallest = append(smallest, smallest[0])
	}
	if b.Task == learn.OneClass {
		smallest[0] = math.Inf(1) // outliers have the empty set
	}
	b.opTo("set", "GreaterOrEqual", []string{b.conformity(), b.reals(smallest, k)})
	return described("set", elemBool, "n", k)
}

// conformity returns the score of each class, rows × classes: the least of its decision values against another class.
func (b *builder) conformity() string {
	k := len(b.Labels)
	switch b.Scheme {
	case model.Binary:
		columns := []string{b.sub(b.real(0), "decisions"), "decisions"}
		if b.Submodels[0].Pos == 0 {
			slices.Reverse(columns)
		}
		return b.op("Concat", columns, "axis", 1)
	case model.OneVsRest:
		submodel := b.byClass()
		var first, second []int
		for c := range k {
			for o := range k {
				if o != c {
					first = append(first, submodel[c])
					second = append(second, submodel[o])
				}
			}
		}
		f := b.sub(b.op("Gather", []string{"decisions", b.ints(first...)}, "axis", 1),
			b.op("Gather", []string{"decisions", b.ints(second...)}, "axis", 1))
		return b.min(f)
	}
	return b.min(b.pairsOfClasses())
}

// pairsOfClasses returns the decision values of each class's k−1 pairs, negated if it is the negative class.
func (b *builder) pairsOfClasses() string {
	var idx []int
	var sign []float64
	for class := range b.Labels {
		for i := range b.Submodels {
			switch class {
			case b.Submodels[i].Pos:
				idx = append(idx, i)
				sign = append(sign, 1)
			case b.Submodels[i].Neg:
				idx = append(idx, i)
				sign = append(sign, -1)
			}
		}
	}
	return b.mul(b.op("Gather", []string{"decisions", b.ints(idx...)}, "axis", 1), b.reals(sign, len(sign)))
}

// min returns the smallest of each class's k−1 numbers, which lie one class after another.
func (b *builder) min(f string) string {
	k := len(b.Labels)
	return b.op("ReduceMin", []string{b.op("Reshape", []string{f, b.ints(-1, k, k-1)})}, "keepdims", 0, "axes", []int{2})
}

// variance returns the variance of each row's value, rows × 1.
func (b *builder) variance() string {
	n := b.Variance.N
	phi := b.add(b.mul("decisions", b.real(0)), b.real(1)) // as many rows as x has
	if n > 1 {
		phi = b.op("Concat", []string{b.values, phi}, "axis", 1)
	}
	return b.add(b.sumOver(1, b.mul(phi, b.dot(phi, b.reals(b.Variance.Full, n, n)))), b.real(b.Variance.Noise))
}
