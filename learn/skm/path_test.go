package skm

import (
	"context"
	"math"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/ssvc"
)

// TestPath holds the machines of a warm path against single trainings.
func TestPath(t *testing.T) {
	p := problem(t, dataset.PelegMeir(150, 0.15, 4), gram.RBFSigma(1.5))
	for _, at := range []func(c float64) learn.PathTrainer{
		func(c float64) learn.PathTrainer { return L1SVM{C: c} },
		func(c float64) learn.PathTrainer { return LPSVC{C: c} },
		func(c float64) learn.PathTrainer { return ssvc.B{C: c} },
	} {
		name := at(1).Name()
		var kept learn.Sparsest
		seen := 0
		err := at(1).Path(context.Background(), p, learn.GeometricPath(0.05, 20, 12), func(c float64, r *learn.Result) bool {
			single, err := at(c).Train(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			want := single.Report.Rounds[0].Objective
			if got := r.Report.Rounds[0].Objective; !testutil.Within(got, want, 1e-8*math.Max(1, want)) {
				t.Errorf("%s at C = %g: objective %.12g on the path, %.12g alone", name, c, got, want)
			}
			seen++
			kept.Add(c, r)
			return true
		})
		if err != nil || seen != 12 {
			t.Fatalf("%s: %d machines, error %v", name, seen, err)
		}
		last := -1
		for _, q := range kept.All() {
			if len(q.Support) <= last {
				t.Errorf("%s: %d support vectors after %d", name, len(q.Support), last)
			}
			last = len(q.Support)
		}
		if err := at(1).Path(context.Background(), p, []float64{1, 0}, func(float64, *learn.Result) bool { return true }); err == nil {
			t.Errorf("%s: a path through C = 0 is accepted", name)
		}
		stops := 0
		if err := at(1).Path(context.Background(), p, []float64{1, 2}, func(float64, *learn.Result) bool { stops++; return false }); err != nil || stops != 1 {
			t.Errorf("%s: %d visits after a stop, error %v", name, stops, err)
		}
	}
}
