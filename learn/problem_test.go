package learn

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
)

// square is four samples of two classes, the third with weight 0.
func square() *Problem {
	return &Problem{
		X: []float64{0, 1, 2, 3, 4, 5, 6, 7}, N: 4, D: 2,
		Y: []float64{1, -1, 1, -1}, Weight: []float64{1, 0.5, 0, 2}, Kernel: gram.RBF(1),
	}
}

func TestValidate(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name   string
		change func(*Problem)
		want   string // part of the error; empty for none
	}{
		{"as it is", func(*Problem) {}, ""},
		{"no weights", func(p *Problem) { p.Weight = nil }, ""},
		{"an absent sample's label", func(p *Problem) { p.Y[2] = 7 }, ""},
		{"no samples", func(p *Problem) { p.N = 0 }, "no training samples"},
		{"negative dimension", func(p *Problem) { p.D = -1 }, "dimension -1"},
		{"few values", func(p *Problem) { p.X = p.X[:7] }, "7 values for 4 samples of dimension 2"},
		{"few labels", func(p *Problem) { p.Y = p.Y[:3] }, "3 labels for 4 samples"},
		{"many weights", func(p *Problem) { p.Weight = make([]float64, 5) }, "5 weights for 4 samples"},
		{"label 0", func(p *Problem) { p.Y[1] = 0 }, "label of sample 1 is 0, want +1 or -1"},
		{"label NaN", func(p *Problem) { p.Y[1] = math.NaN() }, "label of sample 1 is NaN"},
		{"negative weight", func(p *Problem) { p.Weight[3] = -1 }, "weight of sample 3 is -1"},
		{"NaN weight", func(p *Problem) { p.Weight[3] = math.NaN() }, "weight of sample 3 is NaN"},
		{"infinite weight", func(p *Problem) { p.Weight[3] = inf }, "weight of sample 3 is +Inf"},
		{"one class", func(p *Problem) { p.Y = []float64{1, 1, 1, 1} }, "one class only"},
		{"the other class", func(p *Problem) { p.Y = []float64{-1, -1, -1, -1} }, "(0 positive, 3 negative samples)"},
		{"one class present", func(p *Problem) { p.Weight = []float64{1, 0, 1, 0} }, "2 positive, 0 negative"},
		{"NaN feature", func(p *Problem) { p.X[3] = math.NaN() }, "feature 2 of sample 1 is NaN"},
		{"infinite feature", func(p *Problem) { p.X[6] = -inf }, "feature 1 of sample 3 is -Inf"},
		{"values beyond the samples", func(p *Problem) { p.X = append(p.X, math.NaN()) }, ""},
		{"kernel", func(p *Problem) { p.Kernel = gram.RBF(0) }, "gamma"},
		{"composite kernel", func(p *Problem) { p.Kernel = gram.Composite(gram.Term{Scale: 1}) }, "found a composite kernel"},
	} {
		p := square()
		c.change(p)
		err := p.Validate()
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
}

// A feature that is not finite is found wherever it is: the check goes by blocks.
func TestValidateFindsEveryFeature(t *testing.T) {
	const n = 2000
	p := &Problem{X: make([]float64, 5*n), N: n, D: 5, Y: make([]float64, n), Kernel: gram.RBF(1)}
	for i := range p.Y {
		p.Y[i] = float64(2*(i%2) - 1)
	}
	for _, pos := range []int{0, 1, 2, 3, 4095, 4096, 8191, 9998, 9999} {
		p.X[pos] = math.Inf(1)
		if err := p.Validate(); err == nil {
			t.Errorf("value %d is infinite and passes", pos)
		}
		p.X[pos] = 0
	}
	p.X[5000], p.X[5001] = math.MaxFloat64, math.MaxFloat64 // their sum is not finite, they are
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
}

func TestPresent(t *testing.T) {
	p := square()
	if rows := p.Present(); !slices.Equal(rows, []int{0, 1, 3}) {
		t.Errorf("present %v, want 0, 1, 3", rows)
	}
	if x := p.Samples([]int{0, 1, 3}); !slices.Equal(x, []float64{0, 1, 2, 3, 6, 7}) {
		t.Errorf("samples %v", x)
	}
	if p.WeightOf(1) != 0.5 || p.WeightOf(3) != 2 {
		t.Errorf("weights %v, %v, want 0.5, 2", p.WeightOf(1), p.WeightOf(3))
	}
	p.Weight = nil
	rows := p.Present()
	if x := p.Samples(rows); len(rows) != 4 || &x[0] != &p.X[0] {
		t.Errorf("%d rows present without weights, or their features copied", len(rows))
	}
	if p.WeightOf(1) != 1 {
		t.Errorf("weight %v without weights, want 1", p.WeightOf(1))
	}
}
