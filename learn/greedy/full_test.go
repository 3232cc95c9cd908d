package greedy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/status"
)

// The fit of all samples is that of the normal equations taken literally and that of the fit for every
// C, for kernels from nearly constant to nearly the identity, all C, sizes around those of the blocks, equal
// weights other than 1, and the same for any number of threads.
func TestFullIsTheFit(t *testing.T) {
	for _, n := range []int{2, 3, 31, 32, 33, 65, 150} {
		for _, gamma := range []float64{0.05, 0.5, 20} {
			p := ref.Clouds(70, n, 6)
			p.Kernel = gram.RBF(gamma)
			p.Weight = slices.Repeat([]float64{2.5}, n)
			k := ref.KernelMatrix(p)
			testutil.EachLevel(t, func(t *testing.T) {
				task, err := samples.NewLeastSquares("lssvm-chol", p)
				if err != nil {
					t.Fatal(err)
				}
				s, err := Cholesky{Eta: 1e-10}.choose(context.Background(), task, 0)
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
					testutil.AtMost(t, name+" residual, written out", ref.LSSVMNormalResidual(
						k, p.Y, p.Weight, r.Support, r.Coef, r.Bias, 0, 1/c, true), 1e-11)
					want := s.Solve(n, c)
					testutil.NearAll(t, name, ref.Decide(p, &r.Expansion, p.X, n),
						ref.Decide(p, &want, p.X, n), 1e-6)
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

// Wherever the context ends after samples were chosen, a training returns the model of the samples that were chosen
// first, or the whole one without its residual. It does not ask a context that has ended for long.
func TestCholeskyCancelled(t *testing.T) {
	p := ref.Clouds(71, 120, 6)
	for _, weight := range []float64{1, 2} { // all samples at once; with different weights in the span of L
		p.Weight = slices.Repeat([]float64{1}, p.N)
		p.Weight[0] = weight
		p.Threads = 1
		all := testutil.EndAfter(context.Background(), 1<<40)
		whole, err := Cholesky{}.Train(all, p)
		if err != nil {
			t.Fatal(err)
		}
		models, short := 0, 0
		for looks := range all.Looks() {
			ctx := testutil.EndAfter(context.Background(), looks)
			r, err := Cholesky{}.Train(ctx, p)
			if err != nil && models == 0 && errors.Is(err, context.Canceled) {
				continue
			}
			if err != nil {
				t.Fatalf("an end at look %d: %v after %d models", looks, err, models)
			}
			models++
			want := whole
			if n := len(r.Support); n < len(whole.Support) {
				short++
				if want, err = (Cholesky{MaxSV: n}).Train(context.Background(), p); err != nil {
					t.Fatal(err)
				}
			}
			if !r.Report.Status.Limit() || r.Report.Residual != nil || !slices.Equal(r.Support, want.Support) {
				t.Fatalf("an end at look %d: %v, %d samples", looks, r.Report.Status, len(r.Support))
			}
			testutil.NearAll(t, "coefficients", r.Coef, want.Coef, 1e-9)
			testutil.NearRel(t, "objective", r.Report.Objective, want.Report.Objective, 1e-9)
			if ctx.Looks() > looks+150 {
				t.Errorf("%d looks after the end", ctx.Looks()-looks)
			}
		}
		if models < all.Looks()/2 || short == 0 {
			t.Errorf("%d models of %d, %d of them short", models, all.Looks(), short)
		}
	}
}

// The model after an end does not depend on when it came, and has as many samples as are fitted soon.
func TestCholeskyEndsShort(t *testing.T) {
	p := ref.Clouds(72, 1500, 6)
	p.Threads = 1
	sizes := map[int]bool{}
	for _, looks := range []int{200, 400, 800} {
		r, err := Cholesky{Eta: 1e-9}.Train(testutil.EndAfter(context.Background(), looks), p)
		if err != nil {
			t.Fatal(err)
		}
		sizes[len(r.Support)] = true
		if n := len(r.Support); n < 300 || n > 450 || r.Report.Status != status.Cancelled || r.Report.Message == "" {
			t.Errorf("an end at look %d: %d samples, %v, %q", looks, n, r.Report.Status, r.Report.Message)
		}
	}
	if len(sizes) != 1 {
		t.Errorf("sizes %v", sizes)
	}
}
