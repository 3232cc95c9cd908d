package main

import (
	"context"
	"fmt"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/svc"
)

func init() {
	compare("gap-svc", "C-SVC on the grid of grid-svc: processor time of a small gap, and by LIBSVM's rule alone", gapSVC)
}

// gapSVC prints a row for each cell where LIBSVM's rule leaves a gap above the tolerance, and the sums over all.
func gapSVC(ctx context.Context, e *env) error {
	harness.Header("set", "γ / scale", "C", "rule alone, ms", "its gap", "ms", "gap", "status", "ratio")
	type sum struct {
		cells, wide, optimal int
		rule, ours           float64
	}
	sums := make(map[float64]*sum)
	for _, set := range svcSets {
		p, err := set.load(e)
		if err != nil {
			return err
		}
		for _, factor := range gridFactors {
			for _, c := range gridCosts {
				p.Kernel = gram.RBF(factor / float64(p.D))
				rule, by, err := e.minProcessor(ctx, svc.ByLIBSVM(svc.Trainer{C: c}), p)
				if err != nil {
					return err
				}
				ours, r, err := e.minProcessor(ctx, svc.Trainer{C: c}, p)
				if err != nil {
					return err
				}
				if sums[c] == nil {
					sums[c] = new(sum)
				}
				s := sums[c]
				s.cells, s.rule, s.ours = s.cells+1, s.rule+rule, s.ours+ours
				if r.Report.Status.String() == "optimal" {
					s.optimal++
				}
				if by.Report.Status == r.Report.Status && by.Report.InnerIterations == r.Report.InnerIterations {
					continue
				}
				s.wide++
				harness.Row(set.name, fmt.Sprint(factor), fmt.Sprint(c), ms(rule), gapText(by), ms(ours), gapText(r),
					r.Report.Status.String(), fmt.Sprintf("%.2f", ours/rule))
			}
		}
	}
	fmt.Println()
	harness.Header("C", "cells", "with a gap by the rule", "optimal", "rule alone, ms", "ms", "ratio")
	for _, c := range gridCosts {
		s := sums[c]
		harness.Row(fmt.Sprint(c), fmt.Sprint(s.cells), fmt.Sprint(s.wide), fmt.Sprint(s.optimal), ms(s.rule), ms(s.ours),
			fmt.Sprintf("%.2f", s.ours/s.rule))
	}
	return nil
}

// minProcessor trains e.Reps times and returns the least processor time.
func (e *env) minProcessor(ctx context.Context, by learn.Trainer, p *learn.Problem) (
	smallest float64, r *learn.Result, err error) {
	p.Threads = 1
	for run := range e.Reps {
		start := processor.Seconds()
		if r, err = by.Train(ctx, p); err != nil {
			return 0, nil, err
		}
		if took := processor.Seconds() - start; run == 0 || took < smallest {
			smallest = took
		}
	}
	return smallest, r, nil
}

func gapText(r *learn.Result) string { return fmt.Sprintf("%.1g", r.Report.Duality.Gap) }
