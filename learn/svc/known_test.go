package svc

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// TestKnownDecisions holds the decisions that a training passes on against those of the model in plain loops, within
// their bound, for few and many working sets, costs from small to large, and samples that repeat others or are absent.
func TestKnownDecisions(t *testing.T) {
	ctx := learn.WithDecisions(t.Context())
	for _, c := range []struct{ n, d int }{{60, 2}, {900, 3}, {1500, 40}} {
		for _, cost := range []float64{0.1, 10, 1000} {
			for _, gamma := range []float64{0.02, 2} {
				p := ref.Clouds(uint64(c.n), c.n, c.d)
				p.Kernel = gram.RBF(gamma)
				copy(p.X[3*c.d:4*c.d], p.X[:c.d]) // a place with both labels, and one twice
				copy(p.X[5*c.d:6*c.d], p.X[4*c.d:5*c.d])
				p.Y[3], p.Y[5] = -p.Y[0], p.Y[4]
				p.Weight = slices.Repeat([]float64{1}, c.n)
				p.Weight[7] = 0
				for _, tr := range []learn.Trainer{Trainer{C: cost}, OneClass{Nu: 0.1}} {
					q := *p
					if tr.Name() == "one-class" {
						q.Task, q.Y = learn.OneClass, nil
					}
					t.Run(fmt.Sprintf("%s/%dx%d/%v/%v", tr.Name(), c.n, c.d, cost, gamma), func(t *testing.T) {
						testutil.EachLevel(t, func(t *testing.T) {
							r, err := tr.Train(ctx, &q)
							if err != nil {
								t.Fatal(err)
							}
							compareDecisions(t, &q, r)
						})
					})
				}
			}
		}
	}
}

func compareDecisions(t *testing.T, p *learn.Problem, r *learn.Result) {
	t.Helper()
	known := r.Current()
	if r.Report.Figures.(Figures).KernelBits == 64 {
		if known != nil {
			t.Error("decisions by rows in double precision, whose error has no bound")
		}
		return
	}
	if known == nil || !(known.Error > 0 && known.Error < math.Inf(1)) {
		t.Fatalf("no decisions of a training in single precision, or no bound: %+v", known)
	}
	for i, want := range ref.Decide(p, &r.Expansion, p.X, p.N) {
		got := known.Values[i]
		if p.WeightOf(i) == 0 {
			if !math.IsNaN(got) {
				t.Errorf("sample %d is absent, and has %v", i, got)
			}
		} else if !(math.Abs(got-want) <= known.Error) {
			t.Fatalf("sample %d: %v, the model says %v; bound %.2g", i, got, want, known.Error)
		}
	}
	r.Coef[0] *= 2
	if r.Current() != nil {
		t.Error("decisions of another model")
	}
}

// Nobody gets decisions without asking, or decisions of regressions and ν-SVCs.
func TestKnownDecisionsOnlyWhereAsked(t *testing.T) {
	p := ref.Clouds(1, 100, 2)
	if r := ref.Train(t, Trainer{}, p); r.Decisions != nil {
		t.Error("decisions that nobody asked for")
	}
	r, err := NuSVC{}.Train(learn.WithDecisions(t.Context()), p)
	if err != nil || r.Decisions != nil {
		t.Errorf("decisions of a model between two others, %v", err)
	}
}
