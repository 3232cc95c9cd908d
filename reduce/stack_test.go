package reduce_test

import (
	"context"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/reduce"
)

// smallModel has n vectors of three features.
func smallModel(t *testing.T, n int) *model.Classifier {
	t.Helper()
	const d = 3
	parts := model.Parts{Kernel: gram.RBF(0.5), N: n, D: d, Vectors: make([]float64, n*d), Labels: []string{"a", "b"}}
	m := learn.Submodel{Pos: 1}
	m.Coef = make([]float64, n)
	testutil.Fill(parts.Vectors, 1)
	testutil.Fill(m.Coef, 2)
	for j := range n {
		m.Support = append(m.Support, j)
	}
	parts.Submodels = []learn.Submodel{m}
	clf, err := model.New(parts)
	if err != nil {
		t.Fatal(err)
	}
	return clf
}

// TestStackGrowth reduces a small model in each way on a stack that moves.
func TestStackGrowth(t *testing.T) {
	clf, tiny := smallModel(t, 14), smallModel(t, 2)
	o := reduce.Options{Stop: []reduce.Rule{reduce.MaxSV(9)}, Resources: learn.Resources{Threads: 1}}
	smallest := o
	smallest.Stop = []reduce.Rule{reduce.MaxSV(1)}
	ctx := context.Background()
	of := func(r *reduce.Result, err error) float64 {
		if err != nil {
			panic(err)
		}
		p := r.Classifier.Parts()
		return testutil.WeightedSum(p.Vectors) + testutil.WeightedSum(p.Submodels[0].Coef) + p.Submodels[0].Bias
	}
	testutil.StackGrowth(t, func() map[string]func() float64 {
		return map[string]func() float64{
			"Prune": func() float64 { return of(reduce.Prune(ctx, clf, nil, o)) },
			"Simplify": func() float64 {
				return of(reduce.Simplify(ctx, clf, nil, reduce.SimplifyOptions{Tolerance: 0.05, Resources: o.Resources}))
			},
			"Coefs and Order": func() float64 { return ordered(ctx) },
			"Move":            func() float64 { return of(reduce.Move(ctx, tiny, nil, smallest)) },
		}
	})
}

func ordered(ctx context.Context) float64 {
	const n = 14
	var k [n * n]float64
	var alpha, order [n]float64
	testutil.Fill(alpha[:], 3)
	for i := range n {
		for j := range n {
			k[i*n+j] = alpha[i] * alpha[j]
		}
	}
	o, err := reduce.Order(ctx, k[:], n, 0.1, 0, 1)
	if err != nil {
		panic(err)
	}
	for i, j := range o {
		order[i] = float64(j)
	}
	coef, err := reduce.Coefs(ctx, k[:], n, 0.1, alpha[:], []int{1, 4, 6, 9}, 1)
	if err != nil {
		panic(err)
	}
	return testutil.WeightedSum(order[:]) + testutil.WeightedSum(coef)
}
