//go:build purego || !amd64

package gram

import "unsafe"

// These functions have assembly on amd64 only.

func runSkipDot(variant, unsafe.Pointer, uintptr, unsafe.Pointer, *uint32, int, unsafe.Pointer, uintptr, int) bool {
	return false
}

func runRowExp(variant, unsafe.Pointer, unsafe.Pointer, unsafe.Pointer, uintptr, int, int, float64) bool {
	return false
}

func runDistances(variant, unsafe.Pointer, unsafe.Pointer, unsafe.Pointer, int, float64) bool {
	return false
}

func runNorms(variant, unsafe.Pointer, unsafe.Pointer, int) bool { return false }

func runCopyTile(variant, unsafe.Pointer, uintptr, unsafe.Pointer, bool) bool { return false }

func runMirrorTile(variant, unsafe.Pointer, uintptr, unsafe.Pointer, bool) bool { return false }

func storeFence() {}

func runFuse(variant, form, unsafe.Pointer, uintptr, unsafe.Pointer, unsafe.Pointer, unsafe.Pointer, uintptr, int, int,
	unsafe.Pointer, unsafe.Pointer, float64, unsafe.Pointer) bool {
	return false
}

func runFromDots(variant, unsafe.Pointer, *int32, *int32, int, int32) bool { return false }

func runByDistance(variant, unsafe.Pointer, *uint8, int, unsafe.Pointer, int) bool { return false }

func runUint8Skip(*int32, uintptr, *uint32, *uint32, int, *uint32, uintptr, int) {}

func runUint8Pack(*uint32, uintptr, *float64, int, *grid, *[2]int32) (ok, done bool) {
	return false, false
}
