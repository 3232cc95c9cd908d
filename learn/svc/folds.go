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

// decide implements [learn.Deciding] for a method of this package, unless its parameters are wrong.
//
// The dual has the kernel matrix of all samples that trainings of the submodel have. Those that do not train here have
// weight 0, so bounds 0, and stay in the gradient: at the end it has their decision values. Unless alone, it starts
// from the solution for all (alpha seeding, DeCoste & Wagstaff 2000). It ends by LIBSVM's rule, since the gap of a
// model that nobody keeps needs no certificate.
func (m *program) decide(ctx context.Context, t learn.Trainer, wrong error, p *learn.Problem, rows, of []int,
	alone bool) *learn.Decided {
	if wrong != nil || p.Shared == nil || !p.Kernel.Bounded() || !p.Kernel.Vectorised() || p.Kernel.Validate(p.D) != nil {
		return nil
	}
	const coarser = 2 // than for a model with a certificate: what rounding changes is at most the tolerance
	f := fold{m: m, key: fmt.Sprintf("%+v", t), p: p, rows: rows, of: of, alone: alone}
	f.m.libsvm = true
	if p.ValidateCost(m.method, m.c) != nil {
		return nil
	}
	largest := learn.SharedValue(p.Shared, fmt.Sprintf("single %s %v", f.key, p.Kernel), 0, func() *float64 {
		v := f.m.single(p, p.N)
		return &v
	})
	if *largest > 0 {
		if d := decideAll[float32](ctx, &f, coarser**largest); d != nil {
			return d
		}
	}
	return decideAll[float64](ctx, &f, 0)
}

// fold is a training on some rows of a problem.
type fold struct {
	m        *program
	key      string // of its parameters
	p        *learn.Problem
	rows, of []int
	alone    bool // nothing to start from
}

// sharedMatrices returns the kernel matrix of all samples and that of those that a submodel is of, copied from it,
// evaluated once for all trainings; nil if there is no room.
func sharedMatrices[T gram.Float](ctx context.Context, f *fold) (all, of smo.Matrix) {
	p, n, ld := f.p, f.p.N, smo.Stride(f.p.N)
	kernel := fmt.Sprintf("%T %v", *new(T), p.Kernel)
	values := learn.SharedValue(p.Shared, kernel, blocked.Bytes[T](n, ld, 0, 0), func() []T {
		values, samples := gram.Aligned[T](n*ld), gram.Pack[T](p.Kernel, p.X, n, p.D)
		_ = learn.FullMatrix(context.Background(), samples, values, ld, p.Threads) // some milliseconds
		return values
	})
	if values == nil || ctx.Err() != nil {
		return nil, nil
	}
	all = smo.NewDense(n, values, ld)
	if len(f.of) == n && f.m.each == 1 {
		return all, all
	}
	m, width := f.m.each*len(f.of), smo.Stride(f.m.each*len(f.of))
	part := learn.SharedValue(p.Shared, fmt.Sprintf("%p %s", f.of, kernel), blocked.Bytes[T](m, width, 0, 0), func() []T {
		part := gram.Aligned[T](m * width)
		for r := range m {
			row, from := part[r*width:r*width+m], values[f.of[r%len(f.of)]*ld:]
			for len(row) > 0 {
				for c, k := range f.of {
					row[c] = from[k]
				}
				row = row[len(f.of):]
			}
		}
		return part
	})
	if part == nil {
		return nil, nil
	}
	return all, smo.NewDense(m, part, width)
}

// decideAll is decide with kernel values of type T; nil where ‖a‖ exceeds largest, or the solver fails.
func decideAll[T gram.Float](ctx context.Context, f *fold, largest float64) *learn.Decided {
	all, k := sharedMatrices[T](ctx, f)
	if k == nil {
		return nil
	}
	opt := smo.Options{Tolerance: f.m.tolerance, MaxIter: f.m.maxIter, InPlace: true}
	p := f.within(f.rows)
	if f.m.refuse != nil && f.m.refuse(p) != nil {
		return nil
	}
	q := f.m.pairOn(p, f.of, k)
	if q.Most = largest; !bothSides(q) {
		return nil
	}
	if !f.alone && f.m.share == nil {
		key := fmt.Sprintf("from %p %p %T %v %v", f.p.Y, f.of, *new(T), f.key, f.p.Kernel)
		from := learn.SharedValue(f.p.Shared, key, int64(len(q.P))*16, func() *smo.Result {
			whole := f.m.pairOn(f.within(f.of), f.of, k)
			whole.Most = largest
			return smo.Solve(ctx, whole, opt)
		})
		if from == nil || from.Status != status.Optimal {
			return nil
		}
		if !startWithout(ctx, q, from) {
			return nil
		}
	}
	var s *smo.Result
	if f.m.share == nil {
		s = smo.Solve(ctx, q, opt)
	} else if found, _, err := f.m.search(ctx, p, f.of, q, opt); err == nil {
		s = found
	}
	if s == nil || !s.Status.Limit() && s.Status != status.Optimal || ctx.Err() != nil {
		return nil
	}
	return f.decided(ctx, all, s, q)
}

// decided finds the decision values: those of samples that the submodel is of are in the gradient.
func (f *fold) decided(ctx context.Context, all smo.Matrix, s *smo.Result, q *smo.Pair) *learn.Decided {
	p := f.p
	first := learn.SharedValue(p.Shared, "first", int64(p.N)*8, func() []int {
		first, place := learn.Distinct(p.X, p.N, p.D)
		return deal.Pick(first, place)
	})
	d := &learn.Decided{Values: make([]float64, p.N), Used: make([]bool, p.N), Status: s.Status}
	var rows []int
	var coef []float64
	for r, i := range f.of {
		a := coefficient(s.A, len(f.of), r)
		if d.Values[i] = s.G[r] - q.P[r] - s.Rho; a == 0 {
			continue
		}
		rows = append(rows, i)
		coef = append(coef, a)
		if first != nil {
			i = first[i]
		}
		d.Used[i] = true
	}
	if len(f.of) == p.N {
		return d
	}
	for i := range d.Values {
		d.Values[i] = -s.Rho
	}
	if all.AddRows(ctx, d.Values, rows, coef) != nil {
		return nil
	}
	return d
}

// within is the problem in which others than these rows have the weight 0.
func (f *fold) within(rows []int) *learn.Problem {
	p := *f.p
	p.Weight = make([]float64, p.N)
	for _, i := range rows {
		p.Weight[i] = f.p.WeightOf(i)
	}
	return &p
}

// bothSides reports whether variables may rise and others fall: of one label alone no model is trained.
func bothSides(q *smo.Pair) bool { return slices.Max(q.Hi) > 0 && slices.Min(q.Lo) < 0 }

// startWithout makes q start from the solution for the whole set, see [without] and [startFrom].
func startWithout(ctx context.Context, q *smo.Pair, whole *smo.Result) bool {
	q.Start = without(whole.A, q)
	return startFrom(ctx, q, whole)
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
