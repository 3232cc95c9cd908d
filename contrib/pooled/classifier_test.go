package pooled_test

import (
	"context"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/contrib/pooled"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn/direct"
	"github.com/sparsekm/sparsekm/status"
)

// TestTrainClassifier trains on shards of 5000 samples, 400 of each for its model, and wants nearly the error of a
// training on all of them with as many vectors.
func TestTrainClassifier(t *testing.T) {
	set, test := dataset.Ringnorm(5000, 1), dataset.Ringnorm(5000, 2)
	kernel := gram.Kernel{Gamma: 0.02}
	c := &pooled.Candidates{Kernel: kernel, D: set.D, Labels: set.Labels}
	var shards []*pooled.Samples
	for lo := 0; lo < set.N; lo += 1000 {
		rows := make([]int, 400)
		for i := range rows {
			rows[i] = lo + i
		}
		few, _, err := sparsekm.Train(t.Context(), set.Subset(rows),
			sparsekm.Options{Trainer: direct.Trainer{MaxSV: 6}, Kernel: kernel})
		if err != nil {
			t.Fatal(err)
		}
		c.Vectors = append(c.Vectors, few.Parts().Vectors...)
		p := &pooled.Samples{X: set.X[lo*set.D : (lo+1000)*set.D], N: 1000, Y: make([]float64, 1000)}
		for i := range p.Y {
			p.Y[i] = float64(set.Y[lo+i])
		}
		shards = append(shards, p)
	}
	c.Vectors = append(c.Vectors, c.Vectors[:6*set.D]...) // a shard that is there twice adds nothing
	clf, r, err := pooled.TrainClassifier(t.Context(), c, pooled.Options{},
		func(ctx context.Context, m *pooled.Model) ([]float64, error) {
			if m.K > 30 {
				t.Errorf("%d candidates, want 30 without repetitions", m.K)
			}
			sums := make([]float64, pooled.Length(m.K, len(m.Bias)))
			for _, p := range shards {
				if err := m.Sums(ctx, sums, p); err != nil {
					return nil, err
				}
			}
			return sums, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	whole, _, err := sparsekm.Train(t.Context(), set, sparsekm.Options{Trainer: direct.Trainer{MaxSV: 12}, Kernel: kernel})
	if err != nil {
		t.Fatal(err)
	}
	ours, best := errorsOf(clf, test), errorsOf(whole, test)
	if r.Status != status.Optimal || clf.NumVectors() > 15 || ours > best+25 {
		t.Errorf("%v, %d vectors, %d of 5000 wrong, compared with %d", r.Status, clf.NumVectors(), ours, best)
	}
	if got := errorsOf(clf, set); got != r.Submodels[0].Report.Figures.(pooled.Figures).Wrong {
		t.Errorf("%d samples wrong, the report says %v", got, r.Submodels[0].Report.Figures)
	}
}

// errorsOf counts the samples of a set that have another class.
func errorsOf(c *sparsekm.Classifier, set *dataset.Set) (wrong int) {
	for i, y := range set.Y {
		if c.Predict(set.Row(i)) != y {
			wrong++
		}
	}
	return wrong
}

func TestCandidatesRefused(t *testing.T) {
	for want, c := range map[string]pooled.Candidates{
		"gamma":     {Kernel: gram.Kernel{Gamma: -1}, D: 1},
		"features":  {Kernel: gram.Kernel{Gamma: 1}, D: 2, Vectors: make([]float64, 3)},
		"1 classes": {Kernel: gram.Kernel{Gamma: 1}, D: 1, Labels: []string{"a"}},
	} {
		if _, err := c.Model(); err == nil || !strings.Contains(strings.ToLower(err.Error()), want) && want != "gamma" {
			t.Errorf("%s: %v", want, err)
		}
	}
}
