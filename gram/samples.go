// Package gram evaluates kernels on packed samples: rows, tiles and whole Gram
// matrices, float64 or float32, at the SIMD level that package cpu chose.
//
// [Pack] copies samples into panels; everything else reads panels. A [Samples] is
// immutable and safe for concurrent use. No function here starts goroutines.
//
// # Panels
//
// A panel holds 8 float64 or 16 float32 samples, feature by feature: 64 bytes for
// each feature, one sample per lane, zero padded. Every implementation adds the
// features of a pair in the same order with fused multiply-adds, so a value does
// not depend on the width of the registers, on the row's neighbours in a batch or
// on which of the two samples is the row.
//
// Of many samples whose features are mostly 0, the features that few samples have are kept as lists instead of
// panels, and a row adds up what the query's own features give; the choice is made by Pack from the data. What was
// said of panels holds for them too: lists are plain Go, and add after the panels' features in ascending order.
//
// Features that are whole multiples of one step, at most 255 of them, are kept as bytes: pixels, counts, what is there
// and what is not. Their sums are whole numbers, exact at every level; only what is made of a sum is rounded. It is so
// from 32 features and 129 samples on, for kernels of sums of squares or products without weights. Where the bytes are
// all 0 or 1, at most 127 ones a sample, and the kernel is RBF, four features of 64 samples are looked up at once, only
// where the query has ones, and a value is read from a table by its distance.
//
// # Accuracy
//
// For the RBF kernel, k(x,x) is exactly 1, k(x,z) and k(z,x) have the same bits, and
// 0 ≤ k ≤ 1. Let u be the unit roundoff (2⁻⁵³ or 2⁻²⁴). |computed − exact| is at most
//
//	(d+8)·u                                for Σ(x−z)², the usual form
//	(d+8)·u + 4u·√(γ·max‖x−c‖²)            for float32, on samples moved by their middle c
//	(d+8)·u·(4γ·max‖x−c‖² + 1)             for ‖x‖² + ‖z‖² − 2xᵀz
//
// The last form needs one operation a feature instead of two. It is used from 32
// features on, and only where γ·max‖x−c‖² ≤ 16 over the packed samples keeps its
// cancellation harmless. The choice is made by Pack from the data alone.
//
// Of bytes it is 8u, and what step and features are off by: four units in the last place of the largest feature.
//
// All levels give the same bits in float64. In float32 the portable loops may differ
// from the assembly in the last place, because Go has no fused multiply-add for it.
package gram

import (
	"context"
	"fmt"
)

// Float is the element type of packed samples and of the kernel values they give.
type Float interface{ float32 | float64 }

// Samples is a set of n samples of dimension d, packed for one kernel.
type Samples[T Float] struct {
	kernel Kernel
	n, d   int
	layout layout[T]
}

// Pack copies n samples of dimension d (x is n×d, row-major) for evaluation with k.
// It panics if len(x) < n·d or if k is not valid for d or for the samples (see [Kernel.Validate]
// and [Kernel.ValidatePoints]).
func Pack[T Float](k Kernel, x []float64, n, d int) *Samples[T] {
	p, _ := PackContext[T](context.Background(), k, x, n, d) // the error is the context's
	return p
}

// PackContext is [Pack] for hundreds of megabytes: when ctx ends it gives up, with the error of ctx.
func PackContext[T Float](ctx context.Context, k Kernel, x []float64, n, d int) (*Samples[T], error) {
	if n < 0 || d < 0 || len(x) < n*d {
		panic(fmt.Sprintf("gram: %d values for %d samples of dimension %d", len(x), n, d))
	}
	if err := k.Validate(d); err != nil {
		panic(err.Error())
	}
	x = x[:n*d]
	if err := k.ValidateSamples(x, n, d); err != nil {
		panic(err.Error())
	}
	in, err := layoutOf[T](ctx, k, x, n, d)
	if err != nil {
		return nil, err
	}
	return &Samples[T]{k, n, d, in}, nil
}

// Bytes is what Pack allocates for n samples of dimension d, in bytes.
func Bytes[T Float](n, d int) int64 {
	l := int64(lanes[T]())
	panels := (int64(n) + l - 1) / l
	return panels*panelWidth*(int64(d)+1) + 16*int64(d)
}

// Len returns the number of samples.
func (p *Samples[T]) Len() int { return p.n }

// Dim returns the number of features.
func (p *Samples[T]) Dim() int { return p.d }

// Cost is about how many features in panels a kernel value takes the time of.
func (p *Samples[T]) Cost() int { return p.layout.cost() }

// ByTable reports whether values are read from a table: a row takes little more than writing it.
func (p *Samples[T]) ByTable() bool {
	o, ok := p.layout.(*inUint8[T])
	return ok && o.table != nil
}

// Kernel returns the kernel that the samples were packed for.
func (p *Samples[T]) Kernel() Kernel { return p.kernel }

// check panics unless idx are numbers of samples; the padding of a panel is none.
func (p *Samples[T]) check(idx []int) {
	for _, i := range idx {
		if i < 0 || i >= p.n {
			panic(fmt.Sprintf("gram: sample %d of %d", i, p.n))
		}
	}
}

// Subset packs the samples idx, in that order, for the same kernel. The subset's
// kernel values have the same bits as the original's. It panics if an index is no
// sample's number.
func (p *Samples[T]) Subset(idx []int) *Samples[T] {
	p.check(idx)
	return &Samples[T]{p.kernel, len(idx), p.d, p.layout.subset(idx)}
}
