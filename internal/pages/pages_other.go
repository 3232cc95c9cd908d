//go:build !linux

package pages

// Large returns x. Only Linux takes such advice for Go's memory.
func Large[T any](x []T) []T { return x }
