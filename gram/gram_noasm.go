//go:build purego || !(amd64 || arm64)

package gram

import "github.com/sparsekm/sparsekm/internal/cpu"

var (
	table64 = cpu.NewTable(portable[float64](), nil)
	table32 = cpu.NewTable(portable[float32](), nil)

	tableSmall = cpu.NewTable(smallTable{}, nil)

	tableOctets  = cpu.NewTable(octetKernels{rows: 8}, nil)
	tableNibbles = cpu.NewTable(nibbleKernels{}, nil)
)
