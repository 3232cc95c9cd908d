package gram

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// categoryPoints draws n samples of d features that are origin, but for about ones of them, which are origin + step.
func categoryPoints(n, d, ones int, origin, step float64) []float64 {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d+ones)))
	x := make([]float64, n*d)
	for i := range x {
		if x[i] = origin; rng.IntN(d) < ones {
			x[i] += step
		}
	}
	clear(x[5*d : 6*d]) // a point of nothing
	if origin != 0 {
		for k := range d {
			x[5*d+k] = origin
		}
	}
	return x
}

// Samples of zeros and ones against the formula, and bit for bit against the same samples as bytes alone.
func TestBits4(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		t.Run("float64", func(t *testing.T) { testBits4[float64](t, 1e-13) })
		t.Run("float32", func(t *testing.T) { testBits4[float32](t, 1e-5) })
	})
}

func testBits4[T Float](t *testing.T, tol float64) {
	const n = 333 // five panels and a part of one
	for _, c := range []struct {
		d, ones      int
		origin, step float64
	}{
		{32, 3, 0, 1},     // 16 entries of the table at most
		{123, 9, 0, 1},    // 32
		{70, 15, -1, 2},   // 64
		{161, 60, 0, 0.5}, // more
	} {
		x := categoryPoints(n, c.d, c.ones, c.origin, c.step)
		k := RBF(0.5 / (c.step * c.step * float64(c.ones)))
		p := Pack[T](k, x, n, c.d)
		if o := bytesOf(p); o == nil || o.ones == nil {
			t.Fatalf("%d ones of %d: no 4-bit samples", c.ones, c.d)
		}
		want := make([]float64, n*n)
		for i := range n {
			for j := range n {
				want[i*n+j] = k.Eval(x[i*c.d:(i+1)*c.d], x[j*c.d:(j+1)*c.d])
			}
		}
		testValues(t, k, p, x, want, tol)
		testWeighted(t, k, p, x, want, tol)
		wide := RBF(1e-3 / (c.step * c.step)) // of 256 steps, too, there is something left in float32
		testOffGrid(t, wide, Pack[T](wide, x, n, c.d), x, tol)
		testSameAsUint8(t, p, x)
	}
}

// testSameAsUint8 compares what p gives for queries of all kinds with what it gives without its 4-bit samples.
func testSameAsUint8[T Float](t *testing.T, p *Samples[T], x []float64) {
	t.Helper()
	n, d, o := p.n, p.d, bytesOf(p)
	const m = 30
	q := slices.Clone(x[:m*d])
	for k := range d {
		q[7*d+k] = o.origin + o.step // all ones
		q[20*d+k] = o.origin + o.step*float64(k%4)
	}
	q[11*d+3] = o.origin + 200*o.step
	coefs := make([]float64, n)
	for j := range coefs {
		coefs[j] = float64(j%13) - 5.5
	}
	as := asBytes(p)
	var values [2][]T
	var sums [2][]float64
	for i, samples := range []*Samples[T]{p, as} {
		values[i], sums[i] = make([]T, m*n), make([]float64, m)
		samples.Cross(values[i], n, q, m)
		samples.Expand(coefs).Eval(sums[i], q, m)
	}
	if !slices.Equal(values[0], values[1]) || !slices.Equal(sums[0], sums[1]) {
		t.Errorf("%d features: values equal %v, sums equal %v", d, slices.Equal(values[0], values[1]),
			slices.Equal(sums[0], sums[1]))
	}
	part := [][]T{make([]T, n), make([]T, n)}
	for lo := 0; lo < 130; lo += 13 {
		p.RowsRange(part[:1], []int{9}, lo, n-lo)
		as.RowsRange(part[1:], []int{9}, lo, n-lo)
		if !slices.Equal(part[0], part[1]) {
			t.Fatalf("%d features: the row from %d on differs", d, lo)
		}
	}
}

// Values by distance, for tables of all sizes and for numbers of samples that are no multiple of anything.
func TestByDistance(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		t.Run("float64", testByDistance[float64])
		t.Run("float32", testByDistance[float32])
	})
}

func testByDistance[T Float](t *testing.T) {
	var table distanceTable[T]
	for v := range table {
		table[v] = T(1000 + v)
	}
	codes, dst := make([]uint8, 300), make([]T, 300)
	for _, largest := range []int{0, 15, 16, 31, 32, 47, 48, 63, 64, 128, uint8Max} {
		for j := range codes {
			codes[j] = uint8((7*j + j/16) % (largest + 1))
		}
		codes[3], codes[18] = uint8(largest), uint8(largest)
		for _, n := range []int{0, 1, 15, 16, 17, 299} {
			clear(dst)
			byDistance(dst[:n], codes, &table, largest)
			for j, v := range dst {
				if want := T(1000 + int(codes[j])); j < n && v != want || j >= n && v != 0 {
					t.Fatalf("entries to %d, value %d of %d: %v", largest, j, n, v)
				}
			}
		}
	}
}

// Distances that a byte cannot hold, other bytes than 0 and 1, and kernels of anything but the distance have none.
func TestNoBits4(t *testing.T) {
	const n, d = 140, 300
	ones := func(which int) []float64 {
		x := make([]float64, n*d)
		for i := range x {
			if i%d < which {
				x[i] = 1
			}
		}
		clear(x[:d])
		return x
	}
	two := ones(50)
	two[n*d-d] = 2
	for _, c := range []struct {
		name string
		k    Kernel
		x    []float64
		want bool
	}{
		{"127 ones", RBF(0.01), ones(127), true},
		{"128 ones", RBF(0.01), ones(128), false},
		{"a two", RBF(0.01), two, false},
		{"products", Poly(2, 1, 1), ones(127), false},
	} {
		p := Pack[float64](c.k, c.x, n, d)
		if o := bytesOf(p); o == nil || (o.ones != nil) != c.want {
			t.Errorf("%s: bytes %v, 4-bit samples not as expected", c.name, o != nil)
		}
		row, q := make([]float64, n), ones(200)[d:2*d]
		p.Cross(row, n, q, 1)
		for j, v := range row {
			want := c.k.Eval(q, c.x[j*d:(j+1)*d])
			testutil.Near(t, fmt.Sprintf("%s: value %d", c.name, j), v, want, 1e-13*max(1, want))
		}
	}
}

// Rows of zeros and ones cost less than their features.
func TestBits4Cost(t *testing.T) {
	const n, d, ones = 300, 800, 50
	if c := Pack[float32](RBF(0.1), categoryPoints(n, d, ones, 0, 1), n, d).Cost(); c > ones/8 {
		t.Errorf("cost %d for %d ones of %d", c, ones, d)
	}
}

func BenchmarkBits4(b *testing.B) {
	const n, d = 32000, 123
	x := make([]float64, n*d)
	for i := range n {
		for c := range 14 { // one of each eight features
			x[i*d+8*c+(i*(c+3)+i/7)%8] = 1
		}
	}
	p := Pack[float32](RBF(0.05), x, n, d)
	idx, dst := make([]int, 32), make([][]float32, 32)
	for r := range idx {
		idx[r], dst[r] = 31*r, make([]float32, n)
	}
	for where, p := range map[string]*Samples[float32]{"bits4Samples": p, "bytes": asBytes(p)} {
		b.Run(fmt.Sprintf("of=%s/d=%d/n=%d/type=float32", where, d, n), func(b *testing.B) {
			eachLevel(b, func(b *testing.B) {
				for b.Loop() {
					p.Rows(dst, idx)
				}
				perEntry(b, 32*n)
			})
		})
	}
}

// asBytes is p without its 4-bit samples.
func asBytes[T Float](p *Samples[T]) *Samples[T] {
	bare := *bytesOf(p)
	bare.ones = nil
	return &Samples[T]{p.kernel, p.n, p.d, uint8For[T](p.kernel, &bare)}
}

// The table, which is typed so that no program computes it at its start, counts the ones that two groups share.
func TestBits4Table(t *testing.T) {
	for i, ones := range bits4Table {
		if want := bits.OnesCount(uint(i>>4) & uint(i) & 15); int(ones) != want {
			t.Errorf("%d and %d share %d ones, the table says %d", i>>4, i&15, want, ones)
		}
	}
}
