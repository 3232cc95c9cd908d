package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/learn/ssvc"
)

func init() {
	experiments["exact-rounds"] = harness.Task{Run: exactRounds,
		About: "ssvc-a with every round solved to its optimum, as the paper says, and as it is by default"}
}

// exactCells are the cells of a set: with how many other vectors, larger errors and so on.
type exactCells struct {
	cells, other, fewer, more, lower, higher int
	vectors, errors, times                   []float64 // differences of exact rounds, and ratios of times
}

// exactRounds trains on the first splits of the sets that have some, at three C and three γ.
func exactRounds(ctx context.Context, e *harness.Env) error {
	harness.Header("set", "trainings", "other vectors", "exact has fewer", "more", "difference of vectors",
		"lower error", "higher", "difference of errors in pp ± standard error", "time of exact rounds")
	all := new(exactCells)
	for _, s := range movedSets {
		if !listed(promiseFlags.sets, s.name) {
			continue
		}
		pairs, err := s.parts(e, 0, 3)
		if err != nil {
			return err
		}
		of := new(exactCells)
		for _, p := range pairs {
			for _, c := range []float64{0.3, 3, 30} {
				for _, times := range []float64{0.3, 1, 3} {
					if err := of.add(ctx, p, c, times); err != nil {
						return err
					}
				}
			}
		}
		of.print(s.name)
		all.join(of)
	}
	all.print("all")
	return nil
}

// add trains both ways.
func (x *exactCells) add(ctx context.Context, p [2]*dataset.Set, c, times float64) error {
	var support [2][]int
	var wrong, seconds [2]float64
	for k, exact := range []bool{false, true} {
		o := sparsekm.Options{Trainer: ssvc.A{C: c, ExactRounds: exact}, Kernel: gram.RBF(0), Scale: dataset.ScaleZ, Threads: 1,
			Gamma: func(s *dataset.Set) float64 { return times * sparsekm.GammaScale(s) }}
		from := processor.Seconds()
		clf, report, err := sparsekm.Train(ctx, p[0], o)
		if err != nil {
			return err
		}
		seconds[k] = processor.Seconds() - from
		support[k], wrong[k] = slices.Sorted(slices.Values(report.Support)), errorOf(clf, p[1])
	}
	x.cells++
	if !slices.Equal(support[0], support[1]) {
		x.other++
	}
	fewer, more := sides(float64(len(support[1]) - len(support[0])))
	lower, higher := sides(wrong[1] - wrong[0])
	x.fewer, x.more, x.lower, x.higher = x.fewer+fewer, x.more+more, x.lower+lower, x.higher+higher
	x.vectors = append(x.vectors, float64(len(support[1])-len(support[0])))
	x.errors = append(x.errors, wrong[1]-wrong[0])
	x.times = append(x.times, math.Log(seconds[1]/seconds[0]))
	return nil
}

// sides counts a difference on one of two sides.
func sides(d float64) (below, above int) {
	switch {
	case d < 0:
		return 1, 0
	case d > 0:
		return 0, 1
	}
	return 0, 0
}

func (x *exactCells) join(o *exactCells) {
	x.cells, x.other, x.fewer, x.more = x.cells+o.cells, x.other+o.other, x.fewer+o.fewer, x.more+o.more
	x.lower, x.higher = x.lower+o.lower, x.higher+o.higher
	x.vectors, x.errors = slices.Concat(x.vectors, o.vectors), slices.Concat(x.errors, o.errors)
	x.times = slices.Concat(x.times, o.times)
}

func (x *exactCells) print(name string) {
	mean, sd := stat.MeanStdDev(x.errors, nil)
	harness.Row(name, fmt.Sprint(x.cells), fmt.Sprint(x.other), fmt.Sprint(x.fewer), fmt.Sprint(x.more),
		fmt.Sprintf("%+.2f", stat.Mean(x.vectors, nil)), fmt.Sprint(x.lower), fmt.Sprint(x.higher),
		fmt.Sprintf("%+.3f ± %.3f", mean, sd/math.Sqrt(float64(x.cells))),
		fmt.Sprintf("%.2f", math.Exp(stat.Mean(x.times, nil))))
}
