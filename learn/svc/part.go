package svc

import (
	"context"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/blocked"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
	"github.com/sparsekm/sparsekm/status"
)

// seedShare is the smallest share of the whole set at which a part starts from the solution for the whole. That
// solution takes longer to find than the one for a small part, and says little about it.
const seedShare = 0.75

// maxShared is the largest number of samples whose whole kernel matrix is shared: five folds of them fit a working
// set. A larger matrix does not stay in the processor's caches; its values take longer to copy than to compute.
const maxShared = smo.WholeSet * 5 / 4

// SharedBytes is the memory of what parts of these samples share (see [learn.Problem.Share]). Parts with labels of
// their own, pairs of classes, have copies of their values.
func (Trainer) SharedBytes(n, d int, common bool) int64 {
	const wide = 24 // features; with fewer a value takes no longer than its copies
	if n > maxShared || !common && d < wide {
		return 0
	}
	return int64(n)*int64(smo.Stride(n)+8)*8 + gram.Bytes[float64](n, d) // and some solutions for all samples
}

// sharedMatrix is the kernel matrix of a shared set.
type sharedMatrix[T gram.Float] struct {
	values  []T
	samples *gram.Samples[T]
}

// shared returns the kernel matrix of the set of which p is a part, evaluated once for all parts; nil if there is none.
func shared[T gram.Float](p *learn.Problem) *sharedMatrix[T] {
	part := p.Shared
	if part == nil || part.Of.N > maxShared || !p.Kernel.Vectorised() {
		return nil
	}
	var v [1]T
	n, ld := part.Of.N, smo.Stride(part.Of.N)
	key := fmt.Sprintf("matrix %T %v", v, p.Kernel)
	return learn.SharedValue(part.Of, key, int64(n*ld)*int64(blocked.Bytes[T](1, 1, 0, 0)), func() *sharedMatrix[T] {
		m := &sharedMatrix[T]{gram.Aligned[T](n * ld), gram.Pack[T](p.Kernel, part.Of.X, n, part.Of.D)}
		_ = learn.FullMatrix(context.Background(), m.samples, m.values, ld, p.Threads) // some milliseconds
		return m
	})
}

// strided is the matrix for solvers, each of which selects its own samples of it.
func (m *sharedMatrix[T]) strided() smo.Matrix {
	n := m.samples.Len()
	return smo.NewDense(n, m.values, smo.Stride(n))
}

// part writes the kernel matrix of the given rows of the set, with rows ld elements apart.
func (m *sharedMatrix[T]) part(dst []T, ld int, rows []int) {
	from, runs := smo.Stride(m.samples.Len()), stretches(rows)
	const short = 8 // where a call for each stretch takes longer than a loop over the values
	one := len(rows) < short*len(runs)
	for k, i := range rows {
		row, to := m.values[i*from:(i+1)*from], dst[k*ld:k*ld+len(rows)]
		if one {
			for l, j := range rows {
				to[l] = row[j]
			}
			continue
		}
		for _, r := range runs {
			to = to[copy(to, row[r[0]:r[1]]):]
		}
	}
}

// stretches lists the intervals [from, to) of rows that follow one another.
func stretches(rows []int) (runs [][2]int) {
	for _, i := range rows {
		if last := len(runs) - 1; last >= 0 && runs[last][1] == i {
			runs[last][1]++
			continue
		}
		runs = append(runs, [2]int{i, i + 1})
	}
	return runs
}

// seed is the solution for the whole set.
type seed struct {
	*smo.Result
	cost   float64 // C
	double bool    // single precision was not exact enough
}

// trainPart trains on the kernel matrix of the whole set; samples outside the part have bounds 0. It returns false if
// there is no such matrix.
func trainPart[T gram.Float](ctx context.Context, m *program, p *learn.Problem, largest float64, r *run) bool {
	w := p.Shared.Of
	if w.Y == nil || w.N > smo.WholeSet || p.Weight != nil {
		return false
	}
	matrix := shared[T](p)
	if matrix == nil {
		return false
	}
	k := matrix.strided()
	inside := make([]bool, w.N)
	for _, i := range p.Shared.Rows {
		inside[i] = true
	}
	q := m.within(w, inside, k)
	q.Most = largest
	var added int // what the gradient at the start has of roundings
	var moved float64
	if float64(len(p.Shared.Rows)) >= seedShare*float64(w.N) {
		if s := m.seed(ctx, p); s != nil {
			if s.double && largest > 0 {
				return true
			}
			s.start(ctx, q, largest == 0)
			added, moved = s.Added+1, 3*s.Moved // what changes is at most twice the seed's multipliers
		}
	}
	if r.solve(ctx, m, p, p.Shared.Rows, q) != nil {
		return false // only the search for ν returns errors
	}
	r.sol.Added += added
	r.sol.Moved += moved
	q.K = nil
	for _, all := range []*[]float64{&r.sol.A, &r.sol.G, &q.P, &q.Lo, &q.Hi} {
		*all = deal.Pick(*all, p.Shared.Rows)
	}
	r.bits, r.max, r.bound = 32, largest, matrix.samples.ErrorBound
	if largest == 0 {
		r.bits = 64
	}
	return true
}

// within is the dual over the samples inside; nil means all.
func (m *program) within(w *learn.SharedSet, inside []bool, k smo.Matrix) *smo.Pair {
	q := &smo.Pair{K: k, P: make([]float64, w.N), Lo: make([]float64, w.N), Hi: make([]float64, w.N)}
	for i, y := range w.Y {
		q.P[i] = -y
		switch {
		case inside != nil && !inside[i]:
		case y > 0:
			q.Hi[i] = m.c
		default:
			q.Lo[i] = -m.c
		}
	}
	return q
}

// seed returns the solution for the whole set with the problem's kernel, computed once; nil if there is none.
func (m *program) seed(ctx context.Context, p *learn.Problem) *seed {
	w := p.Shared.Of
	all := &learn.Problem{X: w.X, N: w.N, D: w.D, Kernel: p.Kernel, Shared: p.Shared}
	key := fmt.Sprintf("svc %v %v %v %v %v", m.c, m.tolerance, m.libsvm, m.maxIter, p.Kernel)
	return learn.SharedValue(w, key, int64(w.N)*16, func() *seed {
		opt := smo.Options{Tolerance: m.tolerance, MaxIter: m.maxIter}
		before := m.before(ctx, p)
		if largest := m.single(all, w.N); largest > 0 {
			if k := shared[float32](all); k != nil {
				q := m.within(w, nil, k.strided())
				q.Most = largest
				if s := before.raise(ctx, q, m.c, false, opt); s.Status != status.Unknown {
					return s
				}
			}
		}
		if k := shared[float64](all); k != nil {
			return before.raise(ctx, m.within(w, nil, k.strided()), m.c, true, opt)
		}
		return nil
	})
}

// before returns the seed for the next smaller C that parts are trained at, nil if there is none.
func (m *program) before(ctx context.Context, p *learn.Problem) *seed {
	less := *m
	less.c = 0
	for _, c := range p.Shared.Of.Costs {
		if c < m.c {
			less.c = max(less.c, c)
		}
	}
	if less.c == 0 {
		return nil
	}
	return less.seed(ctx, p)
}

// raise solves q, of a larger C, from the seed times their ratio, nil for none: multipliers at a bound stay at it, and
// the gradient at the start needs no kernel row.
func (s *seed) raise(ctx context.Context, q *smo.Pair, c float64, double bool, opt smo.Options) *seed {
	if s == nil || !(s.Moved >= 1) { // of smaller multipliers the gradient, near 1, has too few digits to be multiplied
		return &seed{smo.Solve(ctx, q, opt), c, double}
	}
	times := c / s.cost
	q.Start = make([]float64, len(s.A))
	for i, a := range s.A {
		switch a {
		case s.cost:
			q.Start[i] = c
		case -s.cost:
			q.Start[i] = -c
		default:
			q.Start[i] = min(max(times*a, q.Lo[i]), q.Hi[i])
		}
	}
	if s.double != double {
		return &seed{smo.Solve(ctx, q, opt), c, double}
	}
	q.KStart = make([]float64, len(s.A))
	for i, g := range s.G {
		q.KStart[i] = times * (g - q.P[i])
	}
	r := smo.Solve(ctx, q, opt)
	r.Added += s.Added + 2         // the roundings that the start brings, and its own
	r.Moved += 2 * s.Moved * times // the roundings of 1 + Moved, which is at most twice that
	return &seed{r, c, double}
}

// start makes q, without some of the samples, start from the seed.
func (s *seed) start(ctx context.Context, q *smo.Pair, double bool) {
	q.Start = without(s.A, q)
	nonzero, changed := 0, 0
	for i, a := range q.Start {
		if a != 0 {
			nonzero++
		}
		if a != s.A[i] {
			changed++
		}
	}
	if s.double == double && changed < nonzero { // else K times the start takes no longer
		startFrom(ctx, q, s.Result)
	}
}

// without turns the solution for the whole set into a start for q. The multipliers of the samples outside are set to 0.
// Their sum is taken in equal shares from the free variables, and from others if those have no room (alpha seeding,
// DeCoste & Wagstaff 2000).
func without(a []float64, q *smo.Pair) []float64 {
	s := make([]float64, len(a))
	var sum float64
	for i, v := range a {
		s[i] = min(max(v, q.Lo[i]), q.Hi[i])
		sum += s[i]
	}
	const rounds = 20
	for range rounds {
		free := 0
		for i, v := range s {
			if v > q.Lo[i] && v < q.Hi[i] {
				free++
			}
		}
		if free == 0 || sum == 0 {
			break
		}
		share := sum / float64(free)
		for i, v := range s {
			if v > q.Lo[i] && v < q.Hi[i] {
				s[i] = min(max(v-share, q.Lo[i]), q.Hi[i])
				sum -= v - s[i]
			}
		}
		if math.Abs(sum) < 1e-12*float64(len(s)) {
			break
		}
	}
	// Take the rest from one variable after the other: at the end the sum is exactly 0.
	for i, v := range s {
		if d := min(math.Abs(sum), math.Abs(v)); d > 0 && v*sum > 0 {
			s[i] -= math.Copysign(d, sum)
			sum -= math.Copysign(d, sum)
		}
	}
	return s
}
