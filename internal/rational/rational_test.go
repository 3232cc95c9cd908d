package rational

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"
)

// random draws a matrix of which about the given share of entries is not 0.
func random(rng *rand.Rand, n int, share float64, value func() float64) *Matrix {
	a := &Matrix{N: n, Lines: Lines{Start: []int{0}}}
	for range n {
		for i := range n {
			if v := value(); rng.Float64() < share && v != 0 {
				a.Index = append(a.Index, int32(i))
				a.Value = append(a.Value, v)
			}
		}
		a.Start = append(a.Start, len(a.Index))
	}
	return a
}

// kinds are ways to draw entries.
func kinds(rng *rand.Rand) map[string]func() float64 {
	return map[string]func() float64{
		"small integers": func() float64 { return float64(rng.IntN(7) - 3) },
		"doubles":        rng.NormFloat64,
		"wide":           func() float64 { return math.Ldexp(rng.NormFloat64(), rng.IntN(400)-200) },
		"extreme":        func() float64 { return math.Ldexp(rng.NormFloat64(), rng.IntN(2000)-1000) },
	}
}

// residual returns A·x − b, or Aᵀ·x − b.
func residual(a *Matrix, x, b []Number, transposed bool) []*big.Rat {
	r := make([]*big.Rat, a.N)
	for i := range r {
		r[i] = new(big.Rat).Neg(b[i].Rat())
	}
	for j := range a.N {
		for t := a.Start[j]; t < a.Start[j+1]; t++ {
			to, from := int(a.Index[t]), j
			if transposed {
				to, from = from, to
			}
			v := new(big.Rat).SetFloat64(a.Value[t])
			r[to].Add(r[to], v.Mul(v, x[from].Rat()))
		}
	}
	return r
}

// TestSolve: the residual of solutions is 0, of all kinds of matrices, and singular ones say so.
func TestSolve(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	ctx := context.Background()
	for name, value := range kinds(rng) {
		solved := 0
		largest := 20
		if name == "wide" || name == "extreme" { // fractions of thousands of bits
			largest = 4
		}
		for k := range 120 {
			n := 1 + rng.IntN(largest)
			a := random(rng, n, []float64{0.1, 0.3, 1}[k%3], value)
			f, err := Factor(ctx, a)
			var singular *SingularError
			if errors.As(err, &singular) {
				if len(singular.Rows) != len(singular.Cols) || len(singular.Rows) == 0 {
					t.Fatalf("%s: %d rows and %d columns without pivots", name, len(singular.Rows), len(singular.Cols))
				}
				continue
			}
			solved++
			b := make([]Number, n)
			for i := range b {
				b[i] = OfFloat(value())
			}
			for _, transposed := range []bool{false, true, false} {
				solve := f.Solve
				if transposed {
					solve = f.SolveTransposed
				}
				x, err := solve(ctx, b)
				if err != nil {
					t.Fatal(err)
				}
				for i, r := range residual(a, x, b, transposed) {
					if r.Sign() != 0 {
						t.Fatalf("%s, %d×%d: residual of equation %d is %v", name, n, n, i, r)
					}
				}
			}
		}
		if solved < 20 {
			t.Errorf("%s: only %d matrices were not singular", name, solved)
		}
	}
}

// BenchmarkSolve solves with dense matrices of kernel values and their transposes.
func BenchmarkSolve(b *testing.B) {
	for _, n := range []int{10, 50, 200} {
		b.Run("n="+strconv.Itoa(n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(3, 4))
			a := random(rng, n, 2, func() float64 { return math.Exp(-3 * rng.ExpFloat64()) })
			right := make([]Number, n)
			for i := range right {
				right[i] = OfFloat(rng.NormFloat64())
			}
			for b.Loop() {
				f, err := Factor(context.Background(), a)
				if err != nil {
					b.Fatal(err)
				}
				if _, err = f.Solve(context.Background(), right); err != nil {
					b.Fatal(err)
				}
				if _, err = f.SolveTransposed(context.Background(), right); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
