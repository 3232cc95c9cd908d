//go:build purego || !amd64

package cpu

// detectCaches knows no caches.
func detectCaches() (bytes [4]int) { return bytes }
