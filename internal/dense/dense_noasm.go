//go:build purego || !(amd64 || arm64)

package dense

import "github.com/sparsekm/sparsekm/internal/cpu"

var levels map[cpu.Level]kernels
