package gram

import (
	"fmt"
	"math"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestSmall holds a row's outputs to the bits of the expansion of the mapped row, at every level,
// for every number of samples and features around a register's, and with guard words around row and outputs.
func TestSmall(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		dims := []int{1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 20, 31, 32, 33, 63, 64, 127, 128}
		if testing.Short() {
			dims = []int{1, 2, 3, 8, 9, 20, 33, 128}
		}
		for _, d := range dims {
			for name, k := range testKernels(d) {
				for n := 1; n <= smallSamples; n++ {
					if n > 20 && n%16 > 1 && n != smallSamples-1 && n != 100 {
						continue
					}
					testSmall(t, fmt.Sprintf("%s/n=%d/d=%d", name, n, d), k, n, d, 0)
					if d >= expandFeatures { // far from the origin: expanded, and moved by their middle
						testSmall(t, fmt.Sprintf("%s/n=%d/d=%d/far", name, n, d), k, n, d, 40)
					}
				}
			}
		}
	})
}

func testSmall(t *testing.T, name string, k Kernel, n, d int, offset float64) {
	t.Helper()
	const outputs, rows = 3, 3
	z, q := points(n, d), points(rows, d)
	for _, x := range [][]float64{z, q} {
		for i := range x {
			x[i] += offset
		}
	}
	e := Pack[float64](k, z, n, d).Expand(points(n, 1), points(1, n), make([]float64, n))
	in, panels := e.points.layout.(*inPanels[float64])
	if panels && (in.feat.centre != nil) != (in.form == expanded && offset != 0) {
		t.Fatalf("%s: moved by the middle is %v", name, in.feat.centre != nil)
	}
	bias := []float64{0.25, -3, 1e-3}
	for _, m := range []*Affine{nil, testMap(d, 1.7, -0.3), testMap(d, 1, 0)} {
		s := NewSmall(e, m, bias)
		if s == nil {
			if panels && in.hasSmall() {
				t.Fatalf("%s: not compiled", name)
			}
			return
		}
		for i := range rows {
			x, intactX := testutil.Guarded[float64](t, d, i)
			copy(x, q[i*d:(i+1)*d])
			got, intact := testutil.Guarded[float64](t, outputs, i)
			s.Eval(got, x)
			intact(name)
			intactX(name)
			var want, twin [outputs]float64
			e.Eval(want[:], m.apply(x), 1)
			s.evalGeneric(twin[:], x)
			for o := range want {
				want[o] += bias[o]
				if math.Float64bits(got[o]) != math.Float64bits(want[o]) || got[o] != twin[o] {
					t.Fatalf("%s, map %v: output %d is %v, in portable Go %v, of the expansion %v",
						name, m != nil, o, got[o], twin[o], want[o])
				}
			}
		}
	}
}

// testMap is a map in which the first feature does not count and others differ.
func testMap(d int, width, lo float64) *Affine {
	m := &Affine{Width: width, Lo: lo}
	for k := range d {
		m.Center = append(m.Center, float64(k)/3)
		m.Spread = append(m.Spread, float64(k%5)*0.7)
	}
	return m
}

// apply is the map by its definition.
func (m *Affine) apply(x []float64) []float64 {
	y := make([]float64, len(x))
	for k, v := range x {
		switch {
		case m == nil:
			y[k] = v
		case m.Spread[k] != 0:
			y[k] = m.Lo + m.Width*(v-m.Center[k])/m.Spread[k]
		}
	}
	return y
}

// A feature that does not count may be anything, and one that does spoils the outputs.
func TestSmallNaN(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		const n = 7 // four samples at once, and the rest
		for _, k := range []Kernel{RBF(0.5), Laplacian(0.5), Matern12(0.5), Matern32(0.5), Matern52(0.5)} {
			for _, d := range []int{3, expandFeatures} {
				e := Pack[float64](k, points(n, d), n, d).Expand(points(n, 1))
				s := NewSmall(e, testMap(d, 1, 0), []float64{1})
				for j, v := range []float64{math.NaN(), math.Inf(1), math.NaN(), 1e200} {
					x, f := points(1, d), make([]float64, 1)
					pos := min(j, 2) // 0 does not count
					x[pos] = v
					s.Eval(f, x)
					if pos == 0 && f[0] != f[0] || j == 2 && f[0] == f[0] {
						t.Errorf("%v: feature %d is %v: output %v", k.Kind, pos, v, f[0])
					}
					// Infinity less infinity, as in the expanded form, is none.
					if !(v < 1e200) && v == v && f[0] != 1 && !(e.points.layout.(*inPanels[float64]).form == expanded) {
						t.Errorf("%v: far from all samples: output %v, want the bias", k.Kind, f[0])
					}
				}
			}
		}
	})
}

// What a Small is not for is refused at once.
func TestSmallRefuses(t *testing.T) {
	for name, e := range map[string]*Expansion[float64]{
		"no samples":    Pack[float64](RBF(1), nil, 0, 3).Expand(nil),
		"too many":      Pack[float64](RBF(1), points(257, 3), 257, 3).Expand(points(257, 1)),
		"too wide":      Pack[float64](RBF(1), points(2, 129), 2, 129).Expand(points(2, 1)),
		"no features":   Pack[float64](RBF(1), nil, 2, 0).Expand(points(2, 1)),
		"a logarithm":   Pack[float64](RationalQuadratic(1, 1), points(2, 3), 2, 3).Expand(points(2, 1)),
		"another shape": Pack[float64](Poly(2, 1, 1), points(2, 3), 2, 3).Expand(points(2, 1)),
	} {
		if NewSmall(e, nil, []float64{0}) != nil {
			t.Errorf("%s: compiled", name)
		}
	}
}
