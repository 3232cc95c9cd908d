package pages

import (
	"syscall"
	"unsafe"
)

// large is the size of a large page of amd64, and of arm64 with pages of 4 KiB.
const large = 2 << 20

// madvHugepage is MADV_HUGEPAGE.
const madvHugepage = 14

// Large returns x, whose memory nobody has written yet; of at least [Worth] bytes, the whole large pages inside are
// backed by such where the system has them for who asks. It is advice: nothing changes where it is refused.
func Large[T any](x []T) []T {
	size := uintptr(cap(x)) * unsafe.Sizeof(*new(T))
	if size < Worth {
		return x
	}
	first := unsafe.Pointer(unsafe.SliceData(x))
	skip := -uintptr(first) & (large - 1)
	if n := (size - skip) &^ (large - 1); n > 0 {
		_ = syscall.Madvise(unsafe.Slice((*byte)(unsafe.Add(first, skip)), n), madvHugepage)
	}
	return x
}
