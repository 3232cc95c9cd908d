package plots

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestPrincipal compares with gonum's principal components, and has one feature, or features that do not vary.
func TestPrincipal(t *testing.T) {
	iris, err := dataset.ReadFile(testutil.Testdata(t, "iris.libsvm"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPlane(iris, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := dataset.FitZ(iris)
	if err != nil {
		t.Fatal(err)
	}
	var pc stat.PC
	if !pc.PrincipalComponents(mat.NewDense(iris.N, iris.D, s.Apply(iris).X[:iris.N*iris.D]), nil) {
		t.Fatal("no components")
	}
	var want mat.Dense
	pc.VectorsTo(&want)
	for a := range p.axis {
		along := 0.0
		for k, v := range p.axis[a] {
			along += v * want.At(k, a)
		}
		testutil.Near(t, "along the component", math.Abs(along), 1, 1e-9)
	}
	for _, x := range [][]float64{{1, 2, 3}, {5, 5, 5}} {
		if p, err = newPlane(&dataset.Set{N: 3, D: 1, X: x}, nil); err != nil || !(math.Abs(p.axis[0][0]) == 1) {
			t.Errorf("%v: %v, %v", x, p.axis, err)
		}
	}
	flat := &dataset.Set{N: 2, D: 3, X: []float64{1, 2, 3, 1, 2, 3}}
	if p, err = newPlane(flat, nil); err != nil || !(math.Abs(dot(p.axis[0], p.axis[1])) < 1e-12) {
		t.Errorf("%v, %v", p.axis, err)
	}
}
