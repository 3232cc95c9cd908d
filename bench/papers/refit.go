package main

import (
	"context"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
)

func init() {
	for _, m := range learn.Methods() {
		if m.Refit {
			experiments["refit-"+m.Name] = harness.Task{
				About: "tuned " + m.Name + " as it is, with --refit, --widths learned and both, beside a tuned SVC",
				Run:   func(ctx context.Context, e *harness.Env) error { return refitTask(ctx, e, m) }}
		}
	}
}

// variants are what is done to the tuned method.
var variants = []struct {
	name          string
	refit, widths bool
}{{"as it is", false, false}, {"--refit", true, false}, {"--widths learned", false, true}, {"both", true, true}}

// refitTask compares errors and vectors over splits; C and γ are tuned for the method as it is.
func refitTask(ctx context.Context, e *harness.Env, m learn.Method) error {
	header := []string{"set", "svc: error / vectors"}
	for _, v := range variants {
		header = append(header, m.Name+" "+v.name)
	}
	harness.Header(append(header, "± (refit − as it is)")...)
	mean, share := make([]float64, len(variants)), make([]float64, len(variants))
	for _, s := range movedSets {
		pairs, err := splitParts(e, s.file, s.splits, s.generate)
		if err != nil {
			return err
		}
		n := float64(len(pairs))
		var base, size float64
		errs, sizes := make([]float64, len(variants)), make([]float64, len(variants))
		var gain []float64
		for _, p := range pairs {
			svm, err := tunedSVC(ctx, p[0])
			if err != nil {
				return err
			}
			found, counts, err := trainVariants(ctx, m, p)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			base, size = base+errorOf(svm, p[1])/n, size+float64(svm.NumVectors())/n
			for i := range variants {
				errs[i], sizes[i] = errs[i]+found[i]/n, sizes[i]+counts[i]/n
			}
			gain = append(gain, found[1]-found[0])
		}
		row := []string{s.name, fmt.Sprintf("%.2f / %.0f", base, size)}
		for i := range variants {
			row = append(row, fmt.Sprintf("%.2f / %.1f", errs[i], sizes[i]))
			mean[i] += (errs[i] - base) / float64(len(movedSets))
			share[i] += sizes[i] / size / float64(len(movedSets))
		}
		_, sd := meanSD(gain)
		harness.Row(append(row, fmt.Sprintf("%.2f", sd/math.Sqrt(n)))...)
	}
	row := []string{"mean difference, share of vectors", ""}
	for i := range variants {
		row = append(row, fmt.Sprintf("%+.2f, %.3f", mean[i], share[i]))
	}
	harness.Row(append(row, "")...)
	return nil
}

// trainVariants returns test errors and numbers of vectors.
func trainVariants(ctx context.Context, m learn.Method, p [2]*dataset.Set) (errs, sizes []float64, err error) {
	best, err := tuned(ctx, p[0], func(c float64) (learn.Trainer, error) { return m.New(learn.Values{"c": c}) })
	if err != nil {
		return nil, nil, err
	}
	for _, v := range variants {
		o := best
		o.Refit, o.LearnWidths = v.refit, v.widths
		clf, _, err := sparsekm.Train(ctx, p[0], o)
		if err != nil {
			return nil, nil, err
		}
		errs, sizes = append(errs, errorOf(clf, p[1])), append(sizes, float64(clf.NumVectors()))
	}
	return errs, sizes, nil
}
