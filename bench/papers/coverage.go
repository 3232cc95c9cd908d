package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/metrics"
	"github.com/sparsekm/sparsekm/modelselect"
)

func init() {
	experiments["coverage"] = harness.Task{About: "how often the interval of fit's held-out error has the model's true error",
		Run: coverageTask}
}

var coverageFlags struct {
	draws int
	sizes string
}

func declareCoverage() {
	flag.IntVar(&coverageFlags.draws, "coverage-draws", 1000, "coverage: training sets of each size")
	flag.StringVar(&coverageFlags.sizes, "coverage-sizes", "30,60,120", "coverage: numbers of training samples")
}

// covered sums up the draws of a size.
type covered struct {
	truth, chosen, choice  []float64
	choiceIn, ownIn, seIn  int // intervals that have the truth: of the choice, of the chosen setting, ± 1.96 SE over folds
	below, above, chosenBy int // truths below and above the choice's interval; draws in which a baseline is chosen
	width                  float64
}

// coverageTask draws training sets of Peleg and Meir's problem (each with a rotation of its own, a tenth of the labels
// reversed), fits them, and takes the true error from 20000 other samples. An interrupt leaves the draws so far.
func coverageTask(ctx context.Context, _ *harness.Env) error {
	harness.Header("samples", "draws", "true error", "chosen setting's", "choice's", "interval covers ± standard error",
		"truth below", "above", "width", "chosen setting's covers", "± 1.96 se of folds covers", "baseline chosen")
	for word := range strings.SplitSeq(coverageFlags.sizes, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 10 {
			return fmt.Errorf("-coverage-sizes: found %q, want numbers of at least 10", word)
		}
		var c covered
		for draw := range coverageFlags.draws {
			if err = c.add(ctx, n, uint64(draw)+1000); ctx.Err() != nil {
				break
			}
			if err != nil {
				return err
			}
		}
		c.print(n)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// add fits a draw.
func (c *covered) add(ctx context.Context, n int, seed uint64) error {
	const others = 20000
	all := dataset.PelegMeir(n+others, 0.1, seed)
	rows := make([]int, n+others)
	for i := range rows {
		rows[i] = i
	}
	o := modelselect.FitOptions{Seed: seed, Time: enough}
	o.Threads = 1
	f, err := modelselect.Fit(ctx, all.Subset(rows[:n]), o)
	if err != nil || ctx.Err() != nil {
		return err
	}
	truth := errorOf(f.Classifier, all.Subset(rows[n:])) / 100
	own := f.Scores[f.Chosen]
	c.truth, c.chosen = append(c.truth, truth), append(c.chosen, own.Mean)
	c.choice = append(c.choice, f.ChoiceError)
	c.width += f.Interval.High - f.Interval.Low
	count := func(n *int, in bool) {
		if in {
			*n++
		}
	}
	in := func(i *metrics.Interval) bool { return i.Low <= truth && truth <= i.High }
	count(&c.choiceIn, in(f.Interval))
	count(&c.ownIn, in(own.Interval))
	count(&c.seIn, math.Abs(truth-own.Mean) <= 1.96*own.SE)
	count(&c.below, truth < f.Interval.Low)
	count(&c.above, truth > f.Interval.High)
	count(&c.chosenBy, f.Chosen > 0)
	return nil
}

func (c *covered) print(n int) {
	draws := float64(len(c.truth))
	if draws == 0 {
		return
	}
	share := func(k int) string { return fmt.Sprintf("%.1f", 100*float64(k)/draws) }
	mean := func(x []float64) string { return fmt.Sprintf("%.2f", 100*stat.Mean(x, nil)) }
	p := float64(c.choiceIn) / draws
	harness.Row(strconv.Itoa(n), strconv.Itoa(len(c.truth)), mean(c.truth), mean(c.chosen), mean(c.choice),
		fmt.Sprintf("%s ± %.1f", share(c.choiceIn), 100*math.Sqrt(p*(1-p)/draws)), share(c.below), share(c.above),
		fmt.Sprintf("%.1f", 100*c.width/draws), share(c.ownIn), share(c.seIn), share(c.chosenBy))
}
