package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
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
			var c covered
			for draw := 0; draw < coverageFlags.draws && err == nil; draw++ {
				err = c.add(ctx, n, uint64(draw)+1000, judge)
			}
			c.print(of, n)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// judged is a model with what is known of its error.
type judged struct {
	clf      *sparsekm.Classifier
	own      modelselect.Score // of the chosen setting
	choice   float64
	interval *metrics.Interval
	first    bool // the first setting is chosen
}

// judges are the commands whose intervals are simulated.
var judges = map[string]func(ctx context.Context, set *dataset.Set, seed uint64) (*judged, error){
	"fit": func(ctx context.Context, set *dataset.Set, seed uint64) (*judged, error) {
		o := modelselect.FitOptions{Seed: seed, Time: enough}
		o.Threads = 1
		f, err := modelselect.Fit(ctx, set, o)
		if err != nil {
			return nil, err
		}
		return &judged{f.Classifier, f.Scores[f.Chosen], f.ChoiceError, f.Interval, f.Chosen == 0}, nil
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

// add trains a draw.
func (c *covered) add(ctx context.Context, n int, seed uint64,
	judge func(ctx context.Context, set *dataset.Set, seed uint64) (*judged, error)) error {
	const others = 20000
	all := dataset.PelegMeir(n+others, 0.1, seed)
	rows := make([]int, n+others)
	for i := range rows {
		rows[i] = i
	}
	f, err := judge(ctx, all.Subset(rows[:n]), seed)
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return err
	}
	truth, own := errorOf(f.clf, all.Subset(rows[n:]))/100, f.own
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
	return nil
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
