package kernellp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// TestSifting holds programs with few margins, warm over changing costs, against cold solves of whole programs.
func TestSifting(t *testing.T) {
	for name, shape := range map[string]Shape{
		"free": {}, "onesided": {OneSided: true}, "high": {OneSided: true, Ceiling: 1e6}, "ceiling": {OneSided: true, Ceiling: 0.3},
	} {
		t.Run(name, func(t *testing.T) {
			seeds, tight := uint64(60), 0
			if shape.Ceiling > 0 {
				seeds = 18
			}
			if testing.Short() {
				seeds = 3
			}
			for seed := range seeds {
				n := 40 + 60*int(seed%6)
				k, y := small(n, seed+1)
				rng := rand.New(rand.NewPCG(seed, 7))
				hinge := fill(n, math.Pow(10, float64(seed%4)-1))
				for i := range 5 {
					hinge[rng.IntN(n)] = 0.3 * float64(i)
				}
				s := New(k, y, hinge, shape, Options{Batch: 5, SiftFrom: 1})
				for round := range 6 {
					p := Costs{Margin: 1, Coef: fill(n, 1), Bias: float64(seed % 2)}
					for i := range p.Coef {
						if round > 0 {
							p.Coef[i] = math.Exp(rng.NormFloat64())
						}
						if round > 2 && rng.IntN(3) == 0 {
							p.Coef[i] = math.Inf(1)
						}
					}
					if round == 5 {
						p.Bias = math.Inf(1)
						for i := range hinge {
							hinge[i] *= 3
						}
						if err := s.SetCap(hinge); err != nil {
							t.Fatal(err)
						}
					}
					compare(t, fmt.Sprintf("seed %d round %d", seed, round), s, p)
				}
				if s.tight {
					tight++
				}
				if sifted := s.sift != nil && s.lp == nil; sifted == s.tight {
					t.Errorf("seed %d: by sifting %v, a coefficient at the ceiling %v", seed, sifted, s.tight)
				}
			}
			if few := int(seeds) / 3; name == "ceiling" && tight < few || name != "ceiling" && tight > 0 {
				t.Errorf("%d of %d seeds with a coefficient at the ceiling", tight, seeds)
			}
		})
	}
}

// TestSiftingStops: stopped anywhere, the model is the best so far and the bound below the optimum.
func TestSiftingStops(t *testing.T) {
	const n = 300
	k, y := small(n, 3)
	p := Costs{Margin: 1, Coef: fill(n, 0.1), Bias: 1}
	best, last := optimum(t, k, y, fill(n, 10), Shape{}, p), math.Inf(1)
	for solves := 1; ; solves++ {
		opt := Options{Batch: 5, SiftFrom: 1, MaxSolves: solves}
		sol, err := New(k, y, fill(n, 10), Shape{}, opt).Solve(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		if !(sol.Objective >= best*(1-1e-9) && sol.Dual <= best*(1+1e-9) && sol.Objective <= last*(1+1e-9)) {
			t.Errorf("after %d programs: objective %v after %v, dual %v; the optimum is %v", solves, sol.Objective, last,
				sol.Dual, best)
		}
		if last = sol.Objective; sol.Status == status.Optimal {
			break
		}
		if sol.Status != status.IterationLimit || sol.Solves != solves || !(sol.Violation <= OptimalViolation) {
			t.Fatalf("after %d programs: status %v, violation %g", sol.Solves, sol.Status, sol.Violation)
		}
	}
	for after := 1; after < 25; after += 3 {
		ctx, cancel := context.WithCancel(context.Background())
		k.Kernel = &dying{Kernel: k.stored, after: after, end: cancel}
		s := New(k, y, fill(n, 10), Shape{}, Options{SiftFrom: 1})
		sol, err := s.Solve(ctx, p)
		if err != nil || sol.Status != status.Cancelled || !(sol.Objective >= best*(1-1e-9)) || !(sol.Dual <= best) {
			t.Fatalf("cancelled after %d sums: %v, %v, objective %v, dual %v", after, err, sol.Status, sol.Objective, sol.Dual)
		}
		sol, err = s.Solve(context.Background(), p) // goes on
		if err != nil || sol.Status != status.Optimal || !(math.Abs(sol.Gap()) <= 1e-9) {
			t.Fatalf("gone on after %d sums: %v, %v, gap %g", after, err, sol.Status, sol.Gap())
		}
	}
}

// dying is a matrix whose context ends after some sums.
type dying struct {
	Kernel
	after int
	end   func()
}

func (d *dying) AddRows(ctx context.Context, g []float64, idx []int, coef []float64) error {
	if d.after--; d.after == 0 {
		d.end()
	}
	return d.Kernel.AddRows(ctx, g, idx, coef)
}

// A box's products are those of plain sums, for any number of goroutines and where most numbers are 0.
func TestBox(t *testing.T) {
	const rows, columns = 300, 8*apieceColumns + 77
	rng := rand.New(rand.NewPCG(3, 1))
	b := &box{samples: make([]int, columns), rowMatrix: rowMatrix{threads: 3}}
	for range rows {
		row := make([]float64, columns)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		b.rows = append(b.rows, row)
	}
	var some []int32
	var y []float64
	want := make([]float64, columns)
	for r := 0; r < rows; r += 1 + r%2 {
		some = append(some, int32(r))
		y = append(y, rng.NormFloat64())
		for j, v := range b.rows[r] {
			want[j] += y[len(y)-1] * v
		}
	}
	got := make([]float64, columns)
	b.Price(got, some, y)
	testutil.NearAll(t, "row of a pivot", got, want, 1e-10)
	if len(some)*columns < apieceWork {
		t.Errorf("%d × %d numbers are no work to share", len(some), columns)
	}
	for _, places := range [][]int{{}, {0}, {63, 64}, {700}, {5, 300, 1500, columns - 1}} {
		x, sums := make([]float64, columns), slices.Repeat([]float64{1}, rows)
		for _, j := range places {
			x[j] = 1 + rng.Float64()
		}
		for r, row := range b.rows {
			want := 1.0
			for _, j := range places {
				want += x[j] * row[j]
			}
			sums[r] -= want
		}
		b.MulAdd(sums, x)
		testutil.NearAll(t, fmt.Sprint("columns ", places), sums, make([]float64, rows), 1e-12)
	}
	for j := range columns {
		got[j] = 1
	}
	sums := make([]float64, rows)
	b.MulAdd(sums, got)
	for r, row := range b.rows {
		for _, v := range row {
			sums[r] -= v
		}
	}
	testutil.NearAll(t, "all columns", sums, make([]float64, rows), 1e-10)
}
