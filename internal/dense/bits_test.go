package dense

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// Fingerprints of results, which must not depend on the architecture: a Go compiler
// that fuses a multiplication with an addition, or a kernel that adds in another
// order, changes them.
const (
	bitsOfSums       = 0xa09d12f883d2cb6a // AddRows, AddGathered, at every level
	portableRows     = 0x3ce33ea5597d84b5 // Axpy, Dot, MulVec, AddBoth
	portableProducts = 0x8f8de92d53913919 // Mul, SolveLower
	vectorProducts   = 0x29773836991ee582 // at every other level
)

func TestBits(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		sums, rows := rowBits(rand.New(rand.NewPCG(11, 12)))
		if sums != bitsOfSums {
			t.Errorf("sums of rows have fingerprint %#x, want %#x", sums, uint64(bitsOfSums))
		}
		products, want := fingerprint(mulAndSolve(t, 1)), uint64(vectorProducts)
		if !cpu.Active().Fused() {
			want = portableProducts
			if rows != portableRows {
				t.Errorf("portable loops have fingerprint %#x, want %#x", rows, uint64(portableRows))
			}
		}
		if products != want {
			t.Errorf("matrix products have fingerprint %#x, want %#x", products, want)
		}
	})
}

func rowBits(rng *rand.Rand) (sums, rows uint64) {
	const n, k = blockColumns + 52, 23
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
	AddRows(y, coef, a, n)
	AddGathered(y, coef, list)
	AddGathered(y, coef, narrow)
	sums = fingerprint(y)
	Axpy(coef[0], x, y)
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
