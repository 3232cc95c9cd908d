package sparsekm_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/prepare"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// ended returns contexts that ask for a model of some samples, and have been cancelled or are after their deadline.
func ended(ctx context.Context) map[status.Status]context.Context {
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	late, cancel := context.WithDeadline(ctx, time.Unix(0, 0))
	cancel()
	return map[status.Status]context.Context{status.Cancelled: prepare.OfSome(cancelled), status.TimeLimit: prepare.OfSome(late)}
}

func init() { prepare.Late = time.Hour } // no test may depend on how busy the host is

// TestEndLeavesAModelOfSome trains by every method after the end: a model of 256 samples is there, in proportion by
// class, whose report says so and claims nothing of all samples.
func TestEndLeavesAModelOfSome(t *testing.T) {
	ringnorm := dataset.Ringnorm(600, 1)
	for _, m := range sparsekm.Methods() {
		if m.Name == outside || m.Name == "direct" { // a toy; it has a model at any time
			continue
		}
		for why, ctx := range ended(t.Context()) {
			set, o := targetsFor(m, ringnorm), sparsekm.Options{Trainer: trainer(t, m.Name, nil), Kernel: gram.RBF(0.05)}
			clf, r, err := sparsekm.Train(ctx, set, o)
			if err != nil {
				t.Errorf("%s, %v: %v", m.Name, why, err)
				continue
			}
			own := r.Submodels[0].Report
			if r.Status != why || clf.NumVectors() == 0 || own.Duality != nil || own.Residual != nil ||
				own.Objective == own.Objective || !strings.Contains(own.Message, "one of 256 of the 600") {
				t.Errorf("%s: %v, %d vectors, %+v", m.Name, r.Status, clf.NumVectors(), own)
			}
			for s, i := range r.Support { // rows of the whole set
				if !slices.Equal(clf.Parts().Vectors[s*set.D:(s+1)*set.D], set.Row(i)) && set.Sparse == nil && !m.OwnKernel {
					t.Fatalf("%s: vector %d is not row %d", m.Name, s, i)
				}
			}
			if errs := wrong(clf, set); m.Takes(learn.Classify) && !m.OwnKernel && !(errs < set.N/4) {
				t.Errorf("%s: %d errors", m.Name, errs)
			}
		}
	}
}

// wrong counts the errors of a classifier on its training samples.
func wrong(clf *sparsekm.Classifier, set *dataset.Set) (n int) {
	if set.Y == nil {
		return 0
	}
	for i, y := range set.Y {
		if clf.Predict(set.Row(i)) != y {
			n++
		}
	}
	return n
}

// interrupting trains with ssvc-b's name until it has made so many models, then ends the context.
type interrupting struct {
	learn.Trainer
	left   *int
	cancel context.CancelFunc
}

func (i interrupting) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
	r, err := i.Trainer.Train(ctx, p)
	if *i.left--; *i.left == 0 {
		i.cancel()
	}
	return r, err
}

// TestClassesKeepTheirModels ends a training of three classes after each of them: those that had ended are the models
// of all samples, the others are of some.
func TestClassesKeepTheirModels(t *testing.T) {
	set := dataset.Waveform(600, 1)
	base := sparsekm.Options{Trainer: trainer(t, "ssvc-b", nil), Kernel: gram.RBF(0.05), Threads: 1}
	_, whole, err := sparsekm.Train(t.Context(), set, base)
	if err != nil {
		t.Fatal(err)
	}
	for done := range 3 {
		ctx, cancel := context.WithCancel(prepare.OfSome(t.Context()))
		left, o := done, base
		if done == 0 {
			cancel()
		}
		o.Trainer = interrupting{base.Trainer, &left, cancel}
		clf, r, err := sparsekm.Train(ctx, set, o)
		cancel()
		if err != nil || r.Status != status.Cancelled || clf.NumClasses() != 3 {
			t.Fatalf("after %d: %v, %v", done, r, err)
		}
		for k, m := range r.Submodels {
			objective := m.Report.Objective
			if k < done && objective != whole.Submodels[k].Report.Objective || k >= done && objective == objective {
				t.Errorf("after %d: submodel %d has the objective %v", done, k, objective)
			}
		}
	}
}

// TestTooLargeForAll gives a training of all samples too little memory and hours of time: the largest part that fits is
// trained on. Without a deadline the training is refused as ever.
func TestTooLargeForAll(t *testing.T) {
	set := dataset.Ringnorm(3000, 1)
	o := sparsekm.Options{Trainer: trainer(t, "sc-svc", nil), Kernel: gram.RBF(0.05), Memory: 20 << 20}
	ctx := prepare.OfSome(t.Context())
	if _, _, err := sparsekm.Train(ctx, set, o); err == nil {
		t.Error("trained without room")
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Hour)
	defer cancel()
	clf, r, err := sparsekm.Train(ctx, set, o)
	if err != nil || r.Status != status.TimeLimit {
		t.Fatalf("%v, %v", r, err)
	}
	says := r.Submodels[0].Report.Message
	if !strings.Contains(says, "of the 3000") || strings.Contains(says, "256") {
		t.Errorf("%d vectors: %q", clf.NumVectors(), says)
	}
}

// TestDefaultsOfLargeSets: above a method's size its default holds for what nobody has set, and is what it trains with.
func TestDefaultsOfLargeSets(t *testing.T) {
	const large, candidates = 1 << 20, "candidates"
	get := func(method, name string, samples int, v learn.Values) any {
		return learn.ValuesOf(learn.ForSize(trainer(t, method, v), samples))[name]
	}
	for method, want := range map[string]int{"skm": 180, "ssvr-a": 500, "ssvr-b": 500, "ssvc-a": 500, "ssvc-b": 500,
		"l1svm": -1, "ssvc-w": -1} {
		for v, to := range map[int]int{0: want, 7: 7, -1: -1} {
			values := learn.Values{candidates: v}
			if v == 0 {
				values = nil
			}
			if got := get(method, candidates, large, values); got != to {
				t.Errorf("%s: %v for %v, want %d", method, got, values, to)
			}
		}
		if got := get(method, candidates, 4000, nil); got != -1 {
			t.Errorf("%s: %v of 4000 samples", method, got)
		}
	}
	if got := get("skm", candidates, 20_000, nil); got != 2000 {
		t.Errorf("skm: %v of 20,000 samples, want 2000", got)
	}
	for _, v := range []learn.Values{{"norm": 2.0}, {"c1": 1.0}, {"exact_rounds": true}} {
		if got := get("ssvc-a", candidates, large, v); got != -1 {
			t.Errorf("%v candidates for %v", got, v)
		}
	}
	o := sparsekm.Options{Trainer: trainer(t, "lssvm-chol", nil), Kernel: gram.RBF(0.05)}
	clf, _, err := sparsekm.Train(t.Context(), dataset.Ringnorm(4001, 1), o)
	if err != nil || clf.NumVectors() != 1000 || clf.Parts().Params["max_sv"] != 1000 {
		t.Errorf("%v, %v", clf, err)
	}
}
