package gram

// Uses marks the features on which k(x, z_i), as a function of x, depends for any of the vectors z (row-major,
// len(used) features each). It clears no mark. A kernel that does not declare how it combines features uses all of
// them. Without vectors it marks none.
func (k Kernel) Uses(used []bool, z []float64) {
	if len(z) == 0 {
		return
	}
	inner := k.trait().form == inner
	for f := range used {
		switch {
		case used[f]:
		case inner:
			for pos := f; pos < len(z) && !used[f]; pos += len(used) {
				used[f] = z[pos] != 0
			}
		default:
			used[f] = k.Weights == nil || k.Weights[f] != 0
		}
	}
}
