//go:build purego || !(amd64 || arm64)

package gram

import "unsafe"

// These functions have assembly on amd64 and arm64 only.

func runTile(variant, form, unsafe.Pointer, uintptr, unsafe.Pointer, uintptr, int, unsafe.Pointer, uintptr,
	int, int) bool {
	return false
}

func runSmall(*Small, *float64, *float64) bool { return false }

func runExp(variant, unsafe.Pointer, unsafe.Pointer, int, float64) bool { return false }

func runWeigh(variant, unsafe.Pointer, unsafe.Pointer, unsafe.Pointer, int) bool { return false }

func runUint8Tile(*int32, uintptr, *uint32, uintptr, int, *uint32, uintptr, int, int) bool {
	return false
}

func runBits4Count(*uint8, *uint8, int, *keptBits4, int, *uint8, uintptr, int) bool { return false }
