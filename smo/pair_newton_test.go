package smo

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// smooth is the dual of an SVM on n samples of a line, with a Gaussian kernel so wide that its matrix
// is singular to rounding, and labels that no smooth function has.
func smooth(n int, c float64) (*Pair, []float64, int) {
	rng := rand.New(rand.NewPCG(41, 42))
	ld := Stride(n)
	x, k := make([]float64, n), make([]float64, n*ld)
	for i := range x {
		x[i] = rng.Float64() * 10
	}
	for i := range n {
		for j := range n {
			k[i*ld+j] = math.Exp(-(x[i] - x[j]) * (x[i] - x[j]) / 2)
		}
	}
	p := &Pair{K: NewDense(n, k, ld), P: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n)}
	for i := range n {
		if math.Sin(3*x[i])+0.2*rng.NormFloat64() > 0 {
			p.P[i], p.Hi[i] = -1, c
		} else {
			p.P[i], p.Lo[i] = 1, -c
		}
	}
	return p, k, ld
}

// Two-variable steps alone take millions where systems in between take thousands, and the
// certificate holds either way the rows are read.
func TestNewtonSettlesSmoothKernels(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		const n = 300
		p, k, ld := smooth(n, 1e5)
		square := make([]float64, 0, n*n)
		for i := range n {
			square = append(square, k[i*ld:i*ld+n]...)
		}
		var objective []float64
		for _, m := range []Matrix{p.K, newDense(n, square)} {
			q := *p
			q.K = m
			r := Solve(t.Context(), &q, Options{Tolerance: 1e-3, MaxIter: 1_000_000})
			if r.Status != status.Optimal {
				t.Fatalf("%v after %d steps, violation %v", r.Status, r.Iterations, r.KKT)
			}
			q.K = newDense(n, square)
			checkPair(t, &q, r)
			objective = append(objective, r.Objective)
			testutil.AtMost(t, "steps", float64(r.Iterations), 100_000)
			testutil.AtMost(t, "gap", r.Gap, 1e-4*math.Abs(r.Objective))
		}
		testutil.NearRel(t, "objective", objective[0], objective[1], 1e-4)
	})
}

// A walk ends inside the box, or at walls, lower than it began and with the same sum; at its end the
// free variables that have met no wall have one gradient.
func TestNewtonWalk(t *testing.T) {
	ends := [2]int{}
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 43))
		p := randomPair(rng, 120, 150, math.Pow(10, float64(seed%4)-1))
		for i := range p.Start { // as many free variables as there can be
			p.Start[i] = p.Lo[i] + (0.2+0.6*rng.Float64())*(p.Hi[i]-p.Lo[i])
		}
		s := p.begin(Options{})
		in := s.work.(*inner[float64])
		s.extremes()
		w := s.sel.choose(s)
		in.load(s, w)
		nt := &in.newton
		nt.collect(in)
		if err := nt.factor(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		before := append([]float64(nil), in.a...)
		g := append([]float64(nil), in.g...)
		inside := nt.walk(t.Context(), in)
		ends[one(inside)]++
		if !nt.move(in) {
			t.Fatalf("seed %d: the walk does not lead down", seed)
		}
		sum, size, change := 0.0, 0.0, 0.0
		for i := range w {
			d := in.a[i] - before[i]
			sum += d
			size += math.Abs(d)
			change += d * (g[i] + in.g[i]) / 2
			if !(in.a[i] >= in.lo[i] && in.a[i] <= in.hi[i]) {
				t.Fatalf("seed %d: a[%d] = %v is outside [%v, %v]", seed, i, in.a[i], in.lo[i], in.hi[i])
			}
		}
		testutil.Near(t, fmt.Sprintf("seed %d: sum", seed), sum, 0, 1e-13*(1+size))
		testutil.AtMost(t, fmt.Sprintf("seed %d: change", seed), change, 0)
		if inside {
			_, m, M := stepExtremes(in.g, both(in.up, in.low), both(in.up, in.low), in.g, in.g, 0)
			testutil.AtMost(t, fmt.Sprintf("seed %d: spread of the free gradients", seed), m-M, 1e-7)
		}
	}
	if ends[0] < 5 || ends[1] < 20 {
		t.Errorf("%d walks ended at walls and %d inside: not the cases to test", ends[0], ends[1])
	}
}

// Where more variables are free than a system may have, steps go on, and the next look is many of them away.
func TestNewtonWaits(t *testing.T) {
	p := randomPair(rand.New(rand.NewPCG(1, 44)), 120, 150, 1)
	for i := range p.Start { // all are free
		p.Start[i] = (p.Lo[i] + p.Hi[i]) / 2
	}
	s := p.begin(Options{})
	in := s.work.(*inner[float64])
	s.extremes()
	in.load(s, s.sel.choose(s))
	nt := &in.newton
	nt.begin()
	in.iterations = 1 << 30
	if nt.most = in.active - 1; nt.due(in) || nt.next < in.iterations+spacing(in.active) {
		t.Errorf("after %d steps with %d free variables, %d at most, the next look is after %d",
			in.iterations, len(nt.free), nt.most, nt.next)
	}
	in.iterations = nt.next
	if nt.most = in.active; !nt.due(in) {
		t.Errorf("%d free variables are not moved together, %d may be", len(nt.free), nt.most)
	}
}

// both is +Inf where u or v is.
func both(u, v []float64) []float64 {
	sum := make([]float64, len(u))
	for i := range u {
		sum[i] = u[i] + v[i]
	}
	return sum
}

// A context that ends stops a system before it is solved, and the iterate stays.
func TestNewtonCancelled(t *testing.T) {
	p, _, _ := smooth(200, 10)
	for i := range p.P { // feasible: the sum of the start is what the equality keeps
		p.Start = append(p.Start, (p.Lo[i]+p.Hi[i])/2)
	}
	s := p.begin(Options{})
	in := s.work.(*inner[float64])
	s.extremes()
	in.load(s, s.sel.choose(s))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if in.newton.collect(in); in.newton.factor(ctx, in) == nil {
		t.Error("a factor under a context that has ended")
	}
	before := append([]float64(nil), in.a...)
	in.newton.run(ctx, in)
	testutil.NearAll(t, "iterate", in.a, before, 0)
}

// Neither systems that no product of blocks is worth its while for, nor steps on rows in single
// precision, take memory once their scratch is there.
func TestNewtonDoesNotAllocate(t *testing.T) {
	const n = 48 // up to here Cholesky factors row by row
	p, k, ld := smooth(n, 10)
	for i := range p.P {
		p.Start = append(p.Start, (p.Lo[i]+p.Hi[i])/2)
	}
	k32 := make([]float32, len(k))
	for i, v := range k {
		k32[i] = float32(v)
	}
	p.K = NewDense(n, k32, ld)
	s := p.begin(Options{})
	in := s.work.(*inner[float32])
	s.extremes()
	in.load(s, s.sel.choose(s))
	a := append([]float64(nil), in.a...)
	g := append([]float64(nil), in.g...)
	up := append([]float64(nil), in.up...)
	low := append([]float64(nil), in.low...)
	walls := 0
	run := func() {
		copy(in.a, a)
		copy(in.g, g)
		copy(in.up, up)
		copy(in.low, low)
		in.newton.run(context.Background(), in)
		walls += len(in.newton.places)
		in.solve(context.Background(), 0, 100)
	}
	if got := testing.AllocsPerRun(5, run); got != 0 {
		t.Errorf("%v allocations", got)
	}
	if walls == 0 {
		t.Error("no wall was met: not the case to test")
	}
}

// Where no bound above holds a variable, a system comes as soon as steps have taken its time: in a narrow kernel's
// matrix, whose systems are large, one stands for thousands of steps.
func TestNewtonComesSoonWhereAllAreFree(t *testing.T) {
	const n, d = 900, 14
	rng := rand.New(rand.NewPCG(44, 45))
	x := make([]float64, n*d)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	k := make([]float64, n*n)
	p := &Pair{K: newDense(n, k), P: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n)}
	for i := range n {
		for j := range n {
			dist := 0.0
			for c := range d {
				dist += (x[i*d+c] - x[j*d+c]) * (x[i*d+c] - x[j*d+c])
			}
			k[i*n+j] = math.Exp(-dist / 30)
		}
		if x[i*d]+rng.NormFloat64() > 0 {
			p.P[i], p.Hi[i] = -1, 1e5
		} else {
			p.P[i], p.Lo[i] = 1, -1e5
		}
	}
	with := Solve(t.Context(), p, Options{Tolerance: 1e-3})
	q := *p
	q.Together = -1
	without := Solve(t.Context(), &q, Options{Tolerance: 1e-3})
	checkPair(t, p, with)
	testutil.NearRel(t, "objective", with.Objective, without.Objective, 1e-4)
	t.Logf("%d steps with systems, %d without", with.Iterations, without.Iterations)
	testutil.AtMost(t, "steps", float64(with.Iterations), float64(without.Iterations)/3)
}
