package reduce

import (
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// fewFeatures is n rows of d features, a tenth of them not 0; the last row is the first again.
func fewFeatures(seed uint64, n, d int) *csr.Matrix {
	rng := dataset.NewRand(seed)
	x := make([]float64, n*d)
	for i := range x {
		if rng.IntN(10) == 0 {
			x[i] = rng.NormFloat64()
		}
	}
	copy(x[(n-1)*d:], x[:d])
	return csr.FromDense(x, n, d)
}

// TestSparse reduces a model of sparse vectors and the same with every zero stored.
func TestSparse(t *testing.T) {
	const n, d = 40, 120
	rng := dataset.NewRand(8)
	p := model.Parts{Kernel: gram.RBF(0.05), N: n, D: d, Features: d, Sparse: fewFeatures(1, n, d), Labels: []string{"a", "b"},
		Submodels: []learn.Submodel{{Pos: 1, Expansion: learn.Expansion{Bias: 0.1}}}}
	for i := range n {
		m := &p.Submodels[0]
		m.Support = append(m.Support, i)
		m.Coef = append(m.Coef, rng.NormFloat64())
		p.Rows = append(p.Rows, 3*i)
	}
	thin, err := model.New(p)
	if err != nil {
		t.Fatal(err)
	}
	thick, err := thin.Dense(1 << 30)
	if err != nil {
		t.Fatal(err)
	}
	x := fewFeatures(2, 90, d)
	some := &dataset.Set{Sparse: x, N: x.N, D: d, Labels: []string{"a", "b"}, Y: make([]int, x.N)}
	for i := range some.Y {
		some.Y[i] = i % 2
	}
	stored, err := some.Dense(1 << 30)
	if err != nil {
		t.Fatal(err)
	}
	for what, by := range map[string]func(c *model.Classifier, data *dataset.Set) (*Result, error){
		"prune": func(c *model.Classifier, data *dataset.Set) (*Result, error) {
			return Prune(t.Context(), c, data, Options{Stop: []Rule{MaxSV(12)}, Validation: data})
		},
		"prune alone": func(c *model.Classifier, _ *dataset.Set) (*Result, error) {
			return Prune(t.Context(), c, nil, Options{Stop: []Rule{MaxSV(20)}})
		},
		"nothing": func(c *model.Classifier, _ *dataset.Set) (*Result, error) {
			return Prune(t.Context(), c, nil, Options{Stop: []Rule{MaxSV(100)}})
		},
		"simplify": func(c *model.Classifier, data *dataset.Set) (*Result, error) {
			return Simplify(t.Context(), c, data, SimplifyOptions{})
		},
	} {
		for _, data := range []*dataset.Set{some, stored} {
			got, failed := by(thin, data)
			if failed != nil {
				t.Fatal(what, failed)
			}
			want, failed := by(thick, stored)
			if failed != nil {
				t.Fatal(what, failed)
			}
			a, b := got.Classifier.Parts(), want.Classifier.Parts()
			if got.SVAfter != want.SVAfter || got.Merged != want.Merged || !slices.Equal(a.Rows, b.Rows) ||
				a.Sparse == nil || a.D != d {
				t.Errorf("%s: %d vectors %v, want %d, %v; sparse %v", what, got.SVAfter, a.Rows, want.SVAfter, b.Rows,
					a.Sparse != nil)
			}
			f, g := make([]float64, x.N), make([]float64, x.N)
			got.Classifier.DecideSet(f, some, 0, x.N, 1)
			want.Classifier.DecideBatch(g, stored.X, x.N, 1)
			testutil.NearAll(t, what, f, g, 1e-6)
		}
	}
	if _, err = Prune(t.Context(), thin, some.Widen(d+1), Options{}); err == nil || !strings.Contains(err.Error(), "121 features") {
		t.Error(err)
	}
	if _, err = Move(t.Context(), thin, nil, Options{Stop: []Rule{MaxSV(5)}}); err == nil ||
		!strings.Contains(err.Error(), "sparse vectors do not move") || Movable(thick) != nil {
		t.Error(err)
	}
}

// TestSparseWeights: the one vector of a linear model over sparse vectors.
func TestSparseWeights(t *testing.T) {
	x := fewFeatures(3, 9, 200)
	p := model.Parts{Kernel: gram.Linear(), N: 9, D: 200, Features: 200, Sparse: x, Labels: []string{"a", "b"},
		Submodels: []learn.Submodel{{Pos: 1, Expansion: learn.Expansion{Support: []int{0, 4, 8}, Coef: []float64{1, -2, 3}, Bias: 1}}}}
	c, err := model.New(p)
	if err != nil {
		t.Fatal(err)
	}
	w, err := Weights(c)
	if err != nil || w.NumVectors() != 1 || !w.Sparse() {
		t.Fatal(w, err)
	}
	for i := range x.N {
		row := make([]float64, 200)
		x.WriteRow(row, i)
		testutil.Near(t, "decision", w.Decide(row), c.Decide(row), 1e-12)
	}
}
