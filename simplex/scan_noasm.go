//go:build purego || !amd64

package simplex

import "github.com/sparsekm/sparsekm/internal/cpu"

// There is no NEON kernel: a scan is made once a solver.
var scans = cpu.NewTable[scanner](scanGeneric, nil)
