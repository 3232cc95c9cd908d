package bench

import (
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/limits"
)

// load is a loop that shows a limit.
type load struct {
	name, unit string
	bytes      int            // of the buffer
	call       func()         // does amount() of unit·10⁹
	amount     func() float64 // of a call at the active level
}

const (
	fmaTurns  = 1000    // of a call: tens of microseconds
	dramPiece = 4 << 20 // bytes of a call of dram
	readPiece = 1 << 17 // float64 that are read without a break
	expPoints = 1000    // in the first-level cache, as are the results
)

// newLimits makes the loops for the caches of a host. All of them read one buffer, which is written first: pages
// that nobody has written are all the same one.
func newLimits(m Host) []*load {
	l1, l2, l3, dram := m.buffers()
	buffer := make([]float64, dram/8)
	for i := range buffer {
		buffer[i] = 1
	}
	loads := []*load{{name: "fma", unit: "GFLOP/s", call: func() { limits.FMA(fmaTurns) },
		amount: func() float64 { return fmaTurns * limits.FMA(1) }}}
	for _, c := range []struct {
		name  string
		bytes int
	}{{"l1", l1}, {"l2", l2}, {"l3", l3}} {
		x, times := buffer[:c.bytes/8], max(1, 8*readPiece/c.bytes) // a call takes longer than what is around it
		loads = append(loads, &load{name: c.name, unit: "GB/s", bytes: c.bytes, call: func() { read(x, times) },
			amount: func() float64 { return float64(times * c.bytes) }})
	}
	position := 0
	loads = append(loads, &load{name: "dram", unit: "GB/s", bytes: dram, amount: func() float64 { return dramPiece },
		call: func() {
			read(buffer[position:position+dramPiece/8], 1)
			if position += dramPiece / 8; position >= len(buffer) {
				position = 0
			}
		}})
	return append(loads, newExp[float64]("exp64"), newExp[float32]("exp32"))
}

// read loads x so many times, in pieces after each of which a goroutine can be stopped.
func read(x []float64, times int) {
	for len(x) > readPiece {
		limits.Read(x[:readPiece], 1)
		x = x[readPiece:]
	}
	limits.Read(x, times)
}

func newExp[T gram.Float](name string) *load {
	src, dst := make([]T, expPoints), make([]T, expPoints)
	for i := range src {
		src[i] = -20 * T(i) / expPoints
	}
	return &load{name: name, unit: "Gexp/s", call: func() { gram.ExpNeg(dst, src) },
		amount: func() float64 { return expPoints }}
}
