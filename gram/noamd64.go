//go:build purego || !amd64

package gram

// What only amd64 has in assembly.

func distances[T Float](dst, src, zn []T, qn T) { distancesGeneric(dst, src, zn, qn) }

func rowExp[T Float](dst, q, x []T, xs, k, panels int, scale T) bool { return false }

func storeTile[T Float](dst []T, ld int, tile []T, mirror, stream bool) bool { return false }

func storeFence() {}
