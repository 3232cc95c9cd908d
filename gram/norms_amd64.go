//go:build !purego

package gram

import (
	"unsafe"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// See panelNormsGeneric; k ≥ 1 features.

//go:noescape
func norms64AVX2(out, x *float64, k int)

//go:noescape
func norms32AVX2(out, x *float32, k int)

// panelNorms is panelNormsGeneric at the active level.
func panelNorms[T Float](dst, panel []T, d int) {
	if cpu.Active() < cpu.AVX2 {
		panelNormsGeneric(dst, panel, d)
		return
	}
	po, px := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(panel))
	if unsafe.Sizeof(dst[0]) == 8 {
		norms64AVX2((*float64)(po), (*float64)(px), d)
		return
	}
	norms32AVX2((*float32)(po), (*float32)(px), d)
}
