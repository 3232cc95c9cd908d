package smo

import (
	"context"

	"github.com/sparsekm/sparsekm/status"
)

const (
	// innerTolerance is how far a subproblem is solved, relative to the violation of the whole problem.
	innerTolerance = 0.1
	// tau stands in for a curvature that is not positive, as in LIBSVM.
	tau = 1e-12
	// burst is the number of steps between two looks at the context.
	burst = 8192
)

// inner is the subproblem of one working set of q variables, dense.
type inner struct {
	q, ld      int // variables, and the length of the vectors: q and padding that never moves
	matrix     Matrix
	rows       [][]float64 // rows of the matrix that steps have asked for so far
	memory     []float64   // what the rows lie in
	used       int
	d, a, g    []float64
	lo, hi     []float64
	up, low    []float64 // 0 where a_t may rise (fall), +Inf where it may not
	idx        []int
	coef       []float64
	iterations int
}

// load copies the subproblem of working set w out of s.
func (in *inner) load(s *pairState, w []int) {
	q := len(w)
	in.q, in.ld = q, (q+lanes-1)&^(lanes-1)
	in.matrix = s.K
	in.rows = append(in.rows[:0], make([][]float64, q)...)
	in.used = 0
	for _, v := range []*[]float64{&in.d, &in.a, &in.g, &in.lo, &in.hi, &in.up, &in.low} {
		*v = grow(*v, in.ld)
	}
	for r, i := range w {
		in.d[r], in.a[r], in.g[r], in.lo[r], in.hi[r] = s.diag[i], s.a[i], s.g[i], s.Lo[i], s.Hi[i]
		in.up[r], in.low[r] = s.up[i], s.low[i]
	}
	for r := q; r < in.ld; r++ {
		in.d[r], in.g[r], in.up[r], in.low[r] = 0, 0, inf, inf
	}
	s.K.Select(w)
}

// grow returns a slice of length n, v's own memory when that suffices.
func grow(v []float64, n int) []float64 {
	if cap(v) < n {
		return make([]float64, n)
	}
	return v[:n]
}

// solve takes two-variable steps until m − M ≤ eps within the working set.
func (in *inner) solve(ctx context.Context, eps float64, maxIter int) status.Status {
	in.iterations = 0
	ki, kj, step := in.g, in.g, 0.0 // nothing to update yet
	for {
		i, m, M := stepExtremes(in.g, in.up, in.low, ki, kj, step)
		if m-M <= eps {
			return status.Unknown
		}
		if in.iterations >= maxIter {
			return status.IterationLimit
		}
		if in.iterations%burst == burst-1 {
			if st := status.FromContext(ctx); st != status.Unknown {
				return st
			}
		}
		ki = in.row(i)
		j := secondOrder(in.g, in.low, in.d, ki, m, in.d[i])
		if j < 0 {
			return status.Unknown
		}
		kj = in.row(j)
		step = in.step(i, j)
		in.iterations++
	}
}

// row returns row r of the working set's matrix. Few are needed on easy problems.
func (in *inner) row(r int) []float64 {
	if in.rows[r] == nil {
		if len(in.memory) < in.used+in.ld {
			in.memory, in.used = make([]float64, 64*in.ld), 0 // earlier rows keep the old memory
		}
		in.rows[r] = in.memory[in.used : in.used+in.ld]
		in.used += in.ld
		in.matrix.SubRow(in.rows[r][:in.q], r)
	}
	return in.rows[r]
}

// step moves a_i up and a_j down by the amount that minimises the objective, or to
// the first bound, and returns the amount. The gradient is left to the next selection.
func (in *inner) step(i, j int) float64 {
	c := max(in.d[i]+in.d[j]-2*in.rows[i][j], tau)
	t := (in.g[j] - in.g[i]) / c
	ri, rj := in.hi[i]-in.a[i], in.a[j]-in.lo[j]
	t = min(t, ri, rj)
	in.a[i] += t
	in.a[j] -= t
	if t == ri {
		in.a[i] = in.hi[i]
	}
	if t == rj {
		in.a[j] = in.lo[j]
	}
	in.up[i], in.low[i] = freedom(in.a[i], in.lo[i], in.hi[i])
	in.up[j], in.low[j] = freedom(in.a[j], in.lo[j], in.hi[j])
	return t
}

// changes lists the variables of w that moved, and by how much.
func (in *inner) changes(s *pairState, w []int) ([]int, []float64) {
	in.idx, in.coef = in.idx[:0], in.coef[:0]
	for r, i := range w {
		if d := in.a[r] - s.a[i]; d != 0 {
			in.idx, in.coef = append(in.idx, i), append(in.coef, d)
		}
	}
	return in.idx, in.coef
}
