package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/metrics"
	"github.com/sparsekm/sparsekm/modelselect"
)

func init() {
	experiments["coverage"] = harness.Task{Run: coverageTask,
		About: "how often the interval of a held-out error has the model's true error"}
}

var coverageFlags struct {
	draws int
	sizes string
	of    string
}

func declareCoverage() {
	flag.IntVar(&coverageFlags.draws, "coverage-draws", 1000, "coverage: training sets of each size")
	flag.StringVar(&coverageFlags.sizes, "coverage-sizes", "30,60,120", "coverage: numbers of training samples")
	flag.StringVar(&coverageFlags.of, "coverage-of", "fit,tune", "coverage: fit, and tune -m svc with its default grid")
}

// covered sums up the draws of a size.
type covered struct {
	truth, chosen, choice []float64
	choiceIn, ownIn, seIn int // intervals with the truth: the printed one, the chosen setting's, ± 1.96 SE over folds
	below, above          int // truths below and above the printed interval
	chosenBy              int // draws in which another than the first setting is chosen
	width                 float64
}

// coverageTask draws training sets of Peleg and Meir's problem (each with a rotation of its own, a tenth of the labels
// reversed), fits or tunes them, and takes the true error from 20000 other samples. An interrupt leaves the draws so
// far.
func coverageTask(ctx context.Context, _ *harness.Env) error {
	harness.Header("command", "samples", "draws", "true error", "chosen setting's", "choice's",
		"interval covers ± standard error", "truth below", "above", "width", "chosen setting's covers",
		"± 1.96 se of folds covers", "another than the first setting chosen")
	for of := range strings.SplitSeq(coverageFlags.of, ",") {
		judge := judges[of]
		if judge == nil {
			return fmt.Errorf("-coverage-of: found %q, want fit or tune", of)
		}
		for word := range strings.SplitSeq(coverageFlags.sizes, ",") {
			n, err := strconv.Atoi(word)
			if err != nil || n < 10 {
				return fmt.Errorf("-coverage-sizes: found %q, want numbers of at least 10", word)
			}
			c, err := judgedDraws(ctx, n, judge)
			c.print(of, n)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// judgedDraws judges draws of n samples, as many at a time as there are threads. After an error, or an interrupt, it
// has the draws that ended.
func judgedDraws(ctx context.Context, n int, judge judgeFunc) (*covered, error) {
	all, failed := make([]*judged, coverageFlags.draws), make([]error, coverageFlags.draws)
	parallel.For(runtime.GOMAXPROCS(0), len(all), func(_, i int) {
		if ctx.Err() == nil {
			all[i], failed[i] = judgedDraw(ctx, n, uint64(i)+1000, judge)
		}
	})
	c := new(covered)
	for _, j := range all {
		if j != nil {
			c.add(j)
		}
	}
	return c, cmp.Or(append(failed, ctx.Err())...)
}

// judgeFunc makes a model of a set, and judges it by held-out samples of the set.
type judgeFunc func(ctx context.Context, set *dataset.Set, seed uint64) (*judged, error)

// judged is a model with what is known of its error.
type judged struct {
	truth    float64 // the error on other samples
	clf      *sparsekm.Classifier
	own      modelselect.Score // of the chosen setting
	choice   float64
	interval *metrics.Interval
	first    bool // the first setting is chosen
}

// judges are the commands whose intervals are simulated.
var judges = map[string]judgeFunc{
	"fit": func(ctx context.Context, set *dataset.Set, seed uint64) (*judged, error) {
		o := modelselect.FitOptions{Seed: seed, Time: enough}
		o.Threads = 1
		f, err := modelselect.Fit(ctx, set, o)
		if err != nil {
			return nil, err
		}
		return &judged{clf: f.Classifier, own: f.Scores[f.Chosen], choice: f.ChoiceError, interval: f.Interval,
			first: f.Chosen == 0}, nil
	},
	"tune": func(ctx context.Context, set *dataset.Set, seed uint64) (*judged, error) {
		settings, err := modelselect.Grid(sparsekm.Options{Trainer: svc.Trainer{C: 1}, Kernel: gram.RBF(0)},
			modelselect.Param("c", 0.1, 1, 10, 100, 1000), modelselect.GammaTimes(0.1, 0.3, 1, 3, 10))
		if err != nil {
			return nil, err
		}
		splits, err := modelselect.Folds(set, 10, 1, seed)
		if err != nil {
			return nil, err
		}
		o := modelselect.Options{Threads: 1}
		table, err := modelselect.Evaluate(ctx, set, settings, splits, o)
		if err != nil {
			return nil, err
		}
		t, err := table.Train(ctx, set, modelselect.OneSE, o)
		if err != nil {
			return nil, err
		}
		j := &judged{clf: t.Classifier, own: t.Scores[t.Chosen], first: t.Chosen == 0}
		j.choice, j.interval = table.ChoiceBy(modelselect.OneSE)
		return j, nil
	},
}

// judgedDraw trains a draw.
func judgedDraw(ctx context.Context, n int, seed uint64, judge judgeFunc) (*judged, error) {
	const others = 20000
	all := dataset.PelegMeir(n+others, 0.1, seed)
	rows := make([]int, n+others)
	for i := range rows {
		rows[i] = i
	}
	f, err := judge(ctx, all.Subset(rows[:n]), seed)
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return nil, err
	}
	f.truth = errorOf(f.clf, all.Subset(rows[n:])) / 100
	f.clf = nil
	return f, nil
}

// add counts a draw.
func (c *covered) add(f *judged) {
	truth, own := f.truth, f.own
	c.truth = append(c.truth, truth)
	c.chosen = append(c.chosen, own.Mean)
	c.choice = append(c.choice, f.choice)
	c.width += f.interval.High - f.interval.Low
	count := func(n *int, in bool) {
		if in {
			*n++
		}
	}
	in := func(i *metrics.Interval) bool { return i.Low <= truth && truth <= i.High }
	count(&c.choiceIn, in(f.interval))
	count(&c.ownIn, in(own.Interval))
	count(&c.seIn, math.Abs(truth-own.Mean) <= 1.96*own.SE)
	count(&c.below, truth < f.interval.Low)
	count(&c.above, truth > f.interval.High)
	count(&c.chosenBy, !f.first)
}

func (c *covered) print(of string, n int) {
	draws := float64(len(c.truth))
	if draws == 0 {
		return
	}
	share := func(k int) string { return fmt.Sprintf("%.1f", 100*float64(k)/draws) }
	mean := func(x []float64) string { return fmt.Sprintf("%.2f", 100*stat.Mean(x, nil)) }
	p := float64(c.choiceIn) / draws
	harness.Row(of, strconv.Itoa(n), strconv.Itoa(len(c.truth)), mean(c.truth), mean(c.chosen), mean(c.choice),
		fmt.Sprintf("%s ± %.1f", share(c.choiceIn), 100*math.Sqrt(p*(1-p)/draws)), share(c.below), share(c.above),
		fmt.Sprintf("%.1f", 100*c.width/draws), share(c.ownIn), share(c.seIn), share(c.chosenBy))
}
