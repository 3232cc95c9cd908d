package centres

import (
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
			checkDifferences(t, o)
		}
	}
}
