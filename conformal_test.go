package sparsekm_test

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/predict"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/bayes"
	"github.com/sparsekm/sparsekm/learn/density"
	"github.com/sparsekm/sparsekm/learn/svc"
)

// ringnorm2 has one class twice as often as the other.
func ringnorm2(n int, seed uint64) *dataset.Set {
	set, rows, seen := dataset.Ringnorm(4*n, seed), []int(nil), make([]int, 2)
	for i, y := range set.Y {
		if seen[y] < n*(1+y)/3 {
			seen[y]++
			rows = append(rows, i)
		}
	}
	return set.Subset(rows)
}

// TestSplitConformal: sets of new samples have the coverage that was asked for, on average over 60 trainings, in all
// and in each class; the model's rows are those of the whole set, and none was held out.
func TestSplitConformal(t *testing.T) {
	fresh := ringnorm2(3000, 1000)
	for _, q := range []sparsekm.Conformal{{Coverage: 0.9}, {Coverage: 0.9, ByClass: true},
		{Coverage: 0.8, Folds: 4, ByClass: true}} {
		more := float64(q.Folds) / 100 // models of folds are worse
		const trainings = 60
		in, of := make([]float64, 2), fresh.Counts()
		for seed := range uint64(trainings) {
			set := ringnorm2(160, seed)
			clf, r, err := sparsekm.Train(t.Context(), set, sparsekm.Options{Trainer: svc.Trainer{}, Conformal: q, Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			if got := clf.Conformal(); got.Coverage != q.Coverage || got.Folds != q.Folds || clf.Covers() != nil {
				t.Fatalf("%+v", got)
			}
			parts := clf.Parts()
			for k, row := range parts.Rows {
				if slices.Contains(r.Held, row) || !slices.Equal(parts.Vector(k), set.Row(row)) {
					t.Fatalf("vector %d is not row %d, or row %d was held out", k, row, row)
				}
			}
			if q.Folds == 0 && (!slices.Equal(r.Support, parts.Rows) || len(r.Held)+r.N != set.N) {
				t.Fatalf("support %v of %d samples, %d held out", r.Support, r.N, len(r.Held))
			}
			p, err := predict.Set(t.Context(), clf, fresh, 1, false)
			if err != nil {
				t.Fatal(err)
			}
			sets := make([]bool, 2*fresh.N)
			clf.Sets(sets, p.Decisions, fresh.N)
			for i, y := range fresh.Y {
				if sets[2*i+y] {
					in[y]++
				}
			}
		}
		all := (in[0] + in[1]) / float64(fresh.N*trainings)
		testutil.Near(t, "coverage", all, q.Coverage, 0.02+more)
		for class := range in {
			if q.ByClass {
				testutil.Near(t, "coverage of a class", in[class]/float64(of[class]*trainings), q.Coverage, 0.025+more)
			}
		}
	}
}

// waves are noisy values of a curve whose noise grows with x.
func waves(n int, seed uint64) *dataset.Set {
	rnd := dataset.NewRand(seed)
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = 6 * rnd.Float64()
		y[i] = math.Sin(x[i]) + 0.1*rnd.NormFloat64()
	}
	set, err := dataset.NewRegression(x, n, 1, y)
	if err != nil {
		panic(err)
	}
	return set
}

// TestConformalIntervals: intervals of values have their coverage, with the variances of relevance vector machines too.
func TestConformalIntervals(t *testing.T) {
	fresh := waves(2000, 1000)
	for _, trainer := range []learn.Trainer{svc.SVR{}, bayes.RVM{}} {
		for _, folds := range []int{0, 5} {
			const trainings = 30
			in := 0.0
			for seed := range uint64(trainings) {
				clf, _, err := sparsekm.Train(t.Context(), waves(120, seed), sparsekm.Options{Trainer: trainer, Kernel: gram.RBF(1),
					Conformal: sparsekm.Conformal{Coverage: 0.9, Folds: folds}, Threads: 1})
				if err != nil {
					t.Fatal(err)
				}
				p, err := predict.Set(t.Context(), clf, fresh, 1, false)
				if err != nil {
					t.Fatal(err)
				}
				if clf.Uncertain() == nil {
					if err = p.AddVariances(t.Context(), fresh, 1); err != nil {
						t.Fatal(err)
					}
				}
				ends := make([]float64, 2*fresh.N)
				clf.Intervals(ends, p.Decisions, p.Variances, fresh.N)
				for i, y := range fresh.Targets {
					if ends[2*i] <= y && y <= ends[2*i+1] {
						in++
					}
				}
			}
			testutil.Near(t, trainer.Name()+": coverage", in/float64(trainings*fresh.N), 0.9, 0.025)
		}
	}
}

// TestConformalOneClass: samples like those of the training are in their sets.
func TestConformalOneClass(t *testing.T) {
	set := ringnorm2(300, 1)
	set.Y, set.Labels = nil, nil
	clf, _, err := sparsekm.Train(t.Context(), set, sparsekm.Options{Trainer: svc.OneClass{Nu: 0.5},
		Conformal: sparsekm.Conformal{Coverage: 0.9}})
	if err != nil {
		t.Fatal(err)
	}
	fresh := ringnorm2(3000, 2)
	p, err := predict.Set(t.Context(), clf, fresh, 1, false)
	if err != nil {
		t.Fatal(err)
	}
	sets, in := make([]bool, 2*fresh.N), 0.0
	clf.Sets(sets, p.Decisions, fresh.N)
	for i := range fresh.N {
		if sets[2*i+1] {
			in++
		}
	}
	testutil.Near(t, "coverage", in/float64(fresh.N), 0.9, 0.08) // of one draw of 75 samples
}

// TestConformalRefuses lists what goes with no prediction sets.
func TestConformalRefuses(t *testing.T) {
	ring, values := ringnorm2(60, 1), waves(60, 1)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	few := ringnorm2(45, 1)
	weights := make([]float64, few.N)
	for i, y := range few.Y {
		weights[i] = 1
		if y == 0 && i > 20 {
			weights[i] = 0
		}
	}
	for _, tt := range []struct {
		set  *dataset.Set
		o    sparsekm.Options
		want string
	}{
		{ring, sparsekm.Options{Conformal: sparsekm.Conformal{Coverage: 90}}, "a coverage of 90, want"},
		{ring, sparsekm.Options{Conformal: sparsekm.Conformal{Folds: 5}}, "a coverage of 0, want"},
		{ring, sparsekm.Options{Conformal: sparsekm.Conformal{Coverage: 0.9, Folds: 1}}, "1 folds"},
		{ring, sparsekm.Options{Conformal: sparsekm.Conformal{Coverage: 0.9}, Calibrate: 5}, "want one of them"},
		{ring, sparsekm.Options{Conformal: sparsekm.Conformal{Coverage: 0.99}},
			"60 samples, a coverage of 0.99 needs at least 198 of which it holds out 99"},
		{few, sparsekm.Options{Conformal: sparsekm.Conformal{Coverage: 0.9, ByClass: true}, SampleWeight: weights},
			"of class -1, a coverage of 0.9 needs at least 18"},
		{ring, sparsekm.Options{Conformal: sparsekm.Conformal{Coverage: 0.9, Folds: 50}}, "for each of 50 folds"},
		{values, sparsekm.Options{Trainer: svc.SVR{}, Conformal: sparsekm.Conformal{Coverage: 0.9, ByClass: true}},
			"by class, but the samples have no classes"},
		{values, sparsekm.Options{Trainer: density.SKDE{}, Conformal: sparsekm.Conformal{Coverage: 0.9}}, "a density has no"},
	} {
		if tt.o.Trainer == nil {
			tt.o.Trainer = svc.Trainer{}
		}
		if _, _, err := sparsekm.Train(t.Context(), tt.set, tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
	_, _, err := sparsekm.Train(ended, ring, sparsekm.Options{Trainer: svc.Trainer{}, Conformal: sparsekm.Conformal{Coverage: 0.9}})
	if err == nil {
		t.Error("a training that was over before it began has a model")
	}
}

// TestConformalStops: a context that ends during the cross-validation leaves a model without sets.
func TestConformalStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	first := true
	o := sparsekm.Options{Trainer: svc.Trainer{}, Conformal: sparsekm.Conformal{Coverage: 0.9, Folds: 5}, Threads: 1}
	o.KernelOf = func(p *learn.Problem) (gram.Kernel, error) {
		if !first {
			cancel()
		}
		first = false
		return gram.RBF(0.1), nil
	}
	clf, r, err := sparsekm.Train(ctx, ringnorm2(60, 1), o)
	if err != nil || clf.Covers() == nil || r.Status.Done() {
		t.Errorf("%v, %v", err, r)
	}
}

// TestConformalGroups: no group is divided, sparse samples stay sparse, and samples of weight 0 calibrate nothing.
func TestConformalGroups(t *testing.T) {
	dense := ringnorm2(240, 3)
	set := &dataset.Set{Sparse: csr.FromDense(dense.X, dense.N, dense.D), N: dense.N, D: dense.D, Y: dense.Y,
		Labels: dense.Labels, Groups: make([]string, dense.N)}
	weights := make([]float64, set.N)
	for i := range weights {
		set.Groups[i] = strconv.Itoa(i % 40)
		if weights[i] = 1; i%7 == 0 {
			weights[i] = 0
		}
	}
	clf, r, err := sparsekm.Train(t.Context(), set, sparsekm.Options{Trainer: svc.Trainer{}, SampleWeight: weights,
		Conformal: sparsekm.Conformal{Coverage: 0.8}})
	if err != nil || clf.Covers() != nil || !clf.Sparse() {
		t.Fatal(err)
	}
	held := make(map[string]bool)
	for _, i := range r.Held {
		if held[set.Groups[i]] = true; weights[i] == 0 {
			t.Errorf("row %d of weight 0 calibrates", i)
		}
	}
	for _, i := range r.Support {
		if held[set.Groups[i]] {
			t.Errorf("group %s is on both sides", set.Groups[i])
		}
	}
	if len(r.Held) < 40 {
		t.Errorf("%d samples held out", len(r.Held))
	}
}
