//go:build !purego

package gram

// countBits4NEON is runBits4Count.
//
//go:noescape
func countBits4NEON(out, squares *uint8, q int, kept *keptBits4, k int, x *uint8, xs uintptr, panels int)

// The tileUint8* functions are runUint8Tile with the offset 0.

//go:noescape
func tileUint8NEON(out *int32, ldo uintptr, q *uint32, qs uintptr, rows int, x *uint32, xs uintptr, k, panels int)

//go:noescape
func tileUint8DotNEON(out *int32, ldo uintptr, q *uint32, qs uintptr, rows int, x *uint32, xs uintptr, k, panels int)
