//go:build purego || !amd64

package gemm

import "github.com/sparsekm/sparsekm/internal/cpu"

var kernels map[cpu.Level]kernel
