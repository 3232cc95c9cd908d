//go:build purego || !(amd64 || arm64)

package simplex

import "github.com/sparsekm/sparsekm/internal/cpu"

var scans = cpu.NewTable[scanner](scanGeneric, nil)
