package svc

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
	"github.com/sparsekm/sparsekm/status"
)

// asShared is a problem whose samples are a shared set of so many bytes.
func asShared(p *learn.Problem, bytes int64) *learn.Problem {
	q := *p
	q.Shared = &learn.SharedSet{Bytes: bytes}
	return &q
}

// TestDecideAll holds decision values of all samples against a model that was trained on the rows alone: with and
// without a start, with weights, with repeated samples, in either precision, whatever was trained before.
func TestDecideAll(t *testing.T) {
	x, y := overlapping(400)
	copy(x[20:40], x[:20]) // ten repetitions
	y[10], y[11] = y[0], -y[1]
	for _, weighted := range []bool{false, true} {
		p := &learn.Problem{X: x, N: 400, D: 2, Y: y, Kernel: gram.RBF(0.7)}
		if weighted {
			for i := range p.N {
				p.Weight = append(p.Weight, float64(i%4+1)/2)
			}
		}
		all, of := asShared(p, 1<<30), deal.All(p.N)
		for _, c := range []float64{1e4, 0.1, 3} { // the largest needs double precision
			for fold := range 3 {
				part := &learn.Problem{D: p.D, Kernel: p.Kernel}
				var rows []int
				for i := range p.N {
					if i%5 != fold {
						rows = append(rows, i)
						part.Y = append(part.Y, y[i])
					}
				}
				part.X, part.N, part.Weight = p.Samples(rows), len(rows), deal.Pick(p.Weight, rows)
				tr := Trainer{C: c, Tolerance: 1e-5}
				model, err := tr.Train(t.Context(), part)
				if err != nil {
					t.Fatal(err)
				}
				whole := *p
				r := model.Expansion
				r.Support = deal.Pick(rows, r.Support)
				want := whole.Decisions(t.Context(), &r, deal.All(p.N))
				for _, alone := range []bool{false, true} {
					got := tr.DecideAll(t.Context(), all, rows, of, alone)
					again := tr.DecideAll(t.Context(), asShared(p, 1<<30), rows, of, alone)
					if got == nil || again == nil || got.Status != status.Optimal {
						t.Fatalf("C = %g, fold %d: %+v", c, fold, got)
					}
					testutil.NearAll(t, "decisions", got.Values, want, 2e-3)
					testutil.NearAll(t, "decisions after other trainings", got.Values, again.Values, 0)
					testutil.Near(t, "vectors", float64(count(got.Used)), float64(len(model.Support)), 2)
				}
			}
		}
	}
}

// TestDecideAllNot: where it does not do, the caller's own training says what is wrong.
func TestDecideAllNot(t *testing.T) {
	x, y := overlapping(60)
	p := &learn.Problem{X: x, N: 60, D: 2, Y: y, Kernel: gram.RBF(0.7)}
	linear, bad := *p, *p
	linear.Kernel, bad.Kernel = gram.Linear(), gram.RBF(math.Inf(1))
	var one []int
	for i := 0; i < p.N; i += 2 {
		one = append(one, i)
	}
	for name, d := range map[string]*learn.Decided{
		"nothing shared": Trainer{}.DecideAll(t.Context(), p, deal.All(60), deal.All(60), true),
		"no room":        Trainer{}.DecideAll(t.Context(), asShared(p, 100), deal.All(60), deal.All(60), true),
		"one label":      Trainer{}.DecideAll(t.Context(), asShared(p, 1<<30), one, deal.All(60), true),
		"linear":         Trainer{}.DecideAll(t.Context(), asShared(&linear, 1<<30), deal.All(60), deal.All(60), true),
		"no kernel":      Trainer{}.DecideAll(t.Context(), asShared(&bad, 1<<30), deal.All(60), deal.All(60), true),
		"no share":       NuSVC{Nu: 0.9}.DecideAll(t.Context(), asShared(p, 1<<30), append(one, 1), deal.All(60), true),
		"C":              Trainer{C: -1}.DecideAll(t.Context(), asShared(p, 1<<30), deal.All(60), deal.All(60), true),
	} {
		if d != nil {
			t.Errorf("%s: %v", name, d.Status)
		}
	}
	if d := (Trainer{C: 100, MaxIter: 3}).DecideAll(t.Context(), asShared(p, 1<<30), deal.All(60), deal.All(60), true); d == nil ||
		d.Status != status.IterationLimit {
		t.Errorf("a limit of steps: %+v", d)
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

// TestDecideAllMethods holds random problems of every method and of pairs of classes against models of the rows alone:
// they decide alike, but for the tolerance, and find the same support vectors, but for those at its edge.
func TestDecideAllMethods(t *testing.T) {
	compared := 0
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 2))
		n, d := rapid.IntRange(20, 90).Draw(rt, "samples"), rapid.IntRange(1, 4).Draw(rt, "features")
		p := &learn.Problem{N: n, D: d, Kernel: gram.RBF(math.Exp(rng.NormFloat64()))}
		for range n * d {
			p.X = append(p.X, rng.NormFloat64())
		}
		c, tolerance := math.Exp(2*rng.NormFloat64()), []float64{1e-3, 1e-6}[rng.IntN(2)]
		tr := []learn.Deciding{
			Trainer{C: c, Tolerance: tolerance}, NuSVC{Nu: 0.1 + rng.Float64()/4, Tolerance: tolerance},
			SVR{C: c, Epsilon: 0.2 * rng.Float64(), Tolerance: tolerance}, NuSVR{C: c, Nu: 0.1 + rng.Float64()/2, Tolerance: tolerance},
		}[rapid.IntRange(0, 3).Draw(rt, "method")]
		if m, _ := learn.Lookup(tr.Name()); m.Takes(learn.Regress) {
			p.Task = learn.Regress
		}
		var of, rows []int
		for i := range n {
			y := math.Sin(p.X[i*d]) + 0.1*rng.NormFloat64()
			if p.Task == learn.Classify {
				y = math.Copysign(1, y+0.4*rng.NormFloat64())
			}
			p.Y = append(p.Y, y)
			p.Weight = append(p.Weight, 0.5+rng.Float64())
			if i%7 != 0 || rapid.Bool().Draw(rt, "of all") {
				if of = append(of, i); i%5 != 0 {
					rows = append(rows, i)
				}
			}
		}
		part := &learn.Problem{D: d, N: len(rows), Task: p.Task, Kernel: p.Kernel, X: p.Samples(rows), Y: deal.Pick(p.Y, rows),
			Weight: deal.Pick(p.Weight, rows)}
		model, err := tr.Train(t.Context(), part)
		got := tr.DecideAll(t.Context(), asShared(p, 1<<30), rows, of, rapid.Bool().Draw(rt, "alone"))
		if err != nil || model.Report.Status != status.Optimal {
			return // DecideAll may do without the certificate
		}
		if got == nil || got.Status != status.Optimal || len(got.Values) != n {
			rt.Fatalf("%+v: %+v", tr, got)
		}
		r := model.Expansion
		r.Support = deal.Pick(rows, r.Support)
		_, size := sums(r.Coef)
		effect := math.Sqrt(tolerance * (1 + size)) // half the square of a distance is at most the gap
		for i, want := range p.Decisions(t.Context(), &r, deal.All(n)) {
			if !testutil.Within(got.Values[i], want, effect) {
				rt.Fatalf("%+v: sample %d of %d: %v, want %v", tr, i, n, got.Values[i], want)
			}
		}
		if !testutil.Within(float64(count(got.Used)), float64(len(r.Support)), 2) {
			rt.Fatalf("%+v: %d support vectors, want %d", tr, count(got.Used), len(r.Support))
		}
		compared++
	})
	if compared < 10 { // of 20 or more
		t.Errorf("%d problems compared", compared)
	}
}

func count(marks []bool) (n int) {
	for _, m := range marks {
		if m {
			n++
		}
	}
	return n
}
