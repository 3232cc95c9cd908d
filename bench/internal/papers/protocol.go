package papers

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/stat"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/modelselect"
)

// trial is one training and its test.
type trial struct {
	clf     *sparsekm.Classifier
	report  *sparsekm.Report
	vectors float64
	rows    float64 // training samples with the features of a vector
	error   float64 // per cent of the test samples
	seconds float64 // of the processor, for the training
	testing float64 // for all test samples
}

// trials are several, figure by figure.
type trials struct{ vectors, rows, error, seconds, testing []float64 }

func (t *trials) add(o *trial) {
	t.vectors = append(t.vectors, o.vectors)
	t.rows = append(t.rows, o.rows)
	t.error = append(t.error, o.error)
	t.seconds = append(t.seconds, o.seconds)
	t.testing = append(t.testing, o.testing)
}

// keep keeps trials that other tables have too.
func (e *Env) keep(key string, all *trials) {
	if e.made == nil {
		e.made = make(map[string]*trials)
	}
	e.made[key] = all
}

// train trains on the training part of a split and tests on the other.
func (e *Env) train(ctx context.Context, set *dataset.Set, sp dataset.Split, o sparsekm.Options) (*trial, error) {
	return e.trial(ctx, set.Subset(sp.Train), set.Subset(sp.Test), o)
}

// each trains and tests on every split. change, where it is not nil, makes the figures what a table has.
func (e *Env) each(ctx context.Context, set *dataset.Set, splits []dataset.Split, o sparsekm.Options,
	change func(t *trial)) (*trials, error) {
	all := new(trials)
	for _, sp := range splits {
		t, err := e.train(ctx, set, sp, o)
		if err != nil {
			return nil, err
		}
		if change != nil {
			change(t)
		}
		all.add(t)
	}
	return all, nil
}

// trial trains and tests. A training that the context stops is not what a protocol asks for.
func (e *Env) trial(ctx context.Context, part, test *dataset.Set, o sparsekm.Options) (*trial, error) {
	o.Threads, o.Memory = e.Threads, e.Memory
	start := cpu.Seconds()
	clf, report, err := sparsekm.Train(ctx, part, o)
	if err = errors.Join(err, ctx.Err()); err != nil {
		return nil, err
	}
	t := &trial{clf: clf, report: report, vectors: float64(clf.NumVectors()), seconds: cpu.Seconds() - start}
	t.rows = rowsOf(part, report.Support)
	start = cpu.Seconds()
	m, err := sparsekm.Evaluate(ctx, clf, test, e.Threads)
	if err != nil {
		return nil, err
	}
	t.testing = cpu.Seconds() - start
	t.error = 100 * *m.ErrorRate
	return t, nil
}

// rowsOf counts the samples with the features of some of them. A paper that keeps repeated samples counts those.
func rowsOf(set *dataset.Set, support []int) (n float64) {
	if set.Sparse != nil {
		return float64(len(support)) // no paper repeats such samples
	}
	_, distinct := learn.Distinct(set.X, set.N, set.D)
	vector := make(map[int]bool)
	for _, i := range support {
		vector[distinct[i]] = true
	}
	for _, sample := range distinct {
		if vector[sample] {
			n++
		}
	}
	return n
}

// withRows is a mean number of vectors, and how many samples they stand for where samples repeat.
func withRows(text string, vectors, rows []float64) string {
	if v, r := stat.Mean(vectors, nil), stat.Mean(rows, nil); r > v {
		return fmt.Sprintf("%s (%.0f samples)", text, r)
	}
	return text
}

// nested chooses among settings by folds of the training part, trains the chosen one on all of it, and tests it.
func (e *Env) nested(ctx context.Context, set *dataset.Set, sp dataset.Split, s *modelselect.Search) (*trial, error) {
	part := set.Subset(sp.Train)
	folds, err := modelselect.Folds(part, s.Folds, 1, s.Seed)
	if err != nil {
		return nil, err
	}
	evaluate := modelselect.Evaluate
	if s.Halving {
		evaluate = modelselect.Halve
	}
	table, err := evaluate(ctx, part, s.Settings, folds, e.searching())
	if err != nil {
		return nil, err
	}
	best := modelselect.Choose(table.Scores(), s.Rule)
	if best < 0 {
		return nil, fmt.Errorf("papers: %w", modelselect.ErrNoSetting)
	}
	return e.train(ctx, set, sp, table.Settings[best].Options)
}

// trainer is a method with some of its parameters.
func trainer(method string, params learn.Values) (learn.Trainer, error) {
	m, err := sparsekm.Lookup(method)
	if err != nil {
		return nil, err
	}
	return m.New(params)
}

// twoParts is the split of samples that are the training part, then the test part.
func twoParts(training, all int) dataset.Split {
	var sp dataset.Split
	for i := range all {
		if i < training {
			sp.Train = append(sp.Train, i)
		} else {
			sp.Test = append(sp.Test, i)
		}
	}
	return sp
}

// join puts the second set's samples below those of the first, which has the same features and labels.
func join(a, b *dataset.Set) (*dataset.Set, dataset.Split) {
	all := &dataset.Set{X: append(a.X[:a.N*a.D:a.N*a.D], b.X[:b.N*b.D]...), N: a.N + b.N, D: a.D, Labels: a.Labels}
	all.Y = append(append(all.Y, a.Y...), b.ClassOf(a.Labels)...)
	return all, twoParts(a.N, all.N)
}

// widths are γ = 1/(2σ²) of standard deviations.
func widths(sigma ...float64) []float64 {
	var gamma []float64
	for _, s := range sigma {
		gamma = append(gamma, gram.RBFSigma(s).Gamma)
	}
	return gamma
}

// resources are what everything but a training works with.
func (e *Env) resources() learn.Resources {
	return learn.Resources{Threads: e.Threads, Memory: e.Memory}
}

// searching is how runs of a search are made.
func (e *Env) searching() modelselect.Options {
	return modelselect.Options{Threads: e.Threads, Memory: e.Memory, Ledger: e.Ledger}
}
