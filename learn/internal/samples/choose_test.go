package samples

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// TestChoose: candidates are distinct, ascending and among the first samples; far clusters have one each, whatever
// their sizes, and samples of one image have one.
func TestChoose(t *testing.T) {
	const k, clusters = 6, 6
	n := Choice{}.sampled() * k // the sample is all samples
	x := make([]float64, n)
	for i := range x {
		x[i] = 1e-3 * float64(i%7)
		if i%4 == 0 { // four or five samples of each other cluster
			x[i] += 100 * float64(1+i/4%(clusters-1))
		}
	}
	pts := gram.Pack[float64](gram.RBF(1), x, n, 1)
	for seed := range uint64(20) {
		got, met := Choice{Subset: learn.Subset{Candidates: k, Seed: seed}}.Of(pts, n), make(map[int]bool)
		if len(got) != k || !slices.IsSorted(got) {
			t.Fatalf("%d chosen: %v", len(got), got)
		}
		for _, i := range got {
			met[int(x[i]/100)] = true
		}
		if len(met) != clusters {
			t.Errorf("seed %d: %d of %d clusters", seed, len(met), clusters)
		}
	}
	if got := (Choice{Subset: learn.Subset{Candidates: 100, Seed: 1}}).Of(pts, 30); len(got) == 0 || got[len(got)-1] >= 30 {
		t.Errorf("of the first 30: %v", got)
	}
	same := gram.Pack[float64](gram.RBF(1), make([]float64, n), n, 1)
	for _, way := range []string{learn.ChooseSpread, learn.ChoosePivots} {
		if got := (Choice{Subset: learn.Subset{Candidates: 5, Choose: way, Seed: 1}}).Of(same, n); len(got) != 1 {
			t.Errorf("%s: of equal samples: %v", way, got)
		}
	}
}

// TestPivots: each of the samples chosen by Cholesky is the one whose image is farthest from the span of those before,
// what is left of whose square is K_jj − k_jᵀ K⁻¹ k_j.
func TestPivots(t *testing.T) {
	const n, k = 60, 9
	set := dataset.Twonorm(n, 3)
	pts := gram.Pack[float64](gram.RBF(0.02), set.X, n, set.D)
	got := pivots(pts, k)
	gramOf := func(i, j int) float64 {
		return gram.RBF(0.02).Eval(set.X[i*set.D:(i+1)*set.D], set.X[j*set.D:(j+1)*set.D])
	}
	left := func(j int, before []int) float64 {
		m := len(before)
		if m == 0 {
			return gramOf(j, j)
		}
		a, b := mat.NewSymDense(m, nil), mat.NewVecDense(m, nil)
		for r, p := range before {
			b.SetVec(r, gramOf(j, p))
			for c := range r + 1 {
				a.SetSym(r, c, gramOf(p, before[c]))
			}
		}
		var x mat.VecDense
		if err := x.SolveVec(a, b); err != nil {
			t.Fatal(err)
		}
		return gramOf(j, j) - mat.Dot(b, &x)
	}
	for at, i := range got {
		for j := range n {
			testutil.AtMost(t, "what is left of another sample", left(j, got[:at]), left(i, got[:at])+1e-9)
		}
	}
	if len(got) != k {
		t.Errorf("%d pivots", len(got))
	}
}
