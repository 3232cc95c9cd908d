package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/skm"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/ssvclp"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/metrics"
	"github.com/sparsekm/sparsekm/model"
)

func init() {
	experiments["bound"] = harness.Task{Run: boundTask,
		About: "bounds of the error rate by the training samples: on twelve sets, and how often they are violated"}
}

var boundFlags struct {
	draws, samples int
	of, only       string
}

func declareBound() {
	flag.IntVar(&boundFlags.draws, "bound-draws", 1000, "bound: training sets of each problem")
	flag.IntVar(&boundFlags.samples, "bound-samples", 200, "bound: training samples of a draw")
	flag.StringVar(&boundFlags.only, "bound-sets", "", "bound: only these sets, parted by commas; all without it")
	flag.StringVar(&boundFlags.of, "bound-of", "sets,draws", "bound: sets, draws")
}

// boundConfidence is that of every bound of the tables.
const boundConfidence = 0.95

// boundTask prints the two tables.
func boundTask(ctx context.Context, e *harness.Env) error {
	for of := range strings.SplitSeq(boundFlags.of, ",") {
		var err error
		switch of {
		case "sets":
			err = boundSets(ctx, e)
		case "draws":
			err = boundDraws(ctx)
		default:
			err = fmt.Errorf("-bound-of: found %q, want sets or draws", of)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// boundedMethod is a method whose C is chosen by its bound.
type boundedMethod struct {
	name string
	at   func(c float64) learn.Trainer
	// times are multiples of the rule's γ, which the bound chooses too; nil for the rule's own. Then there is no PAC-Bayes
	// bound, since that of one model would have to pay for the others.
	times []float64
}

// values of C, which a bound may choose among at no cost.
var boundValues = []float64{0.1, 1, 10}

// boundTimes are those of `tune`. The bound pays for γ by its bits.
var boundTimes = []float64{0.1, 0.3, 1, 3, 10}

func boundSSVCA(c float64) learn.Trainer { return ssvc.A{C: c} }
func boundSSVCB(c float64) learn.Trainer { return ssvclp.B{C: c} }
func boundSKM(c float64) learn.Trainer   { return skm.Trainer{C: c, MarginBy: "compression"} }

var boundMethods = []boundedMethod{
	{"ssvc-a", boundSSVCA, nil},
	{"ssvc-b", boundSSVCB, nil},
	{"l1svm", func(c float64) learn.Trainer { return skm.L1SVM{C: c} }, nil},
	{"skm", func(c float64) learn.Trainer { return skm.Trainer{C: c} }, nil},
	{"svc", func(c float64) learn.Trainer { return svc.Trainer{C: c} }, nil},
	{"skm, margin by the bound", boundSKM, nil},
	{"ssvc-b, γ by the bound", boundSSVCB, boundTimes},
	{"skm, margin and γ by the bound", boundSKM, boundTimes},
}

// boundDrawn are the methods of the simulation.
var boundDrawn = []string{"ssvc-b", "l1svm", "skm, margin by the bound", "ssvc-b, γ by the bound"}

// boundChoice is the model of the C with the least bound.
type boundChoice struct {
	clf      *model.Classifier
	bound    sparsekm.ErrorBound
	pacBayes float64 // the least over C
	peleg    float64 // the bound (2) of Peleg & Meir of an skm, NaN of other models
}

// train trains at every C.
func (m boundedMethod) train(ctx context.Context, set *dataset.Set, threads int) (*boundChoice, error) {
	best := &boundChoice{pacBayes: 1}
	times := m.times
	if times == nil {
		times = []float64{1}
	} else {
		best.pacBayes = math.NaN()
	}
	for _, c := range boundValues {
		for _, by := range times {
			o := sparsekm.Options{Trainer: m.at(c), Scale: dataset.ScaleAuto, Threads: threads,
				Gamma: func(of *dataset.Set) float64 { return by * sparsekm.GammaScale(of) },
				Bound: sparsekm.Bound{Confidence: boundConfidence}}
			clf, r, err := sparsekm.Train(ctx, set, o)
			if err != nil {
				return nil, fmt.Errorf("%s, C = %v: %w", m.name, c, err)
			}
			if r.Bound == nil {
				return nil, ctx.Err()
			}
			if best.clf == nil || r.Bound.Value < best.bound.Value {
				best.clf, best.bound, best.peleg = clf, *r.Bound, pelegOf(r)
			}
			if m.times == nil {
				best.pacBayes = min(best.pacBayes, pacBayes(clf, set, r.Bound, threads))
			}
		}
	}
	return best, nil
}

// pelegOf is the bound (2) of an skm's training.
func pelegOf(r *sparsekm.Report) float64 {
	if f, ok := r.Submodels[0].Report.Figures.(skm.Figures); ok {
		return f.Bound.Value
	}
	return math.NaN()
}

// pacBayes is the bound by margins in the feature space of the kernel, with the bias as the coefficient of a feature
// of 1. The bits of γ and spreads are paid for, as those of the compression bound are.
func pacBayes(clf *model.Classifier, set *dataset.Set, b *sparsekm.ErrorBound, threads int) float64 {
	plain, scaling := clf.WithoutScaling()
	p := plain.Parts()
	m := p.Submodels[0]
	norm := m.Bias * m.Bias
	for s, i := range m.Support {
		for u, j := range m.Support {
			norm += m.Coef[s] * m.Coef[u] * p.Kernel.Eval(p.Vector(i), p.Vector(j))
		}
	}
	if scaling != nil {
		set = scaling.Apply(set)
	}
	x := set.X
	margins := make([]float64, set.N)
	plain.DecideBatch(margins, x, set.N, threads)
	for i := range margins {
		row := x[i*set.D : (i+1)*set.D]
		if margins[i] /= math.Sqrt(norm * (p.Kernel.Eval(row, row) + 1)); set.Y[i] == 0 {
			margins[i] = -margins[i]
		}
	}
	bits := b.Message - float64(b.Vectors)*b.Bits
	return metrics.PACBayes(margins, (1-boundConfidence)*math.Exp2(-bits))
}

// boundSource is a set of the table, of its usual size.
type boundSource struct {
	name     string
	files    []string
	generate func() *dataset.Set
}

var boundSources = []boundSource{
	{name: "banana", files: []string{"banana.libsvm"}},
	{name: "diabetis", files: []string{"diabetis.libsvm"}},
	{name: "german", files: []string{"german.libsvm"}},
	{name: "heart", files: []string{"heart.libsvm"}},
	{name: "ionosphere", files: []string{"ionosphere.libsvm"}},
	{name: "ringnorm", files: []string{"ringnorm.libsvm.gz"}},
	{name: "ripley", files: []string{"ripley.train.libsvm", "ripley.test.libsvm"}},
	{name: "thyroid", files: []string{"thyroid.libsvm"}},
	{name: "twonorm", generate: func() *dataset.Set { return dataset.Twonorm(7400, 1) }},
	{name: "waveform", generate: func() *dataset.Set { return firstAgainstRest(dataset.Waveform(5000, 1)) }},
	{name: "two Gaussians", generate: func() *dataset.Set { return dataset.TwoGaussians(500, 0.5, 0.25, 0, 1) }},
	{name: "Peleg and Meir's", generate: func() *dataset.Set { return dataset.PelegMeir(1000, 0.1, 1) }},
}

// firstAgainstRest is the problem of two classes that the IDA repository made of one with three.
func firstAgainstRest(set *dataset.Set) *dataset.Set {
	two := *set
	two.Labels, two.Y = []string{"-1", "1"}, make([]int, set.N)
	for i, y := range set.Y {
		two.Y[i] = min(y, 1)
	}
	return &two
}

// boundSets trains every method on 90 % of each set.
func boundSets(ctx context.Context, e *harness.Env) error {
	harness.Header("set", "samples", "method", "vectors", "bits a coefficient", "bound", "PAC-Bayes", "held-out error",
		"Peleg and Meir's (2)")
	below := make(map[string]int)
	for _, source := range boundSources {
		if only := boundFlags.only; only != "" && !slices.Contains(strings.Split(only, ","), source.name) {
			continue
		}
		set, err := source.set(e)
		if err != nil {
			return err
		}
		split, err := set.Split(0.9, 1)
		if err != nil {
			return err
		}
		train, test := set.Subset(split.Train), set.Subset(split.Test)
		some := false
		for _, m := range boundMethods {
			b, err := m.train(ctx, train, 0)
			if err != nil {
				return err
			}
			harness.Row(source.name, strconv.Itoa(train.N), m.name, strconv.Itoa(b.bound.Vectors),
				fmt.Sprintf("%.1f", b.bound.Bits), fmt.Sprintf("%.3f", b.bound.Value), orNone(b.pacBayes),
				fmt.Sprintf("%.3f", errorOf(b.clf, test)/100), orNone(b.peleg))
			if b.bound.Value < 0.5 {
				below[m.name]++
				some = true
			}
			if b.pacBayes < 0.5 {
				below["PAC-Bayes of "+m.name]++
			}
		}
		if some {
			below["some method"]++
		}
	}
	fmt.Printf("\nsets of %d with a bound below 0.5: %v\n\n", len(boundSources), below)
	return nil
}

// orNone is a bound, or nothing for NaN.
func orNone(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return fmt.Sprintf("%.3f", v)
}

func (s *boundSource) set(e *harness.Env) (*dataset.Set, error) {
	if s.generate != nil {
		return s.generate(), nil
	}
	return readParts(e, s.files)
}

// boundProblems have as many fresh samples as one asks for.
var boundProblems = []struct {
	name     string
	generate func(n int, seed uint64) *dataset.Set
}{
	{"Peleg and Meir's", func(n int, seed uint64) *dataset.Set { return dataset.PelegMeir(n, 0.1, seed) }},
	{"twonorm", dataset.Twonorm},
	{"ringnorm", dataset.Ringnorm},
}

// boundDraws counts how often the true error, that on 10000 other samples, exceeds a bound. C is chosen by the bound.
func boundDraws(ctx context.Context) error {
	harness.Header("problem", "samples", "method", "draws", "vectors", "true error", "bound", "violated", "least slack",
		"PAC-Bayes", "violated", "binomial limit of the training errors, violated")
	for _, p := range boundProblems {
		for _, m := range boundMethods {
			if !slices.Contains(boundDrawn, m.name) {
				continue
			}
			if err := boundProblem(ctx, p.name, p.generate, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// drawnBound is one draw.
type drawnBound struct {
	*boundChoice
	truth float64
	naive bool // the exact limit of the training errors, as if the training samples were test samples, is exceeded
}

func boundProblem(ctx context.Context, name string, generate func(int, uint64) *dataset.Set, m boundedMethod) error {
	all, failed := make([]*drawnBound, boundFlags.draws), make([]error, boundFlags.draws)
	parallel.For(runtime.GOMAXPROCS(0), len(all), func(_, i int) {
		if ctx.Err() == nil {
			all[i], failed[i] = drawBound(ctx, generate, uint64(i)+5000, m)
		}
	})
	if err := cmp.Or(append(failed, ctx.Err())...); err != nil {
		return err
	}
	var vectors, truth, bound, pac []float64
	over, overPAC, naive, slack := 0, 0, 0, math.Inf(1)
	for _, d := range all {
		vectors = append(vectors, float64(d.bound.Vectors))
		truth = append(truth, d.truth)
		bound = append(bound, d.bound.Value)
		pac = append(pac, d.pacBayes)
		slack = min(slack, d.bound.Value-d.truth)
		for count, is := range map[*int]bool{&over: d.truth > d.bound.Value, &overPAC: d.truth > d.pacBayes, &naive: d.naive} {
			if is {
				*count++
			}
		}
	}
	mean := func(v []float64) string { return orNone(stat.Mean(v, nil)) }
	harness.Row(name, strconv.Itoa(boundFlags.samples), m.name, strconv.Itoa(len(all)),
		fmt.Sprintf("%.1f", stat.Mean(vectors, nil)), mean(truth), mean(bound), strconv.Itoa(over),
		fmt.Sprintf("%.3f", slack), mean(pac), strconv.Itoa(overPAC), strconv.Itoa(naive))
	return nil
}

// drawBound trains on a draw.
func drawBound(ctx context.Context, generate func(int, uint64) *dataset.Set, seed uint64,
	m boundedMethod) (*drawnBound, error) {
	const others = 10000
	n := boundFlags.samples
	all := generate(n+others, seed)
	rows := make([]int, n+others)
	for i := range rows {
		rows[i] = i
	}
	train, fresh := all.Subset(rows[:n]), all.Subset(rows[n:])
	b, err := m.train(ctx, train, 1)
	if err != nil {
		return nil, err
	}
	d := &drawnBound{boundChoice: b, truth: errorOf(b.clf, fresh) / 100}
	errs := int(math.Round(errorOf(b.clf, train) / 100 * float64(n)))
	d.naive = d.truth > metrics.MaxRate(errs, n, math.Log(1-boundConfidence))
	b.clf = nil
	return d, nil
}
