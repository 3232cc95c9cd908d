// Package limits measures the peak speed of a processor, for comparison with the kernels: fused multiply-adds in
// registers, loads and stores.
package limits

import (
	"unsafe"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// Step divides the length of every buffer for [Read] and [Write], in float64 elements.
const Step = 64

//go:generate go run ../asmgen

// fmaOps is the number of independent vectors in the loop of multiply-adds. It exceeds latency times throughput of
// any processor, so no operation waits for another.
const fmaOps = 24

// lanes is the number of float64 elements of a vector.
var lanes = cpu.NewTable(1, map[cpu.Level]int{cpu.NEON: 2, cpu.AVX2: 4, cpu.AVX512: 8})

// FMA runs multiply-adds, in turns of about a microsecond at most, and returns the number of operations: two a lane.
// Portable Go uses a product and a sum of scalars, on most architectures two instructions.
func FMA(turns int) (flops float64) {
	runFma(turns)
	return 2 * fmaOps * float64(*lanes.Active()) * float64(turns)
}

// Read loads every element of x the given number of times. The length of x must be a multiple of [Step]. A call must
// load at most 1 MiB, because assembly cannot be preempted. Rule 1 of package unsafe: the elements are seen as bytes.
func Read(x []float64, times int) {
	if len(x)%Step != 0 {
		panic("limits: the length is no multiple of Step")
	}
	if len(x) > 0 && times > 0 {
		runRead((*byte)(unsafe.Pointer(&x[0])), 8*len(x), times)
	}
}

// Write stores 0 in every element of x. The length of x must be a multiple of [Step], and x must begin on a cache
// line. A call must store at most 1 MiB. Rule 1 of package unsafe: the elements are seen as bytes. Rule 2: the address
// is only a number.
func Write(x []float64) {
	if len(x)%Step != 0 || len(x) > 0 && uintptr(unsafe.Pointer(&x[0]))%64 != 0 {
		panic("limits: the length is no multiple of Step, or x does not begin on a cache line")
	}
	if len(x) > 0 {
		runWrite((*byte)(unsafe.Pointer(&x[0])), 8*len(x))
	}
}

// sink keeps the compiler from removing the portable loops.
var sink float64

// fmaGeneric does n times fmaOps multiply-adds.
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

// readGeneric loads n bytes, a multiple of 8·Step, the given number of times. Rule 1 of package unsafe: Read made p of
// elements of eight bytes.
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

// writeGeneric stores n zero bytes. The rule of unsafe.Slice: Write made p of n bytes.
func writeGeneric(p *byte, n int) { clear(unsafe.Slice(p, n)) }
