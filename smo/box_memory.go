package smo

// BoxScratch returns the bytes that [Box.Solve] takes at most, or nearly, for a
// [Factor] of n rows in r dimensions: vectors, the gathered features of the rows that are
// looked at and of the free ones, and square matrices of the order of the free part.
func BoxScratch(n, r int) int64 {
	const vectors = 32 * 8
	looked, free := int64(min(n, boxWorkingSet)), int64(min(n, r, boxWorkingSet))
	return int64(n+r)*vectors + 8*(int64(r)*(looked+free+free/4)+3*free*free)
}
