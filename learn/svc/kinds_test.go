package svc

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// kind is one run of svm-train that is no C-SVC.
type kind struct {
	Set   string // a file of the module's testdata, or a generated problem
	Flags string // of svm-train, without -e
	gamma float64
	train learn.Trainer
}

var kinds = []kind{
	{"sinc", "-s 3 -g 0.5 -c 1 -p 0.1", 0.5, SVR{C: 1, Epsilon: 0.1, Tolerance: 1e-6}},
	{"sinc", "-s 3 -g 0.5 -c 1000 -p 0.01", 0.5, SVR{C: 1000, Epsilon: 0.01, Tolerance: 1e-6}},
	{"sinc", "-s 3 -g 0.5 -c 0.1 -p 0", 0.5, SVR{C: 0.1, Epsilon: -1, Tolerance: 1e-6}},
	{"friedman1", "-s 3 -g 0.1 -c 10 -p 0.5", 0.1, SVR{C: 10, Epsilon: 0.5, Tolerance: 1e-6}},
	{"diabetis.libsvm", "-s 3 -g 1e-3 -c 1 -p 0.2", 1e-3, SVR{C: 1, Epsilon: 0.2, Tolerance: 1e-6}},
	{"sinc", "-s 4 -g 0.5 -c 1 -n 0.3", 0.5, NuSVR{C: 1, Nu: 0.3, Tolerance: 1e-6}},
	{"friedman1", "-s 4 -g 0.1 -c 10 -n 0.5", 0.1, NuSVR{C: 10, Nu: 0.5, Tolerance: 1e-6}},
	{"diabetis.libsvm", "-s 4 -g 1e-3 -c 1 -n 0.4", 1e-3, NuSVR{C: 1, Nu: 0.4, Tolerance: 1e-6}},
	{"ripley.train.libsvm", "-s 1 -g 2 -n 0.3", 2, NuSVC{Nu: 0.3, Tolerance: 1e-6}},
	{"diabetis.libsvm", "-s 1 -g 1e-3 -n 0.6", 1e-3, NuSVC{Nu: 0.6, Tolerance: 1e-6}},
	{"ionosphere.libsvm", "-s 1 -g 0.03 -n 0.1", 0.03, NuSVC{Nu: 0.1, Tolerance: 1e-6}},
	{"ripley.train.libsvm", "-s 2 -g 2 -n 0.1", 2, OneClass{Nu: 0.1, Tolerance: 1e-6}},
	{"diabetis.libsvm", "-s 2 -g 1e-3 -n 0.5", 1e-3, OneClass{Nu: 0.5, Tolerance: 1e-6}},
	{"ionosphere.libsvm", "-s 2 -g 0.03 -n 0.3", 0.03, OneClass{Nu: 0.3, Tolerance: 1e-6}},
}

func (k kind) command() string { return "svm-train " + k.Flags + " -e 1e-6 " + k.Set }

// problem is the set as the method takes it; labels are values to a regression.
func (k kind) problem(tb testing.TB) (*dataset.Set, *learn.Problem) {
	tb.Helper()
	var set *dataset.Set
	var err error
	switch k.Set {
	case "sinc":
		set = dataset.Sinc(100, 0.1, 1)
	case "friedman1":
		set = dataset.Friedman(1, 200, 1, 1)
	default:
		o := dataset.Options{}
		m, known := learn.Lookup(k.train.Name())
		if known == nil && m.Takes(learn.Regress) {
			o.Targets = dataset.TargetValues
		}
		set, err = dataset.ReadFile(testutil.Testdata(tb, k.Set), o)
	}
	if err != nil {
		tb.Fatal(err)
	}
	p := &learn.Problem{X: set.X, N: set.N, D: set.D, Kernel: gram.RBF(k.gamma)}
	switch m, _ := learn.Lookup(k.train.Name()); {
	case m.Takes(learn.OneClass):
		p.Task = learn.OneClass
	case m.Takes(learn.Regress):
		p.Task, p.Y = learn.Regress, set.Targets
	default:
		p.Y = set.RestSigns(1)
	}
	return set, p
}

// found is a model in double precision, from its coefficients by row.
type found struct {
	Command string
	Version string  // of Debian's package libsvm-tools
	Dual    float64 // objective, of the ν models in units in which both have the same share
	Bias    float64
	Support []int // rows, of equal rows the first
}

func (k kind) figures(set *dataset.Set, p *learn.Problem, coef []float64, bias float64) found {
	f := found{Command: k.command(), Bias: bias}
	first, of := learn.Distinct(set.X, set.N, set.D)
	for i, a := range coef {
		if a == 0 {
			continue
		}
		f.Support = append(f.Support, first[of[i]])
		switch t := k.train.(type) {
		case SVR:
			f.Dual += p.Y[i]*a - max(t.Epsilon, 0)*math.Abs(a)
		case NuSVR:
			f.Dual += p.Y[i] * a
		}
		for j, b := range coef {
			if b != 0 {
				f.Dual -= 0.5 * a * b * p.Kernel.Eval(set.Row(i), set.Row(j))
			}
		}
	}
	if t, ok := k.train.(NuSVC); ok {
		size := 0.0
		for _, a := range coef {
			size += math.Abs(a)
		}
		f.Dual *= math.Pow(t.Nu*float64(p.N)/size, 2)
	}
	slices.Sort(f.Support)
	f.Support = slices.Compact(f.Support)
	return f
}

// run asks the svm-train that is installed.
func (k kind) run(tb testing.TB) found {
	tb.Helper()
	set, p := k.problem(tb)
	data, model := filepath.Join(tb.TempDir(), "data"), filepath.Join(tb.TempDir(), "model")
	file, err := os.Create(data)
	if err != nil {
		tb.Fatal(err)
	}
	if err = set.WriteLIBSVM(file); err != nil {
		tb.Fatal(err)
	}
	file.Close()
	args := append(strings.Fields(k.Flags), "-e", "1e-6", "-q", data, model)
	if out, failed := exec.CommandContext(tb.Context(), "svm-train", args...).CombinedOutput(); failed != nil {
		tb.Fatalf("%s: %v\n%s", k.command(), failed, out)
	}
	text, err := os.ReadFile(model)
	if err != nil {
		tb.Fatal(err)
	}
	head, body, _ := strings.Cut(string(text), "\nSV\n")
	_, after, _ := strings.Cut(head, "\nrho ")
	bias := -number(tb, strings.Fields(after)[0])
	lines := strings.Split(strings.TrimSpace(body), "\n")
	class, count := []int{0}, []string{""} // all vectors are of one kind, but those of classes
	if _, counts, two := strings.Cut(head, "\nnr_sv "); two {
		_, labels, _ := strings.Cut(head, "\nlabel ")
		class, count = nil, strings.Fields(counts)
		for _, label := range strings.Fields(labels)[:2] {
			class = append(class, slices.Index(set.Labels, label))
		}
		if class[0] == 0 {
			bias = -bias
		}
	}
	return k.figures(set, p, k.coefficients(tb, set, class, count, lines), bias)
}

// coefficients finds the row of each vector: they stand in the order of the file, class after class.
func (k kind) coefficients(tb testing.TB, set *dataset.Set, class []int, count, lines []string) []float64 {
	tb.Helper()
	coef, next := make([]float64, set.N), 0
	for c, n := range count {
		left, i := len(lines), 0
		if n != "" {
			left = int(number(tb, n))
		}
		for ; left > 0; left, next, i = left-1, next+1, i+1 {
			fields := strings.Fields(lines[next])
			x := make([]float64, set.D)
			for _, w := range fields[1:] {
				j, v, _ := strings.Cut(w, ":")
				x[int(number(tb, j))-1] = number(tb, v)
			}
			for i < set.N && (n != "" && set.Y[i] != class[c] || !equal(set.Row(i), x)) {
				i++
			}
			if i == set.N {
				tb.Fatalf("%s: vector %d is no row", k.command(), next)
			}
			coef[i] = number(tb, fields[0])
			if n != "" && class[0] == 0 {
				coef[i] = -coef[i]
			}
		}
	}
	return coef
}

// TestKindsRecorded holds the models against what LIBSVM once found: go test ./learn/svc -run Kinds -update
func TestKindsRecorded(t *testing.T) {
	path := filepath.Join("testdata", "kinds.json")
	if *update {
		version, err := exec.CommandContext(t.Context(), "dpkg-query", "-W", "-f", "${Version}", "libsvm-tools").Output()
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, k := range kinds {
			f := k.run(t)
			f.Version = string(version)
			line, failed := json.Marshal(f)
			if failed != nil {
				t.Fatal(failed)
			}
			lines = append(lines, string(line))
		}
		if err = os.WriteFile(path, []byte("[\n"+strings.Join(lines, ",\n")+"\n]\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []found
	if err = json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds {
		at := slices.IndexFunc(all, func(f found) bool { return f.Command == k.command() })
		if at < 0 {
			t.Errorf("no result of %q in %s", k.command(), path)
			continue
		}
		t.Run(k.command(), func(t *testing.T) { k.check(t, all[at]) })
	}
}

func (k kind) check(t *testing.T, want found) {
	set, p := k.problem(t)
	r, err := k.train.Train(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	coef := make([]float64, p.N)
	for s, i := range r.Support {
		coef[i] = r.Coef[s]
	}
	got := k.figures(set, p, coef, r.Bias)
	testutil.NearRel(t, "dual objective", got.Dual, want.Dual, 1e-6)
	within := 1e-5 * max(1, math.Abs(want.Bias))
	if t, ok := k.train.(SVR); ok { // LIBSVM's kernel values are in single precision
		within = max(within, 1e-6*t.C)
	}
	testutil.Near(t, "bias", got.Bias, want.Bias, within)
	if !slices.Equal(got.Support, want.Support) {
		t.Errorf("support vectors %v, LIBSVM's are %v", got.Support, want.Support)
	}
}

// The sums of the start end with the context too, where a thousand rows are asked for at once.
func TestStartIsStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	const n, enough = 5000, 50_000
	var values atomic.Int64
	p := clouds(rand.New(rand.NewPCG(7, 8)), n, 2, gram.Custom(func(x, z []float64) float64 {
		if values.Add(1) == enough {
			stop()
		}
		return math.Exp(-(x[0]-z[0])*(x[0]-z[0]) - (x[1]-z[1])*(x[1]-z[1]))
	}))
	p.Task, p.Y, p.Memory = learn.OneClass, nil, 80<<20
	if _, err := (OneClass{}).Train(ctx, p); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
	if got := values.Load(); got < enough || got > n*n/4 {
		t.Errorf("%d kernel values, stopped at %d; the start's rows have %d", got, enough, n*n/2)
	}
}

// Where the kernel is the same for all samples, what nu-svc says has words for a cause, and no NaN.
func TestNoMarginIsSaid(t *testing.T) {
	for _, k := range []gram.Kernel{gram.Poly(3, 1, 0), gram.Custom(func(x, z []float64) float64 { return 0 })} {
		p := noisy(rand.New(rand.NewPCG(7, 9)), 12, k)
		for i := range p.X {
			p.X[i] *= 1e-250
		}
		_, err := NuSVC{Nu: 0.3}.Train(t.Context(), p)
		if !errors.Is(err, ErrShare) || !strings.Contains(err.Error(), "no margin") || strings.Contains(err.Error(), "NaN") {
			t.Errorf("%v: %v", k, err)
		}
	}
}
