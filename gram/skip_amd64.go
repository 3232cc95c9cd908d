//go:build !purego

package gram

import (
	"unsafe"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// The skipDot* functions are tileGeneric's inner product for eight queries (q holds
// eight elements a feature) over the k ≥ 1 features whose byte offsets in a panel are given.

//go:noescape
func skipDot64AVX512(out *float64, ldo uintptr, q *float64, offset *uint32, k int, x *float64, xs uintptr, panels int)

//go:noescape
func skipDot32AVX512(out *float32, ldo uintptr, q *float32, offset *uint32, k int, x *float32, xs uintptr, panels int)

func canSkip() bool { return cpu.Active() == cpu.AVX512 }

// skipDot evaluates the inner products of the compacted queries at the active level.
func skipDot[T Float](out []T, ldo int, q []T, offset []uint32, x []T, xs, panels int) {
	var v T
	size := unsafe.Sizeof(v)
	po, pq, px := unsafe.Pointer(unsafe.SliceData(out)), unsafe.Pointer(unsafe.SliceData(q)), unsafe.Pointer(unsafe.SliceData(x))
	so, sx := uintptr(ldo)*size, uintptr(xs)*size
	if size == 8 {
		skipDot64AVX512((*float64)(po), so, (*float64)(pq), &offset[0], len(offset), (*float64)(px), sx, panels)
		return
	}
	skipDot32AVX512((*float32)(po), so, (*float32)(pq), &offset[0], len(offset), (*float32)(px), sx, panels)
}
