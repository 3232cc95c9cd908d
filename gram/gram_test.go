package gram

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// samples returns n×d standard normal values, the same for the same arguments.
func points(n, d int) []float64 {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	x := make([]float64, n*d)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// testKernels has a kernel of each kind of measurements, and more of some.
func testKernels(d int) map[string]Kernel {
	w := make([]float64, d)
	for i := range w {
		w[i] = float64(i%3) / 2
	}
	g := 0.5 / float64(max(d, 1))
	ks := map[string]Kernel{
		"weighted":          WeightedRBF(g, w),
		"weighted matern32": {Kind: KindMatern32, Gamma: g, Weights: w},
		"composite": Composite(Term{2, []Kernel{RBF(g), {Kind: KindMatern32, Gamma: g, Weights: w}}}, Term{0.25, nil},
			Term{0.5, []Kernel{RationalQuadratic(0.7, g)}}, Term{0.125, []Kernel{Poly(2, g, 1), Matern12(g), Linear()}}),
		"custom": Custom(func(x, z []float64) float64 { return Linear().Eval(x, z) }),
	}
	for kind, own := range kinds {
		if !own.composed() && !own.code && !own.indexed {
			ks[own.name] = Kernel{Kind: Kind(kind), Gamma: g, Degree: 3, Coef0: 1, Alpha: 0.7}
		}
	}
	ks["sigmoid"] = Sigmoid(g, -0.5)
	return ks
}

var dims = []int{0, 1, 2, 3, 5, 8, 20, 31, 32, 33, 60}

// TestAgainstEval holds every entry of every way to get one against the formula.
func TestAgainstEval(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		t.Run("float64", func(t *testing.T) { testAgainstEval[float64](t, 1e-13) })
		t.Run("float32", func(t *testing.T) { testAgainstEval[float32](t, 2e-5) })
	})
}

func testAgainstEval[T Float](t *testing.T, tol float64) {
	const m = 11
	for _, d := range dims {
		for name, k := range testKernels(d) {
			for n := range 101 {
				if n > 20 && n%31 != 0 && n%32 > 1 || n > 20 && testing.Short() {
					continue
				}
				x := points(n, d)
				q := points(m, d)
				p := Pack[T](k, x, n, d)
				check := func(what string, got T, xi, zj []float64) {
					t.Helper()
					want := k.Eval(xi, zj)
					if diff := math.Abs(float64(got) - want); !(diff <= tol*max(1, math.Abs(want))) {
						t.Fatalf("%s %s n=%d d=%d: got %v, want %v", what, name, n, d, got, want)
					}
				}
				full := make([]T, n*n)
				p.Full(full, n)
				cross := make([]T, m*n)
				p.Cross(cross, n, q, m)
				for i := range n {
					for j := range n {
						check("Full", full[i*n+j], x[i*d:(i+1)*d], x[j*d:(j+1)*d])
					}
				}
				for i := range m {
					for j := range n {
						check("Cross", cross[i*n+j], q[i*d:(i+1)*d], x[j*d:(j+1)*d])
					}
				}
			}
		}
	}
}

// TestSameBits: a value depends on its two samples only, not on the method, the
// number of rows asked for together, the position in a panel or the SIMD level.
func TestSameBits(t *testing.T) {
	t.Run("float64", func(t *testing.T) { testSameBits[float64](t, 0) })
	t.Run("float32", func(t *testing.T) { testSameBits[float32](t, 1e-6) })
}

func testSameBits[T Float](t *testing.T, genericTol float64) {
	for _, d := range dims {
		for name, k := range testKernels(d) {
			n := 53
			if name == "rbf" && (d == 2 || d == 33) {
				n = 2*tileSide + 5 // whole tiles of Full, mirrored, and parts of some
			}
			x := points(n, d)
			var ref []T
			for _, l := range cpu.Available() {
				restore := cpu.Use(l)
				p := Pack[T](k, x, n, d)
				full := make([]T, n*n)
				p.Full(full, n)
				where := fmt.Sprintf("%s d=%d level=%s", name, d, l)
				checkSameBits(t, where, p, x, full)
				restore()
				switch {
				case l == cpu.Generic:
				case ref == nil:
					ref = full
				default:
					for i := range ref {
						if ref[i] != full[i] {
							t.Fatalf("%s: entry %d is %v, the level before gave %v", where, i, full[i], ref[i])
						}
					}
				}
				if l != cpu.Generic {
					g := genericFull(k, x, n, d, T(0))
					for i := range g {
						if diff := math.Abs(float64(g[i] - full[i])); !(diff <= genericTol*max(1, math.Abs(float64(g[i])))) {
							t.Fatalf("%s: entry %d is %v, generic gives %v", where, i, full[i], g[i])
						}
					}
				}
			}
		}
	}
}

func genericFull[T Float](k Kernel, x []float64, n, d int, _ T) []T {
	defer cpu.Use(cpu.Generic)()
	full := make([]T, n*n)
	Pack[T](k, x, n, d).Full(full, n)
	return full
}

func checkSameBits[T Float](t *testing.T, where string, p *Samples[T], x []float64, full []T) {
	t.Helper()
	n, d := p.Len(), p.Dim()
	same := func(what string, got, want T) {
		t.Helper()
		if got != want {
			t.Fatalf("%s: %s gives %v, Full gives %v", where, what, got, want)
		}
	}
	diag := make([]T, n)
	p.Diag(diag)
	for i := range n {
		same("Diag", diag[i], full[i*n+i])
		for j := range i {
			same("symmetry", full[j*n+i], full[i*n+j])
		}
	}
	row := make([]T, n)
	for i := range n {
		p.Row(row, i)
		for j := range n {
			same("Row", row[j], full[i*n+j])
		}
		p.Cross(row, n, x[i*d:(i+1)*d], 1)
		for j := range n {
			same("Cross of one", row[j], full[i*n+j])
		}
	}
	for m := range 18 {
		idx := make([]int, m)
		rows := make([][]T, m)
		for r := range idx {
			idx[r] = (r*37 + m) % n
			rows[r] = make([]T, n)
		}
		p.Rows(rows, idx)
		lo, hi := m, n-m
		tile := make([]T, m*(n+3))
		p.Tile(tile, n+3, idx, lo, hi)
		cross := make([]T, m*n)
		p.Cross(cross, n, x[m*d:], m)
		sub := p.Subset(idx)
		subRow := make([]T, m)
		for r, i := range idx {
			sub.Row(subRow, r)
			for s, j := range idx {
				same("Subset", subRow[s], full[i*n+j])
			}
			for j := range n {
				same("Rows", rows[r][j], full[i*n+j])
				same("Cross", cross[r*n+j], full[(m+r)*n+j])
				if lo <= j && j < hi {
					same("Tile", tile[r*(n+3)+j-lo], full[i*n+j])
				}
			}
		}
	}
}
