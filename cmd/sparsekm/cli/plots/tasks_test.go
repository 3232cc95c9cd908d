package plots

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	_ "github.com/sparsekm/sparsekm/learn/all"
	"github.com/sparsekm/sparsekm/model"
	_ "github.com/sparsekm/sparsekm/model/importers/all"
)

// drawSet draws 40 samples of d features: of classes by their first feature, or with targets far below 0.
func drawSet(t *testing.T, d, classes int) *dataset.Set {
	t.Helper()
	const n = 40
	rng := rand.New(rand.NewPCG(uint64(d), uint64(classes)))
	x, labels, targets := make([]float64, n*d), make([]string, n), make([]float64, n)
	for k := range x {
		x[k] = rng.Float64()
	}
	for i := range n {
		labels[i] = fmt.Sprintf("c%d", min(int(x[i*d]*float64(max(classes, 1))), classes-1))
		targets[i] = -3 + math.Sin(6*x[i*d])
	}
	set, err := dataset.New(x, n, d, labels)
	if classes == 0 {
		set, err = dataset.NewRegression(x, n, d, targets)
	}
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// precomputed is the set with its linear kernel matrix as features.
func precomputed(set *dataset.Set) *dataset.Set {
	k := make([]float64, set.N*set.N)
	for i := range set.N {
		for j := range set.N {
			k[i*set.N+j] = dot(set.Row(i), set.Row(j))
		}
	}
	p := *set
	p.X, p.D = gram.PrecomputedSamples(k, set.N, set.N), set.N+1
	return &p
}

// sparse is the set with ten features more, all 0, of which it stores none.
func sparse(set *dataset.Set) *dataset.Set {
	s := *set
	s.D = set.D + 10
	x := make([]float64, set.N*s.D)
	for i := range set.N {
		copy(x[i*s.D:], set.Row(i))
	}
	s.X, s.Sparse = nil, csr.FromDense(x, set.N, s.D)
	return &s
}

// TestTasks has a model of every task: each kind of picture shows something, in numbers only, or refuses in a sentence
// that names what it wants.
func TestTasks(t *testing.T) {
	two, three, values, curve := drawSet(t, 3, 2), drawSet(t, 2, 3), drawSet(t, 3, 0), drawSet(t, 1, 0)
	unlabelled := *two
	unlabelled.Y, unlabelled.Labels = nil, nil
	type no = map[string]string // why pictures of a kind are refused; the others are drawn
	const classes = "model of classes"
	pair, uncalibrated := no{"roc": "two classes"}, no{"reliability": "calibrat"}
	unclassed := no{"roc": classes, "reliability": classes}
	type options = sparsekm.Options
	for name, row := range map[string]struct {
		method  string
		set     *dataset.Set
		options options
		refuses no
	}{
		"two classes":      {"svc", two, options{}, uncalibrated},
		"one feature":      {"svc", drawSet(t, 1, 2), options{}, uncalibrated},
		"probabilities":    {"svc", two, options{Calibrate: 3}, nil},
		"several classes":  {"svc", three, options{Calibrate: 3}, pair},
		"pairs of classes": {"svc", three, options{Calibrate: 3, Scheme: model.OneVsOne}, pair},
		"linear":           {"svc", two, options{Kernel: gram.Linear()}, uncalibrated},
		"trained centres":  {"direct", two, options{}, uncalibrated},
		"Bayes":            {"rvm", two, options{}, nil},
		"precomputed": {"svc", precomputed(two), options{Kernel: gram.Precomputed()},
			no{"boundary": "wants features", "reliability": "calibrat"}},
		"sparse":             {"svc", sparse(two), options{}, uncalibrated},
		"values":             {"svr", values, options{}, unclassed},
		"values, a variance": {"rvm", values, options{}, unclassed},
		"a curve":            {"ssvr-b", curve, options{}, unclassed},
		"one class": {"one-class", &unlabelled, options{},
			no{"roc": "samples labelled -1 and 1", "reliability": classes}},
		"density":            {"skde", &unlabelled, options{}, unclassed},
		"density of classes": {"skde", two, options{}, unclassed},
		"density, a curve":   {"skde", curve, options{}, unclassed},
	} {
		m, err := sparsekm.Lookup(row.method)
		if err != nil {
			t.Fatal(err)
		}
		if row.options.Trainer, err = m.New(nil); err != nil {
			t.Fatal(err)
		}
		clf, _, err := sparsekm.Train(context.Background(), row.set, row.options)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for kind, draw := range ofModels(clf, row.set) {
			checkDrawn(t, name+", "+kind, draw, row.refuses[kind])
		}
	}
}

// ofModels are the kinds of pictures that show a model.
func ofModels(clf *sparsekm.Classifier, set *dataset.Set) map[string]func(p *Picture) (*Picture, error) {
	return map[string]func(p *Picture) (*Picture, error){
		"boundary":    func(p *Picture) (*Picture, error) { return p.Boundary(clf, set, nil) },
		"roc":         func(p *Picture) (*Picture, error) { return p.ROC(clf, set) },
		"reliability": func(p *Picture) (*Picture, error) { return p.Reliability(clf, set) },
		"spectrum":    func(p *Picture) (*Picture, error) { return p.Spectrum(clf) },
	}
}

// checkDrawn fails unless something is drawn, or is refused as it should be.
func checkDrawn(t *testing.T, name string, draw func(p *Picture) (*Picture, error), refuses string) {
	t.Helper()
	p, err := draw(New(false))
	if refuses != "" || err != nil {
		if err == nil || refuses == "" || !strings.Contains(err.Error(), refuses) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want an error with %q", name, err, refuses)
		}
		return
	}
	var b bytes.Buffer
	if err = p.Write(&b); err != nil {
		t.Fatal(err)
	}
	colours := make(map[string]bool)
	for _, c := range regexp.MustCompile(`(?:fill|stroke)="#\w+`).FindAllString(b.String(), -1) {
		colours[c] = true
	}
	if bad := regexp.MustCompile(`NaN|Inf`).Find(b.Bytes()); bad != nil || len(p.shown) == 0 || len(colours) < 3 {
		t.Errorf("%s: %s, %d shown in %v", name, bad, len(p.shown), slices.Sorted(maps.Keys(colours)))
	}
}

// TestForeignModels: models of other programs are drawn over samples around their vectors.
func TestForeignModels(t *testing.T) {
	for file, refuses := range map[string]map[string]string{
		"gp/sklearn-white.npz":      {"roc": "task is regress", "reliability": "task is regress"},
		"gp/classes-three.npz":      {"roc": "two classes", "reliability": "samples"},
		"gp/gpflow-svgp.npz":        {"roc": "task is regress", "reliability": "task is regress"},
		"iris.model":                {"roc": "two classes", "reliability": "samples"},
		"skops/svr.skops":           {"roc": "task is regress", "reliability": "task is regress"},
		"liblinear/ripley-11.model": {"roc": "task is regress", "reliability": "task is regress"},
	} {
		clf, err := sparsekm.Load(testutil.Root(t) + "/model/testdata/" + file)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		set := &dataset.Set{N: 20, D: clf.NumFeatures()}
		rng := rand.New(rand.NewPCG(1, 2))
		for range set.N * set.D {
			set.X = append(set.X, rng.NormFloat64())
		}
		for kind, draw := range ofModels(clf, set) {
			checkDrawn(t, file+", "+kind, draw, refuses[kind])
		}
	}
}

// TestColours: samples have the colours of the model's classes, whichever of them their file has and in whatever order.
func TestColours(t *testing.T) {
	m, err := sparsekm.Lookup("svc")
	if err != nil {
		t.Fatal(err)
	}
	var o sparsekm.Options
	if o.Trainer, err = m.New(nil); err != nil {
		t.Fatal(err)
	}
	all := drawSet(t, 2, 3)
	clf, _, err := sparsekm.Train(context.Background(), all, o)
	if err != nil {
		t.Fatal(err)
	}
	for class, label := range clf.Labels() {
		some, err := dataset.New(all.X[:6], 3, 2, []string{label, "z & other", label})
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(false).Boundary(clf, some, nil)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err = p.Write(&b); err != nil {
			t.Fatal(err)
		}
		for k, n := range map[int]int{class: 3, len(clf.Labels()): 2} { // samples, and one in the legend
			group := regexp.MustCompile(`<g fill="` + hex(p.classColour(k)) + `">\n((?:<circle.*\n)+)`)
			dots := group.FindAllStringSubmatch(b.String(), -1)
			found := 0
			for _, d := range dots {
				found += strings.Count(d[1], "<circle")
			}
			if found != n {
				t.Errorf("%s: %d dots in the colour of class %d, want %d", label, found, k, n)
			}
		}
	}
}
