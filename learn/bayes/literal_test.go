package bayes

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// weighted is a problem with weights, one of them 0.
func weighted(seed uint64, n int) *learn.Problem {
	p := ref.Clouds(seed, n, 3)
	p.Threads, p.Weight = 1, ref.Ones(n)
	for i := range p.Weight {
		p.Weight[i] = float64(1+i%3) / 2
	}
	p.Weight[n/2] = 0
	return p
}

// written is the task's problem for the literal formulas, of the basis functions at.
func written(t *task, at []int) ref.BayesProblem {
	p := ref.BayesProblem{Phi: make([][]float64, t.n)}
	for i := range t.n {
		for _, j := range at {
			p.Phi[i] = append(p.Phi[i], t.column(j)[i])
		}
		p.Y = append(p.Y, 1)
		p.Weight = append(p.Weight, t.pos[i]+t.neg[i])
		if t.neg[i] > 0 {
			p.Y[i] = -1
		}
	}
	return p
}

// fitted is the posterior of some basis functions with random precisions.
func fitted(t *testing.T, seed uint64, n, m int) (*task, *posterior) {
	task, err := newTask(t.Context(), weighted(seed, n), "rvm", true, 1)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 3))
	q := newPosterior(t.Context(), logistic{task.pos, task.neg}, task.n, task.cols, 1)
	q.basis = append(rng.Perm(task.n)[:m-1], task.n)
	for _, j := range q.basis {
		q.phi = append(q.phi, task.column(j)...)
		q.alpha = append(q.alpha, math.Exp(2*rng.NormFloat64()))
		q.w = append(q.w, 0)
	}
	if err = q.fit(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	return task, q
}

// The mode, Laplace's evidence, the coefficients' variances and the derivatives of the evidence are
// those of the literal formulas.
func TestPosteriorIsLiteral(t *testing.T) {
	for seed := range uint64(4) {
		task, q := fitted(t, seed, 30, 7)
		p := written(task, q.basis)
		testutil.NearAll(t, "mode", q.w, p.Mode(q.alpha), 1e-8)
		testutil.AtMost(t, "gradient", dense.Largest(p.Gradient(q.alpha, q.w)), 1e-8)
		testutil.Near(t, "evidence", q.evidence, p.Evidence(q.alpha), 1e-9)
		variance, c := make([]float64, 7), make([]float64, 7)
		if q.variances(t.Context(), variance) != nil || q.drift(t.Context(), c, make([]float64, q.n)) != nil {
			t.Fatal("an error without a reason")
		}
		for s, a := range q.alpha {
			unit := make([]float64, 7)
			unit[s] = 1
			column := inverse(p.Hessian(q.alpha, p.Curve(q.w)), unit)
			testutil.NearRel(t, "variance", variance[s], column[s], 1e-9)
			got := (1 - a*variance[s] - a*q.w[s]*(q.w[s]-c[s])) / 2
			const h = 1e-4
			up, down := slices.Clone(q.alpha), slices.Clone(q.alpha)
			up[s], down[s] = a*math.Exp(h), a*math.Exp(-h)
			testutil.Near(t, "slope of the evidence", got, (p.Evidence(up)-p.Evidence(down))/(2*h), 1e-6)
		}
	}
}

// The factors S and Q that steps keep up to date are those of the literal formulas at the same curvatures.
func TestFactorsAreLiteral(t *testing.T) {
	for seed := range uint64(3) {
		task, q := fitted(t, seed, 24, 5)
		g := newGaussian(task, 12)
		if err := g.start(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		z := make([]float64, task.n)
		for i, f := range q.f {
			z[i] = f + q.slope[i]/q.curvature[i]
		}
		all := make([]int, task.cols)
		for j := range all {
			all[j] = j
		}
		p := written(task, all)
		look := func(what string) {
			t.Helper()
			s, want := p.Factors(g.basis, g.alpha, q.curvature, z)
			testutil.NearAll(t, what+": S", g.s, s, 1e-8)
			testutil.NearAll(t, what+": Q", g.q, want, 1e-8)
		}
		look("start")
		free := slices.IndexFunc(all, func(j int) bool { return g.place[j] < 0 })
		for _, a := range []action{{add, free, 0.7}, {alter, g.basis[1], 3}, {drop, g.basis[0], 0}, {alter, free, 0.2}} {
			g.take(a)
			look([]string{"add", "alter", "drop"}[a.kind])
		}
		a, gain := g.best(false)
		if gain <= 0 || a.kind == add && g.place[a.j] >= 0 || a.kind != add && g.place[a.j] < 0 {
			t.Errorf("best step %v of gain %v", a, gain)
		}
	}
}

// One step of the sparse probit classifier is the literal formula.
func TestProbitStepIsLiteral(t *testing.T) {
	for seed := range uint64(3) {
		task, err := newTask(t.Context(), weighted(seed, 25), "spc", true, 2)
		if err != nil {
			t.Fatal(err)
		}
		e, err := newEM(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(seed, 9))
		for s := range e.w { // the regression that it begins with is ill conditioned
			e.w[s] = rng.NormFloat64()
		}
		e.evaluate()
		got, err := e.step(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		testutil.NearAll(t, "step", got, written(task, e.basis).ProbitStep(e.w), 1e-8)
	}
}

// ln Φ and its derivative, compared with the values of a table and across the two ways that they are computed.
func TestLogPhi(t *testing.T) {
	for _, c := range []struct{ x, value, slope float64 }{
		{0, math.Log(0.5), 2 / math.Sqrt(2*math.Pi)},
		{-1, -1.8410216450092636, 1.5251352761609812},
		{-5, -15.064998393988725, 5.186503967125842},
		{-10, -53.23128515051247, 10.098093233962512},
		{-40, -804.6084420137539, 40.024968847210886},
	} {
		value, slope := logPhi(c.x)
		testutil.NearRel(t, "value", value, c.value, 1e-13)
		testutil.NearRel(t, "slope", slope, c.slope, 1e-13)
	}
	v0, s0 := logPhi(-6 - 1e-9)
	v1, s1 := logPhi(-6 + 1e-9)
	testutil.Near(t, "values at the join", v1-v0, 2e-9*s0, 1e-12)
	testutil.Near(t, "slopes at the join", s0, s1, 1e-8)
	if v, s := logPhi(-1e200); !(s == 1e200) || !math.IsInf(v, -1) {
		t.Errorf("at -1e200: %v, %v", v, s)
	}
}

// inverse is a⁻¹ times the vector.
func inverse(a [][]float64, unit []float64) []float64 {
	x, _ := ref.LSSVMSolve(a, unit)
	return x
}

// The products of new functions look at the context for each of them; after its end the earlier ones stay.
func TestProductsEnd(t *testing.T) {
	const n, m = 40, 6
	rng := rand.New(rand.NewPCG(3, 4))
	q := &posterior{noise: &normal{weight: ref.Ones(n)}, n: n, phi: make([]float64, m*n)}
	for i := range q.phi {
		q.phi[i] = rng.NormFloat64()
	}
	p := newProducts(m)
	p.to = make([]float64, m*m)
	for s := range m {
		q.basis = append(q.basis, s)
	}
	for looks := range m + 1 {
		ctx := testutil.EndAfter(t.Context(), looks)
		if err := p.gather(ctx, q); err == nil || ctx.Looks() != looks+2 {
			t.Errorf("an end at look %d: %v after %d", looks, err, ctx.Looks())
		}
	}
	if err := p.gather(t.Context(), q); err != nil {
		t.Error(err)
	}
}
