package gram

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// operands are those of one call: each is filled at random, lies between guard words
// at an odd offset, and is compared with the copy that a portable twin worked on.
type operands[T Float] struct {
	t      *testing.T
	rng    *rand.Rand
	what   string
	intact []func(string)
}

// fill returns n numbers with few bits, so that sums have the same bits in either
// element type and in any order, and a copy of them.
func (o *operands[T]) fill(n int) (s, twin []T) {
	s, intact := testutil.Guarded[T](o.t, n, o.rng.IntN(7))
	o.intact = append(o.intact, intact)
	for i := range s {
		s[i] = T(o.rng.IntN(33)-16) / 8
	}
	return s, append([]T(nil), s...)
}

// special puts NaN, infinities, zeros and denormals into s and its copy.
func (o *operands[T]) special(s, twin []T) {
	values := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 1e-310, 1e-40}
	for i := range s {
		if o.rng.IntN(12) == 0 {
			s[i] = T(values[o.rng.IntN(len(values))])
			twin[i] = s[i]
		}
	}
}

// same fails unless s is its twin, bit for bit or both NaN, to within tol of the size.
func (o *operands[T]) same(name string, s, twin []T, tol float64) {
	o.t.Helper()
	for i := range s {
		want := float64(twin[i])
		if !testutil.Same(s[i], twin[i]) && !testutil.Within(float64(s[i]), want, tol*math.Abs(want)) {
			o.t.Fatalf("%s: %s %d of %d is %v, want %v", o.what, name, i, len(s), s[i], twin[i])
		}
	}
	for _, f := range o.intact {
		f(o.what)
	}
}

// eachOperands calls f for both element types at every level, with and without special values.
func eachOperands(t *testing.T, f64 func(*operands[float64], bool), f32 func(*operands[float32], bool)) {
	testutil.EachLevel(t, func(t *testing.T) {
		for _, special := range []bool{false, true} {
			rng := rand.New(rand.NewPCG(17, 4))
			t.Run(fmt.Sprintf("special=%v", special), func(t *testing.T) {
				f64(&operands[float64]{t: t, rng: rng}, special)
				f32(&operands[float32]{t: t, rng: rng}, special)
			})
		}
	})
}

// start names the next call and forgets the operands of the last.
func (o *operands[T]) start(format string, args ...any) {
	var v T
	o.what, o.intact = fmt.Sprintf("%T "+format, append([]any{v}, args...)...), nil
}

func TestTile(t *testing.T) { eachOperands(t, testTile[float64], testTile[float32]) }

func testTile[T Float](o *operands[T], special bool) {
	l := lanes[T]()
	for f := square; f < forms; f++ {
		for rows := 1; rows <= maxRows(); rows *= 2 {
			for panels := range 14 {
				for _, k := range []int{0, 1, 2, 3, 4, 5, 7, 8, 20, 100} {
					o.start("form %d, %d rows, %d panels, %d features", f, rows, panels, k)
					ldo, qs, xs := panels*l+o.rng.IntN(3), rows+o.rng.IntN(3), k*l+o.rng.IntN(3)
					out, outTwin := o.fill(rows * ldo)
					q, qTwin := o.fill(k * qs)
					x, xTwin := o.fill(panels * xs)
					if special {
						o.special(q, qTwin)
						o.special(x, xTwin)
					}
					tile(f, out, ldo, q, qs, rows, x, xs, k, panels)
					tileGeneric(f, outTwin, ldo, qTwin, qs, rows, xTwin, xs, k, panels)
					o.same("value", out, outTwin, 0)
					o.same("query", q, qTwin, 0)
					o.same("point", x, xTwin, 0)
				}
			}
		}
	}
}

func TestSkipDot(t *testing.T) { eachOperands(t, testSkipDot[float64], testSkipDot[float32]) }

func testSkipDot[T Float](o *operands[T], special bool) {
	if !levels.Active().skips {
		o.t.Skip("no tile that skips features")
	}
	l := lanes[T]()
	for panels := 1; panels < 10; panels++ {
		for k := 1; k <= 100; k += 1 + k/5 {
			o.start("%d panels, %d features", panels, k)
			ldo, xs := panels*l+o.rng.IntN(3), k*l+o.rng.IntN(3)
			out, outTwin := o.fill(skipRows * ldo)
			q, qTwin := o.fill(skipRows * k)
			x, xTwin := o.fill(panels * xs)
			if special {
				o.special(q, qTwin)
			}
			// Of every other feature all queries have 0, or are left out at random.
			var offset []uint32
			packed, _ := o.fill(skipRows * k)
			for i := range k {
				if i > 0 && o.rng.IntN(2) == 0 {
					clear(qTwin[i*skipRows : (i+1)*skipRows])
					continue
				}
				copy(packed[len(offset)*skipRows:], qTwin[i*skipRows:(i+1)*skipRows])
				offset = append(offset, uint32(i*panelWidth))
			}
			skipDot(out, ldo, packed[:len(offset)*skipRows], offset, x, xs, panels)
			tileGeneric(inner, outTwin, ldo, qTwin, skipRows, skipRows, xTwin, xs, k, panels)
			o.same("value", out, outTwin, 0)
			o.same("point", x, xTwin, 0)
		}
	}
}

// exponents are arguments of exp of every size, some of them special.
func (o *operands[T]) exponents(s, twin []T, special bool) {
	values := []float64{0, math.Copysign(0, -1), math.Inf(-1), math.NaN(), -1e-300, -745, -87.5, -104, -1e30}
	for i := range s {
		s[i] = T(-math.Exp(o.rng.NormFloat64() * 3))
		if special && o.rng.IntN(4) == 0 {
			s[i] = T(values[o.rng.IntN(len(values))])
		}
		twin[i] = s[i]
	}
}

// expTolerance is 0 in float64: portable Go has the same fused operations. In float32 it
// has not, and the result may differ in the last place.
func expTolerance[T Float]() float64 {
	if lanes[T]() == lanes[float32]() {
		return 0x1p-22
	}
	return 0
}

func TestExpScaled(t *testing.T) { eachOperands(t, testExpScaled[float64], testExpScaled[float32]) }

func testExpScaled[T Float](o *operands[T], special bool) {
	for n := range 101 {
		for _, scale := range []T{1, 0.37} {
			o.start("exp of %d elements times %v", n, scale)
			src, srcTwin := o.fill(n)
			dst, dstTwin := o.fill(n)
			o.exponents(src, srcTwin, special)
			expScaled(dst, src, scale)
			expGeneric(dstTwin, srcTwin, scale)
			o.same("value", dst, dstTwin, expTolerance[T]())
			o.same("argument", src, srcTwin, 0)
			expScaled(src, src, scale)
			o.same("value in place", src, dst, 0)
		}
	}
}

func TestRowExp(t *testing.T) { eachOperands(t, testRowExp[float64], testRowExp[float32]) }

func testRowExp[T Float](o *operands[T], special bool) {
	if cpu.Active() != cpu.AVX512 {
		o.t.Skip("no row that ends in exp")
	}
	l := lanes[T]()
	for panels := 1; panels < 20; panels++ {
		for _, k := range []int{1, 2, 3, 8, 31, 100} {
			o.start("row of %d panels, %d features", panels, k)
			xs := k*l + o.rng.IntN(3)
			dst, dstTwin := o.fill(panels * l)
			q, qTwin := o.fill(k)
			x, xTwin := o.fill(panels * xs)
			if special {
				o.special(q, qTwin)
				o.special(x, xTwin)
			}
			if !rowExp(square, dst, q, x, xs, k, panels, -0.125) {
				o.t.Fatal("rowExp did nothing")
			}
			tileGeneric(square, dstTwin, panels*l, qTwin, 1, 1, xTwin, xs, k, panels)
			expGeneric(dstTwin, dstTwin, -0.125)
			o.same("value", dst, dstTwin, expTolerance[T]())
			o.same("query", q, qTwin, 0)
			o.same("point", x, xTwin, 0)
		}
	}
}

func TestDistances(t *testing.T) { eachOperands(t, testDistances[float64], testDistances[float32]) }

func testDistances[T Float](o *operands[T], special bool) {
	for n := range 101 {
		o.start("%d distances", n)
		dst, dstTwin := o.fill(n)
		src, srcTwin := o.fill(n)
		zn, znTwin := o.fill(n)
		qn := T(o.rng.IntN(9))
		if special {
			o.special(src, srcTwin)
			o.special(zn, znTwin)
		}
		distances(dst, src, zn, qn)
		distancesGeneric(dstTwin, srcTwin, znTwin, qn)
		o.same("value", dst, dstTwin, 0)
		o.same("norm", zn, znTwin, 0)
		distances(src, src, zn, qn)
		o.same("value in place", src, dst, 0)
	}
}

func TestWeigh(t *testing.T) { eachOperands(t, testWeigh[float64], testWeigh[float32]) }

func testWeigh[T Float](o *operands[T], special bool) {
	l := lanes[T]()
	for panels := range 21 {
		o.start("%d weighted panels", panels)
		sums, sumsTwin := o.fill(sumPanels * l)
		k, kTwin := o.fill(panels * l)
		c, cTwin := o.fill(panels * l)
		if special {
			o.special(k, kTwin)
			o.special(c, cTwin)
		}
		weigh(sums, k, c)
		weighGeneric(sumsTwin, kTwin, cTwin)
		o.same("sum", sums, sumsTwin, 0)
		o.same("value", k, kTwin, 0)
		o.same("weight", c, cTwin, 0)
	}
}

func TestPanelNorms(t *testing.T) { eachOperands(t, testPanelNorms[float64], testPanelNorms[float32]) }

func testPanelNorms[T Float](o *operands[T], special bool) {
	l := lanes[T]()
	for d := 1; d <= 100; d++ {
		o.start("norms of %d features", d)
		dst, dstTwin := o.fill(l)
		panel, panelTwin := o.fill(d * l)
		if special {
			o.special(panel, panelTwin)
		}
		panelNorms(dst, panel, d)
		panelNormsGeneric(dstTwin, panelTwin, d)
		o.same("norm", dst, dstTwin, 0)
		o.same("feature", panel, panelTwin, 0)
	}
}

func TestMirrorTile(t *testing.T) { eachOperands(t, testMirrorTile[float64], testMirrorTile[float32]) }

func testMirrorTile[T Float](o *operands[T], special bool) {
	for _, stream := range []bool{false, true} {
		rows := lanes[T]() * (1 + o.rng.IntN(tileSide/lanes[T]()))
		o.start("stream %v, %d rows", stream, rows)
		// Streamed stores want cache lines, as Full sees to; others may lie anywhere.
		ld, skip := tileSide+o.rng.IntN(3), 0
		if stream {
			ld = tileSide + lanes[T]()
		}
		dst, _ := o.fill(tileSide*ld + lanes[T]())
		for stream && !onLine(dst[skip:]) {
			skip++
		}
		twin := append([]T(nil), dst...)
		tile, tileTwin := o.fill(tileSide * tileSide)
		if special {
			o.special(tile, tileTwin)
		}
		if !mirrorTile(dst[skip:], ld, tile, rows, stream) {
			o.t.Skip("no stores of tiles")
		}
		endStream()
		for i := range rows {
			for j := range tileSide {
				twin[skip+j*ld+i] = tileTwin[i*tileSide+j]
			}
		}
		o.same("element", dst, twin, 0)
		o.same("tile", tile, tileTwin, 0)
	}
}

// Rows of every width and place relative to cache lines, of which dst has words of guard on both sides of each row.
func TestStreamRows(t *testing.T) { eachOperands(t, testStreamRows[float64], testStreamRows[float32]) }

func testStreamRows[T Float](o *operands[T], special bool) {
	if !levels.Active().streams {
		o.t.Skip("no streamed rows")
	}
	l := lanes[T]()
	for width := l; width <= 101+l; width++ {
		rows, skip := 1+o.rng.IntN(2*l), o.rng.IntN(l)
		ld, pitch := width+1+o.rng.IntN(l), width+o.rng.IntN(l)
		o.start("%d rows of %d, %d and %d apart, %d off", rows, width, ld, pitch, skip)
		dst, twin := o.fill(skip + rows*ld)
		src, srcTwin := o.fill(rows * pitch)
		if special {
			o.special(src, srcTwin)
		}
		streamRows(dst[skip:], ld, src, pitch, width, rows)
		endStream()
		for i := range rows {
			copy(twin[skip+i*ld:], srcTwin[i*pitch:i*pitch+width])
		}
		o.same("element", dst, twin, 0)
		o.same("source", src, srcTwin, 0)
	}
}

// The wrappers refuse slices that are too short, at every level.
func TestKernelsPanic(t *testing.T) {
	eachOperands(t, testKernelsPanic[float64], testKernelsPanic[float32])
}

func testKernelsPanic[T Float](o *operands[T], _ bool) {
	l := lanes[T]()
	s := func(n int) []T { return make([]T, n) }
	for name, f := range map[string]func(short int){
		"tile's out": func(short int) { tile(square, s(2*l-short), l, s(6), 2, 2, s(3*l), 3*l, 3, 1) },
		"tile's q":   func(short int) { tile(inner, s(2*l), l, s(6-short), 2, 2, s(3*l), 3*l, 3, 1) },
		"tile's x":   func(short int) { tile(inner, s(2*l), l, s(6), 2, 2, s(3*l-short), 3*l, 3, 1) },
		"exp's dst":  func(short int) { expScaled(s(40)[:40-short], s(40), 1) },
		"distances":  func(short int) { distances(s(40), s(40), s(40-short), 1) },
		"weigh's c":  func(short int) { weigh(s(sumPanels*l), s(2*l), s(2*l-short)) },
		"norms":      func(short int) { panelNorms(s(l), s(3*l-short), 3) },
	} {
		panics := func(short int) (p bool) {
			defer func() { p = recover() != nil }()
			f(short)
			return
		}
		if panics(0) {
			o.t.Errorf("%s: enough is too short", name)
		}
		if !panics(1) {
			o.t.Errorf("%s: one element too few does not panic", name)
		}
	}
}
