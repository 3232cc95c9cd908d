//go:build !linux

package pages

// Large returns x: no other system takes such advice for memory of Go's.
func Large[T any](x []T) []T { return x }
