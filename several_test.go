package sparsekm_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/direct"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/status"
)

// TestSeveralClasses trains iris from Go in every scheme, with weights and scaling, and
// wants of each machine the decisions of a two-class training stated by hand, and of the
// classifier the class that the scheme's rule makes of them.
func TestSeveralClasses(t *testing.T) {
	set, err := dataset.ReadFile(testutil.Testdata(t, "iris.libsvm"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := sparsekm.Options{
		Trainer: svc.Trainer{C: 2, Tolerance: 1e-9}, Kernel: gram.RBF(0.3), Scale: dataset.ScaleZ,
		ClassWeight: map[string]float64{"2": 3}, SampleWeight: make([]float64, set.N),
	}
	weight := make([]float64, set.N)
	for i := range weight {
		o.SampleWeight[i] = float64(i%5) / 2
		if weight[i] = o.SampleWeight[i]; set.Labels[set.Y[i]] == "2" {
			weight[i] *= 3
		}
	}
	var present []int
	for i, w := range weight {
		if w > 0 {
			present = append(present, i)
		}
	}
	scaling, err := dataset.FitZ(set.Subset(present))
	if err != nil {
		t.Fatal(err)
	}
	scaled := scaling.Apply(set)
	for _, scheme := range []model.Scheme{model.Binary, model.OneVsRest, model.OneVsOne, model.PairwiseFuzzy} {
		t.Run(fmt.Sprint(scheme), func(t *testing.T) {
			if o.Scheme = scheme; scheme == model.Binary {
				scheme = model.OneVsRest // what the zero value means for three classes
			}
			clf, report, err := sparsekm.Train(t.Context(), set, o)
			if err != nil {
				t.Fatal(err)
			}
			labels := slices.Equal(report.Labels, []string{"1", "2", "3"})
			if report.Status != status.Optimal || !labels || report.Scheme != scheme {
				t.Errorf("status %v, classes %v, scheme %v", report.Status, report.Labels, report.Scheme)
			}
			decisions := make([]float64, 3*set.N) // a row of the set has three decisions
			clf.DecideBatch(decisions, set.X, set.N, 1)
			used := map[int]bool{}
			for k, m := range report.Submodels {
				checkMachine(t, scaled, o, weight, k, m, decisions)
				for _, i := range m.Support {
					used[i] = true
				}
			}
			if pool := report.Support; len(pool) != len(used) || !slices.IsSorted(pool) ||
				slices.ContainsFunc(pool, func(i int) bool { return !used[i] }) {
				t.Errorf("a pool of %d vectors %v, the machines use %d", len(pool), pool, len(used))
			}
			for i := range set.N {
				if got, want := clf.Predict(set.Row(i)), decide(scheme, report, decisions[3*i:3*i+3]); got != want {
					t.Errorf("row %d is of class %d, want %d", i, got, want)
				}
			}
		})
	}
}

// checkMachine trains machine k by hand.
func checkMachine(t *testing.T, scaled *dataset.Set, o sparsekm.Options, weight []float64,
	k int, m learn.Trained, decisions []float64) {
	t.Helper()
	p := &learn.Problem{D: scaled.D, Kernel: o.Kernel}
	for i, c := range scaled.Y {
		if c != m.Pos && m.Neg >= 0 && c != m.Neg {
			continue
		}
		y := -1.0
		if c == m.Pos {
			y = 1
		}
		p.X, p.Y, p.Weight = append(p.X, scaled.Row(i)...), append(p.Y, y), append(p.Weight, weight[i])
		p.N++
	}
	r, err := o.Trainer.Train(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	got, want := make([]float64, scaled.N), make([]float64, scaled.N)
	for i := range scaled.N {
		got[i], want[i] = decisions[3*i+k], r.Bias
		for s, j := range r.Support {
			want[i] += r.Coef[s] * o.Kernel.Eval(scaled.Row(i), p.X[j*p.D:(j+1)*p.D])
		}
	}
	testutil.NearAll(t, fmt.Sprintf("machine %d, %d against %d", k, m.Pos, m.Neg), got, want, 1e-7)
}

// decide is the class by the scheme's rule: the largest decision, the most votes, or
// the largest smallest membership min(1, ±f) of Abe (2008), section 4.2; the first of equals.
func decide(scheme model.Scheme, r *sparsekm.Report, f []float64) int {
	score := make([]float64, len(r.Labels))
	if scheme == model.PairwiseFuzzy {
		for c := range score {
			score[c] = 1
		}
	}
	for k, m := range r.Submodels {
		switch scheme {
		case model.OneVsRest:
			score[m.Pos] = f[k]
		case model.OneVsOne:
			if f[k] > 0 {
				score[m.Pos]++
			} else {
				score[m.Neg]++
			}
		case model.PairwiseFuzzy:
			score[m.Pos], score[m.Neg] = min(score[m.Pos], f[k]), min(score[m.Neg], -f[k])
		}
	}
	return slices.Index(score, slices.Max(score))
}

// TestSeveralClassesRefuse checks that what is wrong with one machine is an error of the training.
func TestSeveralClassesRefuse(t *testing.T) {
	set, err := dataset.ReadFile(testutil.Testdata(t, "iris.libsvm"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]sparsekm.Options{
		"cost":   {Trainer: svc.Trainer{C: -1}},
		"gamma":  {Trainer: svc.Trainer{}, Kernel: gram.RBF(-1)},
		"class":  {Trainer: svc.Trainer{}, ClassWeight: map[string]float64{"4": 1}},
		"absent": {Trainer: svc.Trainer{}, Scheme: model.OneVsOne, ClassWeight: map[string]float64{"1": 0, "2": 0}},
	} {
		if _, _, err := sparsekm.Train(t.Context(), set, o); err == nil {
			t.Errorf("%s: trained", name)
		}
	}
}

// TestFreeVectors trains iris with vectors that are no rows: against the rest together, over one pool and with one
// kernel, pair by pair with a kernel for each. The decisions are the machines' own over the report's vectors.
func TestFreeVectors(t *testing.T) {
	set, err := dataset.ReadFile(testutil.Testdata(t, "iris.libsvm"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		widths bool
		scheme model.Scheme
		pool   int
	}{
		{false, model.OneVsRest, 3}, {true, model.OneVsRest, 3}, {false, model.OneVsOne, 9}, {true, model.OneVsOne, 9},
	} {
		o := sparsekm.Options{Trainer: direct.Trainer{MaxSV: 3, FeatureWidths: c.widths}, Kernel: gram.RBF(0.3),
			Scheme: c.scheme}
		clf, report, err := sparsekm.Train(t.Context(), set, o)
		if err != nil {
			t.Fatal(err)
		}
		if report.Support != nil || report.NumVectors != c.pool || len(report.Vectors) != c.pool*set.D ||
			clf.NumVectors() != c.pool {
			t.Fatalf("%+v: %d vectors, %d rows", c, report.NumVectors, len(report.Support))
		}
		decisions := make([]float64, 3*set.N)
		clf.DecideBatch(decisions, set.X, set.N, 1)
		for k, m := range report.Submodels {
			kernel := report.Kernel
			if m.Kernel != nil {
				kernel = *m.Kernel
			}
			if own := c.widths && c.scheme == model.OneVsOne; own != (m.Kernel != nil) || len(m.Support) != 3 {
				t.Errorf("%+v: machine %d: kernel of its own %v, %d vectors", c, k, m.Kernel != nil, len(m.Support))
			}
			for i := range set.N {
				f := m.Bias
				for s, j := range m.Support {
					f += m.Coef[s] * kernel.Eval(report.Vectors[j*set.D:(j+1)*set.D], set.Row(i))
				}
				testutil.NearRel(t, fmt.Sprintf("%+v: machine %d, row %d", c, k, i), decisions[3*i+k], f, 1e-12)
			}
		}
		if wrong := misses(clf, set); wrong > 6 {
			t.Errorf("%+v: %d wrong", c, wrong)
		}
	}
}

func misses(clf *sparsekm.Classifier, set *dataset.Set) (wrong int) {
	for i := range set.N {
		if clf.Predict(set.Row(i)) != set.Y[i] {
			wrong++
		}
	}
	return wrong
}
