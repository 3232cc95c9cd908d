package learn

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"
)

// Distinct numbers the different points among n of dimension d (row-major; −0
// equals 0): first lists the lowest row of each, ascending, and of[i] says which
// of them row i is. It keeps no copy of the points.
func Distinct(x []float64, n, d int) (first, of []int) {
	seed := maphash.MakeSeed()
	head := make(map[uint64]int, n) // hash → the newest distinct point that has it
	var next []int                  // distinct point → the one before with its hash, −1 for none
	of = make([]int, n)
	for i := range n {
		row := x[i*d : (i+1)*d]
		h := hashPoint(seed, row)
		newest, ok := head[h]
		if !ok {
			newest = -1
		}
		k := newest
		for k >= 0 && !slices.Equal(row, x[first[k]*d:(first[k]+1)*d]) {
			k = next[k]
		}
		if k < 0 {
			k = len(first)
			first, next = append(first, i), append(next, newest)
			head[h] = k
		}
		of[i] = k
	}
	return first, of
}

func hashPoint(seed maphash.Seed, x []float64) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	var b [512]byte // a write costs as much as the hash of many bytes
	for len(x) > 0 {
		m := min(len(x), len(b)/8)
		for k, v := range x[:m] {
			binary.LittleEndian.PutUint64(b[8*k:], math.Float64bits(v+0)) // +0 turns −0 into 0
		}
		h.Write(b[:8*m])
		x = x[m:]
	}
	return h.Sum64()
}
