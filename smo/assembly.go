//go:build ignore

package smo

import (
	"unsafe"

	"github.com/sparsekm/sparsekm/internal/dense"
)

// This file declares the assembly for internal/asmgen: for n a positive multiple of lanes, and rows ki and kj of T.

// stepExtremes is stepExtremesGeneric.
func stepExtremes[T dense.Float](grad, up, low *float64, ki, kj unsafe.Pointer, n int, t float64) (i int, m, M float64)

// secondOrder is secondOrderGeneric.
func secondOrder[T dense.Float](grad, low, d *float64, ki unsafe.Pointer, n int, m, kii float64) int

// extremesByLane is stepExtremes that leaves the extremes by lane: least and index of g + up, most of g − low.
func extremesByLane[T dense.Float](grad, up, low *float64, ki, kj unsafe.Pointer, n int, t float64,
	least *[8]float64, index *[8]int64, most *[8]float64)

// gainsByLane is secondOrder that leaves gains and their indices by lane.
func gainsByLane[T dense.Float](grad, low, d *float64, ki unsafe.Pointer, n int, m, kii float64,
	gain *[8]float64, index *[8]int64)

// stepSingle is stepSingleGeneric, for vectors of the same length, a positive multiple of lanes.
func stepSingle(grad, up, low, ki, kj []float32, t float32) (i int, m, M float32)

// secondSingle is secondSingleGeneric, for such vectors.
func secondSingle(grad, low, ki []float32, m, c float32) int
