//go:build purego || !(amd64 || arm64)

package limits

import "github.com/sparsekm/sparsekm/internal/cpu"

var levels map[cpu.Level]loops
