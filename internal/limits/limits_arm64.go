//go:build !purego

package limits

import "github.com/sparsekm/sparsekm/internal/cpu"

var levels = map[cpu.Level]loops{
	cpu.NEON: {lanes: 2, fma: fmaNEON, read: readNEON, write: writeNEON},
}

// fmaNEON is fmaGeneric on vectors of 0.
//
//go:noescape
func fmaNEON(n int)

// readNEON is readGeneric without the sums.
//
//go:noescape
func readNEON(p *byte, n, times int)

// writeNEON is writeGeneric.
//
//go:noescape
func writeNEON(p *byte, n int)
