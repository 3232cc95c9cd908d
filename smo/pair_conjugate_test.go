package smo

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// spreadOut is the number of samples in these tests, more than a working set holds. Their rows have no padding, so that
// they cannot be one set.
const spreadOut = LargestSet*3/2 + 1

// narrow is the kernel matrix of random samples in eight dimensions.
func narrow(gamma float64) *inMemory[float32] {
	const n, d = spreadOut, 8
	rng := rand.New(rand.NewPCG(5, 9))
	x, k := make([]float64, d*n), make([]float32, n*n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	for i := range n {
		for j := range i + 1 {
			square := 0.0
			for f := range d {
				square += (x[d*i+f] - x[d*j+f]) * (x[d*i+f] - x[d*j+f])
			}
			k[i*n+j] = float32(math.Exp(-gamma * square))
			k[j*n+i] = k[i*n+j]
		}
	}
	return NewDense(n, k, n).(*inMemory[float32])
}

// dualOf is the dual of a C-SVM with random labels.
func dualOf(k Matrix, c, positive float64) *Pair {
	n, rng := k.Len(), rand.New(rand.NewPCG(6, 1))
	p := &Pair{K: k, P: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n)}
	for i := range n {
		if p.P[i] = 1; rng.Float64() < positive {
			p.P[i] = -1
		}
		p.Lo[i], p.Hi[i] = min(0, -p.P[i]*c), max(0, -p.P[i]*c)
	}
	return p
}

// Conjugate gradients end where working sets do, after fewer steps; the gradient is that of the iterate.
func TestPairConjugate(t *testing.T) {
	k := narrow(1)
	testutil.EachLevel(t, func(t *testing.T) {
		for _, owner := range []struct{ c, positive float64 }{{1e4, 0.5}, {1.4, 0.5}, {1.7, 0.2}} {
			p, opt := dualOf(k, owner.c, owner.positive), Options{Gap: 1e-3}
			r := Solve(t.Context(), p, opt)
			if found := gapOf(p, r); r.Status != status.Optimal || !(found <= 1.01e-3) || !(r.KKT <= 1e-3) {
				t.Errorf("%+v: %v with a gap of %.2g, violation %.2g", owner, r.Status, found, r.KKT)
			}
			feasible(t, p, r)
			if testing.Short() {
				return
			}
			p.Together = -1
			sets := Solve(t.Context(), p, opt)
			testutil.NearRel(t, "objective", r.Objective, sets.Objective, 1e-6)
			if r.Iterations >= sets.Iterations {
				t.Errorf("%+v: %d steps, %d by working sets alone", owner, r.Iterations, sets.Iterations)
			}
		}
	})
}

// feasible checks the box, the sum, and that G is Ka + p.
func feasible(t *testing.T, p *Pair, r *Result) {
	t.Helper()
	g, sum, size := make([]float64, len(r.A)), 0.0, 0.0
	for i, a := range r.A {
		if !(a >= p.Lo[i] && a <= p.Hi[i]) {
			t.Fatalf("a[%d] = %v is outside [%v, %v]", i, a, p.Lo[i], p.Hi[i])
		}
		sum, size = sum+a, size+math.Abs(a)
	}
	testutil.AtMost(t, "sum", math.Abs(sum), 1e-12*(size+1))
	if err := p.K.AddRows(context.Background(), g, rangeTo(len(r.A)), r.A); err != nil {
		t.Fatal(err)
	}
	for i := range g {
		testutil.AtMost(t, "error of the gradient", math.Abs(g[i]+p.P[i]-r.G[i]), p.Rounding(r))
	}
}

// A conjugate step that cannot end leaves the iterate and its gradient as they were.
func TestPairConjugateStopped(t *testing.T) {
	p := dualOf(narrow(0.5), 1, 0.3)
	whole := p.K
	for after := 1; after < 16; after++ {
		ctx, cancel := context.WithCancel(t.Context())
		p.K = &stopping{Matrix: whole, left: after, stop: cancel}
		r := Solve(ctx, p, Options{Gap: 1e-3})
		cancel()
		if p.K = whole; r.Status == status.Optimal {
			return
		}
		if r.Status != status.Cancelled {
			t.Errorf("stopped in sum %d: %v", after, r.Status)
		}
		feasible(t, p, r)
	}
	t.Error("never optimal")
}

// stopping ends the context in the last of so many sums of rows, after a part of it.
type stopping struct {
	Matrix
	left int
	stop func()
}

func (m *stopping) AddRows(ctx context.Context, g []float64, idx []int, coef []float64) error {
	if m.left--; m.left == 0 {
		m.stop()
		idx, coef = idx[:len(idx)/2], coef[:len(idx)/2]
	}
	if err := m.Matrix.AddRows(context.WithoutCancel(ctx), g, idx, coef); err != nil {
		return err
	}
	return ctx.Err()
}

// Where gradients do not shrink fast, or the matrix is indefinite, working sets go on.
func TestPairConjugateOff(t *testing.T) {
	p := dualOf(narrow(0.2), 1e3, 0.5)
	s := p.begin(Options{})
	for s.result.Rounds < 100 && !s.conj.off {
		if s.extremes(); s.round(t.Context(), s.most) != status.Unknown {
			break
		}
	}
	if !s.conj.off || s.conj.steps > 0 {
		t.Errorf("conjugate gradients go on: %+v", s.conj.steps)
	}
}

// A step beyond all bounds, which no variables have room to make up for, ends at the first one.
func TestPairConjugateWall(t *testing.T) {
	p := dualOf(narrow(1), 1.4, 0.5)
	s := p.begin(Options{})
	for s.conj.steps == 0 {
		if s.extremes(); s.round(t.Context(), s.most) != status.Unknown {
			t.Fatal("no conjugate step")
		}
	}
	c := &s.conj
	if !s.direct() {
		t.Fatal("no direction")
	}
	clear(c.kp)
	if err := p.K.AddRows(t.Context(), c.kp, rangeTo(s.n), c.p); err != nil {
		t.Fatal(err)
	}
	copy(s.saved, s.g)
	if err := s.take(t.Context(), 1e6); err != nil {
		t.Fatal(err)
	}
	change := 0.0
	for v, a := range c.to {
		change += (a - s.a[v]) * (s.g[v] + s.saved[v])
	}
	testutil.AtMost(t, "change of the objective", change, 0)
	feasible(t, p, &Result{A: c.to, G: s.g[:s.n], Added: s.n, Moved: 1e4})
}
