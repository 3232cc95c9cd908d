package cpu

import (
	"sync"
	"unsafe"
)

// Reuse returns memory that was given to [Release], with minimum to maximum elements of any content, or nil if there is
// none. Trainings of folds, classes and settings follow one another. New memory would be cleared by the runtime,
// gigabytes in one call that cannot be cancelled, and would cause a fault for every page that the system took back.
func Reuse[T float32 | float64](minimum, maximum int) []T {
	const tries = 4 // pieces of other sizes stay for who wants them
	pool := released[T]()
	var others [tries]*[]T
	defer func() {
		for _, x := range others {
			if x != nil {
				pool.Put(x)
			}
		}
	}()
	for k := range others {
		x, ok := pool.Get().(*[]T)
		if !ok {
			return nil
		}
		if cap(*x) >= minimum && cap(*x) <= maximum {
			return (*x)[:cap(*x)]
		}
		others[k] = x
	}
	return nil
}

// Release gives away memory that nobody reads or writes any more.
func Release[T float32 | float64](x []T) {
	if cap(x) > 0 {
		released[T]().Put(&x)
	}
}

func released[T float32 | float64]() *sync.Pool {
	if unsafe.Sizeof(T(0)) == 4 {
		return &released32
	}
	return &released64
}

var released32, released64 sync.Pool
