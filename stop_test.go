package sparsekm_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// asked is a context that ends when it has been asked for its error so often.
type asked struct {
	context.Context
	left *atomic.Int64
}

func countdown(ctx context.Context, questions int64) asked {
	a := asked{ctx, new(atomic.Int64)}
	a.left.Store(questions)
	return a
}

func (a asked) Err() error {
	if a.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancelledAnywhere ends the context of every method at random questions. What comes
// back is a model with a status that says so, or the context's error; and a training asks
// at least once for each 96 samples, the side of the smallest part of its work.
func TestCancelledAnywhere(t *testing.T) {
	const forever = 1 << 40
	points, moments := 300, 12
	if testing.Short() {
		points, moments = 150, 2
	}
	ringnorm := dataset.Ringnorm(points, 1)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, m := range sparsekm.Methods() {
		if m.Name == outside {
			continue
		}
		values, set := learn.Values{}, targetsFor(m, ringnorm)
		for _, p := range m.Params() {
			if p.Name == "gamma_grid" {
				values[p.Name] = []float64{0.1, 1, 10}
			}
		}
		o := sparsekm.Options{Trainer: trainer(t, m.Name, values), Kernel: gram.RBF(0.1)}
		whole := countdown(t.Context(), forever)
		if _, _, err := sparsekm.Train(whole, set, o); err != nil {
			t.Fatalf("%s: %v", m.Name, err)
		}
		questions := forever - whole.left.Load()
		if questions < int64(set.N)/96 {
			t.Errorf("%s asks its context %d times only", m.Name, questions)
		}
		for range moments {
			at := rng.Int64N(questions)
			clf, report, err := sparsekm.Train(countdown(t.Context(), at), set, o)
			switch {
			case err != nil && (clf != nil || !errors.Is(err, context.Canceled)):
				t.Errorf("%s, ended at question %d of %d: %v", m.Name, at, questions, err)
			case err == nil && clf.NumVectors() == 0:
				t.Errorf("%s, ended at question %d of %d: a model without vectors, %v", m.Name, at, questions, report.Status)
			}
		}
	}
}

// TestStoppedReweightingIsSparse stops the methods of reweighted programs at random questions:
// what comes back has few support vectors, in whatever round it was.
func TestStoppedReweightingIsSparse(t *testing.T) {
	const forever = 1 << 40
	set := dataset.Ringnorm(400, 1)
	moments := 40
	if testing.Short() {
		moments = 8
	}
	count := func(method string, ctx context.Context) int {
		o := sparsekm.Options{Trainer: trainer(t, method, nil), Kernel: gram.RBF(0.05)}
		clf, _, err := sparsekm.Train(ctx, set, o)
		if err != nil {
			return 0 // nothing was learnt
		}
		return clf.NumVectors()
	}
	dense := count("svc", t.Context())
	rng := rand.New(rand.NewPCG(1, 2))
	for _, method := range []string{"ssvc-a", "ssvc-b", "ssvc-w", "l0svm"} {
		whole := countdown(t.Context(), forever)
		last := count(method, whole)
		for range moments {
			at := rng.Int64N(forever - whole.left.Load())
			n := count(method, countdown(t.Context(), at))
			if n > dense/4 {
				t.Errorf("%s, ended at question %d: %d vectors, %d at the end; svc has %d", method, at, n, last, dense)
			}
		}
	}
}

// TestHalfATraining ends the methods that get better step by step after half of their questions:
// there is a model then, and it is not lost. (What solves one system of equations, as lssvm does,
// has nothing before its end.)
func TestHalfATraining(t *testing.T) {
	const forever = 1 << 40
	small, large := dataset.Ringnorm(300, 1), dataset.PelegMeir(2500, 0.2, 1)
	for _, method := range []string{"svc", "ssvc-a", "ssvc-b", "ssvc-w", "skm", "l1svm", "l0svm", "lpsvc", "lssvm-lda",
		"kmp", "sggp", "pfsals", "rvm", "rvm-fast", "spc", "sc-svc"} {
		set := small
		if method == "svc" { // of which fewer samples are one working set
			set = large
		}
		o := sparsekm.Options{Trainer: trainer(t, method, nil), Kernel: gram.RBF(0.1)}
		whole := countdown(t.Context(), forever)
		if _, _, err := sparsekm.Train(whole, set, o); err != nil {
			t.Fatalf("%s: %v", method, err)
		}
		half := (forever - whole.left.Load()) / 2
		clf, report, err := sparsekm.Train(countdown(t.Context(), half), set, o)
		if err != nil || clf.NumVectors() == 0 || !report.Status.Limit() {
			t.Errorf("%s: nothing after half of the training: %v", method, err)
		}
	}
}
