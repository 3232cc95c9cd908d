package cli

import (
	"context"
	"os"
	"runtime/pprof"
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
)

// predictor classifies samples while they are read.
type predictor struct {
	s       *session.Session
	clf     *sparsekm.Classifier
	name    string // of the samples
	reading reading
	threads int

	probable bool                     // probabilities are wanted
	variance bool                     // and variances
	take     func(*predictions) error // of each batch, in order
	json     *predictJSON             // where samples, features and seconds are counted

	waiting
	ragged   bool
	labelled bool
	skipped  int
	count    *sparsekm.Evaluation
}

// waiting is the rows that wait for one that tells whether they are complete.
type waiting struct {
	held  []*dataset.Set
	rows  int  // in held
	short bool // some were let go before such a row came
}

// mostHeld bounds the rows that wait.
const mostHeld = 1000

// read reads the samples and classifies at the same time what has come. An interrupt
// ends the wait, even for somebody who types.
func (p *predictor) read() error {
	if err := p.reading.validate(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(p.s.Context)
	defer cancel() // the reader's
	sets, ended := make(chan *dataset.Set), make(chan error, 1)
	go func() {
		ended <- p.readTo(ctx, sets)
		close(sets)
	}()
	waiting := time.Now()
	for {
		select {
		case <-ctx.Done():
			return stopped(ctx.Err())
		case set, ok := <-sets:
			now := time.Now()
			p.json.Seconds.Load += now.Sub(waiting).Seconds()
			if !ok {
				return p.finish(<-ended)
			}
			if err := p.fit(set); err != nil {
				return err
			}
			waiting = time.Now()
			p.json.Seconds.Predict += waiting.Sub(now).Seconds()
		}
	}
}

// readTo sends the samples in batches.
func (p *predictor) readTo(ctx context.Context, sets chan<- *dataset.Set) (err error) {
	o := p.reading.options()
	o.Width, o.Columns = p.clf.NumFeatures(), p.clf.Columns()
	o.Targets, o.KeepSparse, o.KeepNarrow = targetsOf(p.clf), true, p.clf.Sparse()
	o.ZeroBased = o.ZeroBased || p.clf.Kernel().Indexed()
	r, name := p.s.Stdin, "standard input"
	if p.name != "-" {
		f, failed := os.Open(p.name)
		if failed != nil {
			return failed
		}
		defer f.Close()
		r, name = f, p.name
	}
	pprof.Do(ctx, pprof.Labels("phase", "load"), func(context.Context) {
		err = dataset.Batches(r, name, o, func(set *dataset.Set) error {
			select {
			case sets <- set:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	})
	return advised(err)
}

// fit gives a batch the classifier's number of features. Rows of a LIBSVM file may leave out trailing zeros, which
// shows in rows that end at different features: until one does, shorter rows wait, mostHeld of
// them at most. A LIBSVM model may have left out zeros too; it gets wider then.
func (p *predictor) fit(set *dataset.Set) (err error) {
	if err = p.reading.misplaced(p.s.Set, inputName(p.name), set); err != nil {
		return err
	}
	want := p.clf.NumFeatures()
	p.skipped += set.Skipped
	p.json.D, p.ragged = max(p.json.D, set.D), set.Ragged
	switch {
	case set.D > want && p.clf.Parts().Features == 0:
		if p.clf, err = p.clf.WithFeatures(set.D); err != nil {
			return err
		}
	case set.D > want || set.D < want && set.Columns != nil:
		return featuresError(p.name, set.D, want, "the model")
	case set.D < want && !set.Ragged && set.D < leastFeatures(p.clf):
		p.short = p.short || p.rows+set.N > mostHeld
		if !p.short {
			p.held, p.rows = append(p.held, set), p.rows+set.N
			return nil
		}
	}
	if err = p.release(); err != nil {
		return err
	}
	return p.decide(set)
}

// release lets the rows that wait go.
func (p *predictor) release() error {
	held := p.held
	p.held, p.rows = nil, 0
	for _, set := range held {
		if err := p.decide(set); err != nil {
			return err
		}
	}
	return nil
}

// decide classifies a batch and hands it on.
func (p *predictor) decide(set *dataset.Set) error {
	if want := p.clf.NumFeatures(); set.D < want {
		set = set.Widen(want)
	}
	b, err := newPredictions(p.s.Context, p.clf, set, p.threads, p.probable)
	if err != nil {
		return stopped(err)
	}
	if b.first = p.json.N; p.variance {
		if err = b.spread(p.s.Context, p.threads); err != nil {
			return stopped(err)
		}
	}
	bad := b.overflow(inputName(p.name))
	p.json.N += len(b.class)
	switch {
	case p.clf.Task() == learn.Density:
		p.labelled = true // every sample says something of it
		p.count.AddValues(nil, b.decisions)
	case set.Targets != nil:
		p.labelled = true
		p.count.AddValues(set.Targets[:len(b.class)], b.decisions)
	case set.Y != nil:
		p.labelled = true
		p.count.Add(set.ClassOf(p.clf.Labels())[:len(b.class)], b.class, b.decisions, p.threads)
	}
	if err = p.take(b); err != nil {
		return err
	}
	return bad
}

// finish has seen all rows before the error, if there is one.
func (p *predictor) finish(err error) error {
	want := p.clf.NumFeatures()
	switch {
	case err != nil:
		return err
	case p.json.D < leastFeatures(p.clf) && !p.ragged && (p.short || len(p.held) > 0):
		return featuresError(p.name, p.json.D, want, "the model")
	}
	p.json.D = want
	if p.skipped > 0 {
		p.s.Note("%s: %d rows with missing cells are left out", inputName(p.name), p.skipped)
	}
	if !p.labelled && !p.reading.Unlabelled {
		p.s.Note("%s has no labels: as many columns as the model has features", inputName(p.name))
	}
	return nil
}
