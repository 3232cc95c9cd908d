package greedy

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/learntest"
	"github.com/sparsekm/sparsekm/internal/testing/ref/lssvm"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// The fit of all samples is that of the normal equations taken literally and that of the fit for every
// C, for kernels from nearly constant to nearly the identity, all C, sizes around those of the blocks, equal
// weights other than 1, and the same for any number of threads.
func TestFullIsTheFit(t *testing.T) {
	for _, n := range []int{2, 3, 31, 32, 33, 65, 150} {
		for _, gamma := range []float64{0.05, 0.5, 20} {
			p := learntest.Clouds(70, n, 6)
			p.Kernel = gram.RBF(gamma)
			p.Weight = slices.Repeat([]float64{2.5}, n)
			k := learntest.KernelMatrix(p)
			testutil.EachLevel(t, func(t *testing.T) {
				s, err := Cholesky{Eta: 1e-10}.Select(context.Background(), p)
				if err != nil || len(s.Support) != n {
					t.Fatalf("n=%d: %d support vectors, error %v", n, len(s.Support), err)
				}
				for _, c := range []float64{1e-3, 1, 1e3, 1e6} {
					name := fmt.Sprintf("n=%d gamma=%v c=%v", n, gamma, c)
					r := trained(t, p, c, 1)
					if r.Report.Figures != nil {
						t.Errorf("%s: figures", name)
					}
					testutil.AtMost(t, name+" residual", *r.Report.Residual, 1e-11)
					testutil.AtMost(t, name+" residual, written out", lssvm.NormalResidual(
						k, p.Y, p.Weight, r.Support, r.Coef, r.Bias, 0, 1/c, true), 1e-11)
					want := s.Solve(n, c)
					testutil.NearAll(t, name, learntest.Decide(p, &r.Expansion, p.X, n),
						learntest.Decide(p, &want, p.X, n), 1e-6)
					if again := trained(t, p, c, 3); !slices.Equal(again.Coef, r.Coef) || again.Bias != r.Bias {
						t.Errorf("%s: other bits with three threads", name)
					}
				}
			})
		}
	}
}

func trained(t *testing.T, p *learn.Problem, c float64, threads int) *learn.Result {
	t.Helper()
	q := *p
	q.Threads = threads
	r, err := Cholesky{C: c, Eta: 1e-10}.Train(context.Background(), &q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Wherever the context ends, a training is an error, or a model that is not called optimal.
func TestCholeskyCancelled(t *testing.T) {
	p := learntest.Clouds(71, 120, 6)
	for _, weight := range []float64{1, 2} { // all samples at once; with different weights in the span of L
		p.Weight = slices.Repeat([]float64{1}, p.N)
		p.Weight[0] = weight
		p.Threads = 1
		count := &asked{context.Background(), 1 << 40}
		whole, err := Cholesky{}.Train(count, p)
		if err != nil {
			t.Fatal(err)
		}
		questions := 1<<40 - count.left
		for left := range questions {
			r, ended := Cholesky{}.Train(&asked{context.Background(), left}, p)
			if ended != nil {
				continue
			}
			if r.Report.Status.Limit() && r.Report.Residual == nil && slices.Equal(r.Coef, whole.Coef) {
				testutil.NearRel(t, "objective", r.Report.Objective, whole.Report.Objective, 1e-9)
				continue
			}
			t.Fatalf("after %d questions of %d: %v, residual %v", left, questions, r.Report.Status, r.Report.Residual)
		}
	}
}
