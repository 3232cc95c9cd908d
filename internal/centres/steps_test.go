package centres

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestStepsGradient compares the gradient of all variables with differences.
func TestStepsGradient(t *testing.T) {
	for _, outputs := range []int{1, 3} {
		p := clouds(300, 5, outputs, SquaredHinge, Each)
		p.Plane, p.Free = true, true
		f, err := NewFitter(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		for _, shape := range [][2]int{{3, 2}, {0, 4}, {4, 0}, {9, 9}} {
			m := p.NewModel(slices.Clone(p.X[:shape[0]*p.D]))
			m.S, m.Steps = shape[1], make([]float64, shape[1]*(p.D+1))
			m.Coef = make([]float64, outputs*m.Units())
			o := newObjective(p, f.s, m)
			rng := rand.New(rand.NewPCG(5, 6))
			x := make([]float64, o.size())
			for i := range x {
				x[i] = rng.NormFloat64() / 2
			}
			g, other := make([]float64, len(x)), make([]float64, len(x))
			value, _ := o.eval(t.Context(), x, g)
			for i := range x {
				const h = 1e-6
				at := x[i]
				x[i] = at + h
				up, _ := o.eval(t.Context(), x, other)
				x[i] = at - h
				down, _ := o.eval(t.Context(), x, other)
				x[i] = at
				if want := (up - down) / (2 * h); !(math.Abs(g[i]-want) <= 1e-6*math.Max(math.Abs(value), math.Abs(want))) {
					t.Errorf("%v, %d outputs: derivative %d is %v, differences say %v", shape, outputs, i, g[i], want)
				}
			}
		}
	}
}
