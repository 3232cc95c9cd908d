package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/metrics"
	"github.com/sparsekm/sparsekm/model"
)

// testSamples are samples that a classifier was not trained on: a file of --test, or those held out.
type testSamples struct {
	file    string       // empty for those held out
	holdout *holdoutJSON // nil for a file
	set     *dataset.Set
}

// String names the samples.
func (t *testSamples) String() string {
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

	samples *testSamples
}

// newTestJSON scores the classifier on the samples; of a session that has ended by as many as take a fraction of a
// second, as newScore does. The error is that of a decision that overflows.
func newTestJSON(s *session.Session, clf *sparsekm.Classifier, t *testSamples, threads int) (*testJSON, error) {
	judged := &score{clf: clf, set: t.set, all: t.set.N}
	if clf.Task() == learn.Density {
		judged.set = untargeted(judged.set)
	}
	r, err := sparsekm.Evaluate(s.Context, clf, judged.set, threads)
	if s.Context.Err() != nil {
		judged.set = sample(clf, judged.set, 1)
		r, err = sparsekm.Evaluate(context.Background(), clf, judged.set, threads)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t, err)
	}
	judged.note(s, "test")
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

// errorText is an error by [errorOf] for people.
func errorText(task learn.Task, v float64) string {
	switch task {
	case learn.Density:
		return fmt.Sprintf("log density %.6g", -v)
	case learn.Regress:
		return fmt.Sprintf("RMSE %.6g", v)
	}
	return percent(v)
}

// text is the error with its interval.
func (t *testJSON) text(task learn.Task) string {
	return errorText(task, t.Error) + within(errorInterval(t.Metrics), task != learn.Regress && task != learn.Density)
}

// test fills in what the classifier makes of each test.
func (j *trainJSON) test(s *session.Session, clf *sparsekm.Classifier, tests []*testSamples, threads int) error {
	for _, samples := range tests {
		t, err := newTestJSON(s, clf, samples, threads)
		if err != nil {
			return err
		}
		j.Tests = append(j.Tests, t)
		if samples.holdout != nil {
			j.Holdout = samples.holdout
		}
	}
	if len(j.Tests) > 0 {
		j.TestError = &j.Tests[0].Error
	}
	return nil
}

// print shows the samples' error if other tests have lines of their own too, and what one rate of errors hides.
func (t *testJSON) print(w io.Writer, task learn.Task, alone bool) {
	fmt.Fprintf(w, "%-9s", "")
	if !alone {
		fmt.Fprintf(w, "%s on %s; ", t.text(task), t.samples)
	}
	printSummary(w, t.Metrics)
}

// bytesOf is what the samples take.
func bytesOf(tests []*testSamples) (n int64) {
	for _, t := range tests {
		n += setBytes(t.set)
	}
	return n
}

// loadSamples reads the training samples, and the files of --test with as many features. The training samples get more
// zeros where a LIBSVM file shows that they had left them out.
func (c *trainCmd) loadSamples(s *session.Session, r reading, o *request) (*dataset.Set, []*testSamples, error) {
	train, err := load(s, c.Data, r)
	if err == nil && c.turned(train) {
		var again *request
		if again, err = c.request(s.Set); err == nil {
			*o = *again
		}
	}
	if err != nil {
		return nil, nil, err
	}
	r.like(train)
	var tests []*testSamples
	features, last := train.D, train
	for _, file := range c.Test {
		r.MaxBytes = max(1, r.MaxBytes-setBytes(last))
		test, err := load(s, file, r)
		switch {
		case err != nil:
			return nil, nil, err
		case !test.Targeted() && train.Targeted():
			return nil, nil, unlabelled(file, c.Data)
		case test.D > train.D && train.Ragged:
			s.Note("%s has %d features and %s %d: the training samples get zeros", file, test.D, c.Data, train.D)
			train = train.Widen(test.D)
		case test.D > train.D, test.D < features && !test.Ragged:
			return nil, nil, featuresError(file, test.D, train.D, c.Data)
		}
		tests, last = append(tests, &testSamples{file: file, set: test}), test
	}
	for _, t := range tests {
		if t.set.D < train.D {
			t.set = t.set.Widen(train.D)
		}
	}
	return train, tests, nil
}

// share is a part of something: the command line takes 20% and 0.2.
type share float64

func (s *share) UnmarshalText(text []byte) error {
	digits, percent := strings.CutSuffix(string(text), "%")
	v, err := strconv.ParseFloat(digits, 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v > 0 && v < 1) {
		return fmt.Errorf("%q is no share, want something like 20%% or 0.2, between 0 and 1", text)
	}
	*s = share(v)
	return nil
}

// holdoutJSON says which samples the training did without.
type holdoutJSON struct {
	Share   float64 `json:"share"`
	Seed    uint64  `json:"seed"`
	Samples int     `json:"samples"`

	trained []int // rows of the file, of the samples that were trained on
	drawn   string
}

func (h *holdoutJSON) String() string {
	return fmt.Sprintf("the %d samples held out (%.4g %%, %s, seed %d)", h.Samples, 100*h.Share, h.drawn, h.Seed)
}

// divide draws the samples that are held out and takes them out of the set. The training's samples stay in its memory.
func (s share) divide(name string, train *dataset.Set, seed uint64) (*holdoutJSON, *dataset.Set, error) {
	h := &holdoutJSON{Share: float64(s), Seed: seed, drawn: "stratified"}
	if train.Y == nil {
		h.drawn = "drawn evenly"
	}
	if !train.Targeted() {
		return nil, nil, fmt.Errorf("--holdout: %s has no labels", name)
	}
	split, err := train.Split(1-h.Share, h.Seed)
	if err != nil {
		return nil, nil, fmt.Errorf("--holdout: %s: %d samples cannot be divided so that both parts have some", name, train.N)
	}
	test := train.Subset(split.Test)
	for k, i := range split.Train {
		if train.Sparse == nil {
			copy(train.X[k*train.D:(k+1)*train.D], train.Row(i))
		}
		if train.Y != nil {
			train.Y[k] = train.Y[i]
		} else {
			train.Targets[k] = train.Targets[i]
		}
	}
	train.N = len(split.Train)
	if train.Sparse != nil {
		train.Sparse = train.Sparse.Subset(split.Train)
	} else {
		train.X = train.X[:train.N*train.D]
	}
	train.Y = train.Y[:min(train.N, len(train.Y))]
	train.Targets = train.Targets[:min(train.N, len(train.Targets))]
	for class, n := range train.Counts() {
		if n == 0 {
			return nil, nil, fmt.Errorf("--holdout: all samples of class %s are held out", train.Labels[class])
		}
	}
	h.Samples, h.trained = test.N, split.Train
	return h, test, nil
}

// original makes the rows that a classifier and its report name rows of the file. A nil h leaves them as they are.
func (h *holdoutJSON) original(clf *sparsekm.Classifier, r *sparsekm.Report) (*sparsekm.Classifier, error) {
	if h == nil || r.Support == nil {
		return clf, nil
	}
	rows := func(drawn []int) []int {
		return deal.Pick(h.trained, drawn)
	}
	r.Support, r.Held = rows(r.Support), rows(r.Held)
	submodels := make([]learn.Trained, len(r.Submodels))
	for i, m := range r.Submodels {
		m.Support = rows(m.Support)
		submodels[i] = m
	}
	r.Submodels = submodels
	p := clf.Parts()
	p.Rows = rows(p.Rows)
	return model.New(p)
}
