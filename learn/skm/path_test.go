package skm

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
)

// TestPath holds the models of a warm path against single trainings.
func TestPath(t *testing.T) {
	p := problem(t, dataset.PelegMeir(150, 0.15, 4), gram.RBFSigma(1.5))
	for _, at := range []func(c float64) learn.PathTrainer{
		func(c float64) learn.PathTrainer { return L1SVM{C: c} },
		func(c float64) learn.PathTrainer { return LPSVC{C: c} },
		func(c float64) learn.PathTrainer { return ssvclp.B{C: c} },
		func(c float64) learn.PathTrainer { return Trainer{C: c} },
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
			t.Fatalf("%s: %d models, error %v", name, seen, err)
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

// TestPathAlone holds the models of one walk for many C against trainings alone: they are the same bits, whatever
// other C there are.
func TestPathAlone(t *testing.T) {
	for _, f := range fixtures(t) {
		for _, of := range []Trainer{{}, {Delta: f.deltas[0]}, {Threshold: 0.5}} {
			cs := []float64{10 * f.c, f.c, 1.001 * f.c, 0.1 * f.c, f.c, f.c}
			var margins []float64
			err := of.Path(context.Background(), f.problem, cs, func(c float64, r *learn.Result) bool {
				of.C = c
				one, err := of.Train(context.Background(), f.problem)
				if err != nil {
					t.Fatal(err)
				}
				got, want := r.Report.Figures.(Figures), one.Report.Figures.(Figures)
				margins = append(margins, got.Delta)
				if !slices.Equal(got.Deltas, want.Deltas) || got.Delta != want.Delta || got.F0 != want.F0 ||
					r.Bias != one.Bias || !slices.Equal(r.Support, one.Support) || !slices.Equal(r.Coef, one.Coef) ||
					r.Report.Objective != one.Report.Objective || *r.Report.Duality != *one.Report.Duality {
					t.Errorf("%s, C = %g: %v and %v on the path, %v and %v alone", f.name, c, got, r.Coef, want, one.Coef)
				}
				return true
			})
			if err != nil || len(margins) != len(cs) || margins[1] != margins[4] || margins[4] != margins[5] {
				t.Errorf("%s: margins %v, error %v", f.name, margins, err)
			}
			if of.Delta == 0 && !(math.Abs(margins[1]-margins[2]) <= 1e-4*margins[1]) {
				t.Errorf("%s: neighbours have margins %v", f.name, margins[1:3])
			}
			if of.Delta == 0 && margins[0] == margins[3] {
				t.Errorf("%s: one margin %g for every C", f.name, margins[0])
			}
		}
	}
}

// TestPathLimits checks that a walk without time ends with its first model, and a path between two models with
// the context's error.
func TestPathLimits(t *testing.T) {
	p := problem(t, dataset.PelegMeir(100, 0.2, 2), gram.RBFSigma(1))
	ctx, cancel := context.WithCancel(context.Background())
	seen := 0
	err := Trainer{}.Path(ctx, p, []float64{1, 2}, func(float64, *learn.Result) bool { seen++; cancel(); return true })
	if !errors.Is(err, context.Canceled) || seen != 1 {
		t.Errorf("after the first model: %d models, error %v", seen, err)
	}
	err = Trainer{}.Path(ctx, p, []float64{1, 2}, func(float64, *learn.Result) bool { seen++; return true })
	if !errors.Is(err, context.Canceled) || seen != 1 {
		t.Errorf("without time: %d models, error %v", seen-1, err)
	}
}
