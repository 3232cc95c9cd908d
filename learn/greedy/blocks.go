package greedy

import (
	"context"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// trusted is the share of its n_j when S was computed above which a candidate's n_j is accurate. Its rounding error is
// 1e-15 of the former, and correctDrift allows 1e-6 of the present value.
const trusted = 1e-6

// The first fewSteps steps are taken one by one, so that their results do not depend on the memory for S.
const fewSteps = 256

// blocksPay reports whether to compute S now. It costs as much as n/16 steps without it, and a selection of that many
// steps is likely to take as many again.
func (f *forward) blocksPay() bool {
	k := len(f.kept)
	return f.ridge == 0 && !f.blocked && k >= max(f.N/16, fewSteps) && f.maxSV-k >= f.N/16
}

// inBlocks continues with the Schur complement. done is false if its memory is used up; the selection then continues
// with the panels.
func (f *forward) inBlocks(ctx context.Context) (st status.Status, done bool) {
	f.blocked = true
	s := newSchur(f)
	if s == nil {
		return status.Unknown, false
	}
	arena := f.panels.arena
	f.panels.arena = nil // S may use it: no vector may
	st, done = s.run(ctx)
	s.release()
	f.panels.arena = arena
	if !done {
		f.panels.layout(f.cand)
	}
	return st, done
}

// pause says why a block of steps ended.
type pause int

const (
	filled      pause = iota // schurSteps steps are pending
	inexact                  // the next n_j has lost too many digits
	outOfMemory              // no memory for another vector
	ended                    // the selection has ended, with a status
)

func (s *schur) run(ctx context.Context) (status.Status, bool) {
	progress := s.Throttle()
	good := false
	for {
		if !good {
			if !s.take(schurScratch(s.N, len(s.cand), s.basis.size(), s.D) - s.scratch) {
				return status.Unknown, false
			}
			s.scratch = schurScratch(s.N, len(s.cand), s.basis.size(), s.D)
			if s.refresh(ctx) != nil {
				return status.FromContext(ctx), true
			}
		}
		why, st := s.block(ctx)
		var err error
		if good, err = s.settle(ctx); err != nil {
			return status.FromContext(ctx), true
		}
		switch {
		case !good:
		case why == ended:
			return st, true
		case why == outOfMemory:
			return status.Unknown, false
		case why == inexact:
			good = false
		case s.subtract(ctx) != nil:
			return status.FromContext(ctx), true
		}
		progress(func() learn.Event { return learn.Event{Phase: "select", Done: -1, Vectors: len(s.kept)} })
	}
}

// block takes steps as [forward.steps] does, until a pause.
func (s *schur) block(ctx context.Context) (pause, status.Status) {
	for len(s.chosenNorm) < schurSteps {
		if st := status.FromContext(ctx); st != status.Unknown {
			return ended, st
		}
		j, gain := s.best()
		switch {
		case j < 0:
			return ended, status.Optimal
		case s.invalid(gain):
			return ended, status.Numerical
		case s.norm[j] < trusted*s.start[j]:
			return inexact, status.Unknown
		case gain < s.eta*(s.gained+gain):
			return ended, status.Optimal
		case len(s.kept) == s.maxSV:
			return ended, status.SizeReached
		case s.grow(len(s.kept)) != nil:
			return outOfMemory, status.Unknown
		}
		s.step(j)
	}
	return filled, status.Unknown
}

// step selects j. The component of its direction along y is p_j/√n_j.
func (s *schur) step(j int) {
	p, _ := slices.BinarySearch(s.cand, j)
	t := len(s.chosenNorm)
	c := s.c[t*s.m : (t+1)*s.m]
	s.column(c, p)
	length := math.Sqrt(s.norm[j])
	for i := range c {
		c[i] /= length
	}
	u := s.match[j] / length
	s.chosenNorm = append(s.chosenNorm, s.norm[j])
	s.kept = append(s.kept, j)
	s.gained += u * u
	for i, k := range s.cand {
		s.norm[k] -= c[i] * c[i]
		s.match[k] -= c[i] * u
	}
	s.norm[j] = 0
}

// settle adds the columns of the pending steps to the basis. It reports whether their lengths agree with those by which
// they were chosen. If not, the selection ends before the first that does not, unless S was just computed. After an
// error, the context's, the selection is what was settled before.
func (s *schur) settle(ctx context.Context) (bool, error) {
	k, b, n := s.basis.size(), len(s.chosenNorm), s.N
	chosen := s.kept[k:]
	s.kept = s.kept[:k]
	w := dense.Of(s.work, b, n, n)
	parallel.For(s.Threads, b, func(_, t int) {
		row := s.work[t*n : (t+1)*n]
		s.Packed.Row(row, chosen[t])
		dense.Scale(row, s.Root)
	})
	s.evals += int64(b) * int64(n)
	ld := k + schurSteps
	coef := s.work[schurSteps*n:][:schurSteps*ld]
	clear(coef)
	for range 2 {
		if err := s.project(ctx, w, coef, ld); err != nil {
			return false, err
		}
	}
	for t, j := range chosen {
		q, r := s.work[t*n:(t+1)*n], coef[t*ld:t*ld+k+t]
		s.among(q, r[k:])
		c := candidate{a: q, coef: r, norm: dense.Dot(q, q)}
		if !(math.Abs(c.norm-s.chosenNorm[t]) <= 1e-6*c.norm) && s.inBasis+t > 0 {
			s.undo(t, chosen)
			s.gained = dense.Dot(s.basis.u, s.basis.u)
			return false, nil
		}
		s.basis.add(&c)
		copy(q, s.basis.last())
		s.kept = append(s.kept, j)
	}
	s.inBasis += b
	s.gained = dense.Dot(s.basis.u, s.basis.u)
	return true, ctx.Err()
}

// undo reverses the updates of n_j by the pending steps from t on: n_j tells which candidates are left.
func (s *schur) undo(t int, chosen []int) {
	for ; t < len(s.chosenNorm); t++ {
		c := s.c[t*s.m : (t+1)*s.m]
		for i, k := range s.cand {
			s.norm[k] += c[i] * c[i]
		}
		s.norm[chosen[t]] = s.chosenNorm[t]
	}
}

// project makes the columns w orthogonal to the bias and to the basis, and adds their components to coef.
func (s *schur) project(ctx context.Context, w dense.Mat, coef []float64, ld int) error {
	k, b, n := s.basis.size(), w.Rows, s.N
	if s.basis.one != nil {
		for t := range b {
			row := s.work[t*n : (t+1)*n]
			dense.Axpy(-dense.Dot(s.basis.one, row), s.basis.one, row)
		}
	}
	along := s.work[schurSteps*(n+ld):][:b*k]
	clear(along)
	d := dense.Of(along, b, k, k)
	err := s.basis.q.eachBlock(k, 0, func(lo, hi int, q dense.Mat) error {
		return dense.Mul(ctx, s.Threads, 1, w, q.T(), d.Sub(0, b, lo, hi))
	})
	if err != nil {
		return err
	}
	for t := range b {
		dense.Axpy(1, along[t*k:(t+1)*k], coef[t*ld:])
	}
	return s.basis.q.eachBlock(k, 0, func(lo, hi int, q dense.Mat) error {
		return dense.Mul(ctx, s.Threads, -1, d.Sub(0, b, lo, hi), q, w)
	})
}

// among makes q orthogonal to the len(r) columns before it, twice, and writes its components to r.
func (s *schur) among(q, r []float64) {
	var d [schurSteps]float64
	for range 2 {
		dense.MulVec(d[:len(r)], s.work, s.N, q)
		for t := range r {
			r[t] += d[t]
			d[t] = -d[t]
		}
		dense.AddRows(q, d[:len(r)], s.work, s.N)
	}
}
