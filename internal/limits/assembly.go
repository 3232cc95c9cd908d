//go:build ignore

package limits

// This file declares the assembly for internal/asmgen.

// fma is fmaGeneric on vectors of 0.
func fma(n int)

// read is readGeneric without the sums.
func read(p *byte, n, times int)

// write is writeGeneric, with stores past the caches where the level has them.
func write(p *byte, n int)
