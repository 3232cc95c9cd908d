package smo

// BoxScratch returns the bytes that [Box.Solve] takes at most, or nearly, for a
// [Factor] of n rows in r dimensions: vectors, and for a working set its gathered rows,
// its block and the factor of the free part. The coarse phase seldom has more free variables.
func BoxScratch(n, r int) int64 {
	const vectors = 24 * 8
	set := int64(min(n, boxWorkingSet+boxEntrants))
	gathered := min(set+set/2, int64(n)) * int64(r)
	return int64(n+r)*vectors + 8*(gathered+2*set*set)
}
