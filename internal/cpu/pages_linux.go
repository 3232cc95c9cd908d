package cpu

import (
	"syscall"
	"unsafe"
)

// large is the size of a large page on amd64, and on arm64 with pages of 4 KiB.
const large = 2 << 20

// madvHugepage is MADV_HUGEPAGE.
const madvHugepage = 14

// LargePages returns x, which nobody has written yet. If x has at least [LargePagesFrom] bytes, it advises the system
// to back the whole large pages inside x with large pages. The system may ignore the advice.
//
// Rule 1 of package unsafe: the elements are seen as bytes. Rule 3: unsafe.Add stays inside them. The address as a
// number only says how far the next large page is.
func LargePages[T any](x []T) []T {
	size := cap(x) * int(unsafe.Sizeof(*new(T)))
	if size < LargePagesFrom {
		return x
	}
	first := unsafe.Pointer(unsafe.SliceData(x))
	skip := int(-uintptr(first) & (large - 1))
	if n := (size - skip) &^ (large - 1); n > 0 {
		_ = syscall.Madvise(unsafe.Slice((*byte)(unsafe.Add(first, skip)), n), madvHugepage)
	}
	return x
}

// mapPages returns new memory of at least so many bytes in large pages, or nil.
func mapPages(bytes int) []byte {
	x, err := syscall.Mmap(-1, 0, (bytes+large-1)&^(large-1), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	return LargePages(x)
}

func unmapPages(x []byte) { _ = syscall.Munmap(x) }
