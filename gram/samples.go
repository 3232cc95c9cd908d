// Package gram evaluates kernels on packed samples: rows, tiles and whole Gram matrices, in float64 or float32, at
// the SIMD level that package cpu chose.
//
// [Pack] copies samples into a packed layout, which all other functions read. A [Samples] is immutable and safe for
// concurrent use. No function of this package starts goroutines.
//
// # Layouts
//
// The panel layout is the usual one. A panel holds 8 float64 or 16 float32 samples, feature by feature: 64 bytes a
// feature, one sample a lane, zero-padded. Every implementation adds the features of a pair in the same order, with
// fused multiply-adds. So a value does not depend on the width of the registers, on the other rows of a batch, or on
// which of the two samples is the row.
//
// The CSC layout serves many samples whose features are mostly 0. Features that many samples have stay in panels. The
// others are stored as non-zeros, feature by feature, and a query adds the terms of its own non-zeros only. This is
// plain Go. It adds these features after the panels' features, in ascending order, so values are as reproducible as
// with panels.
//
// The uint8 layout holds features that are whole multiples of one step, at most 255 of them, as bytes: pixels,
// counts, zeros and ones. Sums over the features are integers, exact at every level; only the value computed from a
// sum is rounded. This layout needs 32 features, 129 samples, and a kernel of squared distances or inner products
// without weights. If all bytes are 0 or 1, a sample has at most 127 ones and the kernel is RBF, there is a 4-bit
// layout too. It looks up four features of 64 samples at once, only where the query has ones, and reads values from a
// table by distance.
//
// Pack chooses the layout from the data alone.
//
// # Accuracy
//
// For the RBF kernel, k(x,x) is exactly 1, k(x,z) and k(z,x) have the same bits, and 0 ≤ k ≤ 1. Let u be the unit
// roundoff (2⁻⁵³ or 2⁻²⁴). |computed − exact| is at most
//
//	(d+8)·u                                for Σ(x−z)², the usual form
//	(d+8)·u + 4u·√(γ·max‖x−c‖²)            for float32, on samples moved by their middle c
//	(d+8)·u·(4γ·max‖x−c‖² + 1)             for ‖x‖² + ‖z‖² − 2xᵀz
//
// The last form needs one operation a feature instead of two. Pack uses it from 32 features on, and only if
// γ·max‖x−c‖² ≤ 16 over the packed samples, which keeps cancellation harmless. The choice depends on the data alone.
//
// In the uint8 layout the bound is 8u, plus the effect of a grid error: features may differ from the grid by four
// units in the last place of the largest feature.
//
// All levels give the same bits in float64. In float32 the portable loops may differ from the assembly in the last
// place, because Go has no fused multiply-add for it.
package gram

import (
	"context"
	"fmt"
)

// Float is the element type of packed samples and of their kernel values.
type Float interface{ float32 | float64 }

// Samples is a set of n samples of dimension d, packed for one kernel.
type Samples[T Float] struct {
	kernel Kernel
	n, d   int
	layout layout[T]
}

// Pack copies n samples of dimension d (x is n×d, row-major) for evaluation with k. It panics if len(x) < n·d or if k
// is not valid for d or for the samples (see [Kernel.Validate] and [Kernel.ValidateSamples]).
func Pack[T Float](k Kernel, x []float64, n, d int) *Samples[T] {
	p, _ := PackContext[T](context.Background(), k, x, n, d) // the background context never ends, so there is no error
	return p
}

// PackContext is [Pack] for large sets: it stops when ctx ends, and returns ctx's error.
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

// Bytes returns the memory that Pack allocates for n samples of dimension d, in bytes.
func Bytes[T Float](n, d int) int64 {
	l := int64(lanes[T]())
	panels := (int64(n) + l - 1) / l
	return panels*panelWidth*(int64(d)+1) + 16*int64(d)
}

// Len returns the number of samples.
func (p *Samples[T]) Len() int { return p.n }

// Dim returns the number of features.
func (p *Samples[T]) Dim() int { return p.d }

// Cost returns the approximate time of a kernel value, in units of one feature in panels.
func (p *Samples[T]) Cost() int { return p.layout.cost() }

// ByTable reports whether values are read from a table. A row then takes little more time than writing it.
func (p *Samples[T]) ByTable() bool {
	o, ok := p.layout.(*inUint8[T])
	return ok && o.table != nil
}

// Kernel returns the kernel that the samples were packed for.
func (p *Samples[T]) Kernel() Kernel { return p.kernel }

// check panics unless all idx are numbers of samples; lanes that only pad a panel are not samples.
func (p *Samples[T]) check(idx []int) {
	for _, i := range idx {
		if i < 0 || i >= p.n {
			panic(fmt.Sprintf("gram: sample %d of %d", i, p.n))
		}
	}
}

// Subset packs the samples idx, in that order, for the same kernel. Kernel values of the subset have the same bits as
// those of p. It panics if an index is out of range.
func (p *Samples[T]) Subset(idx []int) *Samples[T] {
	p.check(idx)
	return &Samples[T]{p.kernel, len(idx), p.d, p.layout.subset(idx)}
}
