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

// trusted is the part of its n_j when S was computed down to which a candidate's n_j is right: that
// has rounding errors of 1e-15 of what it was, and drifted allows 1e-6 of what it is.
const trusted = 1e-6

// fewSteps are taken one by one: then it does not matter, to the last bit, whether there is memory for S.
const fewSteps = 256

// blocksPay reports whether it is time to make S. It costs as much as n/16 steps without it, and
// who has taken that many is likely to take as many again.
func (f *forward) blocksPay() bool {
	k := len(f.kept)
	return f.ridge == 0 && !f.blocked && k >= max(f.N/16, fewSteps) && f.maxSV-k >= f.N/16
}

// inBlocks goes on with the Schur complement. It reports whether the selection has ended; if it has
// not, there is no memory for more in this way, and the panels serve again.
func (f *forward) inBlocks(ctx context.Context) (st status.Status, done bool) {
	f.blocked = true
	s := newSchur(f)
	if s == nil {
		return status.Unknown, false
	}
	arena := f.panels.arena
	f.panels.arena = nil // no vector takes it
	st, done = s.run(ctx)
	s.release()
	f.panels.arena = arena
	if !done {
		f.panels.layout(f.cand)
	}
	return st, done
}

// A pause says why a block of steps ended.
type pause int

const (
	filled   pause = iota // there is no place for more that wait
	doubtful              // the next n_j has lost too many digits
	cramped               // no memory for one more vector
	ended                 // the selection, with a status
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
		case why == cramped:
			return status.Unknown, false
		case why == doubtful:
			good = false
		case s.subtract(ctx) != nil:
			return status.FromContext(ctx), true
		}
		progress(func() learn.Event { return learn.Event{Phase: "select", Done: -1, Vectors: len(s.kept)} })
	}
}

// block takes steps, as [forward.steps] does, until something stops it.
func (s *schur) block(ctx context.Context) (pause, status.Status) {
	for len(s.noted) < schurSteps {
		if st := status.FromContext(ctx); st != status.Unknown {
			return ended, st
		}
		j, gain := s.best()
		switch {
		case j < 0:
			return ended, status.Optimal
		case s.lost(gain):
			return ended, status.Numerical
		case s.norm[j] < trusted*s.start[j]:
			return doubtful, status.Unknown
		case gain < s.eta*(s.gained+gain):
			return ended, status.Optimal
		case len(s.kept) == s.maxSV:
			return ended, status.SizeReached
		case s.grow(len(s.kept)) != nil:
			return cramped, status.Unknown
		}
		s.step(j)
	}
	return filled, status.Unknown
}

// step chooses j. Its direction's component along y is p_j/√n_j.
func (s *schur) step(j int) {
	p, _ := slices.BinarySearch(s.cand, j)
	t := len(s.noted)
	c := s.c[t*s.m : (t+1)*s.m]
	s.column(c, p)
	length := math.Sqrt(s.norm[j])
	for i := range c {
		c[i] /= length
	}
	u := s.match[j] / length
	s.noted = append(s.noted, s.norm[j])
	s.kept = append(s.kept, j)
	s.gained += u * u
	for i, k := range s.cand {
		s.norm[k] -= c[i] * c[i]
		s.match[k] -= c[i] * u
	}
	s.norm[j] = 0
}

// settle makes the columns of the steps that wait vectors of the basis. It reports whether their
// lengths are those that they were chosen by: the selection ends before the first that is
// not, unless nothing was subtracted from S before. The error is the context's, and then the selection
// is what was settled before.
func (s *schur) settle(ctx context.Context) (bool, error) {
	k, b, n := s.basis.size(), len(s.noted), s.N
	chosen := s.kept[k:]
	s.kept = s.kept[:k]
	w := dense.Of(s.work, b, n, n)
	parallel.For(s.Threads, b, func(_, t int) {
		row := s.work[t*n : (t+1)*n]
		s.Points.Row(row, chosen[t])
		for i, v := range s.Root {
			row[i] *= v
		}
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
		if !(math.Abs(c.norm-s.noted[t]) <= 1e-6*c.norm) && s.settled+t > 0 {
			s.undo(t, chosen)
			s.gained = dense.Dot(s.basis.u, s.basis.u)
			return false, nil
		}
		s.basis.add(&c)
		copy(q, s.basis.last())
		s.kept = append(s.kept, j)
	}
	s.settled += b
	s.gained = dense.Dot(s.basis.u, s.basis.u)
	return true, ctx.Err()
}

// undo takes back what the steps that wait, from step t on, did to the n_j, which says who is a
// candidate still.
func (s *schur) undo(t int, chosen []int) {
	for ; t < len(s.noted); t++ {
		c := s.c[t*s.m : (t+1)*s.m]
		for i, k := range s.cand {
			s.norm[k] += c[i] * c[i]
		}
		s.norm[chosen[t]] = s.noted[t]
	}
}

// project takes from the columns what they have of the bias and of the basis, and adds it to coef.
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
	err := s.basis.q.eachBlock(k, func(lo, hi int, q dense.Mat) error {
		return dense.Mul(ctx, s.Threads, 1, w, q.T(), d.Sub(0, b, lo, hi))
	})
	if err != nil {
		return err
	}
	for t := range b {
		dense.Axpy(1, along[t*k:(t+1)*k], coef[t*ld:])
	}
	return s.basis.q.eachBlock(k, func(lo, hi int, q dense.Mat) error {
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
