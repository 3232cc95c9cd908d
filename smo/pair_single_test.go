package smo

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// Steps in single precision have the bits of the loops that they replace. The second variable may be another one whose
// gain is the same up to rounding.
func TestSingleSteps(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		for trial := range 600 {
			n := lanes * (1 + trial%11)
			var v [5][]float32 // g, up, low, ki, kj
			var intact [5]func() bool
			for k := range v {
				x := make([]float64, n)
				for i := range x {
					x[i] = rng.NormFloat64()
				}
				if k == 1 || k == 2 {
					shut(rng, x, trial%(15+2*k) == 3)
				} else if trial%5 == 0 { // ties
					for i := range x {
						x[i] = math.Round(x[i])
					}
				}
				v[k], intact[k] = guarded32(x)
			}
			step := float32(rng.NormFloat64())
			want := slices.Clone(v[0])
			wi, wm, wM := stepSingleGeneric(want, v[1], v[2], v[3], v[4], step)
			i, m, M := runStepSingle(v[0], v[1], v[2], v[3], v[4], step)
			if i != wi || m != wm || M != wM || !slices.Equal(v[0], want) {
				t.Fatalf("trial %d, n = %d: got %d %v %v, want %d %v %v", trial, n, i, m, M, wi, wm, wM)
			}
			if m = max(m, -100); math.IsInf(float64(M), 0) {
				M = 0
			}
			const c = 2.5
			j, wj := runSecondSingle(v[0], v[2], v[3], m, c), secondSingleGeneric(v[0], v[2], v[3], m, c)
			gain := func(j int) float64 {
				b := float64(m) + float64(v[0][j]) - float64(v[2][j])
				return b * b / max(c-2*float64(v[3][j]), tau)
			}
			if (j < 0) != (wj < 0) || j >= 0 && !testutil.Within(gain(j), gain(wj), 1e-5*gain(wj)) {
				t.Fatalf("trial %d: second variable %d, want %d", trial, j, wj)
			}
			for _, ok := range intact {
				if !ok() {
					t.Fatalf("trial %d: wrote outside its operands", trial)
				}
			}
		}
	})
}

// Vectors of NaN have no extremes, and no second variable.
func TestSingleStepsNaN(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		v := slices.Repeat([]float32{float32(math.NaN())}, 5*lanes)
		free := make([]float32, len(v))
		i, m, M := runStepSingle(v, free, free, free, free, 0)
		if i != 0 || !math.IsInf(float64(m), -1) || finite(float64(m-M)) {
			t.Errorf("variable %d, extremes %v, %v", i, m, M)
		}
		if j := runSecondSingle(v, free, free, 1, 2); j >= 0 {
			t.Errorf("second variable %d", j)
		}
	})
}

// Steps are in single precision where nothing speaks against it, and have the gradient that they would have without.
func TestSingleBegins(t *testing.T) {
	const n = 300
	for name, c := range map[string]struct {
		eps    float64
		change func(*inner[float32])
		on     bool
	}{
		"ordinary":           {1e-3, func(*inner[float32]) {}, true},
		"small tolerance":    {1e-6, func(*inner[float32]) {}, false},
		"large gradient":     {1e-3, func(in *inner[float32]) { in.g[7] = -1e10 }, false},
		"NaN":                {1e-3, func(in *inner[float32]) { in.g[7] = math.NaN() }, false},
		"other diagonal":     {1e-3, func(in *inner[float32]) { in.d[7] = 1.1 }, false},
		"diagonal overflows": {1e-3, func(in *inner[float32]) { clear(in.d); in.d[0], in.d[n-1] = 1e20, 1e20 }, false},
		"none may move":      {1e-3, func(in *inner[float32]) { copy(in.up, slices.Repeat([]float64{inf}, n)) }, false},
	} {
		p, _ := folded[float32](n, 0, 1)
		s := p.begin(Options{})
		in := s.work.(*inner[float32])
		in.load(s, s.sel.choose(s))
		c.change(in)
		want := slices.Clone(in.g)
		if in.beginSingle(c.eps); in.single.on != c.on {
			t.Errorf("%s: in single precision %v", name, in.single.on)
		}
		if in.widen(); c.on {
			for i, g := range in.g {
				testutil.Near(t, name, g, want[i], 1e-6)
			}
		}
	}
	p, _ := folded[float64](n, 0, 1)
	s := p.begin(Options{})
	in := s.work.(*inner[float64])
	in.load(s, s.sel.choose(s))
	if in.beginSingle(1e-3); in.single.on {
		t.Error("rows in double precision")
	}
	few, _ := folded[float32](singleFrom-1, 0, 1)
	s = few.begin(Options{})
	less := s.work.(*inner[float32])
	less.load(s, s.sel.choose(s))
	if less.beginSingle(1e-3); less.single.on {
		t.Error("few variables")
	}
}

// A violation above the tolerance that single precision rounds to the tolerance does not end a solve.
func TestSingleRoundedTolerance(t *testing.T) {
	const n = singleFrom // all but two of which cannot move
	half := float64(float32(5e-4))
	k := make([]float32, n*Stride(n))
	for i := range n {
		k[i*Stride(n)+i] = 1
	}
	slope := half * (1 + 1e-9)
	p := &Pair{K: NewDense(n, k, Stride(n)), P: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n)}
	for i, sign := range []float64{-1, 1} {
		p.P[i], p.Lo[i], p.Hi[i] = sign*slope, -1, 1
	}
	r := Solve(context.Background(), p, Options{Tolerance: 2 * half})
	if r.Status != status.Optimal || r.Iterations == 0 || !(r.KKT <= 2*half) {
		t.Errorf("%v after %d steps, violation %v", r.Status, r.Iterations, r.KKT)
	}
}

// A solve with such steps ends where one without them does, at bounds and between them.
func TestSingleSolve(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for _, n := range []int{40, 500, WholeSet + 300} {
			p, _ := folded[float32](n, 0, uint64(n))
			r, want := Solve(context.Background(), p, Options{}), Solve(context.Background(), p, Options{Tolerance: 1e-8})
			if r.Status != status.Optimal || !(r.KKT <= 1e-3) || r.Objective < want.Objective-1e-9*math.Abs(want.Objective) {
				t.Errorf("n = %d: %v, violation %g, objective %g, want %g", n, r.Status, r.KKT, r.Objective, want.Objective)
			}
			testutil.Near(t, "objective", r.Objective, want.Objective, 1e-4*math.Abs(want.Objective))
		}
	})
}

func BenchmarkSingleStep(b *testing.B) {
	for _, l := range cpu.Available() {
		for _, n := range []int{64, 256, 1024, 4096} {
			b.Run(fmt.Sprintf("n=%d/level=%s", n, l), func(b *testing.B) {
				defer cpu.Use(l)()
				rng := rand.New(rand.NewPCG(1, 2))
				v := make([][]float32, 5)
				for i := range v { // aligned, as in a solve
					v[i] = make([]float32, n)
					for k := range v[i] {
						v[i][k] = float32(rng.NormFloat64())
					}
				}
				clear(v[1])
				clear(v[2])
				b.ReportAllocs()
				for b.Loop() {
					_, m, _ := runStepSingle(v[0], v[1], v[2], v[3], v[4], 1e-9)
					runSecondSingle(v[0], v[2], v[3], m, 2)
				}
			})
		}
	}
}
