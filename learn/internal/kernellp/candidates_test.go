package kernellp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
)

// few is the problem of small with candidates.
func few(tb testing.TB, n, k int, seed uint64, threads int) (*candidates, *learn.Problem) {
	tb.Helper()
	set := dataset.PelegMeir(n, 0.2, seed)
	y, err := set.Signs()
	if err != nil {
		tb.Fatal(err)
	}
	p := &learn.Problem{X: set.X, N: set.N, D: set.D, Y: y, Kernel: gram.RBF(0.5)}
	p.Threads = threads
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	matrix, _, err := RowsOf("test", p, rows, n, samples.Choice{Subset: learn.Subset{Candidates: k, Seed: seed}})
	if err != nil {
		tb.Fatal(err)
	}
	return matrix.(*candidates), p
}

// TestCandidates holds programs over candidates, by sifting and by rows alone, warm over changing costs, against cold
// solves of whole programs.
func TestCandidates(t *testing.T) {
	for name, shape := range map[string]Shape{"free": {}, "onesided": {OneSided: true}} {
		for _, from := range []int{1, 1 << 20} {
			t.Run(fmt.Sprintf("%s from %d", name, from), func(t *testing.T) {
				seeds := uint64(20)
				if testing.Short() {
					seeds = 4
				}
				for seed := range seeds {
					n, k := 60+60*int(seed%5), 10+10*int(seed%3)
					c, problem := few(t, n, k, seed+1, 2)
					rng := rand.New(rand.NewPCG(seed, 7))
					hinge := fill(n, math.Pow(10, float64(seed%4)-1))
					hinge[c.Columns()[0]] = 0 // a vector without a margin
					s := New(c, problem.Y, hinge, shape, Options{Batch: 5, SiftFrom: from})
					for round := range 5 {
						p := Costs{Margin: 1, Coef: fill(n, math.Inf(1)), Bias: float64(seed % 2)}
						for _, j := range c.Columns() {
							if round < 3 || rng.IntN(3) > 0 {
								p.Coef[j] = math.Exp(float64(min(round, 1)) * rng.NormFloat64())
							}
						}
						compare(t, fmt.Sprintf("seed %d round %d", seed, round), s, p)
					}
					if (s.sift != nil) != (from == 1) {
						t.Errorf("seed %d: sifting is %v", seed, s.sift != nil)
					}
				}
			})
		}
	}
}

// TestAddColumns holds sums and blocks against the kernel's formula; they do not depend on the threads.
func TestAddColumns(t *testing.T) {
	const n, k = 3000, 17
	c, p := few(t, n, k, 3, 3)
	one, _ := few(t, n, k, 3, 1)
	rng := rand.New(rand.NewPCG(1, 2))
	idx, coef := rng.Perm(n)[:2500], make([]float64, 2500)
	for r := range coef {
		coef[r] = rng.NormFloat64()
	}
	g, again := fill(n, 0.5), fill(n, 0.5)
	for m, to := range map[*candidates][]float64{c: g, one: again} {
		if err := m.addColumns(context.Background(), to, idx, coef); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(g, again) {
		t.Error("sums depend on the threads")
	}
	at := func(i int) []float64 { return p.X[i*p.D : (i+1)*p.D] }
	block, err := c.Block(context.Background(), c.Columns(), idx)
	if err != nil {
		t.Fatal(err)
	}
	for j, got := range g {
		want, row := 0.5, slices.Index(c.Columns(), j)
		for r, i := range idx {
			if row >= 0 {
				v := p.Kernel.Eval(at(i), at(j))
				want += coef[r] * v
				testutil.Near(t, "a kernel value", block[row][r], v, 1e-13)
			}
		}
		testutil.Near(t, fmt.Sprintf("sum at %d", j), got, want, 1e-11)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := c.addColumns(ctx, g, idx, coef); err == nil || !slices.Equal(g, again) {
		t.Errorf("after the context's end: %v, or sums have changed", err)
	}
	if _, err := c.Block(ctx, c.Columns(), idx); err == nil {
		t.Error("a block after the context's end")
	}
}
