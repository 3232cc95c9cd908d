package sparsekm_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/direct"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/svc"
)

// TestAbsentPoints trains with every third point of weight 0, scaled and with γ by the rules,
// and wants the very classifier of the others alone; only row numbers are those of the whole set.
func TestAbsentPoints(t *testing.T) {
	iris, err := dataset.ReadFile(testutil.Testdata(t, "iris.libsvm"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range []*dataset.Set{ripley(t), iris} {
		weight, present := make([]float64, set.N), []int(nil)
		for i := range weight {
			if i%3 != 0 {
				weight[i], present = 1, append(present, i)
			} else {
				set.Row(i)[0] += 100 // seen, it would change scaling and γ a lot
			}
		}
		for _, gamma := range []sparsekm.GammaRule{sparsekm.GammaScale, sparsekm.GammaMedian} {
			for _, scale := range []dataset.ScaleKind{dataset.ScaleNone, dataset.ScaleZ, dataset.ScaleMinMax} {
				o := sparsekm.Options{Trainer: svc.Trainer{}, Scale: scale, Gamma: gamma}
				want, alone, err := sparsekm.Train(t.Context(), set.Subset(present), o)
				if err != nil {
					t.Fatal(err)
				}
				o.SampleWeight = weight
				got, report, err := sparsekm.Train(t.Context(), set, o)
				if err != nil {
					t.Fatal(err)
				}
				p, q := got.Parts(), want.Parts()
				for k, row := range q.Rows {
					q.Rows[k] = present[row]
				}
				if diff := cmp.Diff(q, p); diff != "" {
					t.Errorf("%v: another classifier:\n%s", scale, diff)
				}
				for k, m := range alone.Submodels {
					for s, row := range m.Support {
						if report.Submodels[k].Support[s] != present[row] {
							t.Fatalf("%v: support %v of machine %d, want that of %v", scale, report.Submodels[k].Support, k, m.Support)
						}
					}
				}
				if !slices.Equal(report.Support, p.Rows) || report.N != set.N {
					t.Errorf("%v: the report has %d points and rows %v", scale, report.N, report.Support)
				}
			}
		}
	}
}

// The machines of a path name rows of the whole set too.
func TestAbsentPointsOfPath(t *testing.T) {
	set := ripley(t)
	o := sparsekm.Options{Trainer: ssvc.B{}, SampleWeight: make([]float64, set.N)}
	for i := range set.N / 2 {
		o.SampleWeight[2*i+1] = 1
	}
	points, err := sparsekm.Path(t.Context(), set, o, []float64{0.1, 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range points {
		for s, i := range p.Report.Support {
			if x := p.Classifier.Parts().Vectors[s*set.D:]; i%2 == 0 || !slices.Equal(x[:set.D], set.Row(i)) {
				t.Errorf("vector %d is not row %d of the set, or that has weight 0", s, i)
			}
		}
	}
}

// A set of absent points is none, and points that do not fit the budget are refused before they are scaled.
func TestRefusedPoints(t *testing.T) {
	set := ripley(t)
	o := sparsekm.Options{Trainer: svc.Trainer{}, SampleWeight: make([]float64, set.N)}
	if _, _, err := sparsekm.Train(t.Context(), set, o); !errors.Is(err, learn.ErrOneClass) {
		t.Errorf("error %v for points that are all absent", err)
	}
	o.SampleWeight[7] = -1
	_, _, err := sparsekm.Train(t.Context(), set, o)
	if err == nil || !strings.Contains(err.Error(), "weight of point 7") {
		t.Errorf("error %v for a negative weight", err)
	}
	o = sparsekm.Options{Trainer: svc.Trainer{}, Scale: dataset.ScaleZ, Memory: 8 * int64(len(set.X))}
	var refused *learn.BudgetError
	if _, _, err := sparsekm.Train(t.Context(), set, o); !errors.As(err, &refused) {
		t.Fatalf("error %v, want a budget's", err)
	}
	if least := o.Memory + o.Trainer.EstimateMemory(set.N, set.D); refused.Need <= least {
		t.Errorf("needs %d bytes, want more than %d: points, estimate and signs", refused.Need, least)
	}
}

// TestAbsentPointsMoved does so with vectors that are no points: there are no row numbers to map.
func TestAbsentPointsMoved(t *testing.T) {
	set := ripley(t)
	weight, present := make([]float64, set.N), []int(nil)
	for i := range weight {
		if i%3 != 0 {
			weight[i], present = 1, append(present, i)
		}
	}
	o := sparsekm.Options{Trainer: direct.Trainer{MaxSV: 4}}
	want, _, err := sparsekm.Train(t.Context(), set.Subset(present), o)
	if err != nil {
		t.Fatal(err)
	}
	o.SampleWeight = weight
	got, report, err := sparsekm.Train(t.Context(), set, o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Parts(), got.Parts()); diff != "" {
		t.Errorf("another classifier:\n%s", diff)
	}
	if report.Support != nil || len(report.Vectors) != 4*set.D {
		t.Errorf("row numbers %v and %d features of vectors, want none and %d", report.Support, len(report.Vectors), 4*set.D)
	}
}
