//go:build purego || !(amd64 || arm64)

package smo

import "github.com/sparsekm/sparsekm/internal/cpu"

var stepTable = cpu.NewTable(portable, nil)
