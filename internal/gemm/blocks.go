package gemm

// Blocks returns the block sizes in use at the active level, by name.
func Blocks() map[string]int {
	k := active()
	return map[string]int{"tile_rows": k.mr, "tile_columns": k.nr, "depth": depth, "width": width, "height": height}
}
