package learn

import (
	"math"
	"math/rand/v2"

	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

// Known is what is known about the features of a problem.
type Known struct {
	Different bool // no two samples have equal features
	scan      *scan
}

// scan is what one pass over features has found.
type scan struct {
	of      *float64 // the first feature
	n, d    int
	largest float64  // of the absolute values; not finite if one of them is not
	hashes  []uint64 // of the samples, nil where none are needed
}

// Scanned returns a copy of the problem for a trainer: [Problem.Validate], [Problem.Merge] and [Problem.Largest] of the
// copy know what one pass over the features has found, on all threads, and need none of their own. The features must
// not change while the copy is in use.
func (p *Problem) Scanned() *Problem {
	if p.N < 1 || p.D < 1 || len(p.X) < p.N*p.D || p.scanned() != nil {
		return p
	}
	q := *p
	q.Known.scan = newScan(parallel.Workers(p.Threads), p.X, p.N, p.D, !p.mergesNothing())
	return &q
}

// scanned returns what a pass over the features has found, nil without one.
func (p *Problem) scanned() *scan {
	if s := p.Known.scan; s != nil && len(p.X) >= p.N*p.D && p.N == s.n && p.D == s.d && &p.X[0] == s.of {
		return s
	}
	return nil
}

// Largest returns the largest absolute value of a feature.
func (p *Problem) Largest() float64 {
	if s := p.scanned(); s != nil {
		return s.largest
	}
	return dense.Largest(p.X[:p.N*p.D])
}

// newScan makes the pass. A sample is in the first-level cache when it is read again.
func newScan(threads int, x []float64, n, d int, hashes bool) *scan {
	s := &scan{of: &x[0], n: n, d: d}
	if hashes {
		s.hashes = make([]uint64, n)
	}
	const values = 1 << 16 // at a time: ten microseconds and more
	rows := values/d + 1
	largest := make([]float64, (n+rows-1)/rows)
	seed := newSeed()
	parallel.For(threads, len(largest), func(_, b int) {
		for i := b * rows; i < min(b*rows+rows, n); i++ {
			row := x[i*d : (i+1)*d]
			largest[b] = max(largest[b], dense.Largest(row))
			if hashes {
				s.hashes[i] = seed.hash(row)
			}
		}
	})
	s.largest = dense.Largest(largest)
	return s
}

// seed of the hashes: random, and no result depends on it.
type seed [2]uint64

func newSeed() seed { return seed{rand.Uint64(), rand.Uint64()} }

// hash folds products of pairs of features, in two chains that a processor runs side by side.
func (s seed) hash(x []float64) uint64 {
	a, b := s[0], s[1]
	for ; len(x) >= 4; x = x[4:] {
		a = fold(a^math.Float64bits(x[0]+0), s[1]^math.Float64bits(x[1]+0)) // +0 turns −0 into 0
		b = fold(b^math.Float64bits(x[2]+0), s[0]^math.Float64bits(x[3]+0))
	}
	for _, v := range x {
		a = fold(a^math.Float64bits(v+0), s[1])
	}
	return fold(a^s[1], b^s[0])
}
