package sparsekm_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/ssvc"
)

// Options.Refit and LearnWidths give the same machine for any number of threads, with kernels of the machine's own too.
func TestRefitAndWidths(t *testing.T) {
	set := ripley(t)
	o := sparsekm.Options{Trainer: ssvc.B{}, Refit: true, LearnWidths: true,
		KernelOf: func(p *learn.Problem) (gram.Kernel, error) { return learn.Mahalanobis(p, 2) }}
	var bias, weights []float64
	for _, o.Threads = range []int{1, 3} {
		_, r, err := sparsekm.Train(t.Context(), set, o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Submodels[0].Report.Refit == nil || r.Kernel.Gamma != 1 {
			t.Fatalf("refit %v, γ %v, want one and 2/d", r.Submodels[0].Report.Refit, r.Kernel.Gamma)
		}
		bias, weights = append(bias, r.Submodels[0].Bias), append(weights, r.Kernel.Weights...)
	}
	if bias[0] != bias[1] || !slices.Equal(weights[:2], weights[2:]) || weights[0] == weights[1] {
		t.Errorf("biases %v, weights %v of one thread and of three", bias, weights)
	}
}

func TestPathWithWidths(t *testing.T) {
	o := sparsekm.Options{Trainer: ssvc.B{}, LearnWidths: true}
	points, err := sparsekm.Path(t.Context(), ripley(t), o, []float64{0.1, 1, 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range points {
		if len(p.Classifier.Kernel().Weights) != 2 {
			t.Errorf("C = %v: the kernel %v has no widths", p.C, p.Classifier.Kernel())
		}
	}
	o.Refit = true
	if _, err = sparsekm.Path(t.Context(), ripley(t), o, []float64{1}); err == nil ||
		!strings.Contains(err.Error(), "a path along C has no refit") {
		t.Errorf("error %v for a refit", err)
	}
}

// A context that ends while widths are learnt leaves nothing to return.
func TestWidthsStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := sparsekm.Options{Trainer: ssvc.B{}, LearnWidths: true, Progress: func(learn.Event) { cancel() }}
	if _, _, err := sparsekm.Train(ctx, ripley(t), o); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
