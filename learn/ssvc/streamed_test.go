package ssvc

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/internal/samples"
	"github.com/sparsekm/sparsekm/smo/boxqp"
	"github.com/sparsekm/sparsekm/status"
)

// streamedOf is a training over 40 candidates of 3000 samples, two of them the same with both labels, whose rows are
// streamed, with room for few.
func streamedOf(t *testing.T, threads int) (*learn.Problem, *quadratic, *streamedPenalty) {
	p := noisy(t, dataset.Twonorm(3000, 4), 0)
	p.Kernel, p.Threads = gram.RBF(0.05), threads
	copy(p.X[:p.D], p.X[p.D:2*p.D])
	p.Y[0], p.Y[1] = 1, -1
	a := A{Subset: learn.Subset{Candidates: 40}}
	if err := learn.Complete(&a); err != nil {
		t.Fatal(err)
	}
	s := samples.Classifier(a.Name(), p, 1)
	v, err := newStreamed(t.Context(), p, s, samples.Choice{Subset: learn.Subset{Candidates: a.Candidates, Choose: a.Choose, Seed: a.Seed}})
	if err != nil {
		t.Fatal(err)
	}
	z := newStreamedPenalty(t.Context(), v, s, 0)
	z.limit = 800 * z.stream.width()
	return p, &quadratic{A: a, Merged: s}, z
}

// A sifted program has the optimum of the whole one, also once columns are gone and others weigh more, and a
// certificate that plain sums of all rows find too.
func TestStreamed(t *testing.T) {
	_, m, z := streamedOf(t, 1)
	kept := z.stream.whole(t.Context(), len(m.Row), math.MaxInt64)
	whole := newDiagonal(t.Context(), slices.Clone(kept), m.Merged, 0)
	testutil.NearAll(t, "reach", z.reach, whole.reach, 1e-9)
	var keep []int
	var alpha, size []float64
	for c := range z.stream.width() {
		if c%3 != 1 {
			keep = append(keep, c)
			alpha = append(alpha, float64(c%5)-2)
			size = append(size, 0.1+float64(c%7))
		}
	}
	for step := range 2 {
		q, r := m.dual(), m.dual()
		q.H = whole.f
		opt := boxqp.Options{Tolerance: 1e-9}
		if step == 1 {
			opt.Exact = true
			var errs [2]error
			q.Image, errs[0] = whole.reweight(t.Context(), keep, alpha, size)
			r.Image, errs[1] = z.reweight(t.Context(), keep, alpha, size)
			testutil.NearAll(t, "image", r.Image, q.Image, 0)
			if errs != [2]error{} {
				t.Fatal(errs)
			}
		}
		want, got := boxqp.Solve(t.Context(), q, opt), z.solve(t.Context(), r, opt)
		if got.Status != status.Optimal || want.Status != status.Optimal {
			t.Fatalf("step %d: %v, %v", step, got.Status, want.Status)
		}
		testutil.NearRel(t, "objective", got.Objective, want.Objective, 1e-7)
		testutil.NearAll(t, "machine", got.U, want.U, 1e-3)
		literally(t, z, got, m.dual(), kept, keep, step)
	}
}

// The gap and the violation of a result count the rows outside whose multipliers are at the wrong bound.
func TestStreamedJudge(t *testing.T) {
	_, m, z := streamedOf(t, 1)
	s := z.program(m.dual(), z.all)
	s.b = slices.Clone(s.q.Lo)
	sol := &boxqp.Result{U: make([]float64, z.stream.width()), Objective: 3, Gap: 0.5, KKT: 0.25}
	g, gap, kkt := make([]float64, len(s.b)), sol.Gap, sol.KKT
	for i := range g {
		g[i] = math.Sin(float64(i))
		switch {
		case i%4 == 0:
			s.inside = append(s.inside, i)
			sol.B = append(sol.B, 0)
			sol.G = append(sol.G, 7)
			continue
		case i%4 < 3:
			s.b[i] = s.q.Hi[i]
		}
		if up := s.b[i] == s.q.Hi[i]; up && g[i] > 0 || !up && g[i] < 0 {
			gap, kkt = gap+math.Abs(g[i])*(s.q.Hi[i]-s.q.Lo[i]), max(kkt, math.Abs(g[i]))
		}
	}
	s.judge(sol, g)
	testutil.NearRel(t, "gap", s.result.Gap, gap, 1e-12)
	testutil.Near(t, "violation", s.result.KKT, kkt, 0)
	testutil.Near(t, "gradient inside", s.result.G[4], 7, 0)
}

// literally compares objective, gap and violation of a result with those of plain loops over all rows, the columns keep
// alone after the first step.
func literally(t *testing.T, z *streamedPenalty, r *boxqp.Result, q *boxqp.Problem, kept []float64, keep []int,
	step int) {
	t.Helper()
	ld := len(kept) / len(q.P)
	if step == 0 {
		keep = deal.All(ld)
	}
	image := make([]float64, len(keep))
	objective, gap, kkt := 0.0, 0.0, 0.0
	for i, b := range r.B {
		g := q.P[i]
		objective += b * q.P[i]
		for k, c := range keep {
			image[k] += b * kept[i*ld+c] * z.scale[k]
			g += r.U[k] * kept[i*ld+c] * z.scale[k]
		}
		testutil.Near(t, "gradient", r.G[i], g, 1e-9)
		switch {
		case g > 0:
			gap += g * (b - q.Lo[i])
		case g < 0:
			gap -= g * (q.Hi[i] - b)
		}
		if g > 0 && b > q.Lo[i] || g < 0 && b < q.Hi[i] {
			kkt = max(kkt, math.Abs(g))
		}
	}
	for k, v := range image {
		objective += v * v / 2
		gap += (v - r.U[k]) * (v - r.U[k]) / 2
	}
	testutil.NearRel(t, "literal objective", r.Objective, objective, 1e-9)
	testutil.Near(t, "literal gap", r.Gap, gap, 1e-8*math.Abs(objective))
	testutil.AtMost(t, "literal violation", kkt, max(r.KKT, 1e-9)*1.001)
}

// A training over streamed rows ends at a fixed point with a certificate, the same for any number of threads.
func TestStreamedTraining(t *testing.T) {
	var first *learn.Result
	for _, threads := range []int{1, 3} {
		p, m, z := streamedOf(t, threads)
		if err := m.rounds(t.Context(), z); err != nil {
			t.Fatal(err)
		}
		r := m.result()
		figures := r.Report.Figures.(Figures)
		if r.Report.Status != status.Optimal || len(r.Support) == 0 {
			t.Fatalf("%v, %d vectors", r.Report.Status, len(r.Support))
		}
		testutil.AtMost(t, "fixed point", figures.Certificate, samples.FixedPoint)
		testutil.AtMost(t, "gap", r.Report.Duality.Gap, samples.OptimalGap)
		reported := r.Report.Objective
		r.Recompute(t.Context(), p, m.size, m.Loss, m.C)
		testutil.NearRel(t, "objective", r.Report.Objective, reported, 1e-9)
		if first == nil {
			first = r
		}
		sameMachine(t, "threads", first, r)
	}
}

// A cancelled program ends with a status and leaves a model that began before alone.
func TestStreamedStops(t *testing.T) {
	_, m, z := streamedOf(t, 2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := z.solve(ctx, m.dual(), boxqp.Options{}); r.Status != status.Cancelled {
		t.Errorf("%v", r.Status)
	}
	if err := m.rounds(ctx, z); err == nil {
		t.Error("no error, and no model")
	}
}
