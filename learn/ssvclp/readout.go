package ssvclp

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/learn/internal/kernellp"
)

// readout solves K̄ᵀ_{I1,I2} α = 1 for the non-zero coefficients I1 over the samples I2 with 0 < β < C. It returns the
// largest difference from the program's duals, relative to the largest coefficient. It returns nil if there is no such
// solution or ctx has ended.
func (m *reweighted) readout(ctx context.Context, sol *kernellp.Solution) *float64 {
	if ctx.Err() != nil {
		return nil // it may take long
	}
	var live []int // −1 is the bias
	var want []float64
	var largest float64
	for r, a := range sol.A {
		if a != 0 {
			live = append(live, r)
			want = append(want, a)
			largest = math.Max(largest, math.Abs(a))
		}
	}
	if sol.Bias != 0 {
		live = append(live, -1)
		want = append(want, sol.Bias)
		largest = math.Max(largest, math.Abs(sol.Bias))
	}
	var inner []int
	for r, b := range sol.M {
		if b != 0 && math.Abs(b) != m.Cost[r] {
			inner = append(inner, r)
		}
	}
	if len(live) == 0 || len(inner) < len(live) {
		return nil // degenerate: the system does not determine the coefficients
	}
	n := len(live)
	a, got := make([]float64, len(inner)*n), make([]float64, len(inner))
	for t, r := range inner {
		got[t] = m.Y[r] * m.samples.Edge[r] // y_r f(x_r) = edge_r
	}
	if !m.values(ctx, a, live, inner) {
		return nil
	}
	if !leastSquares(a, len(inner), n, got) {
		return nil // singular: neither does this
	}
	var worst float64
	for c, v := range want {
		worst = math.Max(worst, math.Abs(got[c]-v)/largest)
	}
	return &worst
}

// values writes the kernel values of the rows inner at the columns live, and 1 for the bias. It returns false if ctx
// has ended.
func (m *reweighted) values(ctx context.Context, a []float64, live, inner []int) bool {
	n := len(live)
	for i := range a {
		a[i] = 1
	}
	vectors := slices.DeleteFunc(slices.Clone(live), func(l int) bool { return l < 0 }) // the bias is the last
	block, err := m.Matrix.Block(ctx, vectors, inner)
	for c, column := range block {
		for t, v := range column {
			a[t*n+c] = v
		}
	}
	return err == nil
}

// leastSquares writes the z with the least ‖A z − b‖ to b[:n], for an m×n matrix A with m ≥ n, by Householder
// reflections (Golub and Van Loan 2013, algorithms 5.2.1 and 5.3.2). It returns false if A is singular. Gonum's package
// mat would add a third of a megabyte to every program that embeds the library.
func leastSquares(a []float64, m, n int, b []float64) bool {
	diag := make([]float64, n)
	for k := range n {
		var norm float64
		for i := k; i < m; i++ {
			norm = math.Hypot(norm, a[i*n+k])
		}
		if !(norm > 0) {
			return false
		}
		if a[k*n+k] > 0 {
			norm = -norm
		}
		diag[k] = norm
		a[k*n+k] -= norm // the column is v of I − vvᵀ/half now
		half := -norm * a[k*n+k]
		for c := k + 1; c < n; c++ {
			mirror(a[k*n+k:], a[k*n+c:], n, n, m-k, half)
		}
		mirror(a[k*n+k:], b[k:], n, 1, m-k, half)
	}
	for k := n - 1; k >= 0; k-- {
		for c := k + 1; c < n; c++ {
			b[k] -= a[k*n+c] * b[c]
		}
		b[k] /= diag[k]
	}
	return true
}

// mirror subtracts (vᵀx/half) v from x. stepV and stepX are the distances between neighbours.
func mirror(v, x []float64, stepV, stepX, n int, half float64) {
	var s float64
	for i := range n {
		s += v[i*stepV] * x[i*stepX]
	}
	s /= half
	for i := range n {
		x[i*stepX] -= s * v[i*stepV]
	}
}
