package svc

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
	"github.com/sparsekm/sparsekm/status"
)

// A part trained on what its whole shares has the optimum of the same samples alone, in either precision, with and
// without a start at the whole's solution.
func TestPart(t *testing.T) {
	p := load(t, "../../testdata/ripley.train.libsvm", false, gram.RBF(2))
	for _, c := range []float64{0.1, 10, 1e5} {
		for _, every := range []int{2, 5} {
			var rows []int
			for i := range p.N {
				if i%every != 1 {
					rows = append(rows, i)
				}
			}
			alone := &learn.Problem{X: p.Samples(rows), N: len(rows), D: p.D, Kernel: p.Kernel}
			for _, i := range rows {
				alone.Y = append(alone.Y, p.Y[i])
			}
			part := *alone
			part.Shared = &learn.SharedRows{Of: learn.NewSharedSet(p.X, p.Y, p.N, p.D, 1<<30), Rows: rows}
			tr := Trainer{C: c, Tolerance: 1e-4}
			want, err := tr.Train(t.Context(), alone)
			if err != nil {
				t.Fatal(err)
			}
			got, err := tr.Train(t.Context(), &part)
			if err != nil {
				t.Fatal(err)
			}
			if got.Report.KernelEvals != 0 {
				t.Fatal("the matrix was not shared")
			}
			if !got.Report.Status.Done() {
				t.Errorf("C = %v: %v", c, got.Report.Status)
			}
			testutil.NearRel(t, "dual objective", got.Report.Duality.Objective, want.Report.Duality.Objective, 1e-6)
			testutil.NearRel(t, "primal objective", got.Report.Objective, want.Report.Objective, 1e-3)
			var sum float64
			for s, i := range got.Support {
				sum += got.Coef[s]
				if a := got.Coef[s] * alone.Y[i]; !(a > 0 && a <= c) {
					t.Fatalf("coefficient %v of a sample of class %v", got.Coef[s], alone.Y[i])
				}
			}
			testutil.Near(t, "sum of the coefficients", sum, 0, 1e-9*c)
		}
	}
}

// A part of a set without common labels, such as a pair of classes, has a copy of the shared values, whatever the
// weights of its samples are: some are absent.
func TestPartOfPair(t *testing.T) {
	p := load(t, "../../testdata/ripley.train.libsvm", false, gram.RBF(2))
	set := learn.NewSharedSet(p.X, nil, p.N, p.D, 1<<30)
	var third, stretches []int
	for i := p.N - 1; i >= 0; i -= 3 {
		third = append(third, i)
	}
	for i := range 130 { // the file has one class after the other
		stretches = append(stretches, (150+i)%220)
	}
	for k := range 4 {
		weighted, rows := k%2 == 1, [][]int{third, stretches}[k/2]
		alone := &learn.Problem{D: p.D, Kernel: p.Kernel}
		for _, i := range rows {
			alone.Y = append(alone.Y, p.Y[i])
			if weighted {
				alone.Weight = append(alone.Weight, float64(i%4))
			}
		}
		alone.X, alone.N = p.Samples(rows), len(rows)
		part := *alone
		part.Shared = &learn.SharedRows{Of: set, Rows: rows}
		for _, tolerance := range []float64{1e-3, 1e-6} { // in single and in double precision
			tr := Trainer{C: 100, Tolerance: tolerance}
			want, err := tr.Train(t.Context(), alone)
			if err != nil {
				t.Fatal(err)
			}
			got, err := tr.Train(t.Context(), &part)
			if err != nil {
				t.Fatal(err)
			}
			if got.Report.KernelEvals != 0 || got.Report.Status != want.Report.Status {
				t.Errorf("%d kernel values of its own, %v, want none, %v", got.Report.KernelEvals, got.Report.Status,
					want.Report.Status)
			}
			testutil.NearRel(t, "dual objective", got.Report.Duality.Objective, want.Report.Duality.Objective, tolerance)
		}
	}
}

// What a part finds from seeds that follow one another along C is an optimum, certified by a gradient that began with
// the first of them, and the same whatever was trained before.
func TestPartAlongCosts(t *testing.T) {
	p := load(t, "../../testdata/ripley.train.libsvm", false, gram.RBF(2))
	var rows []int
	for i := range p.N {
		if i%5 != 1 {
			rows = append(rows, i)
		}
	}
	costs := []float64{1e4, 0.1, 0.7, 100, 30}        // the largest needs double precision
	all := append([]float64{1e-200, 1e-18}, costs...) // the gradient has nothing of such multipliers
	train := func(set *learn.SharedSet, c float64) *learn.Result {
		part := &learn.Problem{X: p.Samples(rows), N: len(rows), D: p.D, Kernel: p.Kernel,
			Shared: &learn.SharedRows{Of: set, Rows: rows}}
		for _, i := range rows {
			part.Y = append(part.Y, p.Y[i])
		}
		r, err := Trainer{C: c}.Train(learn.WithDecisions(t.Context()), part)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	set := learn.NewSharedSet(p.X, p.Y, p.N, p.D, 1<<30)
	set.Costs = all
	for _, c := range costs {
		fresh := learn.NewSharedSet(p.X, p.Y, p.N, p.D, 1<<30)
		want := train(fresh, c)
		fresh = learn.NewSharedSet(p.X, p.Y, p.N, p.D, 1<<30)
		fresh.Costs = all
		got, again := train(set, c), train(fresh, c)
		if got.Report.Status != status.Optimal {
			t.Errorf("C = %v: %v", c, got.Report.Status)
		}
		testutil.NearRel(t, "dual objective", got.Report.Duality.Objective, want.Report.Duality.Objective, 1e-4)
		if !slices.Equal(got.Support, again.Support) || !slices.Equal(got.Coef, again.Coef) {
			t.Errorf("C = %v: another model after other trainings", c)
		}
		if got.Decisions == nil {
			continue
		}
		part := &learn.Problem{X: p.Samples(rows), N: len(rows), D: p.D, Kernel: p.Kernel}
		for i, f := range part.Decisions(t.Context(), &got.Expansion, part.Present()) {
			testutil.Near(t, "decision by the gradient", got.Decisions.Values[i], f, got.Decisions.Error)
		}
	}
}

// A start is feasible whatever is left out.
func TestWithout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n, c := rapid.IntRange(1, 60).Draw(t, "pairs"), math.Exp(4*rng.NormFloat64())
		share := rng.Float64()
		a, q := make([]float64, 2*n), &smo.Pair{Lo: make([]float64, 2*n), Hi: make([]float64, 2*n)}
		for i := range n {
			v := c * min(1, 1.5*rng.Float64()*float64(rng.IntN(2)))
			a[2*i], a[2*i+1] = v, -v
			if rng.Float64() < share {
				q.Hi[2*i] = c
			}
			if rng.Float64() < share {
				q.Lo[2*i+1] = -c
			}
		}
		var sum float64
		for i, v := range without(a, q) {
			if !(v >= q.Lo[i] && v <= q.Hi[i]) {
				t.Fatalf("start[%d] = %v is not in [%v, %v]", i, v, q.Lo[i], q.Hi[i])
			}
			sum += v
		}
		if !(math.Abs(sum) <= 1e-12*c*float64(n)) {
			t.Fatalf("the start adds up to %v", sum)
		}
	})
}
