package ipm

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// program is the dual of a hinge or, with two variables a sample, of an ε-insensitive loss on n samples of d features
// of which a share is not 0, and the same for the literal solver.
func program(rng *rand.Rand, n, d, each int, share, c float64) (*Dual, *ref.SVCProgram) {
	p := &Dual{X: make([]float64, n*d), N: n, D: d, Tolerance: 1e-7, Threads: 1}
	q := &ref.SVCProgram{Start: make([]float64, each*n)}
	y := make([]float64, n)
	for i := range n {
		for j := range d {
			if rng.Float64() < share {
				p.X[i*d+j] = rng.NormFloat64()
				y[i] += p.X[i*d+j] / float64(j+1)
			}
		}
		if y[i] += 0.3 * rng.NormFloat64(); each == 1 {
			y[i] = math.Copysign(1, y[i])
		}
	}
	for v := range each * n {
		sign, cost := 1.0, 0.1-y[v%n] // Smola & Schölkopf (2004), eq. (10)
		switch {
		case each == 1:
			sign, cost = y[v], -1
		case v >= n:
			sign, cost = -1, 0.1+y[v%n]
		}
		p.P = append(p.P, cost*sign)
		p.Lo = append(p.Lo, min(0, sign*c))
		p.Hi = append(p.Hi, max(0, sign*c))
		q.P = append(q.P, cost)
		q.S = append(q.S, sign)
		q.C = append(q.C, c)
	}
	for v := range each * n {
		row := make([]float64, each*n)
		for u := range row {
			for j := range d {
				row[u] += q.S[v] * q.S[u] * p.X[v%n*d+j] * p.X[u%n*d+j]
			}
		}
		q.Q = append(q.Q, row)
	}
	return p, q
}

// objective is ½‖Xᵀa‖² + pᵀa in plain loops.
func objective(p *Dual, a []float64) (sum float64) {
	w := make([]float64, p.D)
	for v, c := range a {
		sum += p.P[v] * c
		for j := range w {
			w[j] += c * p.X[v%p.N*p.D+j]
		}
	}
	for _, v := range w {
		sum += v * v / 2
	}
	return sum
}

// The solution meets the constraints and the conditions, recomputed in plain loops, and is as good as the literal
// solver's: dense and compressed rows, one and two variables a sample, small and large bounds.
func TestAgainstLiteral(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 100 {
		each, c := 1+trial%2, math.Pow(10, float64(trial%4-2))
		share := []float64{1, 0.14}[trial/2%2]
		p, q := program(rng, 8+trial%5, 2+trial%2, each, share, c)
		s := p.Solve(t.Context())
		if s == nil {
			t.Fatalf("trial %d: no solution", trial)
		}
		var sum, size float64
		for v, a := range s.A {
			if !(a >= p.Lo[v] && a <= p.Hi[v]) {
				t.Fatalf("trial %d: a[%d] = %v", trial, v, a)
			}
			sum, size = sum+a, size+math.Abs(a)
		}
		testutil.AtMost(t, "equality", math.Abs(sum), 1e-12*(1+size))
		testutil.AtMost(t, "violation", s.Violation, p.Tolerance)
		testutil.AtMost(t, "violation recomputed", violation(p, s.A), 1.1*p.Tolerance)
		want := q.Objective(q.Solve())
		testutil.Near(t, "objective", objective(p, s.A), want, 1e-6*(1+math.Abs(want)))
	}
}

// violation is that of the conditions by a pair, from the features.
func violation(p *Dual, a []float64) float64 {
	w := make([]float64, p.D)
	for v, c := range a {
		for j := range w {
			w[j] += c * p.X[v%p.N*p.D+j]
		}
	}
	up, down := math.Inf(-1), math.Inf(1)
	for v, c := range a {
		g := p.P[v]
		for j := range w {
			g += w[j] * p.X[v%p.N*p.D+j]
		}
		if c < p.Hi[v] {
			up = max(up, -g)
		}
		if c > p.Lo[v] {
			down = min(down, -g)
		}
	}
	return max(0, up-down)
}

// Compressed rows and dense ones are the same program, and workers change no bit.
func TestRowsAndThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, share := range []float64{1, 0.1} {
		p := wide(rng, 5000, 30, share)
		one := p.Solve(t.Context())
		if f := newFeatures(t.Context(), p); (f.x != nil) != (share == 1) {
			t.Errorf("share %v: dense rows %v", share, f.x != nil)
		}
		q := *p
		q.X, q.Rows = nil, csr.FromDense(p.X, p.N, p.D)
		if other := q.Solve(t.Context()); share < 1 && !reflect.DeepEqual(one, other) {
			t.Errorf("share %v: another solution from rows", share)
		} else if share == 1 {
			testutil.AtMost(t, "violation of rows", violation(p, other.A), 1.1*p.Tolerance)
		}
		for _, threads := range []int{2, 3} {
			p.Threads = threads
			if other := p.Solve(t.Context()); !reflect.DeepEqual(one, other) {
				t.Errorf("share %v: %d threads, another solution", share, threads)
			}
		}
		dense, packed := newFeatures(t.Context(), p), newFeatures(t.Context(), p)
		dense.x, dense.rows, dense.parts = p.X, nil, nil
		weight, m := make([]float64, p.N), [2][]float64{}
		gathered := [2][]float64{make([]float64, 31), make([]float64, 31)}
		for i := range weight {
			weight[i] = rng.Float64()
		}
		for k, f := range []*features{dense, packed} {
			m[k] = make([]float64, 31*31)
			if err := f.normal(t.Context(), m[k], weight, gathered[k], p.P); err != nil {
				t.Fatal(err)
			}
		}
		testutil.NearAll(t, "gathered", gathered[0], gathered[1], 1e-9)
		for j := range 31 {
			for k := range j + 1 {
				testutil.Near(t, "normal matrix", m[0][j*31+k], m[1][j*31+k], 1e-9*(1+math.Abs(m[1][j*31+k])))
			}
		}
	}
}

// wide is a hinge's program without its literal twin.
func wide(rng *rand.Rand, n, d int, share float64) *Dual {
	p := &Dual{X: make([]float64, n*d), N: n, D: d, Tolerance: 1e-5, Threads: 1}
	for i := range n {
		var f float64
		for j := range d {
			if rng.Float64() < share {
				p.X[i*d+j] = 1
				f += rng.NormFloat64() + float64(j%3-1)
			}
		}
		y := math.Copysign(1, f)
		p.P = append(p.P, -y)
		p.Lo = append(p.Lo, min(0, y))
		p.Hi = append(p.Hi, max(0, y))
	}
	return p
}

// A context that has ended leaves no solution.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := wide(rand.New(rand.NewPCG(5, 6)), 3000, 10, 1)
	if s := p.Solve(ctx); s != nil {
		t.Errorf("a solution after %d steps", s.Steps)
	}
}
