package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/ssvc/ssvclp"
	"github.com/sparsekm/sparsekm/status"
)

func init() {
	compare("grid-ssvca", "SSVC-A at every C and γ of a grid, z-scored, against LIBSVM's C-SVC, processor time",
		gridBeside(func(c float64) learn.Trainer { return ssvc.A{C: c} }))
	compare("grid-ssvcb", "the same for SSVC-B", gridBeside(func(c float64) learn.Trainer { return ssvclp.B{C: c} }))
	compare("ssvca-scale", "SSVC-A on ringnorm of 4000, 8000 and 16000 generated samples, γ = scale, processor time",
		ssvcaScale)
}

// gridBeside returns a comparison that prints one row a cell: the best processor time of a whole training by the
// method at C, its status, and the residuals of its model.
func gridBeside(method func(c float64) learn.Trainer) func(ctx context.Context, e *env) error {
	return func(ctx context.Context, e *env) error { return besideLIBSVM(ctx, e, method) }
}

func besideLIBSVM(ctx context.Context, e *env, method func(c float64) learn.Trainer) error {
	libsvm, err := e.compileC("libsvm_train.c", "-lsvm", "-lm")
	if err != nil {
		fmt.Println("LIBSVM left out:", err)
	}
	harness.Header("set", "γ / scale", "C", "ms", "LIBSVM, ms", "ratio", "status", "rounds", "SVs", "gap", "KKT",
		"fixed point")
	var ratios []float64
	for _, set := range gridSets {
		for _, factor := range gridFactors {
			for _, c := range gridCosts {
				p, err := e.problem(set+".libsvm", true, gram.RBF(1))
				if err != nil {
					return err
				}
				p.Kernel = gram.RBF(factor / float64(p.D))
				t, err := e.task(set, c, p)
				if err != nil {
					return err
				}
				took, r, err := e.processor(ctx, method(c), p)
				if err != nil {
					return err
				}
				row := []string{set, fmt.Sprint(factor), fmt.Sprint(c), ms(took), "-", "-"}
				if theirs := e.libsvmProcessor(libsvm, t); theirs > 0 {
					ratios = append(ratios, took/theirs)
					row[4], row[5] = ms(theirs), fmt.Sprintf("%.1f", took/theirs)
				}
				harness.Row(append(row, residuals(r)...)...)
			}
		}
	}
	if slices.Sort(ratios); len(ratios) > 0 {
		fmt.Printf("\nmedian ratio %.1f, worst %.1f\n", ratios[len(ratios)/2], ratios[len(ratios)-1])
	}
	return nil
}

// processor trains e.Reps times and returns the least processor time.
func (e *env) processor(ctx context.Context, t learn.Trainer, p *learn.Problem) (best float64, r *learn.Result,
	err error) {
	p.Threads = 1
	best = math.Inf(1)
	for range e.Reps {
		start := processor.Seconds()
		if r, err = t.Train(ctx, p); err != nil {
			return 0, nil, err
		}
		best = min(best, processor.Seconds()-start)
	}
	return best, r, nil
}

// libsvmProcessor is the least processor time of LIBSVM, 0 when it is not there or takes
// more than a minute.
func (e *env) libsvmProcessor(bin string, t *task) float64 {
	if bin == "" {
		return 0
	}
	out, err := exec.Command(bin, append(t.args(1e-3, e.Reps), "60")...).Output()
	return figures(string(out), err)["processor"]
}

// residuals shows how a training ended.
func residuals(r *learn.Result) []string {
	rep := r.Report
	how := rep.Status.String()
	if rep.Status == status.Numerical {
		how = cmp.Or(rep.Message, how)
	}
	d := rep.Duality
	return []string{how, strconv.Itoa(rep.Iterations), strconv.Itoa(len(r.Support)), fmt.Sprintf("%.0e", max(0, d.Gap)),
		fmt.Sprintf("%.0e", d.KKT), fixedPoint(rep.Figures)}
}

// fixedPoint shows the distance of a training of ssvc-a from the fixed point of the reweighting.
func fixedPoint(figures any) string {
	if f, ok := figures.(ssvc.Figures); ok {
		return fmt.Sprintf("%.0e", f.Certificate)
	}
	return "-"
}

func ssvcaScale(ctx context.Context, e *env) error {
	harness.Header("n", "s", "exponent", "peak resident memory", "status", "rounds", "SVs", "gap", "KKT", "fixed point")
	var last float64
	for _, n := range []int{4000, 8000, 16000} {
		set := dataset.Ringnorm(n, 1)
		y, err := set.Signs()
		if err != nil {
			return err
		}
		p := &learn.Problem{X: set.X, N: n, D: set.D, Y: y, Kernel: gram.RBF(1 / float64(set.D))}
		limited, cancel := context.WithTimeout(ctx, 10*time.Minute)
		took, r, err := e.once().processor(limited, ssvc.A{C: 1}, p)
		cancel()
		if err != nil {
			return err
		}
		exponent := "-"
		if last > 0 {
			exponent = fmt.Sprintf("%.2f", math.Log2(took/last))
		}
		last = took
		harness.Row(append([]string{strconv.Itoa(n), fmt.Sprintf("%.2f", took), exponent, resident()}, residuals(r)...)...)
	}
	return nil
}
