//go:build !(goexperiment.simd && go1.27)

package cpu

// Vectors reports whether this build has the kernels of the level SIMD.
const Vectors = false
