package gram

// Blocks returns the block sizes of this package's loops by name, for reports about the host.
func Blocks() map[string]int {
	return map[string]int{
		"panel_float64":     lanes[float64](), // samples in a panel
		"panel_float32":     lanes[float32](),
		"tile":              tileSide,       // side of the square tiles of Full
		"stream_bytes":      streamMin,      // bytes of a matrix from which stores bypass the caches
		"expanded_features": expandFeatures, // features from which distances may come from dot products
		"call_steps":        callSteps,      // feature steps of one assembly call
	}
}
