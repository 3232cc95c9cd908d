//go:build purego || !amd64

package gram

func panelNorms[T Float](dst, panel []T, d int) { panelNormsGeneric(dst, panel, d) }
