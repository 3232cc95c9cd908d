package gram

import (
	"unsafe"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// This file holds the unsafe conversions of the package, each with the numbered rule of package unsafe that allows
// it.

// lanes is the number of samples in a panel.
func lanes[T Float]() int { var v T; return panelWidth / int(unsafe.Sizeof(v)) }

// as returns s with elements of type U, which must equal T. Rule 1: *T and *U point to the same memory layout.
func as[U, T Float](s []T) []U {
	return unsafe.Slice((*U)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}

// start returns a pointer to the first element of s, for assembly. Rule 1: the assembly for T reads elements of type
// T.
func start[T Float](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

// onLine reports whether s starts on a cache line. Rule 2: the address is only a number.
func onLine[T Float](s []T) bool { return uintptr(start(s))%panelWidth == 0 }

// Aligned allocates n zeros that start on a cache line. Rule 2: the address is only a number.
func Aligned[T Float](n int) []T {
	s := cpu.LargePages(make([]T, n+lanes[T]()-1))
	if len(s) == 0 {
		return s
	}
	skip := int(-uintptr(start(s))%panelWidth) / int(unsafe.Sizeof(s[0]))
	return s[skip : skip+n : skip+n]
}
