package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/processor"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/sparsest"
)

func init() {
	experiments["sparsest"] = harness.Task{Run: sparsestTask,
		About: "what methods lose to the proven least objective of as many support vectors"}
}

// sparsestMethods are those that are compared, at their defaults, and so at C = 1.
var sparsestMethods = []string{"ssvc-a", "ssvc-b", "l0svm", "rvm", "kmp"}

// sparsestSet is a training set with its kernel, and the test samples.
type sparsestSet struct {
	name        string
	gamma       float64
	train, test *dataset.Set
}

// sparsestSets are Ripley's samples, and a part of banana: its first 400 samples train, the others test.
func sparsestSets(e *harness.Env) ([]sparsestSet, error) {
	train, err := e.Set("ripley-tr.libsvm")
	if err != nil {
		return nil, err
	}
	test, err := e.Set("ripley-te.libsvm")
	if err != nil {
		return nil, err
	}
	banana, err := e.Set("banana-1000.libsvm")
	if err != nil {
		return nil, err
	}
	var rows []int
	for i := range banana.N {
		rows = append(rows, i)
	}
	return []sparsestSet{{"Ripley", 2, train, test},
		{"banana-400", 0.5, banana.Subset(rows[:400]), banana.Subset(rows[400:])}}, nil
}

func sparsestTask(ctx context.Context, e *harness.Env) error {
	sets, err := sparsestSets(e)
	if err != nil {
		return err
	}
	harness.Header("set", "method", "K", "objective, refitted", "least objective", "lost",
		"error: method, refitted, least", "proof, s")
	for _, s := range sets {
		for _, name := range sparsestMethods {
			row, err := s.row(ctx, name)
			if err != nil {
				return err
			}
			harness.Row(row...)
		}
	}
	return nil
}

// row trains the method, then finds the best coefficients of its vectors, then the best choice of as many.
func (s *sparsestSet) row(ctx context.Context, name string) ([]string, error) {
	m, err := sparsekm.Lookup(name)
	if err != nil {
		return nil, err
	}
	t, err := m.New(learn.Values{})
	if err != nil {
		return nil, err
	}
	clf, report, err := s.fit(ctx, t, nil)
	if err != nil {
		return nil, err
	}
	support := slices.Clone(report.Submodels[0].Support)
	largest := len(support)
	again, refitted, err := s.fit(ctx, sparsest.Trainer{MaxSV: largest}, s.train.Subset(support))
	if err != nil {
		return nil, err
	}
	from := processor.Seconds()
	best, smallest, err := s.fit(ctx, sparsest.Trainer{MaxSV: largest}, nil)
	if err != nil {
		return nil, err
	}
	proof := fmt.Sprintf("%.2g", processor.Seconds()-from)
	if gap := smallest.Submodels[0].Report.RelativeGap(); gap > 1e-6 {
		proof += fmt.Sprintf(", gap %.1g", gap)
	}
	had, low := refitted.Submodels[0].Report.Objective, smallest.Submodels[0].Report.Objective
	return []string{s.name, "`" + name + "`", strconv.Itoa(largest), fmt.Sprintf("%.2f", had), fmt.Sprintf("%.2f", low),
		fmt.Sprintf("%.*f %%", decimals(had, low), 100*(had-low)/low),
		fmt.Sprintf("%.1f, %.1f, %.1f", errorOf(clf, s.test), errorOf(again, s.test), errorOf(best, s.test)), proof}, nil
}

// decimals of the percentage that is lost: one below ten.
func decimals(had, smallest float64) int {
	if had-smallest < 0.0995*smallest {
		return 1
	}
	return 0
}

// fit trains on the training samples, with candidates or none.
func (s *sparsestSet) fit(ctx context.Context, t learn.Trainer, candidates *dataset.Set) (*sparsekm.Classifier,
	*sparsekm.Report, error) {
	return sparsekm.Train(ctx, s.train, sparsekm.Options{Trainer: t, Kernel: gram.RBF(s.gamma), Candidates: candidates, Threads: 1})
}
