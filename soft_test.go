package sparsekm_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn/direct"
	"github.com/sparsekm/sparsekm/learn/svc"
)

// TestSoft: probabilities in place of labels belong to the rows of the set, of which those of weight 0 are absent, and
// are the model's probabilities.
func TestSoft(t *testing.T) {
	set := dataset.TwoGaussians(200, 0.5, 0.5, 0, 1)
	soft, weight := make([]float64, set.N), slices.Repeat([]float64{1}, set.N)
	for i := range soft {
		soft[i] = 0.3
		if weight[i] = float64(i % 2); i%2 == 0 {
			soft[i] = 1 // of samples that are absent
		}
	}
	o := sparsekm.Options{Trainer: direct.Trainer{C: 10, MaxSV: 3}, Soft: soft, SampleWeight: weight}
	clf, _, err := sparsekm.Train(context.Background(), set, o)
	if err != nil {
		t.Fatal(err)
	}
	if p := clf.Probability(set.Row(1)); !(p > 0.28 && p < 0.32) {
		t.Errorf("the probability is %v, want 0.3", p)
	}
	for want, change := range map[string]func(o *sparsekm.Options){
		"7 probabilities for 200":  func(o *sparsekm.Options) { o.Soft = soft[:7] },
		"takes no probabilities":   func(o *sparsekm.Options) { o.Trainer = svc.Trainer{C: 1} },
		"each against the rest":    func(o *sparsekm.Options) { o.Scheme = 2 },
		"want a number from 0 to ": func(o *sparsekm.Options) { o.Soft = slices.Repeat([]float64{2}, set.N) },
	} {
		wrong := o
		change(&wrong)
		if _, _, err = sparsekm.Train(context.Background(), set, wrong); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
