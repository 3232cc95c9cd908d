package distill

import "math"

// meanSize is the mean size of scores as log odds, without labels.
const meanSize = 3

// targets turns what the teacher says of n samples into probabilities, n×outputs, or values.
func (r *run) targets(values []float64, n int) []float64 {
	if r.Kind == Values {
		return values
	}
	t := make([]float64, 0, n*r.outputs)
	p := make([]float64, r.columns)
	for i := range n {
		copy(p, values[i*r.columns:(i+1)*r.columns])
		r.probabilities(p)
		if r.outputs == 1 {
			p[0] = p[len(p)-1] // of the last class
		}
		for _, v := range p[:r.outputs] {
			t = append(t, max(minProbability, min(v, 1-minProbability)))
		}
	}
	return t
}

// probabilities turns the numbers of a sample into probabilities, in place.
func (r *run) probabilities(p []float64) {
	if r.Kind == Probabilities {
		return
	}
	if len(p) == 1 {
		p[0] = sigmoid(r.scale * p[0])
		return
	}
	largest, sum := math.Inf(-1), 0.0
	for _, f := range p {
		largest = max(largest, f)
	}
	for c, f := range p {
		p[c] = math.Exp(r.scale * (f - largest))
		sum += p[c]
	}
	for c := range p {
		p[c] /= sum
	}
}

func sigmoid(f float64) float64 { return 1 / (1 + math.Exp(-f)) }

// fitScale is the factor that makes scores log odds: that of the least log loss to the labels, by golden sections of
// its logarithm.
func (r *run) fitScale(values []float64) float64 {
	if r.Kind != Scores {
		return 1
	}
	var size float64
	for _, f := range values {
		size += math.Abs(f) / float64(len(values))
	}
	if !(size > 0) {
		return 1
	}
	start := meanSize / size
	if r.truth == nil {
		return start
	}
	loss := func(log float64) (sum float64) {
		r.scale = start * math.Exp(log)
		t := r.targets(values, r.set.N)
		for i, y := range r.truth {
			if y >= 0 {
				sum -= math.Log(r.probability(t[i*r.outputs:(i+1)*r.outputs], y))
			}
		}
		return sum
	}
	const golden = 0.6180339887498949
	lo, hi := -4.0, 3.0
	for range 40 {
		a, b := hi-golden*(hi-lo), lo+golden*(hi-lo)
		if loss(a) <= loss(b) {
			hi = b
		} else {
			lo = a
		}
	}
	return start * math.Exp((lo+hi)/2)
}

// probability returns the probability of a class, from the outputs of a sample.
func (r *run) probability(p []float64, class int) float64 {
	if r.outputs > 1 {
		return p[class]
	}
	if class == 1 {
		return p[0]
	}
	return 1 - p[0]
}

// classOf returns the most probable class.
func (r *run) classOf(p []float64) (class int) {
	if r.outputs == 1 {
		if p[0] > 0.5 {
			class = 1
		}
		return class
	}
	for c, v := range p {
		if v > p[class] {
			class = c
		}
	}
	return class
}
