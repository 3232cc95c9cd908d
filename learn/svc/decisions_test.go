package svc

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// hostile is a problem that strains single precision: samples far from the origin or of large norm, near duplicates,
// features of very different sizes, kernels from nearly constant to nearly diagonal.
func hostile(rng *rand.Rand, task learn.Task) *learn.Problem {
	n, d := 40+rng.IntN(500), []int{1, 2, 5, 20, 33, 60, 200}[rng.IntN(7)]
	p := &learn.Problem{Task: task, N: n, D: d, X: make([]float64, n*d), Y: make([]float64, n)}
	size, shift := math.Pow(10, 6*rng.Float64()-3), 0.0
	if rng.IntN(3) == 0 {
		shift = size * math.Pow(10, 4*rng.Float64())
	}
	for i := range p.X {
		p.X[i] = shift + size*rng.NormFloat64()
		if rng.IntN(4*d) == 0 {
			p.X[i] = shift + size*10*rng.NormFloat64()
		}
		if i >= d && rng.IntN(5) == 0 {
			p.X[i] = p.X[i-d] * (1 + 1e-7*rng.NormFloat64())
		}
	}
	for i := range p.Y {
		if p.Y[i] = math.Copysign(1, p.X[i*d]-shift+size*rng.NormFloat64()/3); task == learn.Regress {
			p.Y[i] = math.Sin(3*(p.X[i*d]-shift)/size) + 0.3*rng.NormFloat64()
		}
	}
	if task == learn.Classify {
		p.Y[0], p.Y[n-1] = -1, 1
	}
	if task == learn.OneClass {
		p.Y = nil
	}
	width := math.Pow(10, 5*rng.Float64()-3)
	p.Kernel = gram.RBF(width / (float64(d) * size * size))
	if rng.IntN(4) == 0 {
		p.Kernel = gram.Laplacian(width / (float64(d) * size))
	}
	if d >= 32 && rng.IntN(3) == 0 { // whole numbers
		for i := range p.X {
			p.X[i] = float64(rng.IntN(30))
		}
		p.Kernel = gram.RBF(width / float64(100*d))
	}
	return p
}

// TestDecisions holds what the certificate takes from the solver's gradient against f in double precision of every
// sample: no difference is above the proved bound, and the report is that of all samples, whose terms it has.
func TestDecisions(t *testing.T) {
	problems := 600
	if testing.Short() {
		problems = 60
	}
	rng := rand.New(rand.NewPCG(32, 2))
	var known, largest, closest int
	var worst float64
	for k := range problems {
		task := [...]learn.Task{learn.Classify, learn.Classify, learn.Regress, learn.OneClass}[k%4]
		p, c := hostile(rng, task), math.Pow(10, 8*rng.Float64()-3)
		m := programOf(p, c, []float64{1e-3, 1e-3, 1e-2}[rng.IntN(3)])
		var r run
		if err := solve[float32](t.Context(), m, p, p.Present(), math.Inf(1), &r); err != nil {
			t.Fatal(err)
		}
		where := fmt.Sprintf("problem %d, %v of %d × %d, C = %.3g", k, p.Kernel, p.N, p.D, c)
		bound := r.decisionError()
		e := learn.Result{Expansion: expansion(p.Present(), r.sol), Report: report(r.sol)}
		exact := p.Decisions(t.Context(), &e.Expansion, p.Present())
		if math.IsInf(bound, 1) {
			continue
		}
		known++
		for i, f := range exact {
			off := math.Abs(r.sol.G[i] - r.q.P[i] - r.sol.Rho - f)
			worst = max(worst, off/bound)
			if !(off <= bound) {
				t.Fatalf("%s: f of sample %d is off by %.3g, the bound is %.3g", where, i, off, bound)
			}
		}
		d := doubled{q: r.q, a: r.sol.A, f: exact, exact: make([]bool, p.N), bound: bound}
		if near := len(d.near()); near < p.N {
			largest++
		}
		some := e
		recompute(t.Context(), p, p.Present(), &r, &some)
		part, err := m.result(t.Context(), p, p.Present(), &r)
		if err != nil {
			t.Fatal(err)
		}
		r.bound = nil
		recompute(t.Context(), p, p.Present(), &r, &e)
		closest += sameCertificate(t, where, &some.Report, &e.Report)
		whole, err := m.result(t.Context(), p, p.Present(), &r)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := part.Report.Status, whole.Report.Status; a == status.Optimal && b != a {
			t.Errorf("%s: %v, of all samples %v", where, a, b)
		}
	}
	t.Logf("%d bounds, the largest error is %.2g of its bound; %d trainings without some sample, %d certificates equal",
		known, worst, largest, closest)
	if known < problems/2 || largest < problems/4 {
		t.Errorf("only %d bounds of %d, %d of them leave a sample out", known, problems, largest)
	}
}

// programOf is the program of a task's method.
func programOf(p *learn.Problem, c, tolerance float64) *program {
	switch p.Task {
	case learn.Regress:
		t := SVR{C: c, Epsilon: 0.1}
		return &program{method: t.Name(), c: c, tolerance: tolerance, each: 2, dual: t.dual}
	case learn.OneClass:
		t := OneClass{Nu: 0.2}
		return &program{method: t.Name(), c: 1, nu: t.Nu, tolerance: tolerance, each: 1, dual: t.dual}
	}
	m := Trainer{C: c, Tolerance: tolerance}.program()
	return m
}

// sameCertificate compares two reports; it returns 1 if they have the same bits.
func sameCertificate(t *testing.T, where string, a, b *learn.Report) int {
	t.Helper()
	size := max(1, math.Abs(b.Objective))
	for _, v := range []struct {
		what      string
		got, want float64
	}{
		{"objective", a.Objective, b.Objective},
		{"dual objective", a.Duality.Objective, b.Duality.Objective},
		{"gap", a.Duality.Gap * size, b.Duality.Gap * size},
	} {
		if !(math.Abs(v.got-v.want) <= 1e-9*(size+math.Abs(b.Duality.Objective))) {
			t.Errorf("%s: %s %v, of all samples %v", where, v.what, v.got, v.want)
		}
	}
	if !(math.Abs(a.Duality.KKT-b.Duality.KKT) <= 1e-9*(1+size)) {
		t.Errorf("%s: violation %v, of all samples %v", where, a.Duality.KKT, b.Duality.KKT)
	}
	if a.Objective == b.Objective && *a.Duality == *b.Duality {
		return 1
	}
	return 0
}
