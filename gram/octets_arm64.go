//go:build !purego

package gram

// countNibblesNEON is nibbleKernels.count.
//
//go:noescape
func countNibblesNEON(out, squares *uint8, q int, kept *keptNibble, k int, x *uint8, xs uintptr, panels int)

// The tileOctets* functions are octetKernels.tile without an offset.

//go:noescape
func tileOctetsNEON(out *int32, ldo uintptr, q *uint32, qs uintptr, rows int, x *uint32, xs uintptr, k, panels int)

//go:noescape
func tileOctetsDotNEON(out *int32, ldo uintptr, q *uint32, qs uintptr, rows int, x *uint32, xs uintptr, k, panels int)
