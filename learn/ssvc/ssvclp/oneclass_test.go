package ssvclp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// blobs is n samples around two places, without targets.
func blobs(seed uint64, n int) *learn.Problem {
	rng := rand.New(rand.NewPCG(seed, 3))
	p := &learn.Problem{N: n, D: 2, Task: learn.OneClass, Kernel: gram.RBF(0.5), Resources: learn.Resources{Threads: 1}}
	for i := range n {
		p.X = append(p.X, float64(6*(i%2))+rng.NormFloat64(), rng.NormFloat64())
	}
	return p
}

// TestOneClass: few vectors cover the samples, at most the share ν is outside and one sample more would be more; what
// is far away is outside too.
func TestOneClass(t *testing.T) {
	p := blobs(1, 200)
	for _, nu := range []float64{0.01, 0.1, 0.5, 1} {
		tr := OneClass{Nu: nu}
		r := ref.Train(t, tr, p)
		judge(t, fmt.Sprintf("ν = %v", nu), tr, p, r)
		out := 0
		for _, f := range ref.Decisions(p, r) {
			if f < 0 {
				out++
			}
		}
		if want := int(math.Round(200 * nu)); nu < 1 && out != want || nu == 1 && out != 199 || len(r.Support) > 20 {
			t.Errorf("ν = %v: %d vectors, %d of 200 samples outside", nu, len(r.Support), out)
		}
		for _, f := range ref.Decide(p, &r.Expansion, []float64{20, 20, 3, -9}, 2) {
			if !(f < 0) {
				t.Errorf("ν = %v: a sample far away has %v", nu, f)
			}
		}
	}
}

// TestOneClassTwin holds the first program against the textbook's simplex method: α = a⁺ − a⁻, all rows, exact
// fractions.
func TestOneClassTwin(t *testing.T) {
	p := blobs(2, 6)
	k := ref.KernelMatrix(p)
	const c, n = 0.4, 6
	cost := slices.Concat(slices.Repeat([]float64{1}, 2*n), slices.Repeat([]float64{c}, n))
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, 3*n)
		for j, v := range k[i] {
			rows[i][j], rows[i][n+j] = v, -v
		}
		rows[i][2*n+i] = 1
	}
	infinite := slices.Repeat([]float64{math.Inf(1)}, 3*n)
	how, value, _ := ref.LPSolve(cost, rows, slices.Repeat([]float64{1}, n), infinite[:n], make([]float64, 3*n), infinite)
	r := ref.Train(t, OneClass{C: c, MaxIter: 1}, p)
	if how != ref.LPOptimal {
		t.Fatalf("the literal program: %v", how)
	}
	testutil.NearRel(t, "first optimum", r.Report.Rounds[0].Objective, value, 1e-9)
}

// TestOneClassEdges: one sample, samples all the same, weights as copies, a C that is too small, and other tasks.
func TestOneClassEdges(t *testing.T) {
	one := &learn.Problem{X: []float64{3, 4}, N: 1, D: 2, Task: learn.OneClass, Kernel: gram.RBF(1)}
	same := &learn.Problem{X: slices.Repeat([]float64{3, 4}, 9), N: 9, D: 2, Task: learn.OneClass, Kernel: gram.RBF(1)}
	for _, p := range []*learn.Problem{one, same} {
		tr := OneClass{C: 10}
		r := ref.Train(t, tr, p)
		judge(t, "one place", tr, p, r)
		if f := ref.Decisions(p, r)[0]; len(r.Support) != 1 || !(f > 0) {
			t.Errorf("%d samples: %d vectors, value %v", p.N, len(r.Support), f)
		}
	}
	p := blobs(3, 40)
	copies, weighted := *p, *p
	copies.X, copies.N = slices.Concat(p.X, p.X[:20]), 50
	weighted.Weight = slices.Concat(slices.Repeat([]float64{2}, 10), ref.Ones(30))
	a, b := ref.Train(t, OneClass{Nu: 0.2}, &copies), ref.Train(t, OneClass{Nu: 0.2}, &weighted)
	testutil.NearRel(t, "objective of copies and of weights", a.Report.Objective, b.Report.Objective, 1e-8)
	testutil.NearRel(t, "threshold of copies and of weights", a.Bias, b.Bias, 1e-6)
	if r := ref.Train(t, OneClass{C: 1e-4}, p); len(r.Support) != 0 || r.Report.Status != status.FixedPoint {
		t.Errorf("C = 1e-4: %d vectors, %v", len(r.Support), r.Report.Status)
	}
	if _, err := (OneClass{}).Train(t.Context(), ref.Ripley(t)); err == nil {
		t.Error("sparse-one-class trains on classes")
	}
	if _, err := (OneClass{Nu: 1.5}).Train(t.Context(), p); err == nil {
		t.Error("ν = 1.5 is taken")
	}
}
