//go:build goexperiment.simd && go1.27

package cpu

// Vectors reports whether this build has the kernels of the level SIMD. It is a constant: a build without them drops
// the code that would call them.
const Vectors = true
