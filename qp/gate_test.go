package qp

import (
	"context"
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

var doorPrograms = flag.Int("doors", 300, "number of programs of each scale whose answers by all doors are compared")

// rescale changes the units of variables and rows by powers of two, or, rounded, by any factors: what that leaves of a
// singular Q may have no optimum.
func rescale(s *testutil.Scale, p *QP, rounded bool) {
	factor := func() float64 {
		if rounded {
			return s.Factor()
		}
		return math.Exp2(math.Round(math.Log2(s.Factor())))
	}
	q, a := p.Q.(*simplex.Dense), p.A.(*simplex.Dense)
	n := len(p.C)
	for j := range n {
		f := factor()
		p.C[j] *= f
		p.Lo[j] /= f
		p.Up[j] /= f
		for i := range n {
			q.Data[i*n+j] *= f
		}
		for k := range n {
			q.Data[j*n+k] *= f
		}
		for i := range p.RowLo {
			a.Data[i*n+j] *= f
		}
	}
	for i := range n {
		for j := range i { // both halves in one order of rounding
			q.Data[j*n+i] = q.Data[i*n+j]
		}
	}
	for i := range p.RowLo {
		f := factor()
		p.RowLo[i] *= f
		p.RowUp[i] *= f
		for j := range n {
			a.Data[i*n+j] *= f
		}
	}
}

// answerOf checks a result, and makes an answer of it.
func answerOf(t *testing.T, seed uint64, door string, p *QP, r *Result) testutil.Answer {
	t.Helper()
	if err := Check(*p, r); err != nil {
		t.Errorf("seed %d, %s: %v: %v", seed, door, r.Status, err)
	}
	a := testutil.Answer{Door: door, Status: r.Status.String(), Decided: r.Status != status.Numerical && !r.Status.Limit()}
	if r.Status == status.Optimal {
		a.Value, a.Tolerance = r.Objective, 1e-7*size(p, p.Q.(*simplex.Dense).Data, r.X)+1e-20
	}
	return a
}

// compareDoors solves a program by every door, also warm from other costs and bounds, and compares the answers, also
// with the right one if that is known.
func compareDoors(t *testing.T, d *testutil.Doors, rng *rand.Rand, seed uint64, p *QP, known ...testutil.Answer) {
	t.Helper()
	ctx := context.Background()
	cold, err := Solve(ctx, *p, Options{})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	s, err := New(*p, Options{})
	if err != nil {
		t.Fatalf("seed %d: New refuses what Solve takes: %v", seed, err)
	}
	var fresh, warm, pooled, back Result
	s.SolveInto(ctx, &fresh)
	other := *p
	other.C, other.Lo, other.RowUp = slices.Clone(p.C), slices.Clone(p.Lo), slices.Clone(p.RowUp)
	for j := range other.C {
		other.C[j] += rng.NormFloat64() * math.Abs(other.C[j])
		if rng.IntN(3) == 0 {
			other.Lo[j] -= math.Abs(other.Lo[j] * rng.Float64())
		}
	}
	for i := range other.RowUp {
		if rng.IntN(3) == 0 {
			other.RowUp[i] += math.Abs(other.RowUp[i] * rng.Float64())
		}
	}
	set := func(p *QP) func(s *Solver) error {
		return func(s *Solver) error {
			return errors.Join(s.SetCost(p.C), s.SetRowBounds(p.RowLo, p.RowUp), s.SetColBounds(p.Lo, p.Up))
		}
	}
	must := func(err error) {
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	must(set(&other)(s))
	s.SolveInto(ctx, &warm)
	pool, err := NewPool(ctx, *p, Options{})
	must(err)
	must(pool.Solve(ctx, set(&other), &pooled))
	changed, err := Solve(ctx, other, Options{})
	must(err)
	d.Compare(t, seed, answerOf(t, seed, "Solve after changes", &other, changed), answerOf(t, seed, "warm", &other, &warm),
		answerOf(t, seed, "Pool", &other, &pooled))
	must(set(p)(s))
	s.SolveInto(ctx, &back)
	d.Compare(t, seed, append(known, answerOf(t, seed, "Solve", p, cold), answerOf(t, seed, "New", p, &fresh),
		answerOf(t, seed, "warm, back", p, &back))...)
}

// TestDoors: whichever way a program is solved, decided answers are the same at every scale. -doors sets their number.
func TestDoors(t *testing.T) {
	testutil.Scales(t, 50, func(t *testing.T, s *testutil.Scale) {
		var d testutil.Doors
		for k := range uint64(*doorPrograms) {
			s.Rand = rand.New(rand.NewPCG(k, uint64(s.Exponent)))
			p := plant(s.Rand)
			rounded := k%2 > 0 && s.Exponent < 8
			rescale(s, &p.qp, rounded)
			var known []testutil.Answer
			if !rounded {
				known = []testutil.Answer{{Door: "planted", Status: p.want.String(), Decided: true}}
				if p.want == status.Optimal {
					known[0].Value = p.objective
				}
			}
			compareDoors(t, &d, s.Rand, k, &p.qp, known...)
		}
		d.AtMost(t, map[string]int{"plain": 1000, "scaled": 500, "nasty": 1}[s.Kind])
	})
}

// TestFaceDoors: the direct methods find the optima of the programs that they solve, at every scale.
func TestFaceDoors(t *testing.T) {
	testutil.Scales(t, 52, func(t *testing.T, s *testutil.Scale) {
		var d testutil.Doors
		for seed := range uint64(100) {
			n := 1 + s.IntN(8)
			z, total := normal(s.Rand, n), s.Factor()
			for j := range z {
				z[j] *= s.Factor()
			}
			unit := simplex.NewDense(n, n, diagonal(constant(n, 1)...))
			p := Projection(z)
			p.Q, p.Lo, p.A = unit, make([]float64, n), simplex.NewDense(1, n, constant(n, 1))
			p.RowLo, p.RowUp = []float64{total}, []float64{total}
			x := slices.Clone(z)
			d.Compare(t, seed, direct(t, seed, &p, x, ProjectSimplex(x, total)), bySolve(t, seed, &p))
			p, x = Projection(z), slices.Clone(z)
			rows := make([]float64, (n-1)*n)
			for j := range n - 1 {
				rows[j*n+j], rows[j*n+j+1] = -1, 1
			}
			p.Q, p.Lo, p.A, p.RowLo = unit, constant(n, -inf), simplex.NewDense(n-1, n, rows), make([]float64, n-1)
			d.Compare(t, seed, direct(t, seed, &p, x, Isotonic(x, nil)), bySolve(t, seed, &p))
		}
		d.AtMost(t, 100)
	})
}

// direct is the answer of a method that finds x.
func direct(t *testing.T, seed uint64, p *QP, x []float64, err error) testutil.Answer {
	t.Helper()
	if err != nil {
		t.Errorf("seed %d: %v", seed, err)
	}
	q := p.Q.(*simplex.Dense).Data
	return testutil.Answer{Door: "direct", Status: status.Optimal.String(), Decided: true, Value: objective(p, q, x),
		Tolerance: 1e-8*size(p, q, x) + 1e-20}
}

func bySolve(t *testing.T, seed uint64, p *QP) testutil.Answer {
	t.Helper()
	r, err := Solve(context.Background(), *p, Options{})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	return answerOf(t, seed, "Solve", p, r)
}

// TestLies plants falsifications at every scale.
func TestLies(t *testing.T) {
	testutil.Scales(t, 51, func(t *testing.T, s *testutil.Scale) {
		for range 200 {
			p := plant(s.Rand).qp
			rescale(s, &p, false)
			r, err := Solve(context.Background(), p, Options{})
			if err != nil {
				t.Fatal(err)
			}
			endless, none, worse := *r, *r, *r
			endless.Status, endless.Ray = status.Unbounded, normal(s.Rand, len(r.X))
			none.Status, none.Farkas = status.Infeasible, normal(s.Rand, len(r.Y))
			lies := map[string]*Result{}
			if r.Status == status.Optimal {
				lies["a random ray"], lies["random multipliers"] = &endless, &none
				if worsen(s.Rand, &p, &worse) {
					lies["a worse x"] = &worse
				}
			}
			testutil.Lies(t, func(r *Result) error { return Check(p, r) }, r, lies)
		}
	})
}

// TestNoiseProvesNothing: the row x ≥ 2 is not contradicted by two others that cancel, and a multiplier of 1e-57.
func TestNoiseProvesNothing(t *testing.T) {
	p := ranged(diagonal(0, 0), []float64{0, 0}, constant(2, -inf), nil, []float64{1, 1, 1, 1, 1, 0, 0, 0}, []float64{0, 0, 2, -1},
		[]float64{inf, 0, inf, inf})
	r, err := Solve(context.Background(), p, Options{})
	if err != nil || r.Status != status.Optimal {
		t.Fatal(r, err)
	}
	lie := *r
	lie.Status, lie.Farkas = status.Infeasible, []float64{1, -1, 1e-57, 0}
	testutil.Lies(t, func(r *Result) error { return Check(p, r) }, r, map[string]*Result{"a tiny multiplier": &lie})
}

// TestUnitsProveNothing: a variable of large terms does not hide that the objective curves along another one.
func TestUnitsProveNothing(t *testing.T) {
	p := ranged(diagonal(1e16, 1e-15), []float64{0, -1e-12}, constant(2, -inf), nil, nil, nil, nil)
	r, err := Solve(context.Background(), p, Options{})
	if err != nil || r.Status != status.Optimal {
		t.Fatal(r, err)
	}
	lie := *r
	lie.Status, lie.Ray = status.Unbounded, []float64{0, 1}
	testutil.Lies(t, func(r *Result) error { return Check(p, r) }, r, map[string]*Result{"a ray that curves": &lie})
}

// ranged makes a program of Q, c and rows by their bounds.
func ranged(q, c, lo, up, a, rowLo, rowUp []float64) QP {
	n := len(c)
	return QP{LP: simplex.LP{C: c, Lo: lo, Up: up, A: simplex.NewDense(len(a)/n, n, a), RowLo: rowLo, RowUp: rowUp},
		Q: simplex.NewDense(n, n, q)}
}

func diagonal(v ...float64) []float64 {
	q := make([]float64, len(v)*len(v))
	for j := range v {
		q[j*len(v)+j] = v[j]
	}
	return q
}

// reports are programs that other solvers were reported to get wrong, and their optimal objectives.
func reports() []testutil.Report[QP] {
	free := func(n int) []float64 { return constant(n, -inf) }
	sums := ranged([]float64{10, 12, -4, 12, 18, -6, -4, -6, 4}, []float64{-8, 0, -200}, free(3), []float64{inf, inf, 25},
		nil, nil, nil)
	sums.Offset = 10016
	return []testutil.Report[QP]{
		{Thread: "qpsolvers#18", Value: 25.481574753937977, Input: ranged(diagonal(constant(6, 5.91249627)...),
			[]float64{-0.37214733, 15.92113921, 15.84163501, 1.2103246, -0.16915788, -1.21201618}, free(6), nil, []float64{
				-1.85864514e-01, -5.49878560e-01, 2.08186925e-01, -7.03941541e-02, -2.40054190e-02, 9.40351703e-17,
				0, 5.48184665e-02, 4.37742048e-02, -1.37938157e-02, -3.65468438e-03, 0,
				0, -0.18543256, -0.14807351, 0.04665987, 0.01236258, 0},
			[]float64{-inf, -inf, 0.03536153}, []float64{-0.0691808, -0.01045375, 0.03536153})},
		{Thread: "qpsolvers#25", Value: 4864900.0 / 9, Input: ranged([]float64{4, 5, 5, 8}, []float64{-3, 2},
			[]float64{300, 0}, []float64{1200, 1500}, []float64{1, 1, 2, 3}, []float64{-inf, 1100}, []float64{2400, inf})},
		{Thread: "qpax#5", Value: -47, Input: ranged([]float64{122, 59, 39, 9, 59, 95, 48, 24, 39, 48, 26, 19, 9, 24, 19, 90},
			[]float64{66, 93, 47, 11}, []float64{-inf, -0.4, -inf, -1}, []float64{inf, inf, 0.5, 1}, nil, nil, nil)},
		{Thread: "hpipm#157", Value: -74.0 / 9, Input: ranged([]float64{1, -1, -1, 2}, []float64{-2, -6}, free(2), nil,
			[]float64{-1, 2, 1, 1}, free(2), []float64{2, 2})},
		{Thread: "numeric#43", Value: 5625, Input: sums},
		{Thread: "eigen-QP#4", Value: -0.5, Input: ranged(diagonal(2, 2), []float64{1, -1}, free(2), nil,
			make([]float64, 4), free(2), []float64{1, 1})},
		{Thread: "proxsuite#113", Value: -30.0 / 13, Input: ranged([]float64{65, -22, -16, -22, 14, 7, -16, 7, 5},
			[]float64{-13, 15, 7}, free(3), nil, []float64{1, 2, 1, 2, 0, 1, -1, 2, -1, 1, 1, 1},
			[]float64{-inf, -inf, -inf, 1}, []float64{3, 2, -2, 1})},
		{Thread: "osqp#10", Input: ranged(diagonal(1, 1, 1, 1), constant(4, -1), constant(4, 2), nil, nil, nil, nil)},
		{Thread: "osqp-r#22", Value: 0.9475, Input: ranged(diagonal(1, 1, 1), []float64{0, 1, 1}, free(3), nil,
			[]float64{1, 1, 1, 1, 0, 0, 0, 1, 1}, []float64{1.2, 0, 0.7}, []float64{2, 0.8, 0.7})},
		{Thread: "pounce#324", Value: -5e9, Input: ranged(diagonal(1e-10, 1e10), []float64{-1, -1}, free(2), nil, nil, nil, nil)},
		{Thread: "pounce#112", Error: "semidefinite", Input: ranged(diagonal(1, -1), []float64{0, 0}, free(2), nil, nil, nil, nil)},
		{Thread: "pounce#313", Value: -6.75, Input: ranged(diagonal(1, 1, 1), []float64{-1, -2, -3}, constant(3, -10),
			constant(3, 10), []float64{1, 1, 0, 2, 2, 0}, []float64{2, 4}, []float64{2, 4})},
		{Thread: "quadprogpp#8", Value: -16652.386631501893, Input: ranged([]float64{281185.204002431, -92893.8557890011,
			-60253.5974698126, -92893.8557890011, 76702.9901253211, -29939.5787486647, -60253.5974698126, -29939.5787486647,
			66906.8909868694}, []float64{3904.83151316259, 37825.1061016761, -43208.6624650392}, nil, nil,
			[]float64{1, 1, 1}, []float64{1}, []float64{1})},
	}
}

// TestReports gives them to Solve, and what it leaves undecided, such as multipliers of 1e10, to Prove.
func TestReports(t *testing.T) {
	testutil.Reports(t, reports(), func(p QP) (float64, error) {
		ctx := context.Background()
		r, err := Solve(ctx, p, Options{})
		if err == nil {
			err = Check(p, r)
		}
		if err != nil {
			return math.NaN(), err
		}
		if r.Status == status.Optimal {
			return r.Objective, nil
		}
		proof, err := Prove(ctx, p, r, 0)
		if err != nil || proof.Objective == nil {
			return math.NaN(), err
		}
		value, _ := proof.Objective.Float64()
		return value, nil
	})
}
