package smo

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// randomPair is a QP with a matrix of the given rank, finite bounds of any sign and a feasible start.
func randomPair(rng *rand.Rand, n, rank int, scale float64) *Pair {
	z := make([]float64, n*rank)
	for i := range z {
		z[i] = rng.NormFloat64()
	}
	k := make([]float64, n*n)
	for i := range n {
		for j := range n {
			for r := range rank {
				k[i*n+j] += z[i*rank+r] * z[j*rank+r] / float64(rank)
			}
		}
	}
	p := &Pair{K: newDense(n, k), P: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n), Start: make([]float64, n)}
	for i := range n {
		p.P[i] = rng.NormFloat64()
		p.Lo[i] = scale * (rng.Float64() - 1)
		p.Hi[i] = p.Lo[i] + scale*rng.Float64()
		switch rng.IntN(5) {
		case 0:
			p.Hi[i] = p.Lo[i] // a fixed variable
		case 1:
			p.Lo[i] = 0
			p.Hi[i] = max(p.Hi[i], 0)
		}
		p.Start[i] = p.Lo[i] + rng.Float64()*(p.Hi[i]-p.Lo[i])
	}
	return p
}

// checkPair recomputes everything that a result claims from the dense matrix.
func checkPair(t interface {
	Helper()
	Fatalf(string, ...any)
}, p *Pair, r *Result) {
	t.Helper()
	n := p.K.Len()
	k := p.K.(*inMemory[float64]).k
	var sum, want, objective, size float64
	m, M := math.Inf(-1), math.Inf(1)
	g := make([]float64, n)
	for i := range n {
		a := r.A[i]
		if !(a >= p.Lo[i] && a <= p.Hi[i]) {
			t.Fatalf("a[%d] = %v is outside [%v, %v]", i, a, p.Lo[i], p.Hi[i])
		}
		g[i] = p.P[i]
		for j := range n {
			g[i] += k[i*n+j] * r.A[j]
		}
		sum += a
		if p.Start != nil {
			want += p.Start[i]
		}
		size += math.Abs(a)
		objective += 0.5 * a * (g[i] + p.P[i])
		if a < p.Hi[i] {
			m = max(m, -g[i])
		}
		if a > p.Lo[i] {
			M = min(M, -g[i])
		}
	}
	eps := 1e-11 * (1 + size)
	for i := range n {
		if !testutil.Within(g[i], r.G[i], eps) {
			t.Fatalf("g[%d] = %v, recomputed %v", i, r.G[i], g[i])
		}
	}
	if !testutil.Within(sum, want, eps) {
		t.Fatalf("sum of a is %v, want %v", sum, want)
	}
	if !testutil.Within(objective, r.Objective, eps*(1+size)) {
		t.Fatalf("objective %v, recomputed %v", r.Objective, objective)
	}
	if !testutil.Within(max(0, m-M), r.KKT, eps) {
		t.Fatalf("violation %v, recomputed %v", r.KKT, m-M)
	}
	var gap, terms float64 // its terms are as large as the bounds, where a may be small
	for i := range n {
		d := g[i] - r.Rho
		gap += d*r.A[i] - min(d*p.Lo[i], d*p.Hi[i])
		terms += (math.Abs(g[i]) + math.Abs(r.Rho)) * max(math.Abs(p.Lo[i]), math.Abs(p.Hi[i]))
	}
	if !(r.Gap >= 0) || !testutil.Within(gap, r.Gap, eps*(1+size)+1e-14*terms) {
		t.Fatalf("gap %v, recomputed %v", r.Gap, gap)
	}
}

// Any convex problem is solved to its tolerance, with a certificate that holds.
func TestPairCertificate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n := rapid.IntRange(1, 60).Draw(t, "n")
		rank := rapid.IntRange(1, 60).Draw(t, "rank")
		scale := math.Pow(10, rapid.Float64Range(-2, 3).Draw(t, "log scale"))
		p := randomPair(rng, n, rank, scale)
		r := Solve(context.Background(), p, Options{Tolerance: 1e-7})
		if r.Status != status.Optimal {
			t.Fatalf("status %v, violation %v after %d steps", r.Status, r.KKT, r.Iterations)
		}
		if !(r.KKT <= 1e-7) {
			t.Fatalf("violation %v", r.KKT)
		}
		checkPair(t, p, r)
	})
}

// The objective agrees with that of a solver that only ever takes maximal violating pairs.
func TestPairAgainstFirstOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for trial := range 60 {
		p := randomPair(rng, 2+trial%20, 1+trial%7, 2)
		r := Solve(t.Context(), p, Options{Tolerance: 1e-10})
		if want := firstOrder(p); !testutil.Within(r.Objective, want, 1e-8*(1+math.Abs(want))) {
			t.Errorf("trial %d: objective %v, want %v", trial, r.Objective, want)
		}
	}
}

// firstOrder is Keerthi et al. (2001), modification 2: always the maximal violating pair.
func firstOrder(p *Pair) float64 {
	n := p.K.Len()
	k := p.K.(*inMemory[float64]).k
	a := append([]float64(nil), p.Start...)
	g := append([]float64(nil), p.P...)
	for i := range n {
		for j := range n {
			g[i] += k[i*n+j] * a[j]
		}
	}
	for range 1_000_000 {
		i, j := -1, -1
		for s := range n {
			if a[s] < p.Hi[s] && (i < 0 || g[s] < g[i]) {
				i = s
			}
			if a[s] > p.Lo[s] && (j < 0 || g[s] > g[j]) {
				j = s
			}
		}
		if i < 0 || j < 0 || g[j]-g[i] < 1e-11 {
			break
		}
		t := (g[j] - g[i]) / max(k[i*n+i]+k[j*n+j]-2*k[i*n+j], 1e-12)
		t = min(t, p.Hi[i]-a[i], a[j]-p.Lo[j])
		if a[i] += t; t == p.Hi[i]-a[i]+t {
			a[i] = p.Hi[i]
		}
		a[j] -= t
		for s := range n {
			g[s] += t * (k[i*n+s] - k[j*n+s])
		}
	}
	var o float64
	for i := range n {
		o += 0.5 * a[i] * (g[i] + p.P[i])
	}
	return o
}

// More variables than a working set holds, so that rounds, selection and shrinking all
// work; every level must give a valid certificate.
func TestPairManyRounds(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(9, 10))
		const n = WholeSet + 500
		x := make([]float64, n)
		for i := range x {
			x[i] = rng.Float64() * 40
		}
		k := make([]float64, n*n)
		for i := range n {
			for j := range n {
				k[i*n+j] = math.Exp(-(x[i] - x[j]) * (x[i] - x[j]))
			}
		}
		p := &Pair{K: newDense(n, k), P: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n)}
		for i := range n {
			if math.Sin(x[i])+0.3*rng.NormFloat64() > 0 {
				p.P[i], p.Hi[i] = -1, 100
			} else {
				p.P[i], p.Lo[i] = 1, -100
			}
		}
		r := Solve(t.Context(), p, Options{Tolerance: 1e-6})
		if r.Status != status.Optimal || r.Rounds < 2 {
			t.Fatalf("status %v after %d rounds", r.Status, r.Rounds)
		}
		checkPair(t, p, r)
		if !(r.Gap <= 1e-6*math.Abs(r.Objective)) {
			t.Errorf("gap %v at objective %v", r.Gap, r.Objective)
		}
		// Started at the solution, nothing is left to do.
		p.Start = r.A
		if again := Solve(t.Context(), p, Options{Tolerance: 2e-6}); again.Iterations != 0 || again.Status != status.Optimal {
			t.Errorf("warm start took %d steps", again.Iterations)
		}
	})
}

func TestPairLimits(t *testing.T) {
	p := randomPair(rand.New(rand.NewPCG(11, 12)), 300, 20, 50)
	r := Solve(t.Context(), p, Options{Tolerance: 1e-9, MaxIter: 7})
	if r.Status != status.IterationLimit || r.Iterations != 7 {
		t.Errorf("%v after %d steps, want the limit of 7", r.Status, r.Iterations)
	}
	checkPair(t, p, r)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r = Solve(ctx, p, Options{Tolerance: 1e-9}); r.Status != status.Cancelled {
		t.Errorf("status %v, want cancelled", r.Status)
	}
	checkPair(t, p, r)

	ctx, cancel = context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	if r = Solve(ctx, p, Options{Tolerance: 1e-9}); r.Status != status.TimeLimit {
		t.Errorf("status %v, want time limit", r.Status)
	}

	calls := 0
	Solve(t.Context(), p, Options{Tolerance: 1e-9, Progress: func(_ int, _ float64) { calls++ }})
	if calls == 0 {
		t.Error("no progress reported")
	}
}

// An indefinite matrix has no unique optimum, but the solver must stop.
func TestPairIndefinite(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for trial := range 20 {
		p := randomPair(rng, 40, 40, 3)
		k := p.K.(*inMemory[float64]).k
		for i := range 40 {
			k[i*40+i] -= 2
		}
		r := Solve(t.Context(), p, Options{Tolerance: 1e-6, MaxIter: 1_000_000})
		if r.Status != status.Optimal {
			t.Errorf("trial %d: %v, violation %v", trial, r.Status, r.KKT)
		}
	}
}

func TestPairPanics(t *testing.T) {
	for name, p := range map[string]*Pair{
		"shape":   {K: newDense(2, make([]float64, 4)), P: make([]float64, 1), Lo: make([]float64, 2), Hi: make([]float64, 2)},
		"start":   {K: newDense(1, make([]float64, 1)), P: []float64{0}, Lo: []float64{0}, Hi: []float64{1}, Start: []float64{2}},
		"bounds":  {K: newDense(1, make([]float64, 1)), P: []float64{0}, Lo: []float64{2}, Hi: []float64{1}},
		"endless": {K: newDense(1, make([]float64, 1)), P: []float64{0}, Lo: []float64{0}, Hi: []float64{math.Inf(1)}},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			Solve(t.Context(), p, Options{})
		}()
	}
}

// smallest must put the least first, ties by index.
func TestSmallest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(rapid.IntRange(0, 9), 1, 60).Draw(t, "keys")
		k := rapid.IntRange(0, len(keys)).Draw(t, "k")
		c := make([]candidate, len(keys))
		for i, v := range keys {
			c[i] = candidate{float64(v), int32(i)}
		}
		smallest(c, k)
		for _, x := range c[:k] {
			for _, y := range c[k:] {
				if y.key < x.key || (y.key == x.key && y.i < x.i) {
					t.Fatalf("%v is kept, %v is not", x, y)
				}
			}
		}
	})
}

func BenchmarkPair(b *testing.B) {
	for _, n := range []int{200, 1000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			p := randomPair(rand.New(rand.NewPCG(15, 16)), n, 30, 1)
			b.ReportAllocs()
			for b.Loop() {
				Solve(b.Context(), p, Options{})
			}
		})
	}
}
