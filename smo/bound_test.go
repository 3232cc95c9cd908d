package smo_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/smo"
	"github.com/sparsekm/sparsekm/smo/boxqp"
)

// exactPair is a program in fractions, nil for bounds that are infinite.
type exactPair struct {
	k         [][]*big.Rat
	p, lo, hi []*big.Rat
	sum       *big.Rat // what the variables must sum up to; nil without an equality
}

func rat(f float64) *big.Rat {
	if math.IsInf(f, 0) {
		return nil
	}
	return new(big.Rat).SetFloat64(f)
}

func rats(f []float64) []*big.Rat {
	r := make([]*big.Rat, len(f))
	for i, v := range f {
		r[i] = rat(v)
	}
	return r
}

func ratDot(x, y []*big.Rat) *big.Rat {
	s := new(big.Rat)
	for i, v := range x {
		s.Add(s, new(big.Rat).Mul(v, y[i]))
	}
	return s
}

// objective returns ½ aᵀKa + pᵀa.
func (q *exactPair) objective(a []*big.Rat) *big.Rat {
	s := ratDot(q.p, a)
	for i, row := range q.k {
		s.Add(s, new(big.Rat).Mul(new(big.Rat).Mul(big.NewRat(1, 2), a[i]), ratDot(row, a)))
	}
	return s
}

// dual returns −½ aᵀKa + Σ min{u (Ka + p − ρ)_i : lo_i ≤ u ≤ hi_i} + ρ·sum.
func (q *exactPair) dual(a []*big.Rat, rho *big.Rat) *big.Rat {
	s := new(big.Rat)
	if q.sum != nil {
		s.Mul(rho, q.sum)
	}
	for i, row := range q.k {
		g := ratDot(row, a)
		s.Sub(s, new(big.Rat).Mul(new(big.Rat).Mul(big.NewRat(1, 2), a[i]), g))
		g.Add(g, q.p[i])
		g.Sub(g, rho)
		low, high := new(big.Rat).Mul(g, q.lo[i]), new(big.Rat).Mul(g, q.hi[i])
		if high.Cmp(low) < 0 {
			low = high
		}
		s.Add(s, low)
	}
	return s
}

// inside returns a moved into the box, and by how much all variables moved.
func (q *exactPair) inside(a []*big.Rat) (moved []*big.Rat, shift *big.Rat) {
	shift = new(big.Rat)
	for i, v := range a {
		to := v
		if to.Cmp(q.lo[i]) < 0 {
			to = q.lo[i]
		}
		if to.Cmp(q.hi[i]) > 0 {
			to = q.hi[i]
		}
		moved = append(moved, to)
		step := new(big.Rat).Sub(to, v)
		shift.Add(shift, step.Abs(step))
	}
	return moved, shift
}

// gaps returns the gap for each variable that alone makes a feasible by a move, and how far the sum was from what it
// must be.
func (q *exactPair) gaps(a []*big.Rat, rho *big.Rat) (all []*big.Rat, excess *big.Rat) {
	dual := q.dual(a, rho)
	gap := func(x []*big.Rat) *big.Rat { return new(big.Rat).Sub(q.objective(x), dual) }
	excess = new(big.Rat).Neg(q.sum)
	for _, v := range a {
		excess.Add(excess, v)
	}
	if excess.Sign() == 0 {
		return []*big.Rat{gap(a)}, excess
	}
	for t := range a {
		x := append([]*big.Rat(nil), a...)
		if x[t] = new(big.Rat).Sub(a[t], excess); x[t].Cmp(q.lo[t]) >= 0 && x[t].Cmp(q.hi[t]) <= 0 {
			all = append(all, gap(x))
		}
	}
	return all, excess
}

// near reports whether exact ≤ f ≤ exact·(1 + 1e-6), or f is the number next to it.
func near(f float64, exact *big.Rat) bool {
	if math.IsInf(f, 0) || rat(f).Cmp(exact) < 0 {
		return false
	}
	most := new(big.Rat).Mul(exact, big.NewRat(1_000_001, 1_000_000))
	return rat(f).Cmp(most) <= 0 || rat(math.Nextafter(f, -1)).Cmp(exact) < 0
}

// boundCase draws a program whose matrix is DZZᵀD with D of powers of two and Z of small fractions, so exactly positive
// semidefinite.
func boundCase(rng *rand.Rand) (z, k []float64, p *smo.Pair) {
	n, rank, spread := 1+rng.IntN(6), 1+rng.IntN(6), []int{0, 0, 20, 200}[rng.IntN(4)]
	z, k = make([]float64, n*rank), make([]float64, n*n)
	p = &smo.Pair{K: smo.NewDense(n, k, n), P: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n),
		Start: make([]float64, n)}
	scale := make([]float64, n)
	for i := range n {
		scale[i] = math.Ldexp(1, rng.IntN(2*spread+1)-spread)
		for r := range rank {
			z[i*rank+r] = float64(rng.IntN(65)-32) / 16 * scale[i]
		}
		size := math.Ldexp(rng.Float64(), rng.IntN(spread+1)-spread/2)
		p.P[i] = rng.NormFloat64() * scale[i]
		p.Lo[i], p.Hi[i] = -size*float64(rng.IntN(2)), size*float64(rng.IntN(2))
		p.Start[i] = p.Lo[i] + rng.Float64()*(p.Hi[i]-p.Lo[i])
		p.Start[i] = min(max(p.Start[i], p.Lo[i]), p.Hi[i])
	}
	for i := range n {
		for j := range n {
			for r := range rank {
				k[i*n+j] += z[i*rank+r] * z[j*rank+r]
			}
		}
	}
	return z, k, p
}

func exactly(k []float64, p *smo.Pair) *exactPair {
	n := len(p.P)
	q := &exactPair{p: rats(p.P), lo: rats(p.Lo), hi: rats(p.Hi), sum: new(big.Rat)}
	for i := range n {
		q.k = append(q.k, rats(k[i*n:(i+1)*n]))
		q.sum.Add(q.sum, rat(p.Start[i]))
	}
	return q
}

// greedy moves variables in the order of what that costs, each as far as its bounds allow, and returns the gap. It is
// nil if the sum cannot be reached.
func (q *exactPair) greedy(a []*big.Rat, rho, excess *big.Rat) *big.Rat {
	left, sign := new(big.Rat).Abs(excess), -excess.Sign()
	x, done := append([]*big.Rat(nil), a...), make([]bool, len(a))
	for left.Sign() > 0 {
		best, least := -1, new(big.Rat)
		for i, row := range q.k {
			d := new(big.Rat).Add(ratDot(row, a), q.p[i])
			d.Sub(d, rho)
			if d.Mul(d, big.NewRat(int64(sign), 1)); !done[i] && (best < 0 || d.Cmp(least) < 0) {
				best, least = i, d
			}
		}
		if best < 0 {
			return nil
		}
		done[best] = true
		room := new(big.Rat).Sub(q.hi[best], a[best])
		if sign < 0 {
			room.Sub(a[best], q.lo[best])
		}
		if room.Cmp(left) > 0 {
			room = left
		}
		x[best] = new(big.Rat).Add(x[best], new(big.Rat).Mul(room, big.NewRat(int64(sign), 1)))
		left = new(big.Rat).Sub(left, room)
	}
	return new(big.Rat).Sub(q.objective(x), q.dual(a, rho))
}

// checkBound compares a bound with fractions. It returns how many variables had to move: 0, 1, or 2 for more.
func checkBound(t *testing.T, q *exactPair, r *smo.Result, got smo.Bound) (moves int) {
	t.Helper()
	a, shift := q.inside(rats(r.A))
	all, excess := q.gaps(a, rat(r.Rho))
	exact := q.greedy(a, rat(r.Rho), excess)
	if exact == nil {
		if !math.IsInf(got.Gap, 1) {
			t.Fatalf("gap %v of a program without feasible points", got.Gap)
		}
		return 2
	}
	for _, e := range all {
		if near(got.Gap, e) {
			moves, exact = min(1, excess.Num().BitLen()), nil
		}
	}
	if exact != nil {
		if moves = 2; !(rat(got.Gap).Cmp(exact) >= 0) {
			t.Fatalf("gap %v is below %v", got.Gap, exact.FloatString(20))
		}
	}
	if shift.Add(shift, excess.Abs(excess)); !near(got.Shift, shift) {
		t.Fatalf("shift %v, exactly %v", got.Shift, shift.FloatString(20))
	}
	return moves
}

// falsify changes a result.
func falsify(rng *rand.Rand, p *smo.Pair, r *smo.Result) *smo.Result {
	f := *r
	f.A = append([]float64(nil), r.A...)
	i, j := rng.IntN(len(r.A)), rng.IntN(len(r.A))
	switch rng.IntN(3) {
	case 0:
		f.Rho += rng.NormFloat64() * (1 + math.Abs(r.Rho))
	case 1: // mostly outside of the box
		f.A[i] += rng.NormFloat64() * (p.Hi[i] - p.Lo[i])
	default:
		step := rng.Float64() * min(p.Hi[i]-r.A[i], r.A[j]-p.Lo[j])
		f.A[i] += step
		f.A[j] -= step
	}
	return &f
}

func pairBound(t *testing.T, p *smo.Pair, r *smo.Result) smo.Bound {
	t.Helper()
	b, err := p.Bound(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func boundTrials() int {
	if testing.Short() {
		return 500
	}
	return 10_000
}

// TestPairBound: the bound is that of fractions, of solutions and of falsified ones. Those of falsified ones are not
// smaller, except where the change comes nearer to the optimum. What the result says of itself plays no part.
func TestPairBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	var moves [3]int
	smaller := 0
	for range boundTrials() {
		_, k, p := boundCase(rng)
		q := exactly(k, p)
		r := smo.Solve(t.Context(), p, smo.Options{Tolerance: []float64{1e-3, 1e-12}[rng.IntN(2)], MaxIter: 1000})
		b := pairBound(t, p, r)
		moves[checkBound(t, q, r, b)]++
		f := falsify(rng, p, r)
		c := pairBound(t, p, f)
		checkBound(t, q, f, c)
		if !(c.Gap >= b.Gap || c.Shift > b.Shift) {
			smaller++
		}
		f = &smo.Result{A: r.A, Rho: r.Rho, Objective: math.Inf(-1), Gap: -1, KKT: math.NaN()}
		if again := pairBound(t, p, f); again != b {
			t.Fatalf("%v with other figures in the result, %v before", again, b)
		}
	}
	if total := boundTrials(); moves[0] < total/4 || moves[1] < total/4 || moves[2] < total/500 || smaller > total/50 {
		t.Errorf("none, one, more moved: %d; %d falsified ones have smaller bounds", moves, smaller)
	}
	t.Logf("none, one, more moved: %d; %d falsified ones have smaller bounds", moves, smaller)
}

// TestBoxBound: the bound is that of fractions, and falsified results have no smaller ones than the dual allows.
func TestBoxBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	infinite := 0
	for range boundTrials() {
		z, k, p := boundCase(rng)
		n := len(p.P)
		q := exactly(k, p)
		q.sum = nil
		box := &boxqp.Problem{H: boxqp.NewFactor(z, n, len(z)/n, len(z)/n), P: p.P, Lo: p.Lo, Hi: p.Hi}
		r := boxqp.Solve(t.Context(), box, boxqp.Options{Threads: 1})
		if i := rng.IntN(n); rng.IntN(3) == 0 {
			r.B[i] += rng.NormFloat64() * (p.Hi[i] - p.Lo[i])
		}
		if i := rng.IntN(len(r.U)); rng.IntN(3) == 0 {
			r.U[i] += rng.NormFloat64()
		}
		if i := rng.IntN(n); rng.IntN(10) == 0 {
			p.Lo[i], q.lo[i] = math.Inf(-1), rat(-math.MaxFloat64)
		}
		got, err := box.Bound(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		b, shift := q.inside(rats(r.B))
		exact := q.boxGap(z, b, rats(r.U))
		if !near(got.Shift, shift) && !math.IsInf(got.Gap, 1) {
			t.Fatalf("shift %v, exactly %v", got.Shift, shift)
		}
		if math.IsInf(got.Gap, 1) {
			infinite++
			if exact.Cmp(rat(1e200)) < 0 {
				t.Fatalf("no bound where it is %v", exact)
			}
			continue
		}
		if !near(got.Gap, exact) {
			t.Fatalf("gap %v, exactly %v", got.Gap, exact)
		}
	}
	if infinite == 0 || infinite > boundTrials()/10 {
		t.Errorf("%d programs without a bound", infinite)
	}
}

// boxGap returns the objective at b minus the dual −½‖u‖² + Σ min{v (Zu + p)_i : lo_i ≤ v ≤ hi_i}.
func (q *exactPair) boxGap(z []float64, b, u []*big.Rat) *big.Rat {
	gap := ratDot(u, u)
	gap.Mul(gap, big.NewRat(1, 2))
	gap.Add(gap, q.objective(b))
	for i := range b {
		g := ratDot(rats(z[i*len(u):(i+1)*len(u)]), u)
		g.Add(g, q.p[i])
		low, high := new(big.Rat).Mul(g, q.lo[i]), new(big.Rat).Mul(g, q.hi[i])
		if high.Cmp(low) < 0 {
			low = high
		}
		gap.Sub(gap, low)
	}
	return gap
}

// TestBoundOfNothing: a number that is not finite, a program that is infeasible and an ended context prove nothing.
func TestBoundOfNothing(t *testing.T) {
	ones := func() []float64 { return []float64{1, 1} }
	program := func(k ...float64) *smo.Pair {
		return &smo.Pair{K: smo.NewDense(2, k, 2), P: ones(), Lo: make([]float64, 2), Hi: ones(), Start: ones()}
	}
	solved := func() *smo.Result { return &smo.Result{A: []float64{0.5, 1}} }
	if b := pairBound(t, program(1, 0, 0, 1), solved()); math.IsInf(b.Gap, 1) || b.Shift != 0.5 {
		t.Fatalf("bound %v", b)
	}
	for name, change := range map[string]func(p *smo.Pair, r *smo.Result){
		"K":          func(p *smo.Pair, _ *smo.Result) { p.K = smo.NewDense(2, []float64{1, 0, math.NaN(), 1}, 2) },
		"P":          func(p *smo.Pair, _ *smo.Result) { p.P[0] = math.Inf(1) },
		"Lo":         func(p *smo.Pair, _ *smo.Result) { p.Lo[0] = math.NaN() },
		"no box":     func(p *smo.Pair, _ *smo.Result) { p.Lo[0] = 2 },
		"no sum":     func(p *smo.Pair, _ *smo.Result) { p.Start[0] = 3 },
		"A":          func(_ *smo.Pair, r *smo.Result) { r.A[1] = math.NaN() },
		"infinite A": func(_ *smo.Pair, r *smo.Result) { r.A[1] = math.Inf(-1) },
		"Rho":        func(_ *smo.Pair, r *smo.Result) { r.Rho = math.NaN() },
	} {
		p, r := program(1, 0, 0, 1), solved()
		change(p, r)
		if b := pairBound(t, p, r); !math.IsInf(b.Gap, 1) {
			t.Errorf("%s: bound %v", name, b)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := program(1, 0, 0, 1).Bound(ended, solved()); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v", err)
	}
	box := &boxqp.Problem{H: boxqp.NewFactor(ones(), 2, 1, 1), P: ones(), Lo: make([]float64, 2), Hi: ones()}
	if _, err := box.Bound(ended, &boxqp.Result{B: ones(), U: []float64{2}}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context of a box: %v", err)
	}
}

// TestBoundOfRows: the bound of a matrix in single precision, and of a duplicated one, is that of its numbers.
func TestBoundOfRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	const n = 40 // more rows than are in memory at a time
	k, single := make([]float64, n*n), make([]float32, n*n)
	for i := range n {
		for j := range n {
			single[i*n+j] = float32(math.Exp(-math.Abs(float64(i-j)) / 9))
			k[i*n+j] = float64(single[i*n+j])
		}
	}
	p := &smo.Pair{P: make([]float64, 2*n), Lo: make([]float64, 2*n)}
	p.Hi = make([]float64, 2*n)
	twice := make([]float64, 4*n*n)
	for i := range 2 * n {
		p.Hi[i] = float64(1 - i/n)
		p.Lo[i] = p.Hi[i] - 1
		p.P[i] = rng.NormFloat64() - 2*p.Lo[i]
		for j := range 2 * n {
			twice[2*n*i+j] = k[i%n*n+j%n]
		}
	}
	p.K = smo.NewDense(2*n, twice, 2*n)
	r := smo.Solve(t.Context(), p, smo.Options{})
	want := pairBound(t, p, r)
	p.K = smo.Twice(smo.NewDense(n, single, n))
	if got := pairBound(t, p, r); got != want || !(got.Gap > 0 && got.Gap < 1) {
		t.Errorf("bound %v, of the same numbers in double precision %v", got, want)
	}
}

// TestBoundScratch: a bound takes the bytes that are announced, whatever the numbers.
func TestBoundScratch(t *testing.T) {
	if testing.Short() {
		t.Skip("collects garbage all the time")
	}
	if !testutil.StoppedCollector(t) {
		return
	}
	rng := rand.New(rand.NewPCG(5, 6))
	value := func() float64 { return math.Ldexp(rng.NormFloat64(), rng.IntN(2000)-1000) }
	few := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = value()
		}
		return x
	}
	for _, size := range [][2]int{{3000, 20}, {300, 600}, {20, 3000}} {
		n, r := size[0], size[1]
		box := boxqp.Problem{H: boxqp.NewFactor(few(n*r), n, r, r), P: few(n), Lo: make([]float64, n), Hi: few(n)}
		for i, v := range box.Hi {
			box.Hi[i] = math.Abs(v)
		}
		at := &boxqp.Result{B: few(n), U: few(r)}
		most := boxqp.BoundBytes(n, r)
		peak := minPeak(t, int64(n)*8, func() error {
			_, err := box.Bound(t.Context(), at)
			return err
		})
		if peak > most+64<<10 {
			t.Errorf("%d × %d: %d bytes, announced are %d", n, r, peak, most)
		}
		t.Logf("%d × %d: %d of %d bytes", n, r, peak, most)
	}
	const n = 1000
	pair := smo.Pair{K: smo.NewDense(n, few(n*n), n), P: few(n), Lo: make([]float64, n), Hi: few(n)}
	for i, v := range pair.Hi {
		pair.Hi[i] = math.Abs(v)
	}
	at := &smo.Result{A: few(n)}
	most := smo.BoundBytes(n)
	peak := minPeak(t, n*8, func() error {
		_, err := pair.Bound(t.Context(), at)
		return err
	})
	if peak > most+64<<10 {
		t.Errorf("of a pair: %d bytes, announced are %d", peak, most)
	}
	t.Logf("pair: %d of %d bytes", peak, most)
}

// minPeak returns the least peak of three runs: a collection that comes late, on a busy computer, only adds to it.
func minPeak(t *testing.T, from int64, run func() error) int64 {
	t.Helper()
	least := int64(math.MaxInt64)
	for range 3 {
		least = min(least, testutil.PeakHeapFrom(t, from, func() {
			if err := run(); err != nil {
				t.Error(err)
			}
		}))
	}
	return least
}
