//go:build !linux

package cpu

// LargePages returns x. Only Linux takes such advice for Go's memory.
func LargePages[T any](x []T) []T { return x }

func mapPages(int) []byte { return nil }

func unmapPages([]byte) {}
