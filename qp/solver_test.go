package qp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// TestEnumerated compares with the best of all active sets.
func TestEnumerated(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 2))
	for k := range 300 {
		n, m := 1+rng.IntN(3), rng.IntN(3)
		p := drawn(rng, n, m)
		for i := range m {
			p.RowLo[i] = p.RowUp[i] - 2*rng.Float64()
		}
		for j := range n {
			p.Lo[j] = rng.NormFloat64()
			p.Up[j] = p.Lo[j] + rng.Float64()
		}
		want := enumerated(&p)
		r, err := Solve(context.Background(), p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := Check(p, r); err != nil {
			t.Errorf("program %d: %v", k, err)
		}
		if math.IsInf(want, 1) != (r.Status == status.Infeasible) {
			t.Errorf("program %d: %v, the enumeration says %v", k, r.Status, want)
		} else if r.Status == status.Optimal && !testutil.Within(r.Objective, want, 1e-9) {
			t.Errorf("program %d: objective %v, want %v", k, r.Objective, want)
		}
	}
}

// enumerated is the least objective of the feasible solutions of all equality-constrained programs.
func enumerated(p *QP) float64 {
	q, a := p.Q.(*simplex.Dense), p.A.(*simplex.Dense)
	m, n := a.Dims()
	best := inf
	sets := int(math.Pow(3, float64(m+n)))
	for set := range sets {
		var system [][]float64 // of x, then multipliers
		for i := range n {
			system = append(system, append(append(make([]float64, 0, 2*n+m+1), q.Row(i)...), make([]float64, n+m+1)...))
			system[i][2*n+m] = -p.C[i]
		}
		for c := range m + n {
			row := make([]float64, 2*n+m+1)
			side := set / int(math.Pow(3, float64(c))) % 3
			normalOf, lo, up := make([]float64, n), 0.0, 0.0
			if c < m {
				normalOf, lo, up = a.Row(c), p.RowLo[c], p.RowUp[c]
			} else {
				normalOf[c-m], lo, up = 1, p.Lo[c-m], p.Up[c-m]
			}
			if side == 0 {
				row[n+c] = 1
			} else {
				copy(row, normalOf)
				row[2*n+m] = lo
				if side == 2 {
					row[2*n+m] = up
				}
			}
			for i := range n {
				system[i][n+c] = -normalOf[i]
			}
			system = append(system, row)
		}
		if x := eliminated(system); x != nil && meets(p, x[:n]) {
			best = min(best, objective(p, q.Data, x[:n]))
		}
	}
	return best
}

// eliminated solves a square system by Gauss, nil if it is singular.
func eliminated(s [][]float64) []float64 {
	n := len(s)
	for k := range n {
		largest := k
		for i := k; i < n; i++ {
			if !(math.Abs(s[i][k]) <= math.Abs(s[largest][k])) {
				largest = i
			}
		}
		s[k], s[largest] = s[largest], s[k]
		if !(math.Abs(s[k][k]) > 1e-12) {
			return nil
		}
		for i := range n {
			if f := s[i][k] / s[k][k]; i != k && f != 0 {
				for j := k; j <= n; j++ {
					s[i][j] -= f * s[k][j]
				}
			}
		}
	}
	x := make([]float64, n)
	for k := range x {
		x[k] = s[k][n] / s[k][k]
	}
	return x
}

// meets reports whether x is feasible.
func meets(p *QP, x []float64) bool {
	const slack = 1e-10
	for j, v := range x {
		if v < p.Lo[j]-slack || v > p.Up[j]+slack {
			return false
		}
	}
	for i := range p.RowLo {
		v := plainDot(p.A.(*simplex.Dense).Row(i), x)
		if v < p.RowLo[i]-slack || v > p.RowUp[i]+slack {
			return false
		}
	}
	return true
}

// TestMemory solves programs of all shapes one after the other, each in the memory of those before, and wants the bits
// of a solver with memory of its own.
func TestMemory(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 12))
	for k := range 500 {
		p := plant(rng).qp
		if k%10 == 0 {
			p = drawn(rng, 1+rng.IntN(90), rng.IntN(50))
		}
		got, err := Solve(context.Background(), p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := New(p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var want Result
		if s.SolveInto(context.Background(), &want); !reflect.DeepEqual(got.X, want.X) || got.Iterations != want.Iterations {
			t.Errorf("program %d: %v after %d, want %v after %d", k, got.X, got.Iterations, want.X, want.Iterations)
		}
	}
}

// TestNoAllocation wants none in any warm solve, whatever changed and however it ends.
func TestNoAllocation(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(34, seed))
		p := drawn(rng, 20, 30)
		if seed%2 == 1 { // semidefinite
			q := p.Q.(*simplex.Dense).Data
			for j := range 20 {
				q[j], q[j*20] = 0, 0
			}
		}
		s, err := New(p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var r Result
		s.SolveInto(ctx, &r)
		costs, lo, up := normal(rng, 20), constant(20, -0.5), constant(20, 0.5)
		low, impossible := constant(30, -1), constant(30, -inf)
		impossible[3], impossible[4] = 30, 30
		step := func(what string, change func() error, want ...status.Status) {
			t.Helper()
			run := func() {
				if err := change(); err != nil {
					t.Fatal(err)
				}
				s.SolveInto(ctx, &r)
			}
			run()
			ok := false
			for _, w := range want {
				ok = ok || r.Status == w
			}
			if n := testing.AllocsPerRun(5, run); n != 0 || !ok {
				t.Errorf("seed %d, %s: %v allocations, %v", seed, what, n, r.Status)
			}
		}
		step("costs", func() error { return s.SetCost(costs) }, status.Optimal, status.Unbounded)
		step("bounds", func() error { return s.SetColBounds(lo, up) }, status.Optimal)
		p.RowUp = constant(30, 31)
		step("rows", func() error { return s.SetRowBounds(low, p.RowUp) }, status.Optimal)
		step("impossible", func() error { return s.SetRowBounds(impossible, p.RowUp) }, status.Infeasible)
		step("possible", func() error { return s.SetRowBounds(low, p.RowUp) }, status.Optimal)
		step("cold", func() error { s.Cold(); return nil }, status.Optimal)
	}
}

// TestUnbounded wants rays: along a direction without curvature, and of a linear program.
func TestUnbounded(t *testing.T) {
	p := QP{Q: simplex.NewDense(2, 2, []float64{1, -1, -1, 1})}
	p.C, p.Lo = []float64{-1, -1}, []float64{-inf, -inf}
	r, err := Solve(context.Background(), p, Options{})
	if err != nil || r.Status != status.Unbounded {
		t.Fatalf("%v, %v", r, err)
	}
	if err = Check(p, r); err != nil || !testutil.Within(r.Ray[0], r.Ray[1], 1e-9) {
		t.Errorf("%v, %v", r.Ray, err)
	}
	p.Q = nil
	p.A, p.RowLo, p.RowUp = simplex.NewDense(1, 2, []float64{1, -2}), []float64{-1}, []float64{1}
	if r, err = Solve(context.Background(), p, Options{}); err != nil || r.Status != status.Unbounded {
		t.Fatalf("%v, %v", r, err)
	}
	if err := Check(p, r); err != nil {
		t.Error(err)
	}
	r.Ray[0]++
	if err := Check(p, r); !errors.Is(err, ErrCertificate) {
		t.Errorf("another ray: %v", err)
	}
}

// TestLimits ends solves early: by iterations, by a context.
func TestLimits(t *testing.T) {
	p := drawn(rand.New(rand.NewPCG(1, 1)), 30, 60)
	r, err := Solve(context.Background(), p, Options{MaxIter: 3})
	if err != nil || r.Status != status.IterationLimit || r.Iterations != 3 {
		t.Errorf("%v after %d, %v", r.Status, r.Iterations, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err = Solve(ctx, p, Options{}); err != nil || r.Status != status.Cancelled {
		t.Errorf("%v, %v", r.Status, err)
	}
}

// TestRefusals wants errors that name what is wrong.
func TestRefusals(t *testing.T) {
	nan := math.NaN()
	two := func(change func(p *QP)) QP {
		p := QP{Q: simplex.NewDense(2, 2, []float64{2, 1, 1, 2})}
		p.C, p.A, p.RowUp = []float64{1, 1}, simplex.NewDense(1, 2, []float64{1, 1}), []float64{1}
		change(&p)
		return p
	}
	for want, p := range map[string]QP{
		"Q is 1×1 for 2 variables":                    two(func(p *QP) { p.Q = simplex.NewDense(1, 1, []float64{1}) }),
		"not symmetric: entry (1, 0) is 1, entry (0,": two(func(p *QP) { p.Q.(*simplex.Dense).Data[1] = 1.5 }),
		"entry (1, 0) of Q is NaN":                    two(func(p *QP) { p.Q.(*simplex.Dense).Data[2] = nan }),
		"entry (1, 1) is -1":                          two(func(p *QP) { p.Q.(*simplex.Dense).Data[3] = -1 }),
		"pivot of variable 1":                         two(func(p *QP) { p.Q = simplex.NewDense(2, 2, []float64{1, 2, 2, 1}) }),
		"Q has 3 values":                              two(func(p *QP) { p.Q.(*simplex.Dense).Data = make([]float64, 3) }),
		"2 columns":                                   two(func(p *QP) { p.C = []float64{1} }),
		"column 1":                                    two(func(p *QP) { p.C[1] = inf }),
		"row 0":                                       two(func(p *QP) { p.RowLo, p.RowUp = []float64{inf}, []float64{inf} }),
		"row 0, column 1 is":                          two(func(p *QP) { p.A.(*simplex.Dense).Data[1] = nan }),
	} {
		_, err := New(p, Options{})
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("found %v, want %q", err, want)
		}
	}
	s, err := New(two(func(*QP) {}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for want, err := range map[string]error{
		"1 costs for 2":            s.SetCost([]float64{1}),
		"cost of variable 1 is":    s.SetCost([]float64{1, nan}),
		"bounds of variable 0 are": s.SetColBounds([]float64{inf, 0}, []float64{1, 1}),
		"bounds of row 0 are":      s.SetRowBounds([]float64{nan}, []float64{1}),
		"1 lower and 0 upper":      s.SetRowBounds([]float64{1}, nil),
	} {
		if !errors.Is(err, ErrInvalid) || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("found %v, want %q", err, want)
		}
	}
	if _, err := New(QP{}, Options{Tolerance: nan}); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
}

// TestEmpty solves programs without variables or rows.
func TestEmpty(t *testing.T) {
	r, err := Solve(context.Background(), QP{}, Options{})
	if err != nil || r.Status != status.Optimal || r.Objective != 0 {
		t.Errorf("%v, %v", r, err)
	}
	none := QP{}
	none.A, none.RowLo = simplex.NewDense(1, 0, nil), []float64{1}
	if r, err = Solve(context.Background(), none, Options{}); err != nil || r.Status != status.Infeasible || Check(none, r) != nil {
		t.Errorf("%v, %v", r, err)
	}
}

// TestDirect holds the direct methods against the solver.
func TestDirect(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 3))
	for range 100 {
		n := 1 + rng.IntN(8)
		z := normal(rng, n)
		p := Projection(z)
		p.Lo = make([]float64, n)
		p.A, p.RowLo, p.RowUp = simplex.NewDense(1, n, constant(n, 1)), []float64{2}, []float64{2}
		r, err := Solve(context.Background(), p, Options{})
		if err != nil || r.Status != status.Optimal {
			t.Fatalf("%v, %v", r, err)
		}
		direct := append([]float64(nil), z...)
		if err = ProjectSimplex(direct, 2); err != nil {
			t.Fatal(err)
		}
		testutil.NearAll(t, "projection", direct, r.X, 1e-10)
		p = Projection(z)
		weights := make([]float64, n)
		for j := range weights {
			weights[j] = 0.5 + rng.Float64()
		}
		q, rows := make([]float64, n*n), make([]float64, max(n-1, 0)*n)
		for j, w := range weights {
			q[j*n+j], p.C[j] = w, -w*z[j]
			if j > 0 {
				rows[(j-1)*n+j-1], rows[(j-1)*n+j] = -1, 1
			}
		}
		p.Q, p.A, p.RowLo = simplex.NewDense(n, n, q), simplex.NewDense(n-1, n, rows), make([]float64, n-1)
		if r, err = Solve(context.Background(), p, Options{}); err != nil || r.Status != status.Optimal {
			t.Fatalf("%v, %v", r, err)
		}
		if err := Isotonic(z, weights); err != nil {
			t.Fatal(err)
		}
		testutil.NearAll(t, "isotonic fit", z, r.X, 1e-10)
	}
	for _, err := range []error{ProjectSimplex(nil, 1), ProjectSimplex([]float64{math.NaN()}, 1), ProjectSimplex([]float64{1}, 0),
		Isotonic([]float64{inf}, nil), Isotonic([]float64{1}, []float64{0}), Isotonic([]float64{1}, nil), Isotonic(nil, []float64{1})} {
		if err != nil && !errors.Is(err, ErrInvalid) {
			t.Error(err)
		}
	}
}

// FuzzSolve wants a proof or an honest status of any program.
func FuzzSolve(f *testing.F) {
	f.Add(uint64(1), 1.0, -1.0, 1e10)
	f.Add(uint64(7), 1e-300, 1e300, 0.0)
	f.Fuzz(func(t *testing.T, seed uint64, a, b, c float64) {
		p := plant(rand.New(rand.NewPCG(seed, 1))).qp
		n := len(p.C)
		p.C[int(seed%uint64(n))], p.Lo[0] = a, b
		if rows := p.A.(*simplex.Dense); len(rows.Data) > 0 {
			rows.Data[int(seed%uint64(len(rows.Data)))] = c
		}
		r, err := Solve(context.Background(), p, Options{})
		if err != nil {
			if !errors.Is(err, ErrInvalid) {
				t.Fatal(err)
			}
			return
		}
		if err := Check(p, r); err != nil {
			t.Fatalf("%v: %v", r.Status, err)
		}
	})
}
