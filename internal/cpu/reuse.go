package cpu

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Reuse returns memory that was given to [Release], with minimum to maximum elements of any content, or nil if there is
// none. Trainings of folds, classes and settings follow one another. New memory would be cleared by the runtime,
// gigabytes in one call that cannot be cancelled, and would cause a fault for every page that the system took back.
func Reuse[T float32 | float64](minimum, maximum int) []T {
	const tries = 4 // pieces of other sizes stay for who wants them
	pool := released[T]()
	var others []*piece[T]
	defer func() {
		for _, p := range others {
			pool.Put(p)
		}
	}()
	for range tries {
		p, ok := pool.Get().(*piece[T])
		if !ok {
			return nil
		}
		if cap(p.x) >= minimum && cap(p.x) <= maximum {
			return p.hand()
		}
		others = append(others, p)
	}
	return nil
}

// Memory returns size elements of any content, of released memory with at most maximum, or new. The caller must give
// them to [Release] in the end: large memory is the system's own, in large pages, which the runtime does not clear and
// would not take back.
func Memory[T float32 | float64](size, maximum int) []T {
	if x := Reuse[T](size, maximum); x != nil {
		return x[:size]
	}
	if bytes := size * int(unsafe.Sizeof(T(0))); bytes >= LargePagesFrom {
		if p := mapped[T](size, bytes); p != nil {
			return p.hand()
		}
	}
	return make([]T, size)
}

// Release gives away memory that nobody reads or writes any more. The rule of unsafe.SliceData: the address is a key.
func Release[T float32 | float64](x []T) {
	if cap(x) == 0 {
		return
	}
	p := &piece[T]{x: x}
	if known, ok := lent.LoadAndDelete(unsafe.SliceData(x)); ok {
		p = known.(*piece[T])
	}
	released[T]().Put(p)
}

// Mapped is the number of bytes of the system's own memory that are in use or released.
func Mapped() int64 { return mappedBytes.Load() }

// piece is memory. That of the system is given back once a piece is garbage: when the pool has dropped it.
type piece[T float32 | float64] struct {
	x      []T
	system bool
}

// lent has the pieces of the system's memory that are in use, by the address of their first element.
var lent sync.Map

var mappedBytes atomic.Int64

// hand returns the memory of p. The rule of unsafe.SliceData: the address is a key.
func (p *piece[T]) hand() []T {
	if p.system {
		lent.Store(unsafe.SliceData(p.x), p)
	}
	return p.x[:cap(p.x)]
}

// mapped returns memory of the system, or nil. The rule of unsafe.Slice: the bytes are as many as the elements have.
func mapped[T float32 | float64](size, bytes int) *piece[T] {
	raw := mapPages(bytes)
	if raw == nil {
		return nil
	}
	p := &piece[T]{unsafe.Slice((*T)(unsafe.Pointer(&raw[0])), size), true}
	mappedBytes.Add(int64(len(raw)))
	runtime.AddCleanup(p, func(raw []byte) {
		mappedBytes.Add(-int64(len(raw)))
		unmapPages(raw)
	}, raw)
	return p
}

func released[T float32 | float64]() *sync.Pool {
	if unsafe.Sizeof(T(0)) == 4 {
		return &released32
	}
	return &released64
}

var released32, released64 sync.Pool
