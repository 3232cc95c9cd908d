package reduce

import (
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// Every vector of a reduced model keeps the number of its training row, also where the
// given model has vectors that repeat others or that no model uses before it.
func TestRowsOfAReducedModel(t *testing.T) {
	x := []float64{9, 9, 0, 0, 2, 1, 0, 0, -1, 2, 3, -2, 2, 1, -3, -1, 1, 4}
	rows := []int{40, 41, 43, 47, 53, 59, 61, 67, 71}
	const n = 9
	row := func(v []float64) int { // of the first vector with these features
		for i := range n {
			if slices.Equal(x[2*i:2*i+2], v) {
				return rows[i]
			}
		}
		return -1
	}
	m := learn.Submodel{Pos: 1, Neg: 0, Expansion: learn.Expansion{Bias: 0.1}} // vector 0 is not used, 3 and 6 repeat 1 and 2
	for i := 1; i < n; i++ {
		m.Support = append(m.Support, i)
		m.Coef = append(m.Coef, float64(i%3)-0.8)
	}
	c := build(t, model.Parts{
		Kernel: gram.RBF(0.2), Vectors: x, N: n, D: 2, Features: 2, Labels: []string{"a", "b"},
		Rows: rows, Submodels: []learn.Submodel{m},
	})
	data := &dataset.Set{X: x, N: n, D: 2, Y: []int{0, 1, 0, 1, 1, 0, 0, 1, 1}, Labels: []string{"a", "b"}}
	for size := 1; size <= 6; size++ {
		r, err := Prune(ctx, c, data, Options{Stop: []Rule{MaxSV(size)}})
		if err != nil {
			t.Fatal(err)
		}
		p := r.Classifier.Parts()
		if p.N != size || len(p.Rows) != size {
			t.Fatalf("%d vectors and %d rows, want %d", p.N, len(p.Rows), size)
		}
		for i, got := range p.Rows {
			if want := row(p.Vectors[2*i : 2*i+2]); got != want {
				t.Errorf("%d vectors: row of vector %d is %d, want %d", size, i, got, want)
			}
		}
	}
	r, err := Simplify(ctx, c, nil, SimplifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.Classifier.Parts().Rows, []int{41, 43, 53, 59, 67, 71}; !slices.Equal(got, want) {
		t.Errorf("simplified: rows %v, want %v", got, want)
	}
}
