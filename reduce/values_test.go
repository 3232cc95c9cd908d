package reduce_test

import (
	"math"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/reduce"
)

// ofValues is a model of sinc with many vectors, and its samples.
func ofValues(t *testing.T) (*model.Classifier, *dataset.Set) {
	t.Helper()
	set := dataset.Sinc(150, 0.1, 4)
	clf, _, err := sparsekm.Train(t.Context(), set, sparsekm.Options{Trainer: svc.SVR{C: 10, Epsilon: 0.05},
		Kernel: gram.RBF(0.3), Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return clf, set
}

// rmse is the root of the mean square distance of a model's values from those wanted, or from another model's.
func rmse(set *dataset.Set, c, from *model.Classifier) float64 {
	f, want := make([]float64, set.N), set.Targets
	c.DecideBatch(f, set.X, set.N, 1)
	if from != nil {
		want = make([]float64, set.N)
		from.DecideBatch(want, set.X, set.N, 1)
	}
	var sum float64
	for i, v := range f {
		sum += (v - want[i]) * (v - want[i])
	}
	return math.Sqrt(sum / float64(set.N))
}

// TestValues removes and moves vectors of a model of values: rules count the error in deviations, and the report says
// what the models' values do.
func TestValues(t *testing.T) {
	clf, set := ofValues(t)
	bare := &dataset.Set{X: set.X, N: set.N, D: set.D}
	deviation := 0.0
	for _, v := range set.Targets {
		deviation += v * v / 150
	}
	mean := 0.0
	for _, v := range set.Targets {
		mean += v / 150
	}
	deviation = math.Sqrt(deviation - mean*mean)
	type reducer func(stop reduce.Rule, data *dataset.Set) (*reduce.Result, error)
	prune := func(stop reduce.Rule, data *dataset.Set) (*reduce.Result, error) {
		return reduce.Prune(t.Context(), clf, data, reduce.Options{Stop: []reduce.Rule{stop}, Refit: reduce.RefitBetter})
	}
	move := func(stop reduce.Rule, data *dataset.Set) (*reduce.Result, error) {
		return reduce.Move(t.Context(), clf, data, reduce.Options{Stop: []reduce.Rule{stop}})
	}
	for name, c := range map[string]struct {
		do   reducer
		stop reduce.Rule
		data *dataset.Set
		max  int     // vectors
		more float64 // error, in deviations of the values or of the given model's
	}{
		"pruned by tau":          {prune, reduce.Tau(0.05), set, 100, 0.05},
		"pruned by error":        {prune, reduce.MaxLoss(3), set, 100, 0.03},
		"pruned to a number":     {prune, reduce.MaxSV(40), set, 40, 0.4},
		"pruned, no values":      {prune, reduce.MaxLoss(10), bare, 100, 0.1},
		"moved to a number":      {move, reduce.MaxSV(9), set, 9, 0.05},
		"moved by error":         {move, reduce.MaxLoss(3), set, 20, 0.03},
		"moved without values":   {move, reduce.MaxSV(9), bare, 9, 0.15},
		"moved without a sample": {move, reduce.MaxSV(9), nil, 9, 0.3},
	} {
		r, err := c.do(c.stop, c.data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		from := clf // errors are from the given model's values where there are no others
		if c.data == set {
			from = nil
		}
		before, after := rmse(set, clf, from), rmse(set, r.Classifier, from)
		if !(after-before <= c.more*deviation) || r.SVAfter > c.max || r.SVAfter != r.Classifier.NumVectors() {
			t.Errorf("%s: %d vectors, RMSE %.4f before and %.4f after at a deviation of %.4f", name, r.SVAfter, before, after,
				deviation)
		}
		v := r.Values
		if v == nil || r.Compared != nil || r.VectorAgreement != nil || v.Targets != (c.data == set) {
			t.Fatalf("%s: %+v, compared %+v", name, v, r.Compared)
		}
		if c.data != nil {
			testutil.Near(t, name+": RMSE before", v.RMSEBefore, before, 1e-9)
			testutil.NearRel(t, name+": RMSE after", v.RMSEAfter, after, 1e-9)
		}
		if !(v.Kept > 0.8 && v.Kept <= 1) {
			t.Errorf("%s: %v of the variance is kept", name, v.Kept)
		}
	}
}

// TestValuesCurve: the curve has the error of the models that it is about.
func TestValuesCurve(t *testing.T) {
	clf, set := ofValues(t)
	for _, k := range []int{60, 20, 5} {
		r, err := reduce.Prune(t.Context(), clf, set, reduce.Options{Stop: []reduce.Rule{reduce.MaxSV(k)}})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range r.Curve {
			if p.SV != k {
				continue
			}
			testutil.NearRel(t, "the curve's error", p.Error, rmse(set, r.Classifier, nil)/r.Values.Deviation, 1e-8)
			testutil.NearRel(t, "the curve's variance", p.Agreement, r.Values.Kept, 1e-6)
		}
		if k == 5 && !strings.Contains(r.Message, "too few vectors") {
			t.Errorf("5 of %d vectors without a warning: %q", r.SVBefore, r.Message)
		}
	}
}
