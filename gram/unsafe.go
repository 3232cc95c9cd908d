package gram

import (
	"unsafe"

	"github.com/sparsekm/sparsekm/internal/pages"
)

// Everything of the package that needs unsafe, next to the numbered rules of package unsafe that allow it.

// lanes is the number of samples in a panel.
func lanes[T Float]() int { var v T; return panelWidth / int(unsafe.Sizeof(v)) }

// as is s, whose elements are of type U. Rule 1: *T and *U point to the same memory layout.
func as[U, T Float](s []T) []U {
	return unsafe.Slice((*U)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}

// start is the first element of s, for assembly that its name says the element type of. Rule 1: the assembly takes it
// for the same type.
func start[T Float](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// onLine reports whether s starts on a cache line. Rule 2: the address is only a number.
func onLine[T Float](s []T) bool { return uintptr(start(s))%panelWidth == 0 }

// alignedSlice allocates n zeros that start on a cache line. Rule 2: the address is only a number.
func alignedSlice[T Float](n int) []T {
	s := pages.Large(make([]T, n+lanes[T]()-1))
	if len(s) == 0 {
		return s
	}
	skip := int(-uintptr(start(s))%panelWidth) / int(unsafe.Sizeof(s[0]))
	return s[skip : skip+n : skip+n]
}
