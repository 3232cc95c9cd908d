package gram

// Blocks returns the sizes that the loops of this package work in, by name, for
// people who want to know what runs on their host.
func Blocks() map[string]int {
	return map[string]int{
		"panel_float64":     lanes[float64](), // samples side by side
		"panel_float32":     lanes[float32](),
		"tile":              tileSide,       // side of the squares that Full works in
		"stream_bytes":      streamMin,      // size from which a matrix bypasses the caches
		"expanded_features": expandFeatures, // from here on distances may come from dot products
		"call_steps":        callSteps,      // feature steps of one assembly call
	}
}
