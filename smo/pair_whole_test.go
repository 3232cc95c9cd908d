package smo

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// lazy is a matrix that can be had as a whole, once.
type lazy struct {
	*inMemory[float32]
	asked  int
	refuse bool
	stop   func() // ends the context instead of evaluating
	whole  *inMemory[float32]
	reads  int // of rows after that
}

func (m *lazy) Whole(ctx context.Context) Matrix {
	m.asked++
	if m.stop != nil {
		m.stop()
	}
	if m.refuse || ctx.Err() != nil {
		return nil
	}
	ld := Stride(m.n)
	k := make([]float32, m.n*ld)
	for i := range m.n {
		copy(k[i*ld:], m.row(i))
	}
	m.whole = NewDense(m.n, k, ld).(*inMemory[float32])
	return m.whole
}

func (m *lazy) AddRows(ctx context.Context, g []float64, idx []int, coef []float64) error {
	if m.whole != nil {
		m.reads++
	}
	return m.inMemory.AddRows(ctx, g, idx, coef)
}

// SubRow32 implements [Single].
func (m *lazy) SubRow32(dst []float32, r int) {
	if m.whole != nil {
		m.reads++
	}
	m.subRow(dst, r)
}

// Where most of the first set ends free, steps over all variables on the whole matrix end where working sets do; the
// matrix is asked for once, and not read any more. Elsewhere, and where there is no room, sets go on.
func TestPairWhole(t *testing.T) {
	free, held := narrow(1), narrow(0.001)
	testutil.EachLevel(t, func(t *testing.T) {
		for _, c := range []struct {
			k        *inMemory[float32]
			cost     float64
			asked    int
			refuse   bool
			positive float64
		}{{free, 1e4, 1, false, 0.5}, {free, 1.4, 1, false, 0.3}, {free, 10, 1, true, 0.5}, {held, 0.1, 0, false, 0.5}} {
			m := &lazy{inMemory: c.k, refuse: c.refuse}
			p, opt := dualOf(m, c.cost, c.positive), Options{Gap: 1e-3}
			r := Solve(t.Context(), p, opt)
			if found := gapOf(p, r); r.Status != status.Optimal || !(found <= 1.01e-3) || !(r.KKT <= 1e-3) {
				t.Errorf("C = %v: %v with a gap of %.2g, violation %.2g", c.cost, r.Status, found, r.KKT)
			}
			if m.asked != c.asked && !(c.refuse && m.asked > 0) || m.reads != 0 && m.whole != nil {
				t.Errorf("C = %v: asked for the whole %d times, want %d; then %d reads", c.cost, m.asked, c.asked, m.reads)
			}
			if m.whole != nil && p.K != Matrix(m.whole) {
				t.Error("the whole matrix is not the program's")
			}
			p.K = c.k
			feasible(t, p, r)
			if !testing.Short() {
				testutil.NearRel(t, "objective", r.Objective, Solve(t.Context(), p, opt).Objective, 1e-5)
			}
		}
	})
}

// A matrix that cannot be finished leaves the iterate as it was.
func TestPairWholeStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m := &lazy{inMemory: narrow(1), stop: cancel}
	p := dualOf(m, 10, 0.5)
	r := Solve(ctx, p, Options{})
	if r.Status != status.Cancelled || m.asked != 1 {
		t.Errorf("%v, asked %d times", r.Status, m.asked)
	}
	feasible(t, p, r)
}

// Where the first set is of samples in clusters, of which few stay free, and more of the others are free than a set
// holds, the whole matrix comes later.
func TestPairWholeLater(t *testing.T) {
	const clustered = 1100
	k := narrow(3)
	for i := range k.n {
		for j := range i + 1 {
			if i < clustered { // 20 places, almost
				v := float32(0)
				if i%20 == j%20 {
					v = 1
				}
				k.k[i*k.n+j], k.k[j*k.n+i] = v, v
			} else if j < clustered {
				k.k[i*k.n+j], k.k[j*k.n+i] = 0, 0
			}
		}
		k.k[i*k.n+i] = 1 + 1e-3
	}
	m := &lazy{inMemory: k}
	p := dualOf(m, 100, 0.5)
	for i := range clustered {
		p.P[i] = float64(1 - 2*(i%2))
		p.Lo[i], p.Hi[i] = min(0, -100*p.P[i]), max(0, -100*p.P[i])
	}
	rounds, before := 0, 0
	r := Solve(t.Context(), p, Options{Gap: 1e-3, Progress: func(int, float64) {
		if rounds++; m.asked == 0 {
			before = rounds
		}
	}})
	if r.Status != status.Optimal || m.asked != 1 || before < 2 {
		t.Errorf("%v, asked %d times, in set %d", r.Status, m.asked, before)
	}
	p.K = k
	feasible(t, p, r)
}

// rounding is a matrix whose whole has another one for steps, of rounded values.
type rounding struct{ *lazy }

func (m rounding) Whole(ctx context.Context) Matrix {
	exact := make([]float64, m.n*m.n)
	for i := range m.n {
		for j, v := range m.row(i) {
			exact[i*m.n+j] = float64(v) * (1 + 1e-4*math.Sin(float64(i*j)))
		}
	}
	return rounded{NewDense(m.n, exact, m.n), m.lazy.Whole(ctx)}
}

type rounded struct {
	Matrix
	steps Matrix
}

func (m rounded) Steps() Matrix { return m.steps }

func (m rounded) SubRow([]float64, int) { panic("smo: steps read the exact matrix") }

// Steps on a matrix of rounded values end at the solution of the exact one.
func TestPairWholeRounded(t *testing.T) {
	m := rounding{&lazy{inMemory: narrow(1)}}
	p := dualOf(m, 10, 0.5)
	r := Solve(t.Context(), p, Options{Tolerance: 1e-5})
	k, ok := p.K.(rounded)
	if !ok || r.Status != status.Optimal || !(r.KKT <= 1e-5) {
		t.Fatalf("%v, violation %g, matrix %T", r.Status, r.KKT, p.K)
	}
	g := slices.Clone(p.P)
	for i, a := range r.A {
		if err := k.AddRows(t.Context(), g, []int{i}, []float64{a}); err != nil {
			t.Fatal(err)
		}
	}
	testutil.NearAll(t, "gradient", r.G, g, 1e-9)
}
