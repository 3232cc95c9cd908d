package qp

import (
	"context"
	"math"

	"github.com/sparsekm/sparsekm/cholupdate"
	"github.com/sparsekm/sparsekm/internal/dense"
)

// singular is the pivot of Q below which Q is treated as semidefinite, relative to the element of the diagonal.
const singular = 1e-11

// smallFactor is the largest order that is factored row by row.
const smallFactor = 64

// tryFactor computes L⁻¹ and returns the pivot at which Q, or Q + D, is not definite, or −1.
func (s *Solver) tryFactor() (pivot int, err error) {
	p, n, f := s.problem, s.problem.n, &s.factors
	l, ld := f.jt, f.ld
	for i := range n {
		copy(l[i*ld:][:n], p.q[i*n:])
		clear(l[i*ld+n : (i+1)*ld])
	}
	for j, d := range s.proximal.d {
		l[j*ld+j] += d
	}
	smallest := singular
	if len(s.proximal.d) > 0 {
		smallest = 0
	}
	clear(f.inverse)
	if p.diagonal() {
		return f.factorDiagonal(p.q, smallest), nil
	}
	if n <= smallFactor {
		return f.factorSmall(p.q, smallest), nil
	}
	ctx := context.Background()
	if failure := cholupdate.Cholesky(ctx, l, n, ld, 1); failure != nil {
		refused, ok := failure.(*cholupdate.PivotError)
		if !ok {
			return 0, failure
		}
		return refused.Index, nil
	}
	for j := range n {
		if v := l[j*ld+j]; !(v*v > smallest*p.q[j*n+j]) {
			return j, nil
		}
		f.inverse[j*ld+j] = 1
	}
	return -1, invertLower(ctx, dense.Of(l, n, n, ld), dense.Of(f.inverse, n, n, ld))
}

// diagonal reports whether Q has no other elements.
func (s *problem) diagonal() bool {
	for i := range s.n {
		for _, v := range s.q[i*s.n : i*s.n+i] {
			if v != 0 {
				return false
			}
		}
	}
	return true
}

// factorDiagonal is tryFactor for a diagonal matrix in jt.
func (f *factors) factorDiagonal(q []float64, smallest float64) (pivot int) {
	for j := range f.n {
		v := f.jt[j*f.ld+j]
		if !(v > 0 && v > smallest*q[j*f.n+j]) {
			return j
		}
		f.inverse[j*f.ld+j] = 1 / math.Sqrt(v)
	}
	return -1
}

// factorSmall is tryFactor for a small matrix in jt: a row of U = Lᵀ and one of L⁻¹ are sums of those before, with the
// same factors.
func (f *factors) factorSmall(q []float64, smallest float64) (pivot int) {
	n, ld := f.n, f.ld
	for i := range n {
		u, inv, column := f.jt[i*ld:][:n], f.inverse[i*ld:][:n], f.d[:i]
		for k := range column {
			column[k] = -f.jt[k*ld+i]
		}
		dense.AddRows(u[i:], column, f.jt[i:], ld)
		if !(u[i] > 0 && u[i] > smallest*q[i*n+i]) {
			return i
		}
		dense.AddRows(inv[:i], column, f.inverse, ld)
		scale := 1 / math.Sqrt(u[i])
		inv[i] = 1
		for k := range u[i:] {
			u[i+k] *= scale
		}
		for k := range inv[:i+1] {
			inv[k] *= scale
		}
	}
	return -1
}

// invertLower overwrites the unit matrix inv with L⁻¹. The upper triangle of inv stays 0.
func invertLower(ctx context.Context, l, inv dense.Mat) error {
	n := l.Rows
	if n <= smallFactor {
		for i := range n {
			to, row := inv.Data[inv.Off+i*inv.RS:][:n], l.Data[l.Off+i*l.RS:][:n]
			dense.AddRows(to[:i], row[:i], inv.Data[inv.Off:], inv.RS)
			for k := range to[:i] {
				to[k] /= -row[i]
			}
			to[i] /= row[i]
		}
		return nil
	}
	h := (n/2 + 7) &^ 7
	l11, l21, l22 := l.Sub(0, h, 0, h), l.Sub(h, n, 0, h), l.Sub(h, n, h, n)
	i11, i21, i22 := inv.Sub(0, h, 0, h), inv.Sub(h, n, 0, h), inv.Sub(h, n, h, n)
	if err := invertLower(ctx, l11, i11); err != nil {
		return err
	}
	if err := dense.Mul(ctx, 1, -1, l21, i11, i21); err != nil {
		return err
	}
	if err := dense.SolveLower(ctx, 1, l22, i21); err != nil {
		return err
	}
	return invertLower(ctx, l22, i22)
}
