package svc

import (
	"context"
	"slices"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/ipm"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
)

// flatWidth is the largest number of features for which a linear model is solved in the primal: each step solves a
// system of that order.
const flatWidth = 1000

// flat solves the dual of a linear model with many samples and few features in terms of the features. settled says that
// [smo.Pair] has confirmed the solution. Otherwise, as with features of very different sizes, start is the best iterate
// for a warm start with kernel rows. start is nil if the problem is not of this kind or the memory does not suffice.
func (m *program) flat(ctx context.Context, p *learn.Problem, rows []int, r *run) (start *ipm.DualPoint, settled bool) {
	n, x := len(rows), flatMatrix{n: len(rows), d: p.D, threads: p.Threads}
	if p.Kernel.Rows != nil {
		x.d = p.Kernel.Rows.D
	}
	small := n <= smo.WholeSet || n < 4*x.d || r.start != nil
	if !p.Kernel.Off().Additive() || m.share != nil || small || x.d == 0 || x.d > flatWidth {
		return nil, false
	}
	need := ipm.DualBytes(n, x.d, m.each) + int64(m.each*n)*16*8
	if sparse := p.Kernel.Rows; sparse != nil {
		need += sparse.Bytes()
	} else if n < p.N {
		need += int64(n) * int64(p.D) * 8 // a copy of the present samples
	}
	if b := p.Budget(m.method, p.N, p.D); need > b.Left() {
		return nil, false
	}
	x.set(p, rows)
	q := m.pair(p, rows, &x)
	q.Together = -1
	dual := ipm.Dual{X: x.x, Rows: x.rows, N: n, D: x.d, P: q.P, Lo: q.Lo, Hi: q.Hi, Tolerance: m.tolerance, Threads: p.Threads,
		Progress: progress(p.Resources, m.tolerance)}
	if !m.libsvm {
		dual.Enough = func(s *ipm.DualPoint) bool {
			c := smo.Result{A: s.A, G: slices.Clone(s.KA)}
			dense.Axpy(1, q.P, c.G)
			q.Certify(&c)
			return c.RelativeGap() <= m.gap()
		}
	}
	if start = dual.Solve(ctx); start == nil || start.Violation > m.tolerance {
		return start, false
	}
	q.Start, q.KStart = start.A, start.KA
	r.bits, r.max = 64, 0
	if r.solve(ctx, m, p, rows, q) != nil {
		return start, false // only the search for ν returns errors
	}
	q.K = nil
	return start, true
}

// flatMatrix is XXᵀ, never stored: a linear combination of rows costs no more than one row.
type flatMatrix struct {
	x       []float64   // n×d, row-major
	rows    *csr.Matrix // instead of x; nil for none
	n, d    int
	threads int
	idx     []int
}

// set sets the matrix to the given rows of a problem.
func (m *flatMatrix) set(p *learn.Problem, rows []int) {
	if p.Kernel.Rows == nil {
		m.x = p.Samples(rows)
		return
	}
	idx := make([]int, len(rows))
	for k, i := range rows {
		idx[k] = int(p.X[i])
	}
	m.rows = p.Kernel.Rows.Subset(idx)
}

// rowOf returns the stored values of row i.
func (m *flatMatrix) rowOf(i int) []float64 {
	if m.rows != nil {
		_, value := m.rows.Row(i)
		return value
	}
	return m.x[i*m.d : (i+1)*m.d]
}

// dot is the product of row i with w.
func (m *flatMatrix) dot(i int, w []float64) float64 {
	if m.rows != nil {
		return m.rows.Dot(i, w)
	}
	return dense.Dot(w, m.x[i*m.d:(i+1)*m.d])
}

// add adds c times row i to w.
func (m *flatMatrix) add(w []float64, i int, c float64) {
	if m.rows != nil {
		m.rows.AddTo(w, i, c)
		return
	}
	dense.Axpy(c, m.x[i*m.d:(i+1)*m.d], w)
}

// Len implements [smo.Matrix].
func (m *flatMatrix) Len() int { return m.n }

// Diag implements [smo.Matrix].
func (m *flatMatrix) Diag(dst []float64) {
	for i := range dst {
		x := m.rowOf(i)
		dst[i] = dense.Dot(x, x)
	}
}

// Select implements [smo.Matrix].
func (m *flatMatrix) Select(idx []int) { m.idx = idx }

// SubRow implements [smo.Matrix].
func (m *flatMatrix) SubRow(dst []float64, r int) {
	x := make([]float64, m.d)
	m.add(x, m.idx[r], 1)
	for c, i := range m.idx {
		dst[c] = m.dot(i, x)
	}
}

// AddRows implements [smo.Matrix].
func (m *flatMatrix) AddRows(ctx context.Context, g []float64, idx []int, coef []float64) error {
	const rows = 2048
	w := make([]float64, m.d)
	for r, i := range idx {
		m.add(w, i, coef[r])
	}
	parallel.Chunks(m.threads, m.n, rows, func(_, lo, hi int) {
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			g[i] += m.dot(i, w)
		}
	})
	return ctx.Err()
}
