package svc

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/blocked"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/smo"
	"github.com/sparsekm/sparsekm/status"
)

// maxShared is the largest number of samples whose whole kernel matrix is shared: five folds of them fit a working set.
const maxShared = smo.WholeSet * 5 / 4

// DecideAll implements [learn.Deciding].
//
// The dual has the kernel matrix of all samples. Those that do not train have bounds 0, and stay in the gradient: at
// the end it has their decision values. Unless alone, it starts from the solution for all samples (alpha seeding,
// DeCoste & Wagstaff 2000). It ends by LIBSVM's rule, since the gap of a model that nobody keeps needs no certificate.
func (t Trainer) DecideAll(ctx context.Context, p *learn.Problem, rows []int, alone bool) *learn.Decided {
	if learn.Complete(&t) != nil || p.Shared == nil || p.N > maxShared || !p.Kernel.Bounded() || !p.Kernel.Vectorised() ||
		p.Kernel.Validate(p.D) != nil || p.ValidateCost(t.Name(), t.C) != nil {
		return nil
	}
	const coarser = 2 // than for a model with a certificate: what rounding changes is at most the tolerance
	f := fold{m: t.program(), p: p, rows: rows, alone: alone}
	if !f.ofTwo() {
		return nil
	}
	if largest := f.m.single(p, p.N); largest > 0 {
		if d := decideAll[float32](ctx, &f, coarser*largest); d != nil {
			return d
		}
	}
	return decideAll[float64](ctx, &f, 0)
}

// fold is a training on some rows of a problem.
type fold struct {
	m     *program
	p     *learn.Problem
	rows  []int
	alone bool // nothing to start from
}

// sharedMatrix returns the kernel matrix of the samples, evaluated once for all trainings; nil if there is no room.
func sharedMatrix[T gram.Float](ctx context.Context, p *learn.Problem) smo.Matrix {
	var k T
	n, ld := p.N, smo.Stride(p.N)
	key := fmt.Sprintf("matrix %T %v", k, p.Kernel)
	values := learn.SharedValue(p.Shared, key, blocked.Bytes[T](n, ld, 0, 0), func() []T {
		values, samples := gram.Aligned[T](n*ld), gram.Pack[T](p.Kernel, p.X, n, p.D)
		_ = learn.FullMatrix(context.Background(), samples, values, ld, p.Threads) // some milliseconds
		return values
	})
	if values == nil || ctx.Err() != nil {
		return nil
	}
	return smo.NewDense(n, values, ld)
}

// ofTwo reports whether the rows have both labels.
func (f *fold) ofTwo() bool {
	y := deal.Pick(f.p.Y, f.rows)
	return slices.Contains(y, 1) && slices.Contains(y, -1)
}

// decideAll is DecideAll with kernel values of type T; nil where ‖a‖ exceeds largest, or the solver fails.
func decideAll[T gram.Float](ctx context.Context, f *fold, largest float64) *learn.Decided {
	k := sharedMatrix[T](ctx, f.p)
	if k == nil {
		return nil
	}
	opt := smo.Options{Tolerance: f.m.tolerance, MaxIter: f.m.maxIter, InPlace: true}
	q := f.within(k, f.rows)
	q.Most = largest
	if !f.alone {
		key := fmt.Sprintf("all %T %v %v %v %v", k, f.m.c, f.m.tolerance, f.m.maxIter, f.p.Kernel)
		all := learn.SharedValue(f.p.Shared, key, int64(f.p.N)*16, func() *smo.Result {
			whole := f.within(k, deal.All(f.p.N))
			whole.Most = largest
			return smo.Solve(ctx, whole, opt)
		})
		if all == nil || all.Status != status.Optimal {
			return nil
		}
		if q.Start = without(all.A, q); !startFrom(ctx, q, all) {
			return nil
		}
	}
	s := smo.Solve(ctx, q, opt)
	if !s.Status.Limit() && s.Status != status.Optimal || ctx.Err() != nil {
		return nil
	}
	d := &learn.Decided{Values: s.G, Vectors: f.vectors(s.A), Status: s.Status}
	for i, p := range q.P {
		d.Values[i] -= p + s.Rho
	}
	return d
}

// vectors counts different samples whose variable is not 0.
func (f *fold) vectors(a []float64) (count int) {
	p := f.p
	place := learn.SharedValue(p.Shared, "places", int64(p.N)*8, func() []int {
		_, place := learn.Distinct(p.X, p.N, p.D)
		return place
	})
	met := make([]bool, p.N)
	for i, v := range a {
		if v != 0 && place != nil {
			i = place[i]
		}
		if v != 0 && !met[i] {
			met[i] = true
			count++
		}
	}
	return count
}

// within is the dual over some rows, with the others in its gradient.
func (f *fold) within(k smo.Matrix, rows []int) *smo.Pair {
	n := f.p.N
	q := &smo.Pair{K: k, P: make([]float64, n), Lo: make([]float64, n), Hi: make([]float64, n)}
	for i, y := range f.p.Y {
		q.P[i] = -y
	}
	for _, i := range rows {
		if c := f.m.c * f.p.WeightOf(i); f.p.Y[i] > 0 {
			q.Hi[i] = c
		} else {
			q.Lo[i] = -c
		}
	}
	return q
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
