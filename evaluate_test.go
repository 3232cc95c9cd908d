package sparsekm_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
)

// area is the share of the pairs of a point of the class and another one whose scores are in order, pair by pair.
func area(set *dataset.Set, class int, score func(i int) float64) float64 {
	sum, pairs := 0.0, 0.0
	for i, a := range set.Y {
		for k, b := range set.Y {
			if a != class || b == class {
				continue
			}
			pairs++
			switch f, g := score(i), score(k); {
			case f > g:
				sum++
			case f == g:
				sum += 0.5
			}
		}
	}
	return sum / pairs
}

// TestEvaluate holds every figure against loops over the points: of two classes either of which may be the
// positive one, and of three in both schemes, with probabilities and without.
func TestEvaluate(t *testing.T) {
	iris, err := dataset.ReadFile(testutil.Testdata(t, "iris.libsvm"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	libsvm := func(name string) *sparsekm.Classifier {
		c, failed := sparsekm.Load(filepath.Join("model", "testdata", name+".model"))
		if failed != nil {
			t.Fatal(failed)
		}
		return c
	}
	trained := func(set *dataset.Set, scheme model.Scheme, folds int) *sparsekm.Classifier {
		c, _, failed := sparsekm.Train(t.Context(), set,
			sparsekm.Options{Trainer: svc.Trainer{C: 0.1}, Kernel: gram.RBF(1), Scheme: scheme, Calibrate: folds})
		if failed != nil {
			t.Fatal(failed)
		}
		return c
	}
	oneEach := func(c *sparsekm.Classifier) *sparsekm.Classifier {
		p := c.Parts()
		first := p.Submodels[0]
		first.Pos, first.Neg, first.Bias = 0, learn.Rest, 0.1
		first.Coef = make([]float64, len(first.Coef))
		p.Submodels[0].Neg = learn.Rest
		p.Submodels, p.Scheme = append(p.Submodels, first), model.OneVsRest
		c, failed := model.New(p)
		if failed != nil {
			t.Fatal(failed)
		}
		return c
	}
	for _, tt := range []struct {
		name string
		set  *dataset.Set
		clf  *sparsekm.Classifier
	}{
		{"two", ripley(t), trained(ripley(t), model.Binary, 5)},
		{"two, one machine each", ripley(t), oneEach(trained(ripley(t), model.Binary, 0))},
		{"LIBSVM's two", ripley(t), libsvm("ripley.train")},
		{"rest", iris, trained(iris, model.OneVsRest, 0)},
		{"pairs", iris, trained(iris, model.OneVsOne, 0)},
		{"LIBSVM's pairs", iris, libsvm("iris")},
	} {
		r, err := sparsekm.Evaluate(t.Context(), tt.clf, tt.set, 2)
		if err != nil {
			t.Fatal(err)
		}
		clf, k, m := tt.clf, len(tt.set.Labels), tt.clf.NumSubmodels()
		want := tt.set.ClassOf(clf.Labels())
		set := *tt.set // with the classifier's indices of classes
		set.Y = want
		f, p := make([]float64, set.N*m), make([]float64, set.N*k)
		clf.DecideBatch(f, set.X, set.N, 1)
		wrong, loss := 0, 0.0
		if clf.Calibrated() == nil {
			clf.ProbabilitiesOf(p, f, set.N, 1)
		}
		for i, c := range want {
			if clf.Predict(set.Row(i)) != c {
				wrong++
			}
			loss -= math.Log(p[i*k+c]) / float64(set.N)
		}
		if r.Points != set.N || r.Errors != wrong || wrong == 0 {
			t.Errorf("%s: %d errors of %d points, want %d", tt.name, r.Errors, r.Points, wrong)
		}
		if (r.LogLoss != nil) != (clf.Calibrated() == nil) {
			t.Errorf("%s: log loss %v", tt.name, r.LogLoss)
		} else if r.LogLoss != nil {
			testutil.Near(t, tt.name+": log loss", *r.LogLoss, loss, 1e-13)
		}
		if clf.Scheme() == model.OneVsOne && k > 2 && clf.Calibrated() != nil {
			if r.AUC != nil {
				t.Errorf("%s: area under the curve of votes", tt.name)
			}
			continue
		}
		areas := 0.0
		for c := range k {
			score := func(i int) float64 { return p[i*k+c] }
			if clf.Scheme() == model.OneVsRest && k > 2 {
				j := 0
				for clf.PositiveLabel(j) != clf.Label(c) {
					j++
				}
				score = func(i int) float64 { return f[i*m+j] }
			} else if k == 2 && m == 2 {
				score = func(i int) float64 { return f[2*i+1-c] - f[2*i+c] }
			}
			areas += area(&set, c, score) / float64(k)
		}
		testutil.Near(t, tt.name+": area", *r.AUC, areas, 1e-12)
	}
}

func TestEvaluateRefuses(t *testing.T) {
	clf, _, err := sparsekm.Train(t.Context(), ripley(t), sparsekm.Options{Trainer: svc.Trainer{}, Kernel: gram.Poly(3, 1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	far := ripley(t).Subset([]int{0, 1, 2})
	far.X[3] = 1e200
	bare := ripley(t)
	bare.Y, bare.Labels = nil, nil
	for want, set := range map[string]*dataset.Set{
		"decision for point 1": far, "no labels": bare, "points of 3 features, want 2": ripley(t).Widen(3),
	} {
		if _, err := sparsekm.Evaluate(t.Context(), clf, set, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
