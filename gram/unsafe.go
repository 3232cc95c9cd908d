package gram

import (
	"runtime"
	"unsafe"

	"github.com/sparsekm/sparsekm/internal/pages"
)

// Everything of the package that needs unsafe.

// lanes is the number of samples in a panel.
func lanes[T Float]() int { var v T; return panelWidth / int(unsafe.Sizeof(v)) }

// as is s, whose elements are of type U.
func as[U, T Float](s []T) []U {
	return unsafe.Slice((*U)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}

// active is the entry of the level in use.
func active[T Float]() *kernels[T] {
	if lanes[T]() == lanes[float32]() {
		return (*kernels[T])(unsafe.Pointer(table32.Active()))
	}
	return (*kernels[T])(unsafe.Pointer(table64.Active()))
}

// hide is p, out of sight of escape analysis. It cannot see through a table that no
// assembly keeps its arguments, and would move what callers have on the stack to the heap.
func hide[E any](p *E) *E {
	address := uintptr(unsafe.Pointer(p))
	q := *(**E)(unsafe.Pointer(&address))
	runtime.KeepAlive(p)
	return q
}

// unseen is v, what it points to out of sight of escape analysis: it would move what callers have on the stack to the
// heap where it cannot see which method of an interface takes it.
func unseen[E any](v E) E { return *hide(&v) }

// head is where s starts, hidden.
func head[E any](s []E) *E { return hide(unsafe.SliceData(s)) }

// onLine reports whether s starts on a cache line.
func onLine[T Float](s []T) bool { return uintptr(unsafe.Pointer(unsafe.SliceData(s)))%panelWidth == 0 }

// alignedSlice allocates n zeros that start on a cache line.
func alignedSlice[T Float](n int) []T {
	s := pages.Large(make([]T, n+lanes[T]()-1))
	if len(s) == 0 {
		return s
	}
	skip := int(-uintptr(unsafe.Pointer(&s[0]))%panelWidth) / int(unsafe.Sizeof(s[0]))
	return s[skip : skip+n : skip+n]
}
