package sparsekm_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// grouped is a method that looks at the groups of its samples, each of which has its group for its feature.
type grouped struct{ looked *atomic.Int64 }

var errLooked = errors.New("looked")

func (grouped) Name() string                  { return "grouped" }
func (grouped) EstimateMemory(n, d int) int64 { return 0 }
func (g grouped) Train(_ context.Context, p *learn.Problem) (*learn.Result, error) {
	for i, group := range p.Group {
		if i > 0 && (group == p.Group[i-1]) != (p.X[i] == p.X[i-1]) {
			return nil, fmt.Errorf("sample %d of group %d, %v", i, group, p.X[i])
		}
	}
	g.looked.Add(int64(len(p.Group)))
	return nil, errLooked
}

// TestGroupsReachMethods: a model knows the groups of its own samples, absent ones left out.
func TestGroupsReachMethods(t *testing.T) {
	set := &dataset.Set{N: 60, D: 1, Labels: []string{"a", "b"}}
	weight := make([]float64, set.N)
	for i := range set.N {
		set.X, set.Y = append(set.X, float64(i/6)), append(set.Y, i%2)
		set.Groups = append(set.Groups, fmt.Sprint("p", i/6))
		weight[i] = float64(min(1, i%7))
	}
	three := *set
	three.Labels, three.Y = []string{"a", "b", "c"}, make([]int, set.N)
	for i := range three.Y {
		three.Y[i] = i % 3
	}
	for _, s := range []*dataset.Set{set, &three} {
		for _, scheme := range []model.Scheme{model.OneVsRest, model.OneVsOne} {
			var looked atomic.Int64
			o := sparsekm.Options{Trainer: grouped{&looked}, Kernel: gram.RBF(1), Scheme: scheme, SampleWeight: weight}
			if _, _, err := sparsekm.Train(t.Context(), s, o); !errors.Is(err, errLooked) || looked.Load() < 20 {
				t.Errorf("%d classes, %v: %v, %d samples", len(s.Labels), scheme, err, looked.Load())
			}
		}
	}
}
