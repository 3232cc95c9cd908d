//go:build !purego

package limits

import "github.com/sparsekm/sparsekm/internal/cpu"

var levels = map[cpu.Level]loops{
	cpu.AVX2:   {lanes: 4, fma: fmaAVX2, read: readAVX2, write: writeAVX2},
	cpu.AVX512: {lanes: 8, fma: fmaAVX512, read: readAVX512, write: writeAVX512},
}

// fmaAVX2 and fmaAVX512 are fmaGeneric on vectors of 0.
//
//go:noescape
func fmaAVX2(n int)

//go:noescape
func fmaAVX512(n int)

// readAVX2 and readAVX512 are readGeneric without the sums.
//
//go:noescape
func readAVX2(p *byte, n, times int)

//go:noescape
func readAVX512(p *byte, n, times int)

// writeAVX2 and writeAVX512 are writeGeneric with stores past the caches.
//
//go:noescape
func writeAVX2(p *byte, n int)

//go:noescape
func writeAVX512(p *byte, n int)
