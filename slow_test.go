package sparsekm_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// TestSlowKernel ends the context of every method at random calls of a kernel function: none follows,
// however slow it is, and what comes back is a machine of finite numbers without a certificate that
// nobody computed, or the context's error. The classifier calls the function as before.
func TestSlowKernel(t *testing.T) {
	ringnorm := dataset.Ringnorm(60, 1)
	moments := 8
	if testing.Short() {
		moments = 2
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, m := range sparsekm.Methods() {
		if m.Name == outside || m.Name == "direct" || m.Name == "skde" || m.OwnKernel { // a toy; for Gaussians
			continue
		}
		set := targetsFor(m, ringnorm)
		for _, own := range []bool{false, true} { // a kernel for each machine
			train := func(at int64) (clf *sparsekm.Classifier, r *sparsekm.Report, calls int64, err error) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var count atomic.Int64
				k := gram.Custom(func(x, z []float64) float64 {
					if count.Add(1) == at {
						cancel()
					}
					var s float64
					for i, v := range x {
						s += (v - z[i]) * (v - z[i])
					}
					return math.Exp(-0.05 * s)
				})
				o := sparsekm.Options{Trainer: trainer(t, m.Name, learn.Values{}), Kernel: k, Threads: 1}
				if own {
					o.KernelOf = func(*learn.Problem) (gram.Kernel, error) { return k, nil }
				}
				clf, r, err = sparsekm.Train(ctx, set, o)
				calls = count.Load()
				if err == nil && at > 0 && clf.Decide(set.Row(0)) == clf.Parts().Submodels[0].Bias {
					t.Errorf("%s: the classifier's kernel is 0", m.Name)
				}
				return clf, r, calls, err
			}
			_, _, all, err := train(0)
			if err != nil {
				t.Fatalf("%s: %v", m.Name, err)
			}
			for range moments {
				at := 1 + rng.Int64N(all)
				clf, r, calls, err := train(at)
				switch {
				case calls > at:
					t.Errorf("%s: %d calls after the end at number %d of %d", m.Name, calls-at, at, all)
				case err != nil && (clf != nil || !errors.Is(err, context.Canceled)):
					t.Errorf("%s, ended at call %d of %d: %v", m.Name, at, all, err)
				case err == nil && at < all && r.Status.Done():
					t.Errorf("%s, ended at call %d of %d: %v", m.Name, at, all, r.Status)
				case err == nil && at < all && (r.Submodels[0].Report.Duality != nil || r.Submodels[0].Report.Residual != nil):
					t.Errorf("%s, ended at call %d of %d: a certificate of zeros", m.Name, at, all)
				}
			}
		}
	}
}
