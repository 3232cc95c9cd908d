package dense

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

var ctx = context.Background()

// guard surrounds what a test lends to the package.
const guard = 1e300

// layouts are the ways in which a view may lie in memory.
var layouts = []string{"row", "col", "rowFlipped", "colFlipped"}

// lay returns an r×c view with random elements, in guards and at an odd offset.
func lay(rng *rand.Rand, layout string, r, c int) Mat {
	const pad, off = 3, 5
	rows, cols := r, c
	if layout == "col" || layout == "colFlipped" {
		rows, cols = c, r
	}
	data := make([]float64, 2*off+rows*(cols+pad))
	for i := range data {
		data[i] = guard
	}
	m := Mat{Data: data, Off: off, Rows: rows, Cols: cols, RS: cols + pad, CS: 1}
	if layout == "col" || layout == "colFlipped" {
		m = m.T()
	}
	if layout == "rowFlipped" || layout == "colFlipped" {
		m = m.flipRows().flipCols()
	}
	for i := range r {
		for j := range c {
			m.Data[m.Off+i*m.RS+j*m.CS] = 2*rng.Float64() - 1
		}
	}
	return m
}

func clone(m Mat) Mat { m.Data = append([]float64(nil), m.Data...); return m }

// checkGuards fails if an element outside the view was written.
func checkGuards(t *testing.T, m Mat) {
	t.Helper()
	seen := make(map[int]bool)
	for i := range m.Rows {
		for j := range m.Cols {
			seen[m.Off+i*m.RS+j*m.CS] = true
		}
	}
	for i, v := range m.Data {
		if !seen[i] && v != guard {
			t.Fatalf("element %d outside the view became %v", i, v)
		}
	}
}

func sizes() []int { return []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 13, 23, 24, 25, 47, 49, 100} }

func TestMul(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, m := range sizes() {
			for _, n := range sizes() {
				k := sizes()[rng.IntN(len(sizes()))]
				la, lb, lc := layouts[rng.IntN(4)], layouts[rng.IntN(4)], layouts[rng.IntN(4)]
				t.Run(fmt.Sprintf("m=%d/n=%d/k=%d/%s.%s.%s", m, n, k, la, lb, lc), func(t *testing.T) {
					testMul(t, lay(rng, la, m, k), lay(rng, lb, k, n), lay(rng, lc, m, n), 1)
				})
			}
		}
		// Around the block sizes.
		for _, s := range [][3]int{
			{5, 7, depth - 1}, {9, 30, depth}, {25, 9, depth + 1}, {3, width - 1, 4},
			{3, width, 4}, {9, width + 1, 3}, {height + 1, 5, 2}, {130, 260, 530},
		} {
			for _, lc := range layouts {
				t.Run(fmt.Sprint(s, lc), func(t *testing.T) {
					testMul(t, lay(rng, "row", s[0], s[2]), lay(rng, "col", s[2], s[1]), lay(rng, lc, s[0], s[1]), 3)
				})
			}
		}
	})
}

func testMul(t *testing.T, a, b, c Mat, threads int) {
	got := clone(c)
	if err := Mul(ctx, threads, -1, a, b, got); err != nil {
		t.Fatal(err)
	}
	checkGuards(t, got)
	for i := range c.Rows {
		for j := range c.Cols {
			want, mag := c.At(i, j), math.Abs(c.At(i, j))
			for p := range a.Cols {
				want -= a.At(i, p) * b.At(p, j)
				mag += math.Abs(a.At(i, p) * b.At(p, j))
			}
			if d := math.Abs(got.At(i, j) - want); !(d <= float64(a.Cols+2)*0x1p-52*mag) {
				t.Fatalf("C[%d,%d] = %v, want %v", i, j, got.At(i, j), want)
			}
		}
	}
}

func TestMulLower(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		for _, n := range append(sizes(), width+13, 530) {
			for _, threads := range []int{1, 2, 5} {
				k := 1 + rng.IntN(40)
				a, b, c := lay(rng, "row", n, k), lay(rng, "col", k, n), lay(rng, "row", n, n)
				want, got := clone(c), clone(c)
				if err := Mul(ctx, 1, 1, a, b, want); err != nil {
					t.Fatal(err)
				}
				if err := MulLower(ctx, threads, 1, a, b, got); err != nil {
					t.Fatal(err)
				}
				checkGuards(t, got)
				for i := range n {
					for j := range n {
						w := want.At(i, j)
						if j > i {
							w = c.At(i, j)
						}
						if got.At(i, j) != w {
							t.Fatalf("n=%d threads=%d: C[%d,%d] = %v, want %v", n, threads, i, j, got.At(i, j), w)
						}
					}
				}
			}
		}
	})
}

func TestSolve(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		for _, n := range append(sizes(), depth-1, depth, depth+1, 2*depth+9) {
			for _, r := range []int{0, 1, 3, 12, 23, 24, 25, 60, width + 1} {
				if n > 100 && r > 25 {
					continue
				}
				ll, lb := layouts[rng.IntN(4)], layouts[rng.IntN(4)]
				t.Run(fmt.Sprintf("n=%d/r=%d/%s.%s", n, r, ll, lb), func(t *testing.T) {
					l, b := lay(rng, ll, n, n), lay(rng, lb, n, r)
					for i := range n { // well conditioned: a heavy diagonal
						l.Data[l.Off+i*(l.RS+l.CS)] += float64(n)
					}
					testSolve(t, l, b, false)
					testSolve(t, l, b, true)
				})
			}
		}
	})
}

// testSolve checks the residual of a triangular solve; what lies on the other side of the diagonal must not matter.
func testSolve(t *testing.T, l, b Mat, upper bool) {
	x, solve := clone(b), SolveLower
	if upper {
		solve = SolveUpper
	}
	if err := solve(ctx, 2, l, x); err != nil {
		t.Fatal(err)
	}
	checkGuards(t, x)
	for i := range b.Rows {
		for j := range b.Cols {
			s, mag := -b.At(i, j), math.Abs(b.At(i, j))
			lo, hi := 0, i+1
			if upper {
				lo, hi = i, b.Rows
			}
			for p := lo; p < hi; p++ {
				s += l.At(i, p) * x.At(p, j)
				mag += math.Abs(l.At(i, p) * x.At(p, j))
			}
			if !(math.Abs(s) <= float64(b.Rows+4)*0x1p-51*mag) {
				t.Fatalf("upper=%v: residual [%d,%d] is %v of %v", upper, i, j, s, mag)
			}
		}
	}
}

// The promise of the package comment: same bits for any number of threads, at every level.
func TestSameBits(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		one := mulAndSolve(t, 1)
		for _, threads := range []int{2, 3, 7} {
			for i, v := range mulAndSolve(t, threads) {
				if v != one[i] {
					t.Fatalf("%d threads give %v at %d, one gives %v", threads, v, i, one[i])
				}
			}
		}
	})
}

func mulAndSolve(t *testing.T, threads int) []float64 {
	rng := rand.New(rand.NewPCG(7, 8))
	a, b, c := lay(rng, "row", 301, 290), lay(rng, "row", 290, 333), lay(rng, "row", 301, 333)
	l := lay(rng, "row", 301, 301)
	for i := range 301 {
		l.Data[l.Off+i*(l.RS+1)] += 20
	}
	if err := Mul(ctx, threads, -1, a, b, c); err != nil {
		t.Fatal(err)
	}
	if err := SolveUpper(ctx, threads, l, c); err != nil {
		t.Fatal(err)
	}
	return c.Data
}

func TestCancelled(t *testing.T) {
	dead, cancel := context.WithCancel(ctx)
	cancel()
	rng := rand.New(rand.NewPCG(1, 1))
	a, b, c := lay(rng, "row", 30, 30), lay(rng, "row", 30, 30), lay(rng, "row", 30, 30)
	if Mul(dead, 1, 1, a, b, c) == nil || MulLower(dead, 1, 1, a, b, c) == nil ||
		SolveLower(dead, 1, a, c) == nil || SolveUpper(dead, 2, a, c) == nil {
		t.Fatal("a cancelled context went unnoticed")
	}
}

func TestPanics(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	a, b := lay(rng, "row", 3, 4), lay(rng, "row", 5, 3)
	for name, f := range map[string]func(){
		"shapes":   func() { _ = Mul(ctx, 1, 1, a, b, a) },
		"alpha":    func() { _ = Mul(ctx, 1, 2, a, a.T(), lay(rng, "row", 3, 3)) },
		"short":    func() { Of(make([]float64, 5), 2, 3, 3) },
		"block":    func() { a.Sub(0, 4, 0, 1) },
		"lower":    func() { _ = MulLower(ctx, 1, 1, a, a.T(), lay(rng, "col", 3, 3)) },
		"triangle": func() { _ = SolveLower(ctx, 1, a, b) },
		"noStride1": func() {
			c := lay(rng, "row", 6, 6)
			c.RS, c.CS, c.Rows, c.Cols = 18, 2, 3, 3
			_ = Mul(ctx, 1, 1, c, c, c)
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

func BenchmarkMul(b *testing.B) {
	for _, level := range cpu.Available() {
		for _, n := range []int{8, 32, 100, 256, 1000, 2000} {
			b.Run(fmt.Sprintf("level=%v/n=%d", level, n), func(b *testing.B) {
				defer cpu.Use(level)()
				rng := rand.New(rand.NewPCG(1, 2))
				x, y, z := lay(rng, "row", n, n), lay(rng, "row", n, n), lay(rng, "row", n, n)
				for b.Loop() {
					_ = Mul(ctx, 1, -1, x, y, z)
				}
				b.ReportMetric(2*float64(n*n*n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}

func BenchmarkSolve(b *testing.B) {
	for _, level := range cpu.Available() {
		for _, n := range []int{32, 256, 1000, 2000} {
			b.Run(fmt.Sprintf("level=%v/n=%d", level, n), func(b *testing.B) {
				defer cpu.Use(level)()
				rng := rand.New(rand.NewPCG(1, 2))
				x, y := lay(rng, "row", n, n), lay(rng, "col", n, n)
				for i := range n {
					x.Data[x.Off+i*(x.RS+1)] = float64(n)
				}
				b.ReportAllocs()
				for b.Loop() {
					_ = SolveLower(ctx, 1, x, y)
				}
				b.ReportMetric(float64(n*n*n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}

func TestApplyUpper(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(9, 6))
		for _, n := range append(sizes(), triangle-1, triangle, triangle+1, 150) {
			for _, r := range []int{0, 1, 25, width + 1} {
				u, b := lay(rng, layouts[rng.IntN(4)], n, n), lay(rng, "row", n, r)
				got, want := clone(b), lay(rng, "row", n, r)
				if err := ApplyUpper(ctx, 2, u, got); err != nil {
					t.Fatal(err)
				}
				checkGuards(t, got)
				for i := range n {
					for j := range r {
						want.Data[want.Off+i*want.RS+j] = 0
						for p := i; p < n; p++ {
							want.Data[want.Off+i*want.RS+j] += u.At(i, p) * b.At(p, j)
						}
						if d := math.Abs(want.At(i, j) - got.At(i, j)); !(d <= float64(n+2)*float64(n)*0x1p-52) {
							t.Fatalf("n=%d r=%d: [%d,%d] off by %v", n, r, i, j, d)
						}
					}
				}
			}
		}
	})
}
