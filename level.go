package sparsekm

import "github.com/sparsekm/sparsekm/internal/cpu"

// Level names the SIMD kernels that run in this process: "avx512", "avx2", "neon", or
// "generic" for portable Go. It is the best that the processor has, unless the environment
// variable SPARSEKM_CPU asked for another at the start. Results have the same bits for
// any number of threads on one level; between levels their last places may differ.
func Level() string { return cpu.Active().String() }
