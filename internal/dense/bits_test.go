package dense

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/testutil"
)

// Fingerprints of results, which must not depend on the architecture: a Go compiler
// that fuses a multiplication with an addition, or a kernel that adds in another
// order, changes them.
const (
	bitsOfSums     = 0xa989720789de8984 // Axpy, AddRows, AddGathered: every level
	bitsOfRows     = 0x460bbb6a6c1cf0d6 // Dot, MulVec, AddBoth: the portable level
	bitsOfPortable = 0x8f8de92d53913919 // Mul, SolveLower: the portable level
	bitsOfVector   = 0x29773836991ee582 // Mul, SolveLower: every other level
)

func TestBits(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(11, 12))
		wantMatrix := uint64(bitsOfVector)
		if cpu.Active() == cpu.Generic {
			wantMatrix = bitsOfPortable
		}
		sums, rows := rowBits(rng)
		if sums != bitsOfSums {
			t.Errorf("sums of rows have fingerprint %#x, want %#x", sums, uint64(bitsOfSums))
		}
		if rows != bitsOfRows && cpu.Active() == cpu.Generic {
			t.Errorf("sums along rows have fingerprint %#x, want %#x", rows, uint64(bitsOfRows))
		}
		if got := fingerprint(mulAndSolve(t, 1)); got != wantMatrix {
			t.Errorf("matrix products have fingerprint %#x, want %#x", got, wantMatrix)
		}
	})
}

func rowBits(rng *rand.Rand) (sums, rows uint64) {
	const n, k = 1100, 23
	uniform := func(n int) []float64 {
		s := make([]float64, n)
		for i := range s {
			s[i] = 2*rng.Float64() - 1
		}
		return s
	}
	a, coef, x, y := uniform(n*k), uniform(k), uniform(n), uniform(n)
	list, narrow := make([][]float64, k), make([][]float32, k)
	for q := range list {
		list[q] = a[q*n : (q+1)*n]
		for _, v := range list[q] {
			narrow[q] = append(narrow[q], float32(v))
		}
	}
	Axpy(coef[0], x, y)
	AddRows(y, coef, a, n)
	AddGathered(y, coef, list)
	AddGathered(y, coef, narrow)
	sums = fingerprint(y)
	d := make([]float64, k)
	MulVec(d, a, n, x)
	AddMulGathered(d, list, y)
	AddBoth(d, coef, a, n, x, y)
	return sums, fingerprint(append(d, Dot(x, y), Dot(x[:7], y)))
}

func fingerprint(x []float64) uint64 {
	h := fnv.New64a()
	for _, v := range x {
		_ = binary.Write(h, binary.LittleEndian, math.Float64bits(v)) // a hash does not fail
	}
	return h.Sum64()
}
