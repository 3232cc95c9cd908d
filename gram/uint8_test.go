package gram

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// gridPoints draws n samples of d features origin + step·b with b ≤ most; half of the b are 0.
func gridPoints(n, d, limit int, origin, step float64) []float64 {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d+limit)))
	x := make([]float64, n*d)
	for i := range x {
		x[i] = origin + step*float64(rng.IntN(2)*rng.IntN(limit+1))
	}
	x[1], x[2] = origin, origin+step*float64(limit)
	return x
}

// bytesOf is the bytes of p, nil if it has another layout.
func bytesOf[T Float](p *Samples[T]) *uint8Samples {
	if o, ok := p.layout.(*inUint8[T]); ok {
		return o.uint8Samples
	}
	return nil
}

// Samples as bytes against the formula, by every path.
func TestUint8(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		t.Run("float64", func(t *testing.T) { testUint8[float64](t, 1e-13) })
		t.Run("float32", func(t *testing.T) { testUint8[float32](t, 1e-5) })
	})
}

func testUint8[T Float](t *testing.T, tol float64) {
	const n = 205
	cases := []struct {
		d, max       int
		origin, step float64
	}{{33, 255, 0, 1}, {61, 255, 0, 1 / 255.0}, {47, 1, 0, 1}, {66, 255, -1, 2 / 255.0}, {35, 16, 3, 0.1}}
	if testing.Short() {
		cases = cases[:2]
	}
	for _, c := range cases {
		x := gridPoints(n, c.d, c.max, c.origin, c.step)
		size := 0.0 // of a sample
		for _, v := range x[:c.d] {
			size += v * v
		}
		for _, k := range []Kernel{RBF(1 / size), Matern12(1 / size), Matern52(1 / size),
			[]Kernel{Linear(), Poly(3, 1/size, 1), Sigmoid(1/size, 0.5)}[c.d%3]} {
			p := Pack[T](k, x, n, c.d)
			if is, want := bytesOf(p) != nil, k.trait().distance || c.origin >= 0; is != want {
				t.Fatalf("%v of %d levels from %v: bytes %v, want %v", k.Kind, c.max, c.origin, is, want)
			}
			if bytesOf(p) == nil {
				continue
			}
			want := make([]float64, n*n)
			for i := range n {
				for j := range n {
					want[i*n+j] = k.Eval(x[i*c.d:(i+1)*c.d], x[j*c.d:(j+1)*c.d])
				}
			}
			testValues(t, k, p, x, want, tol)
			testWeighted(t, k, p, x, want, tol)
			testOffGrid(t, k, p, x, tol)
		}
	}
}

// testOffGrid holds queries of which some are not on the grid against the formula, and each alone against all together.
func testOffGrid[T Float](t *testing.T, k Kernel, p *Samples[T], x []float64, tol float64) {
	t.Helper()
	n, d, o := p.Len(), p.Dim(), bytesOf(p)
	const m = 53
	q := slices.Clone(x[:m*d])
	for i := range m {
		switch {
		case i%5 == 2 || i > 20 && i < 31:
			q[i*d+i%d] += 0.3 * o.step
		case i%7 == 3:
			q[i*d+d-1] = o.origin - o.step
		case i == 50:
			q[i*d] = o.origin + 256*o.step
		}
	}
	coef := make([]float64, n)
	for j := range coef {
		coef[j] = float64(j%7-3) / 4
	}
	e := p.Expand(coef)
	cross, alone, sums, sum := make([]T, m*n), make([]T, n), make([]float64, m), make([]float64, 1)
	p.Cross(cross, n, q, m)
	e.Eval(sums, q, m)
	for i := range m {
		point := q[i*d : (i+1)*d]
		p.Cross(alone, n, point, 1)
		e.Eval(sum, point, 1)
		total, size := 0.0, 1e-40 // float32 has no smaller values
		for j := range n {
			want := k.Eval(point, x[j*d:(j+1)*d])
			total, size = total+coef[j]*want, size+math.Abs(coef[j]*want)
			what := fmt.Sprintf("%v: query %d, sample %d", k.Kind, i, j)
			testutil.Near(t, what, float64(alone[j]), want, tol*max(1, math.Abs(want)))
			if cross[i*n+j] != alone[j] {
				t.Fatalf("%v: query %d, sample %d is %v, alone %v", k.Kind, i, j, cross[i*n+j], alone[j])
			}
		}
		testutil.Near(t, fmt.Sprintf("%v: sum of query %d", k.Kind, i), sum[0], total, tol*size)
		if sums[i] != sum[0] {
			t.Fatalf("%v: sum of query %d is %v, alone %v", k.Kind, i, sums[i], sum[0])
		}
	}
}

// All levels give the same bits, since the sums are whole numbers.
func TestUint8SameBits(t *testing.T) {
	const n, d = 2*tileSide + 5, 71
	x := gridPoints(n, d, 255, 0, 1/255.0)
	var ref []float64
	testutil.EachLevel(t, func(t *testing.T) {
		full := make([]float64, n*n)
		Pack[float64](RBF(0.1), x, n, d).Full(full, n)
		if ref == nil {
			ref = full
		}
		if i := slices.IndexFunc(ref, func(v float64) bool { return v < 0 || v > 1 }); i >= 0 || !slices.Equal(full, ref) {
			t.Errorf("level %v differs from %v", cpu.Active(), cpu.Available()[0])
		}
	})
}

// The grid is that of all samples, where a look at some of them finds a part of it.
func TestGridOfAll(t *testing.T) {
	const n, d = 300, 40
	for name, late := range map[string]float64{"finer": 3, "lower": -8, "higher": 200} {
		x := gridPoints(n, d, 20, 0, 4)
		x[(n-1)*d+5] = late
		k := RBF(1e-4)
		p := Pack[float64](k, x, n, d)
		if bytesOf(p) == nil {
			t.Fatalf("%s: no bytes", name)
		}
		row := make([]float64, n)
		p.Row(row, n-1)
		for j, v := range row {
			testutil.Near(t, fmt.Sprintf("%s: value %d", name, j), v, k.Eval(x[(n-1)*d:], x[j*d:(j+1)*d]), 1e-13)
		}
	}
}

// What bytes cannot hold, or are no gain for, has panels.
func TestNoUint8(t *testing.T) {
	const n, d = 140, 40
	good := func() []float64 { return gridPoints(n, d, 255, 0, 1) }
	with := func(pos int, v float64) []float64 { x := good(); x[pos] = v; return x }
	weights := make([]float64, d)
	for _, c := range []struct {
		name string
		k    Kernel
		x    []float64
		n, d int
	}{
		{"one level too many", RBF(0.1), with(7, 256), n, d},
		{"one late", RBF(0.1), with(n*d-1, 256), n, d},
		{"a half", RBF(0.1), with(9, 0.5), n, d},
		{"almost", RBF(0.1), with(n*d-3, 7.000001), n, d},
		{"NaN", RBF(0.1), with(3, math.NaN()), n, d},
		{"infinite, late", RBF(0.1), with(n*d-2, math.Inf(1)), n, d},
		{"all the same", RBF(0.1), make([]float64, n*d), n, d},
		{"weights", WeightedRBF(0.1, weights), good(), n, d},
		{"a sum of absolute values", Laplacian(0.1), good(), n, d},
		{"products below 0", Linear(), with(8, -1), n, d},
		{"few samples", RBF(0.1), good(), cscSamples - 1, d},
		{"few features", RBF(0.1), good(), n, expandFeatures - 1},
	} {
		if bytesOf(Pack[float64](c.k, c.x, c.n, c.d)) != nil {
			t.Errorf("%s: bytes", c.name)
		}
	}
}

// Lists are for few ones among zeros, bytes for some.
func TestUint8OrLists(t *testing.T) {
	const d = 40
	for _, c := range []struct {
		n, every, first int
		value           float64
		listed          bool
	}{
		{140, 37, 0, 2, true}, {140, 11, 0, 2, false}, {140, 5, 0, 2, false},
		{3000, 37, 0, 2, true},    // looked at by a sample
		{3000, 5, 1000, 2, false}, // the first samples have nothing
		{140, 37, 0, 1, false},    // 4-bit samples
	} {
		n, listed, every := c.n, c.listed, c.every
		x := make([]float64, n*d)
		for i := c.first * d; i < len(x); i += every {
			x[i] = c.value
		}
		x[0], x[d+1] = 1, 1 // all on a grid
		for _, k := range []Kernel{RBF(0.1), Linear()} {
			p := Pack[float32](k, x, n, d)
			inCSC := listed || k.Kind == KindLinear && every == 37 // products have no 4-bit samples
			if (listsOf(p) != nil) != inCSC || (bytesOf(p) != nil) == inCSC {
				t.Errorf("%v, one of %d is not 0: lists %v, bytes %v", k.Kind, every, listsOf(p) != nil, bytesOf(p) != nil)
			}
			row := make([]float32, n)
			p.Row(row, 1)
			for j, v := range row {
				testutil.Near(t, "value", float64(v), k.Eval(x[d:2*d], x[j*d:(j+1)*d]), 1e-6)
			}
		}
	}
}

// The largest sums stay what they are.
func TestUint8Largest(t *testing.T) {
	const n, d = cscSamples, uint8Features
	x := make([]float64, n*d)
	for i := range x {
		if i/d%2 == 0 {
			x[i] = uint8Max
		}
	}
	x[d] = 1
	const squares = uint8Max * uint8Max * d
	row := make([]float64, n)
	testutil.EachLevel(t, func(t *testing.T) {
		p := Pack[float64](Linear(), x, n, d)
		if bytesOf(p) == nil {
			t.Fatal("no bytes")
		}
		for i, want := range []float64{squares, uint8Max, squares} {
			if p.Row(row, i); row[0] != want || row[3] != 0 {
				t.Errorf("products of sample %d: %v and %v, want %v and 0", i, row[0], row[3], want)
			}
		}
		p = Pack[float64](RBF(1.0/squares), x, n, d)
		if p.Row(row, 2); row[0] != 1 {
			t.Errorf("distance of equal samples: value %v", row[0])
		}
		testutil.Near(t, "far samples", row[3], math.Exp(-1), 1e-15)
	})
}

func TestUint8Tile(t *testing.T) { testutil.EachLevel(t, testUint8Tile) }

// The tiles of processors without dot products of bytes.
func TestUint8TileWithoutDots(t *testing.T) {
	defer func() { noDots = false }()
	noDots = true
	testutil.EachLevel(t, testUint8Tile)
}

func testUint8Tile(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	words := func(n int) []uint32 {
		w := make([]uint32, n)
		for i := range w {
			for range 4 {
				w[i] = w[i]<<8 | []uint32{0, uint8Max, 127, 128, rng.Uint32N(256)}[rng.IntN(5)]
			}
		}
		return w
	}
	largest, offset := uint8Rows(), uint8Offset()
	for rows := 1; rows <= largest; rows *= 2 {
		for _, panels := range []int{1, 2, 3, 4, 5, 8, 9, 13} {
			for _, groups := range []int{1, 2, 7} {
				xs, ldo := groups*uint8Lanes+3, panels*uint8Lanes+5
				q, x := words(rows*groups), words(panels*xs)
				got := slices.Repeat([]int32{math.MinInt32}, rows*ldo+16)
				uint8Tile(got, ldo, q, rows, rows, x, xs, groups, panels)
				for i, v := range got {
					r, j, want := i/ldo, i%ldo, int32(math.MinInt32)
					if r < rows && j < panels*uint8Lanes {
						want = uint8Dot(q[r:], rows, x[j/uint8Lanes*xs+j%uint8Lanes:], groups, offset)
					}
					if v != want {
						t.Fatalf("%d×%d×%d: sum %d, %d is %d, want %d", rows, panels, groups, r, j, v, want)
					}
				}
			}
		}
	}
}

// Groups that all of eight queries lack are left out, and nothing changes: one query at a time visits all.
func TestUint8Skip(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for _, share := range []float64{1, 0.5, 0.1, 0.01} {
			const n, d = 150, 131
			rng := rand.New(rand.NewPCG(3, 4))
			x := make([]float64, n*d)
			for i := range x {
				if i/d%8 == 3 || i%d < int(d*share) { // every eighth point has all features
					x[i] = float64(rng.IntN(256))
				}
			}
			p := Pack[float64](RBF(1e-6), x, n, d)
			if bytesOf(p) == nil {
				t.Fatal("no bytes")
			}
			idx, rows, e := make([]int, 16), make([][]float64, 16), p.Expand(x[:n])
			for r := range rows {
				idx[r], rows[r] = 8*r, make([]float64, n)
			}
			p.Rows(rows, idx)
			var b uint8Queries
			b.gather(bytesOf(p), idx)
			if can := vnni(); len(b.kept) > 0 != (can && share < 1) {
				t.Errorf("share %v: %d groups kept", share, len(b.kept))
			}
			alone, sums, sum := make([]float64, n), make([]float64, 16), make([]float64, 1)
			var q []float64
			for _, i := range idx {
				q = append(q, x[i*d:(i+1)*d]...)
			}
			e.Eval(sums, q, 16)
			for r, i := range idx {
				p.Row(alone, i)
				e.Eval(sum, x[i*d:(i+1)*d], 1)
				if !slices.Equal(rows[r], alone) || sums[r] != sum[0] || sum[0] == 0 {
					t.Fatalf("share %v: row %d is another among eight, or its sum, %v for %v", share, i, sums[r], sum[0])
				}
			}
		}
	})
}

// uint8Dot is Σ (b−offset)·q.
func uint8Dot(q []uint32, qs int, x []uint32, groups int, offset int32) (s int32) {
	for g := range groups {
		for k := 0; k < 32; k += 8 {
			s += (int32(x[g*uint8Lanes]>>k&uint8Max) - offset) * int32(q[g*qs]>>k&uint8Max)
		}
	}
	return s
}

func TestFromDots(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		testFromDots[float64](t)
		testFromDots[float32](t)
	})
}

func testFromDots[T Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{0, 1, 15, 16, 17, 32, 47, 95} {
		dots, zn := make([]int32, n), make([]int32, n)
		for j := range n {
			dots[j], zn[j] = rng.Int32N(1<<29)-1<<28, rng.Int32N(1<<29)-1<<28
		}
		dst, intact := testutil.Guarded[T](t, n, 3)
		qn := rng.Int32N(1 << 20)
		fromDots(dst, dots, zn, qn)
		intact(fmt.Sprint(n))
		for j, v := range dst {
			if want := T(qn + zn[j] - 2*dots[j]); v != want {
				t.Fatalf("value %d of %d is %v, want %v", j, n, v, want)
			}
		}
	}
}

func TestUint8Allocate(t *testing.T) {
	const n, d, m = 300, 60, 40
	x := gridPoints(n, d, 255, 0, 1)
	p := Pack[float64](RBF(1e-5), x, n, d)
	e := p.Expand(make([]float64, n))
	q, dst := slices.Clone(x[:m*d]), make([]float64, m)
	for i := 5; i < m; i += 3 {
		q[i*d] += 0.5
	}
	if raceEnabled {
		t.Skip("sync.Pool drops items on purpose under the race detector")
	}
	if a := testing.AllocsPerRun(20, func() { e.Eval(dst, q, m) }); a != 0 {
		t.Errorf("%v allocations", a)
	}
}

func BenchmarkUint8(b *testing.B) {
	const n, d = 5000, 784
	x := gridPoints(n, d, 255, 0, 1/255.0)
	b.Run("type=float64", func(b *testing.B) { benchUint8[float64](b, x, n, d) })
	b.Run("type=float32", func(b *testing.B) { benchUint8[float32](b, x, n, d) })
}

func benchUint8[T Float](b *testing.B, x []float64, n, d int) {
	p := Pack[T](RBF(0.5/float64(d)), x, n, d)
	dst := Aligned[T](n * Stride[T](n))
	p.Full(dst, Stride[T](n)) // the first one pays for mapping the pages
	e := p.Expand(x[:n])
	sums := make([]float64, 64)
	for where, points := range map[string]*Samples[T]{"bytes": p, "panels": panelsOf(p, x)} {
		b.Run("op=full/of="+where, func(b *testing.B) {
			eachLevel(b, func(b *testing.B) {
				for b.Loop() {
					points.Full(dst, Stride[T](n))
				}
				perEntry(b, n*n)
			})
		})
		b.Run("op=row/of="+where, func(b *testing.B) {
			eachLevel(b, func(b *testing.B) {
				for b.Loop() {
					points.Row(dst, 7)
				}
				perEntry(b, n)
			})
		})
	}
	b.Run("op=eval", func(b *testing.B) {
		eachLevel(b, func(b *testing.B) {
			for b.Loop() {
				e.Eval(sums, x, len(sums))
			}
			perEntry(b, n*len(sums))
		})
	})
}

// Rows are those of bytes where Pack keeps them so with every zero stored, and else not.
func TestBytesOfRows(t *testing.T) {
	const n, d = 200, 40
	rng := rand.New(rand.NewPCG(1, 8))
	for name, value := range map[string]func() float64{
		"ones":   func() float64 { return 1 },
		"counts": func() float64 { return float64(rng.IntN(200) - 50) },
		"steps":  func() float64 { return 0.3 * float64(1+rng.IntN(9)) },
		"large":  func() float64 { return float64(rng.IntN(1000)) },
		"real":   rng.Float64,
	} {
		x := make([]float64, n*d)
		for i := range x {
			if i%7 == 0 {
				x[i] = value()
			}
		}
		m := csr.FromDense(x, n, d)
		for _, k := range []Kernel{RBF(0.1), Linear(), Laplacian(0.1)} {
			if got, want := k.Bytes(m), bytesOf(Pack[float64](k, x, n, d)) != nil; got != want {
				t.Errorf("%s, %v: %v, Pack %v", name, k.Kind, got, want)
			}
		}
	}
}
