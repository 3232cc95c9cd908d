//go:build !purego && (amd64 || arm64)

package cpu

// assembly reports whether this build has kernels in assembly.
const assembly = true
