package qp

import (
	"context"
	"errors"
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

var exactPrograms = flag.Int("exact", 400, "number of programs that are compared with exact arithmetic")

// boxed is a program of Q and c within bounds, with these rows at most 1.
func boxed(q, c []float64, lo, up float64, rows ...float64) QP {
	n := len(c)
	p := QP{Q: simplex.NewDense(n, n, q)}
	p.C, p.Lo, p.Up = c, constant(n, lo), constant(n, up)
	m := len(rows) / n
	p.A, p.RowUp = simplex.NewDense(m, n, rows), constant(m, 1)
	return p
}

// chain is scale times the sum of the squares of the differences of neighbours.
func chain(n int, scale float64) []float64 {
	q := make([]float64, n*n)
	for j := range n - 1 {
		q[j*n+j] += scale
		q[(j+1)*n+j+1] += scale
		q[j*n+j+1], q[(j+1)*n+j] = -scale, -scale
	}
	return q
}

// lowRank is LLᵀ for an L of whole numbers of this size.
func lowRank(rng *rand.Rand, n, rank int, size float64) []float64 {
	l := make([]float64, n*rank)
	for i := range l {
		l[i] = math.Round(size * rng.NormFloat64())
	}
	q := make([]float64, n*n)
	for i := range n {
		for j := range n {
			q[i*n+j] = plainDot(l[i*rank:][:rank], l[j*rank:][:rank])
		}
	}
	return q
}

// agrees compares the solver's status and objective with what exact arithmetic proves, and reports whether it decided.
func agrees(t *testing.T, k int, p QP, r *Result) (decided bool) {
	t.Helper()
	if err := Check(p, r); err != nil {
		t.Errorf("program %d: %v: %v", k, r.Status, err)
	}
	proof, err := Prove(context.Background(), p, r, 0)
	if err != nil {
		t.Errorf("program %d: %v, no proof: %v", k, r.Status, err)
		return true
	}
	if r.Status == status.Numerical {
		return false
	}
	if r.Status != proof.Status {
		t.Errorf("program %d: %v, proved as %v: %+v", k, r.Status, proof.Status, r)
		return true
	}
	if proof.Objective == nil {
		return true
	}
	want, _ := proof.Objective.Float64()
	if e := math.Abs(r.Objective - want); !(e <= 2e-9*math.Abs(want)) && !(e <= 1e-12*sizeOfCosts(&p, r.X)) {
		t.Errorf("program %d: objective %v, exactly %v: %+v", k, r.Objective, want, r)
	}
	return true
}

func sizeOfCosts(p *QP, x []float64) (size float64) {
	for j, v := range x {
		size += math.Abs(p.C[j] * v)
	}
	return size
}

// TestPenalties: terms of Q up to 1e14 times the costs hide nothing, cold and warm.
func TestPenalties(t *testing.T) {
	rng := rand.New(rand.NewPCG(50, 1))
	var programs []QP
	for _, m := range []float64{1e4, 1e8, 1e9, 1e10, 1e12} {
		pair := []float64{m, -m, -m, m}
		near := []float64{m + 1, -m, -m, m + 1}
		programs = append(programs, boxed(pair, []float64{-1, -1}, 0, 5), boxed(near, []float64{-1, -1}, 0, 5),
			boxed(pair, []float64{-1, -1}, -inf, inf, 1, 1), boxed(pair, []float64{-1, -1}, 0, inf),
			boxed([]float64{m + 1, 1 - m, 1 - m, m + 1}, []float64{-3, -3}, 0, inf),
			boxed([]float64{m, -m, 0, -m, m, 0, 0, 0, 0}, []float64{0, 0, -1e-3}, 0, 5),
			boxed([]float64{m, m, m, m}, []float64{-m, -m - 1}, 0, 5), boxed(pair, []float64{-1e3, 1e3 - 2}, 0, 5),
			boxed(chain(4, m), constant(4, -1), 0, 5), boxed(chain(20, m), constant(20, -1), 0, 5),
			boxed(lowRank(rng, 8, 3, math.Sqrt(m)), normal(rng, 8), 0, 1, constant(8, 1)...),
			boxed(lowRank(rng, 4, 2, math.Sqrt(m)), normal(rng, 4), -5, 5, normal(rng, 12)...))
	}
	for k, p := range programs {
		s, err := New(p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var r Result
		for range 2 {
			s.SolveInto(context.Background(), &r)
			if !agrees(t, k, p, &r) {
				t.Errorf("program %d: %v", k, r.Status)
			}
			p.C = append([]float64(nil), p.C...)
			for j := range p.C {
				p.C[j] *= 2
			}
			if err := s.SetCost(p.C); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// anyRank draws a program with a Q of any rank and of a size between 1e-6 and 1e12 of the costs, whole numbers, often
// degenerate, with rows twice.
func anyRank(rng *rand.Rand) QP {
	d := &planter{rng, true}
	n, m := 1+rng.IntN(6), rng.IntN(6)
	q := lowRank(rng, n, rng.IntN(n+1), 2)
	scale := math.Exp2(float64(rng.IntN(61) - 20))
	for i := range q {
		q[i] *= scale
	}
	p := QP{Q: simplex.NewDense(n, n, q)}
	a := make([]float64, m*n)
	p.C, p.Lo, p.Up = make([]float64, n), make([]float64, n), make([]float64, n)
	p.RowLo, p.RowUp = make([]float64, m), make([]float64, m)
	var before []float64
	for i := range m {
		d.row(a[i*n:][:n], before)
		before = a[i*n:][:n]
		p.RowLo[i], p.RowUp[i] = d.ends()
	}
	for j := range n {
		p.C[j] = d.number()
		p.Lo[j], p.Up[j] = d.ends()
	}
	p.A = simplex.NewDense(m, n, a)
	return p
}

// TestExact compares programs of all ranks and sizes with exact arithmetic. -exact sets their number.
func TestExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(50, 2))
	decided, statuses := 0, map[status.Status]int{}
	for k := range *exactPrograms {
		p := anyRank(rng)
		r, err := Solve(context.Background(), p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if agrees(t, k, p, r) {
			decided++
		}
		statuses[r.Status]++
	}
	t.Logf("%d of %d are decided: %v", decided, *exactPrograms, statuses)
	if decided*100 < *exactPrograms*99 {
		t.Errorf("%d of %d programs are decided", decided, *exactPrograms)
	}
}

// TestPlantedLies: Check accepts what solvers find, also by its numbers in double precision alone. It refuses an x that
// is worse by a millionth of the objective, and that a program with an optimum is infeasible or unbounded.
func TestPlantedLies(t *testing.T) {
	rng := rand.New(rand.NewPCG(50, 3))
	lies, refused := 0, 0
	for k := range 4 * *exactPrograms {
		p := anyRank(rng)
		r, err := Solve(context.Background(), p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := Check(p, r); err != nil {
			t.Errorf("program %d: %v", k, err)
		}
		if r.Status != status.Optimal {
			continue
		}
		if foreign := *r; k%4 == 0 { // an optimum by its numbers in double precision alone
			foreign.XLow, foreign.YLow = nil, nil
			if err := Check(p, &foreign); err != nil {
				t.Logf("program %d: without low parts: %v", k, err)
				refused++
			}
		}
		endless, none := *r, *r
		endless.Status, endless.Ray = status.Unbounded, normal(rng, len(r.X))
		none.Status, none.Farkas = status.Infeasible, normal(rng, len(r.Y))
		if k%2 == 0 { // what comes near to a proof
			for j := range endless.Ray {
				endless.Ray[j] = rng.NormFloat64() * -p.C[j]
			}
			copy(none.Farkas, r.Y)
		}
		planted := []*Result{&endless, &none}
		if worse := *r; worsen(rng, &p, &worse) {
			planted = append(planted, &worse)
		}
		for _, lie := range planted {
			lies++
			if err := Check(p, lie); !errors.Is(err, ErrCertificate) {
				t.Errorf("program %d: a lie passes as %v: %v: %+v", k, lie.Status, err, lie)
			}
		}
	}
	t.Logf("%d lies, %d optima refused without low parts", lies, refused)
	if refused*1000 > *exactPrograms {
		t.Errorf("%d optima are refused without low parts", refused)
	}
	if lies < 4**exactPrograms {
		t.Errorf("only %d lies", lies)
	}
}

// worsen moves x within the bounds until the objective, or what its terms leave of it, is worse by a millionth, and
// reports whether it could.
func worsen(rng *rand.Rand, p *QP, r *Result) bool {
	n := len(r.X)
	q := p.Q.(*simplex.Dense).Data
	x := append([]float64(nil), r.X...)
	for range 20 {
		copy(x, r.X)
		for j := range x {
			if step := rng.NormFloat64() * math.Exp2(float64(-rng.IntN(40))); rng.IntN(n) == 0 {
				x[j] = max(p.Lo[j], min(p.Up[j], x[j]+step))
			}
		}
		worse := objective(p, q, x)
		ok := worse > r.Objective+max(1e-6*math.Abs(r.Objective), 1e-9*sizeOfCosts(p, x))
		for i := range p.RowLo {
			v := plainDot(p.A.(*simplex.Dense).Row(i), x)
			ok = ok && v >= p.RowLo[i] && v <= p.RowUp[i]
		}
		if ok {
			r.X, r.Objective = x, worse
			return true
		}
	}
	return false
}

// TestOwnTerms: the size of one variable hides no violation of a bound of another.
func TestOwnTerms(t *testing.T) {
	for _, size := range []float64{1e6, 1e10, 1e13, 1e15} {
		for _, smallest := range []float64{1, 1e-3} {
			p := boxed([]float64{1, 0, 0, 1}, []float64{-size, 0}, -inf, inf, 0, 1)
			p.RowLo, p.RowUp = []float64{smallest}, []float64{inf}
			r, err := Solve(context.Background(), p, Options{})
			if err != nil || r.Status != status.Optimal || r.X[0] != size || r.X[1] != smallest {
				t.Errorf("%v, %v: %+v, %v", size, smallest, r, err)
			}
			lie := *r
			lie.X = []float64{size, 0}
			if err = Check(p, &lie); !errors.Is(err, ErrCertificate) {
				t.Errorf("%v, %v: 0 passes: %v", size, smallest, err)
			}
			p.Up[1] = 0
			if r, err = Solve(context.Background(), p, Options{}); err != nil || r.Status != status.Infeasible {
				t.Errorf("%v, %v: %+v, %v", size, smallest, r, err)
			}
		}
	}
}

// TestInfiniteBounds: bounds from 1e20 on are none.
func TestInfiniteBounds(t *testing.T) {
	for _, bound := range []float64{1e20, 1e30, math.MaxFloat64} {
		p := boxed([]float64{0, 0, 0, 1}, []float64{-1, -1}, -bound, bound, 1, 1)
		p.RowUp[0] = bound
		if r, err := Solve(context.Background(), p, Options{}); err != nil || r.Status != status.Unbounded {
			t.Errorf("%v: %+v, %v", bound, r, err)
		}
		s, err := New(boxed([]float64{0, 0, 0, 1}, []float64{-1, -1}, -1, 1, 1, 1), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.SetColBounds(constant(2, -bound), constant(2, bound)),
			s.SetRowBounds([]float64{-bound}, []float64{bound})); err != nil {
			t.Fatal(err)
		}
		var r Result
		if s.SolveInto(context.Background(), &r); r.Status != status.Unbounded {
			t.Errorf("%v, changed: %+v", bound, r)
		}
	}
}

// TestCrossed: bounds that cross make a program infeasible, and others make it feasible again.
func TestCrossed(t *testing.T) {
	p := boxed([]float64{1, 0, 0, 1}, []float64{-1, -1}, 0, 1, 1, 1)
	s, err := New(p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var r Result
	for k, set := range []func() error{
		func() error { return s.SetColBounds([]float64{0, 2}, []float64{1, 1}) },
		func() error { return s.SetColBounds([]float64{0, 0}, []float64{1, 1}) },
		func() error { return s.SetRowBounds([]float64{2}, []float64{1}) },
		func() error { return s.SetRowBounds([]float64{-inf}, []float64{1}) },
	} {
		if err := set(); err != nil {
			t.Fatal(err)
		}
		want := status.Optimal
		if k%2 == 0 {
			want = status.Infeasible
		}
		if s.SolveInto(context.Background(), &r); r.Status != want || k%2 == 1 && !(math.Abs(r.Objective+0.75) <= 1e-15) {
			t.Errorf("change %d: %+v", k, r)
		}
		if want == status.Infeasible && !(s.problem.farkasGap(r.Farkas, 0) > 0) {
			t.Errorf("change %d: %v proves nothing", k, r.Farkas)
		}
	}
}

// TestRoundedQ: a Q that is semidefinite but for the rounding of its entries is solved with a shift, which Check
// refuses of another Q.
func TestRoundedQ(t *testing.T) {
	rng := rand.New(rand.NewPCG(50, 4))
	shifted := 0
	for range 200 {
		n := 4 + rng.IntN(8)
		l := normal(rng, n)
		q := make([]float64, n*n)
		for i := range n {
			for j := range n {
				q[i*n+j] = l[i] * l[j]
			}
		}
		p := boxed(q, make([]float64, n), -inf, inf)
		p.Lo[0], p.Up[n-1] = 1, -2
		r, err := Solve(context.Background(), p, Options{})
		if err != nil || r.Status != status.Optimal || Check(p, r) != nil {
			t.Errorf("%+v, %v, %v", r, err, Check(p, r))
		}
		if r.Shift > 0 {
			shifted++
			p.Q = simplex.NewDense(n, n, lowRank(rng, n, 2, 3))
			if err := Check(p, r); err == nil {
				t.Error("a shift that is not needed passes")
			}
		}
	}
	if shifted == 0 {
		t.Error("no program needed a shift")
	}
}

// TestWide compares doubled precision with big.Float.
func TestWide(t *testing.T) {
	rng := rand.New(rand.NewPCG(50, 5))
	exact := func(v wide) *big.Float {
		return new(big.Float).SetPrec(400).Add(big.NewFloat(v.Hi).SetPrec(400), big.NewFloat(v.Lo))
	}
	wants := func(name string, got wide, want *big.Float) {
		t.Helper()
		e := new(big.Float).Sub(exact(got), want)
		if size := new(big.Float).Mul(big.NewFloat(0x1p-99), new(big.Float).Abs(want)); e.Abs(e).Cmp(size) > 0 {
			t.Errorf("%s: %v, want %v", name, exact(got), want)
		}
	}
	draw := func() wide {
		return wideOf(rng.NormFloat64()*math.Exp2(float64(rng.IntN(80)-40)), 0x1p-53*rng.Float64())
	}
	for range 5000 {
		a, b := draw(), draw()
		x, y := exact(a), exact(b)
		wants("sum", sum(a, b), new(big.Float).SetPrec(400).Add(x, y))
		wants("product", product(a, b), new(big.Float).SetPrec(400).Mul(x, y))
		wants("quotient", quotient(a, b), new(big.Float).SetPrec(400).Quo(x, y))
		if a.Hi > 0 {
			wants("root", root(a), new(big.Float).SetPrec(400).Sqrt(x))
		}
		r := newWideRotation(a, b)
		if r.apply(&a, &b); !(math.Abs(b.Hi) <= 0x1p-98*math.Abs(a.Hi)) {
			t.Errorf("rotation leaves %v of %v", b, a)
		}
	}
}

// TestBound: the exact distance of optima and of worse vectors from the optimum.
func TestBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(50, 7))
	bounds := 0
	for k := range 200 {
		p := anyRank(rng)
		r, err := Solve(context.Background(), p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := p.Bound(context.Background(), r)
		if r.Status != status.Optimal {
			if !errors.Is(err, ErrCertificate) {
				t.Errorf("program %d: %v has the bound %v, %v", k, r.Status, b, err)
			}
			continue
		}
		bounds++
		size := math.Abs(r.Objective) + sizeOfCosts(&p, r.X)
		if err != nil || !(math.Abs(b.Gap) <= 1e-12*(1+size)) || !(b.Violation <= 1e-11) {
			t.Errorf("program %d: %+v, %v", k, b, err)
		}
		worse := *r
		if !worsen(rng, &p, &worse) {
			continue
		}
		by := worse.Objective - r.Objective
		for i, v := range worse.X {
			size += 1e-5 * math.Abs(v) * sizeOfDot(p.Q.(*simplex.Dense).Row(i), worse.X) // whose rounding is in by
		}
		if b, err = p.Bound(context.Background(), &worse); err != nil || !(math.Abs(b.Gap-by) <= 1e-9*(size+by)) {
			t.Errorf("program %d, worse by %v: %+v, %v", k, by, b, err)
		}
	}
	if bounds < 100 {
		t.Errorf("only %d bounds", bounds)
	}
}

// TestDoubledEnds: a solve in doubled precision ends with its context, in its factors too.
func TestDoubledEnds(t *testing.T) {
	s, err := New(drawn(rand.New(rand.NewPCG(50, 8)), 40, 20), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var r Result
	s.SolveInto(context.Background(), &r)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if st := s.inDoubled(ctx, &r); !st.Limit() {
		t.Errorf("%v after its context has ended", st)
	}
	if s.SolveInto(context.Background(), &r); r.Status != status.Optimal {
		t.Errorf("then %v", r.Status)
	}
}
