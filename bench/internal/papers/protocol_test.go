package papers

import (
	"math"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// "within" is an error within one printed standard deviation, and vectors within 3 or 30 %.
func TestWithin(t *testing.T) {
	p := &printed{vectors: 20, error: 10, errorSD: 2}
	for _, row := range []struct {
		vectors, error float64
		want           string
	}{
		{25.9, 11.9, "both"}, {26.1, 8.1, "error"}, {14.1, 12.1, "vectors"}, {13.9, 7.9, "neither"}, {math.NaN(), math.NaN(), "neither"},
	} {
		if got := p.within(&trials{vectors: []float64{row.vectors}, error: []float64{row.error}}); got != row.want {
			t.Errorf("%v vectors, %v %%: %s, want %s", row.vectors, row.error, got, row.want)
		}
	}
	few := &printed{vectors: 4, error: 10, errorSD: 2}
	if got := few.within(&trials{vectors: []float64{6.9}, error: []float64{10}}); got != "both" {
		t.Errorf("3 vectors more of 4: %s", got)
	}
}

// A vector counts from a hundredth of the largest coefficient on, of either sign.
func TestCount(t *testing.T) {
	parts := model.BinaryParts(gram.Linear(), []float64{1, 2, 3, 4}, 1,
		learn.Expansion{Support: []int{0, 1, 2, 3}, Coef: []float64{-10, 0.1, 0.09, -0.2}})
	parts.Labels = []string{"a", "b"}
	clf, err := model.New(parts)
	if err != nil {
		t.Fatal(err)
	}
	testutil.Near(t, "per cent", pelegCount(&trial{clf: clf}, 50), 6, 1e-12)
}

// Splits that are drawn have the size that is asked for, and no two are the same.
func TestDrawnSplits(t *testing.T) {
	set := dataset.TwoGaussians(50, 1, 1, 0, 1)
	r := new(Result)
	splits, err := new(Env).splits(r, set, "x.libsvm", ".splits", 3, 20)
	if err != nil || len(splits) != 3 || len(r.drawn) != 1 || r.drawn[0] != "x.splits" {
		t.Fatalf("%d splits, %v, %q", len(splits), err, r.drawn)
	}
	seen := make(map[int]bool)
	for _, sp := range splits {
		if len(sp.Train) != 20 || len(sp.Test) != 30 {
			t.Errorf("%d training and %d test samples", len(sp.Train), len(sp.Test))
		}
		sum := 0
		for _, i := range sp.Train {
			sum += i * i
		}
		seen[sum] = true
	}
	if len(seen) != 3 {
		t.Errorf("%d different splits", len(seen))
	}
	if _, err = new(Env).splits(r, set, "x.libsvm", ".splits", 3, 50); err == nil {
		t.Error("no test part, and no error")
	}
}

// TestRowsOf: samples that repeat a vector's features count, and the table says how many there are.
func TestRowsOf(t *testing.T) {
	set := &dataset.Set{X: []float64{1, 2, 1, 3, 2, 1}, N: 6, D: 1}
	if got := rowsOf(set, []int{0, 3}); got != 4 {
		t.Errorf("%v samples, want the three 1 and the 3", got)
	}
	if got := rowsOf(set, nil); got != 0 {
		t.Errorf("%v samples of a model that has no vectors", got)
	}
	if got := withRows("2.0", []float64{2, 2}, []float64{4, 6}); got != "2.0 (5 samples)" {
		t.Errorf("%q", got)
	}
	if got := withRows("2.0", []float64{2}, []float64{2}); got != "2.0" {
		t.Errorf("%q", got)
	}
}
