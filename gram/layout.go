package gram

import (
	"context"
	"slices"
)

// layout is a way to store packed samples, with the code that evaluates kernels on them. One call computes many
// values, so its overhead is small. The functions rows, cross and eval call the methods of these names by concrete
// type, which keeps the arguments on the caller's stack. A call through the interface would move them to the heap.
type layout[T Float] interface {
	// rows writes the rows idx for lo ≤ j < hi.
	rows(idx []int, lo, hi int, to *target[T])
	// cross writes the rows of m of the caller's samples.
	cross(s *scratch[T], to *target[T], x []float64, m int)
	// eval is Expansion.Eval.
	eval(e *Expansion[T], s *scratch[T], dst, x []float64, m int)
	// square fills dst[(i−i0)·tileSide + j−j0] with k(x_i, x_j).
	square(dst []T, i0, i1, j0, j1 int)
	// subset returns the samples idx, in that order.
	subset(idx []int) layout[T]
	// cost is Samples.Cost.
	cost() int
}

func rows[T Float](in layout[T], idx []int, lo, hi int, to *target[T]) {
	switch p := in.(type) {
	case *inPanels[T]:
		p.rows(idx, lo, hi, to)
	case *inUint8[T]:
		p.rows(idx, lo, hi, to)
	case *inCSC[T]:
		p.rows(idx, lo, hi, to)
	case *inTerms[T]:
		p.rows(idx, lo, hi, to)
	case *inPairs[T]:
		p.rows(idx, lo, hi, to)
	}
}

func cross[T Float](in layout[T], s *scratch[T], to *target[T], x []float64, m int) {
	switch p := in.(type) {
	case *inPanels[T]:
		p.cross(s, to, x, m)
	case *inUint8[T]:
		p.cross(s, to, x, m)
	case *inCSC[T]:
		p.cross(s, to, x, m)
	case *inTerms[T]:
		p.cross(s, to, x, m)
	case *inPairs[T]:
		p.cross(s, to, x, m)
	}
}

func eval[T Float](in layout[T], e *Expansion[T], s *scratch[T], dst, x []float64, m int) {
	switch p := in.(type) {
	case *inPanels[T]:
		p.eval(e, s, dst, x, m)
	case *inUint8[T]:
		p.eval(e, s, dst, x, m)
	case *inCSC[T]:
		p.eval(e, s, dst, x, m)
	case *inTerms[T]:
		p.eval(e, s, dst, x, m)
	case *inPairs[T]:
		p.eval(e, s, dst, x, m)
	}
}

// diag is Samples.Diag. Only where one value takes the time of a panel's are there ways of their own.
func diag[T Float](in layout[T], dst []T) {
	switch p := in.(type) {
	case *inPanels[T]:
		p.diag(dst)
	case *inTerms[T]:
		p.diag(dst)
	default:
		for i := range dst {
			rows(in, []int{i}, i, i+1, &target[T]{flat: dst[i:], lo: i})
		}
	}
}

// layoutOf chooses the layout of n samples for k from the data alone, and packs them. Its error is ctx's.
func layoutOf[T Float](ctx context.Context, k Kernel, x []float64, n, d int) (layout[T], error) {
	if k.Rows != nil {
		return packRows[T](ctx, k, k.Rows, numbers(x))
	}
	if k.Composed() {
		return packTerms[T](ctx, k, x, n, d)
	}
	o, err := packUint8(ctx, k, x, n, d)
	if err != nil {
		return nil, err
	}
	const sample = 512
	faster := 1 // speed of the uint8 layout relative to panels
	if o != nil {
		faster = o.share()
		if _, ok := sparse(x, n, d, max(1, n/sample), faster); !ok {
			return uint8For[T](k, o), nil
		}
	}
	f, t := plan[T](k, x, n, d)
	if f == pairs {
		return &inPairs[T]{k, n, d, slices.Clone(x)}, nil
	}
	if (f == expanded || f == inner) && t.centre == nil {
		if s, ok := sparse(x, n, d, 1, faster); ok {
			v := &inCSC[T]{formula: formula[T]{kernel: k, form: f}, split: s, n: n, d: d, scale: t}
			return v, v.fill(ctx, x)
		}
	}
	if o != nil {
		return uint8For[T](k, o), nil
	}
	return packPanels(ctx, formula[T]{kernel: k, form: f}, t, x, n, d)
}

// formula turns the sums over the features of a pair into kernel values.
type formula[T Float] struct {
	kernel Kernel
	form   form
	norms  []T // ‖x_i‖² of the samples, for the expanded form only
}

// decays reports whether a kernel value is exp of a multiple of the sum that a tile computes.
func (f *formula[T]) decays() bool { return f.form != expanded && f.kernel.trait().decay }

// norm returns ‖x_i‖², or 0 if the form does not need it.
func (f *formula[T]) norm(i int) T {
	if f.form != expanded {
		return 0
	}
	return f.norms[i]
}

// finish turns the sums for the samples from lo on into kernel values. Dst may be src. The expanded form needs qn =
// ‖q‖².
func (f *formula[T]) finish(dst, src []T, qn T, lo int) {
	if f.form == expanded {
		distances(dst, src, f.norms[lo:], qn)
		src = dst
	}
	f.apply(dst, src)
}

// apply turns the sums of a form other than expanded into kernel values. Dst may be src.
func (f *formula[T]) apply(dst, src []T) {
	t := f.kernel.trait()
	switch {
	case t.decay:
		expScaled(dst, src, T(-f.kernel.Gamma))
	case t.curve != nil:
		bend(t.curve, f.kernel, dst, src, 1)
	case t.value == nil:
		copy(dst, src)
	default:
		for j, v := range src {
			dst[j] = T(t.value(f.kernel, float64(v)))
		}
	}
}
