package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/metrics"
)

// testPoints are samples that a classifier was not trained on: a file of --test, or those held out.
type testPoints struct {
	file    string       // empty for those held out
	holdout *holdoutJSON // nil for a file
	set     *dataset.Set
}

// String names the samples.
func (t *testPoints) String() string {
	if t.holdout != nil {
		return t.holdout.String()
	}
	return t.file
}

// testJSON is what a classifier makes of such samples.
type testJSON struct {
	File    string          `json:"file,omitempty"` // none for samples that were held out
	Error   float64         `json:"error"`          // rate, or of values the root of the mean square
	Metrics *metrics.Report `json:"metrics"`

	points *testPoints
}

// examine judges the classifier by the samples; of a session that has ended by as many as take a fraction of a second,
// as judge does. The error is that of a decision that overflows.
func examine(s *session.Session, clf *sparsekm.Classifier, t *testPoints, threads int) (*testJSON, error) {
	of := &judged{clf: clf, set: t.set, of: t.set.N}
	if clf.Task() == learn.Density {
		of.set = untargeted(of.set)
	}
	r, err := sparsekm.Evaluate(s.Context, clf, of.set, threads)
	if s.Context.Err() != nil {
		of.set = sample(clf, of.set, 1)
		r, err = sparsekm.Evaluate(context.Background(), clf, of.set, threads)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t, err)
	}
	of.tell(s, "test")
	return &testJSON{t.file, errorOf(r), r, t}, nil
}

// errorOf is the share of samples that are wrong, or of values the root of the mean squared error, or minus the mean
// log density.
func errorOf(r *metrics.Report) float64 {
	switch {
	case r.Density != nil:
		return -*r.LogDensity
	case r.Regression != nil:
		return *r.RMSE
	}
	return *r.ErrorRate
}

// errorText is errorOf for people.
func errorText(r *metrics.Report) string {
	switch {
	case r.Density != nil:
		return fmt.Sprintf("log density %.6g", *r.LogDensity)
	case r.Regression != nil:
		return fmt.Sprintf("RMSE %.6g", *r.RMSE)
	}
	return percent(*r.ErrorRate)
}

// examine fills in what the classifier makes of each test.
func (j *trainJSON) examine(s *session.Session, clf *sparsekm.Classifier, tests []*testPoints, threads int) error {
	for _, points := range tests {
		t, err := examine(s, clf, points, threads)
		if err != nil {
			return err
		}
		j.Tests = append(j.Tests, t)
		if points.holdout != nil {
			j.Holdout = points.holdout
		}
	}
	if len(j.Tests) > 0 {
		j.TestError = &j.Tests[0].Error
	}
	return nil
}

// print shows the samples' error if other tests have lines of their own too, and what one rate of errors hides.
func (t *testJSON) print(w io.Writer, alone bool) {
	fmt.Fprintf(w, "%-9s", "")
	if !alone {
		fmt.Fprintf(w, "%s on %s; ", errorText(t.Metrics), t.points)
	}
	printSummary(w, t.Metrics)
}

// bytesOf is what the samples take.
func bytesOf(tests []*testPoints) (n int64) {
	for _, t := range tests {
		n += setBytes(t.set)
	}
	return n
}

// loadTests reads the files of --test with as many features as the training samples, which get more zeros where a
// LIBSVM file shows that they had left them out.
func (c *trainCmd) loadTests(s *session.Session, r reading, train *dataset.Set) (*dataset.Set, []*testPoints, error) {
	var tests []*testPoints
	given, last := train.D, train
	for _, file := range c.Test {
		r.maxBytes = max(1, r.maxBytes-setBytes(last))
		test, err := load(s, file, r)
		switch {
		case err != nil:
			return nil, nil, err
		case !test.Targeted() && train.Targeted():
			return nil, nil, unlabelled(file, c.Data)
		case test.D > train.D && train.Ragged:
			s.Note("%s has %d features and %s %d: the training samples get zeros", file, test.D, c.Data, train.D)
			train = train.Widen(test.D)
		case test.D > train.D, test.D < given && !test.Ragged:
			return nil, nil, featuresError(file, test.D, train.D, c.Data)
		}
		tests, last = append(tests, &testPoints{file: file, set: test}), test
	}
	for _, t := range tests {
		if t.set.D < train.D {
			t.set = t.set.Widen(train.D)
		}
	}
	return train, tests, nil
}
