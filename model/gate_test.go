package model

import (
	"fmt"
	"math"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// setsOf are a model's sets of n samples.
func setsOf(c *Classifier, decisions []float64, n int) []bool {
	sets := make([]bool, n*c.NumClasses())
	c.Sets(sets, decisions, n)
	return sets
}

// TestConformDoors: whatever the sizes of decision values, sets are those of the definition, of the model's file and of
// other units. Enough calibration samples are in their own, and a larger coverage takes no class out.
func TestConformDoors(t *testing.T) {
	testutil.Scales(t, 50, func(t *testing.T, s *testutil.Scale) {
		var d testutil.Doors
		for seed := range uint64(60) {
			c := mustNew(t, randomParts(s.Rand, schemes[seed%uint64(len(schemes))], gram.RBF(1), 4, 2))
			n, m, k := 40, c.NumSubmodels(), c.NumClasses()
			f, scaled, class := make([]float64, n*m), make([]float64, n*m), make([]int, n)
			for i := range class {
				size := s.Factor()
				for j := range m {
					f[i*m+j] = size * s.NormFloat64()
					scaled[i*m+j] = 0x1p-30 * f[i*m+j]
				}
				class[i] = i % k
			}
			byClass := seed%2 == 0
			conform := func(f []float64, coverage float64) *Classifier {
				with, err := c.Conform(class, f, coverage, byClass, 0)
				if err != nil {
					t.Fatal(err)
				}
				return with
			}
			with := conform(f, 0.6)
			out, err := with.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			read, err := Parse(out)
			if err != nil {
				t.Fatal(err)
			}
			parts, thresholds, literal := with.Parts(), with.Conformal().Thresholds, make([]bool, n*k)
			for i := range literal {
				literal[i] = slowScore(&parts, f[i/k*m:(i/k+1)*m], i%k) >= thresholds[i%k%len(thresholds)]
			}
			sets, wider, own := setsOf(with, f, n), setsOf(conform(f, 0.8), f, n), 0
			door := func(name string, sets []bool) testutil.Answer {
				return testutil.Answer{Door: name, Status: fmt.Sprint(sets), Decided: true}
			}
			d.Compare(t, seed, door("Conform", sets), door("definition", literal), door("file", setsOf(read, f, n)),
				door("other units", setsOf(conform(scaled, 0.6), scaled, n)))
			for i, in := range sets {
				if in && !wider[i] {
					t.Errorf("seed %d: a coverage of 0.8 takes a class out", seed)
				}
				if in && i%k == class[i/k] {
					own++
				}
			}
			if own < ConformalRank(0.6, n) {
				t.Errorf("seed %d: %d of %d samples are in their own sets", seed, own, n)
			}
		}
		d.AtMost(t, 1000)
	})
}

// TestConformOutlier: one huge decision value among the calibration samples does not fill the sets of the others.
func TestConformOutlier(t *testing.T) {
	testutil.Scales(t, 51, func(t *testing.T, s *testutil.Scale) {
		c := mustNew(t, taskParts(learn.OneClass))
		f := make([]float64, 99)
		for i := range f {
			f[i] = s.NormFloat64()
		}
		for _, outlier := range []float64{1, 1e6, 1e12, 1e300} {
			f[0] = outlier
			with, err := c.Conform(nil, f, 0.9, false, 0)
			if err != nil {
				t.Fatal(err)
			}
			in := 0
			for i, yes := range setsOf(with, f, len(f)) {
				if yes && i%2 == 1 {
					in++
				}
			}
			if in != 90 {
				t.Errorf("outlier %v: %d of 99 samples are accepted, want 90", outlier, in)
			}
		}
	})
}

// TestConformLies: no model has sets of a threshold that is no number, or of a coverage that is none.
func TestConformLies(t *testing.T) {
	lies := map[string]Conformal{}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1} {
		lies[fmt.Sprint("threshold ", v)] = Conformal{Coverage: 0.9, Thresholds: []float64{v}}
	}
	for _, v := range []float64{math.NaN(), 0, 1, -0.5, 2} {
		lies[fmt.Sprint("coverage ", v)] = Conformal{Coverage: v, Thresholds: []float64{1}}
	}
	lies["no threshold"] = Conformal{Coverage: 0.9}
	lies["two thresholds"] = Conformal{Coverage: 0.9, Thresholds: []float64{1, 2}}
	lies["one fold"] = Conformal{Coverage: 0.9, Folds: 1, Thresholds: []float64{1}}
	testutil.Lies(t, func(q Conformal) error {
		p := taskParts(learn.Regress)
		p.Conformal = &q
		_, err := New(p)
		return err
	}, Conformal{Coverage: 0.9, Thresholds: []float64{1}}, lies)
}

// TestConformReports has coverages and numbers of samples for which other programs were reported to take another of the
// ascending scores.
func TestConformReports(t *testing.T) {
	type calibration struct {
		coverage float64
		n        int
	}
	testutil.Reports(t, []testutil.Report[calibration]{
		{Thread: "sktime#10758, 9", Input: calibration{0.9, 9}, Value: 9},
		{Thread: "sktime#10758, 15", Input: calibration{0.9375, 15}, Value: 15},
		{Thread: "sktime#10758, 30", Input: calibration{0.9, 30}, Value: 28},
		{Thread: "sktime#10758, 100", Input: calibration{0.9, 100}, Value: 91},
		{Thread: "mt-data-mcp#62", Input: calibration{0.75, 3}, Value: 3},
		{Thread: "MAPIE#973", Input: calibration{0.8, 19}, Value: 16},
		{Thread: "MAPIE#452", Input: calibration{0.9, 6}, Error: "needs at least 9"},
		{Thread: "sktime#3693", Input: calibration{0, 9}, Error: "coverage of 0"},
	}, func(in calibration) (float64, error) {
		f := make([]float64, in.n) // the k-th smallest nonconformity score is k
		for i := range f {
			f[i] = -float64(i + 1)
		}
		c, err := mustNew(t, taskParts(learn.OneClass)).Conform(nil, f, in.coverage, false, 0)
		if err != nil {
			return 0, err
		}
		return math.Round(-c.Conformal().Thresholds[0]), nil
	})
}
