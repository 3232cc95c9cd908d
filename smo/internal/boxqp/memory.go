package boxqp

// Scratch returns the bytes that [Box.Solve] takes at most, or nearly, for a
// [Factor] of n rows in r dimensions: vectors, an orthogonal basis of the free rows, the elements
// of H between rows that have been free, and square matrices of the order of the free part.
func Scratch(n, r int) int64 {
	const vectors = 32 * 8
	kept, free := int64(min(n, largestSet)), int64(min(n, r, largestSet))
	order := free // of the systems
	if r <= largestImage {
		order = int64(min(n, r))
	}
	return int64(n+r)*vectors + 8*(int64(r)*min(free+free/4, int64(n))+3*order*order+kept*(kept+256))
}
