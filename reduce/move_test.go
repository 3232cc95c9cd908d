package reduce

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/model"
)

// smooth is a classifier of many vectors whose decisions few can follow: the sign of the coefficients is that of a
// ring, and the data has the classes that it gives.
func smooth(t *testing.T, n, classes int) (*model.Classifier, *dataset.Set) {
	t.Helper()
	return smoothOf(t, n, classes, gram.RBF(0.5))
}

func smoothOf(t *testing.T, n, classes int, k gram.Kernel) (*model.Classifier, *dataset.Set) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	s := &dataset.Set{X: points(rng, 3*n, 2), N: 3 * n, D: 2, Y: make([]int, 3*n)}
	for i := range s.N {
		r := math.Hypot(s.X[2*i], s.X[2*i+1])
		s.Y[i] = min(classes-1, int(r))
	}
	s.Labels = []string{"0", "1", "2"}[:classes]
	c := pairs
	if classes == 2 {
		c = binary
	}
	clf := c(t, rng, s, n, k)
	clf.PredictBatch(s.Y, s.X, s.N, 1)
	return clf, s
}

// TestMove: few trained centres follow the given model where as many that stay cannot, with samples and without, for
// two classes and for three over one pool, and the report is of the classifier that is returned.
func TestMove(t *testing.T) {
	vectors := 70
	if testing.Short() { // an emulator takes a minute for more
		vectors = 30
	}
	testutil.EachLevel(t, func(t *testing.T) {
		for _, classes := range []int{2, 3} {
			c, data := smooth(t, vectors, classes)
			o := Options{Stop: []Rule{MaxSV(6)}, Validation: data}
			pruned, err := Prune(ctx, c, data, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, points := range []*dataset.Set{data, nil} {
				for _, o.OneWidth = range []bool{false, true} {
					if testing.Short() && (o.OneWidth || classes > 2 && points == nil) {
						continue
					}
					r, err := Move(ctx, c, points, o)
					if err != nil {
						t.Fatal(err)
					}
					p := r.Classifier.Parts()
					if r.SVAfter != 6 || r.Classifier.NumVectors() != 6 || r.Method != "move" || p.Rows != nil ||
						len(p.Submodels) != c.NumSubmodels() || o.OneWidth != (p.Kernel.Weights == nil) {
						t.Fatalf("%d classes: %+v", classes, r.Report)
					}
					if !(r.Compared.Agreement >= 0.93 && r.Compared.Agreement > pruned.Compared.Agreement) {
						t.Errorf("%d classes, samples %v, one width %v: agreement %v, of pruned vectors %v", classes, points != nil,
							o.OneWidth, r.Compared.Agreement, pruned.Compared.Agreement)
					}
					agree := 0
					for i := range data.N {
						if c.Predict(data.Row(i)) == r.Classifier.Predict(data.Row(i)) {
							agree++
						}
					}
					testutil.Near(t, "agreement", r.Compared.Agreement, float64(agree)/float64(data.N), 1e-12)
				}
			}
		}
	})
}

// TestMoveKernels: with the other kernels that have slopes few trained centres follow the given model too.
func TestMoveKernels(t *testing.T) {
	for _, k := range []gram.Kernel{gram.Matern32(0.5), gram.Matern52(0.5), gram.RationalQuadratic(1.5, 0.5)} {
		c, data := smoothOf(t, 30, 2, k)
		o := Options{Stop: []Rule{MaxSV(6)}, Validation: data}
		pruned, err := Prune(ctx, c, data, o)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Move(ctx, c, data, o)
		if err != nil {
			t.Fatal(err)
		}
		if kind := r.Classifier.Kernel().Kind; r.SVAfter != 6 || kind != k.Kind {
			t.Fatalf("%v: %d vectors of %v", k.Kind, r.SVAfter, kind)
		}
		if !(r.Compared.Agreement >= 0.93 && r.Compared.Agreement > pruned.Compared.Agreement) {
			t.Errorf("%v: agreement %v, of pruned vectors %v", k.Kind, r.Compared.Agreement, pruned.Compared.Agreement)
		}
	}
}

// TestMoveUntil makes as many as the loss allows, and none when none do.
func TestMoveUntil(t *testing.T) {
	c, data := smooth(t, 120, 2)
	r, err := Move(ctx, c, data, Options{Stop: []Rule{MaxLoss(1)}})
	if err != nil {
		t.Fatal(err)
	}
	if m := r.Compared; r.SVAfter >= 40 || !(m.ErrorAfter <= m.ErrorBefore+0.01) || len(r.Curve) < 2 {
		t.Errorf("%+v", r.Report)
	}
	for i := 1; i < len(r.Curve); i++ {
		if r.Curve[i].SV >= r.Curve[i-1].SV {
			t.Errorf("the curve goes from %d vectors to %d", r.Curve[i-1].SV, r.Curve[i].SV)
		}
	}
	smallest := r.Curve[1]
	testutil.Near(t, "error of the last stage", smallest.Error, r.Compared.ErrorAfter, 0)
	testutil.Near(t, "hinge loss of the last stage", smallest.HingeIncrease, r.HingeAfter-r.HingeBefore, 1e-12)
	both, err := Move(ctx, c, data, Options{Stop: []Rule{MaxLoss(1), MaxSV(1)}})
	if err != nil || both.SVAfter != r.SVAfter || !strings.Contains(both.Message, "at most 1 vectors cannot be met") {
		t.Errorf("%v, %+v", err, both)
	}
	few, set := smooth(t, 4, 2)
	none, err := Move(ctx, few, set, Options{Stop: []Rule{MaxLoss(0)}})
	if err != nil || none.SVAfter > 4 || none.SVAfter == 4 && none.Classifier != few {
		t.Errorf("%v, %+v", err, none)
	}
	same, err := Move(ctx, c, data, Options{Stop: []Rule{MaxSV(500)}})
	if err != nil || same.Classifier != c || !strings.Contains(same.Message, "nothing moved") {
		t.Errorf("%v, %+v", err, same)
	}
}

// TestMoveThreads wants the same classifier from any number of threads, and an error when the context ends.
func TestMoveThreads(t *testing.T) {
	vectors, largest := 400, 70
	if testing.Short() {
		vectors, largest = 40, 10
	}
	c, data := smooth(t, vectors, 3)
	var first []float64
	for _, threads := range []int{1, 3} {
		o := Options{Stop: []Rule{MaxSV(largest)}}
		o.Threads = threads
		r, err := Move(ctx, c, data, o)
		if err != nil {
			t.Fatal(err)
		}
		p := r.Classifier.Parts()
		got := slices.Concat(p.Vectors, p.Submodels[1].Coef, p.Kernel.Weights)
		if first == nil {
			first = got
		} else if !slices.Equal(first, got) {
			t.Errorf("%d threads: another classifier", threads)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if r, err := Move(ended, c, data, Options{Stop: []Rule{MaxSV(4)}}); err == nil {
		t.Errorf("after the context's end: %+v", r.Report)
	}
}

// TestMoveRefuses names what cannot be moved.
func TestMoveRefuses(t *testing.T) {
	c, data := smooth(t, 20, 2)
	p := c.Parts()
	p.Kernel = gram.Laplacian(1)
	other := build(t, p)
	p.Kernel = gram.Matern12(1)
	sharp := build(t, p)
	for want, run := range map[string]func() error{
		"found the kernel matern12": func() error {
			_, err := Move(ctx, sharp, data, Options{Stop: []Rule{MaxSV(3)}})
			return err
		},
		"found the kernel laplacian": func() error { _, err := Move(ctx, other, data, Options{Stop: []Rule{MaxSV(3)}}); return err },
		"not at hinge loss": func() error {
			_, err := Move(ctx, c, data, Options{Stop: []Rule{MaxSV(3), Tau(0.1)}})
			return err
		},
		"need a number": func() error { _, err := Move(ctx, c, data, Options{}); return err },
		"needs data":    func() error { _, err := Move(ctx, c, nil, Options{Stop: []Rule{MaxLoss(1)}}); return err },
		"budget": func() error {
			o := Options{Stop: []Rule{MaxSV(3)}}
			o.Memory = 1000
			_, err := Move(ctx, c, data, o)
			return err
		},
	} {
		if err := run(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}
