// Package limits has the loops that show what a processor can do at most: fused
// multiply-adds of registers, loads and stores. What a kernel reaches is a share of that.
package limits

import (
	"unsafe"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// Step is what the length of a buffer for [Read] and [Write] must be a multiple of, in float64.
const Step = 64

// loops are those of a level.
type loops struct {
	lanes int                         // float64 of a vector
	fma   func(n int)                 // n times fmaOps multiply-adds of vectors
	read  func(p *byte, n, times int) // loads n bytes, a multiple of 8·Step, so many times
	write func(p *byte, n int)        // stores as many zeros, where that is possible past the caches
}

// fmaOps is the number of vectors in a turn of the loop of multiply-adds: more than the latency times the width of any
// processor, so that no one waits for another.
const fmaOps = 24

var table = cpu.NewTable(loops{lanes: 1, fma: fmaGeneric, read: readGeneric, write: writeGeneric}, levels)

// FMA multiplies and adds, in turns of about a microsecond at most, and returns the operations: two a lane. Portable
// Go has a product and a sum of scalars for it, on most architectures two instructions.
func FMA(turns int) (flops float64) {
	l := table.Active()
	l.fma(turns)
	return 2 * fmaOps * float64(l.lanes) * float64(turns)
}

// Read loads every element of x, whose length must be a multiple of [Step], so many times. It is called for at most
// 1 MiB together, since assembly cannot be interrupted.
func Read(x []float64, times int) {
	if len(x)%Step != 0 {
		panic("limits: the length is no multiple of Step")
	}
	if len(x) > 0 && times > 0 {
		table.Active().read((*byte)(unsafe.Pointer(&x[0])), 8*len(x), times)
	}
}

// Write stores 0 to every element of x, whose length must be a multiple of [Step] and which must begin on a cache
// line. It is called with at most 1 MiB.
func Write(x []float64) {
	if len(x)%Step != 0 || len(x) > 0 && uintptr(unsafe.Pointer(&x[0]))%64 != 0 {
		panic("limits: the length is no multiple of Step, or x does not begin on a cache line")
	}
	if len(x) > 0 {
		table.Active().write((*byte)(unsafe.Pointer(&x[0])), 8*len(x))
	}
}

// sink keeps the portable loops from being left out.
var sink float64

func fmaGeneric(n int) {
	const x, y = 0.5, 0.25
	var a, b, c, d, e, f, g, h float64
	for range n * (fmaOps / 8) {
		a, b, c, d = a*x+y, b*x+y, c*x+y, d*x+y
		e, f, g, h = e*x+y, f*x+y, g*x+y, h*x+y
	}
	sink = a + b + c + d + e + f + g + h
}

var sinkBits uint64

func readGeneric(p *byte, n, times int) {
	var a, b, c, d uint64
	for range times {
		x := unsafe.Slice((*uint64)(unsafe.Pointer(p)), n/8)
		for len(x) >= 8 {
			a |= x[0] | x[4]
			b |= x[1] | x[5]
			c |= x[2] | x[6]
			d |= x[3] | x[7]
			x = x[8:]
		}
	}
	sinkBits = a | b | c | d
}

func writeGeneric(p *byte, n int) { clear(unsafe.Slice(p, n)) }
