package simplex

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sparsekm/sparsekm/status"
)

// cancellingTwin is min s1 + s2 − x with s1 = Mx, s2 = −Mx and 0 ≤ x ≤ 5: terms of 5M whose sum is −5.
func cancellingTwin(m float64) LP {
	return LP{C: []float64{-1, 1, 1}, Lo: []float64{0, -inf, -inf}, Up: []float64{5, inf, inf}, RowLo: []float64{0, 0},
		RowUp: []float64{0, 0}, A: NewDense(2, 3, []float64{m, -1, 0, -m, 0, -1})}
}

// TestPlantedTwin: what is not optimal is refused, whatever its multipliers hide.
func TestPlantedTwin(t *testing.T) {
	for _, m := range []float64{1e6, 1e9, 1e10, 1e12, 1e14} {
		lp := cancellingTwin(m)
		for k := range 100 {
			x := float64(k) * 0.05
			if k == 99 {
				x = 5 - 5e-6
			}
			ys := [][]float64{{1, 1}, {-1, -1}}
			if x > 0 || m < 1e13 {
				ys = append(ys, []float64{-1, -1 + 1/m}, []float64{-1 - 1/m, -1})
			}
			for _, y := range ys {
				r := &Result{Status: status.Optimal, X: []float64{x, m * x, -m * x}, Y: y, Activity: []float64{0, 0},
					ReducedCosts: []float64{0, 0, 0}, Objective: -x}
				if Check(lp, r) == nil {
					t.Errorf("M = %g: x = %g, y = %v is taken for an optimum", m, x, y)
				}
			}
		}
		s, err := New(lp, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r := s.Solve(context.Background()); r.Status != status.Optimal || r.Objective != -5 || Check(lp, r) != nil {
			t.Errorf("M = %g: %s, %v, %v", m, r.Status, r.Objective, Check(lp, r))
		}
	}
}

// costly draws a bounded program with n columns and m rows that x = 0 meets, and two more of each, whose costs of
// scale·wᵀx cancel.
func costly(rng *rand.Rand, scale float64) LP {
	n, m := 2+rng.IntN(5), 1+rng.IntN(5)
	lp := LP{C: []float64{1, 1}, Lo: []float64{-inf, -inf}, Up: []float64{inf, inf}, RowLo: []float64{0, 0},
		RowUp: []float64{0, 0}}
	a := &Sparse{Rows: m + 2}
	a.Append([]int32{0}, []float64{-1})
	a.Append([]int32{1}, []float64{-1})
	for range m {
		lp.RowLo = append(lp.RowLo, -inf)
		lp.RowUp = append(lp.RowUp, 1+9*rng.Float64())
	}
	for range n {
		w := scale * float64(1+rng.IntN(9))
		index, value := []int32{0, 1}, []float64{w, -w}
		for i := range m {
			if rng.IntN(2) == 0 {
				index = append(index, int32(i+2))
				value = append(value, rng.NormFloat64())
			}
		}
		a.Append(index, value)
		lp.C = append(lp.C, -0.1-rng.Float64())
		lp.Lo = append(lp.Lo, 0)
		lp.Up = append(lp.Up, 1+4*rng.Float64())
	}
	lp.A = a
	return lp
}

// worsened moves x towards 0 until the objective is worse by a share, and the two columns with it.
func worsened(lp *LP, r *Result, share float64) *Result {
	w := *r
	w.X = make([]float64, len(r.X))
	for j := range r.X[2:] {
		w.X[j+2] = r.X[j+2] * (1 - share)
		index, value := lp.A.(*Sparse).Entries(j + 2)
		for t, i := range index[:2] {
			w.X[i] += value[t] * w.X[j+2]
		}
	}
	return &w
}

// TestPlantedPoints: Check refuses feasible points that are worse by a millionth of the objective or more, with the
// multipliers of the optimum or with others, and accepts the optimum, also the exact one in rounded numbers. -sweep
// sets the number of programs.
func TestPlantedPoints(t *testing.T) {
	count := 500
	if *sweepSize > 0 {
		count = *sweepSize
	}
	rng := rand.New(rand.NewPCG(91, 1))
	for k := range count {
		lp := costly(rng, []float64{1, 1e3, 1e6, 1e9}[k%4])
		s, err := New(lp, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := s.Solve(context.Background())
		if err = Check(lp, r); err != nil || r.Status != status.Optimal {
			t.Errorf("program %d: %s, %v", k, r.Status, err)
			continue
		}
		proof, err := Prove(context.Background(), lp, r, 0)
		if err != nil || proof.Status != status.Optimal {
			t.Fatalf("program %d: %v, %v", k, proof, err)
		}
		exact := rounded(proof, &lp, r, r.Basis)
		if err := Check(lp, exact); err != nil {
			t.Errorf("program %d: the exact optimum: %v", k, err)
		}
		bad := worsened(&lp, exact, math.Pow(10, -6*rng.Float64()))
		bad.Objective = 0
		for j, c := range lp.C {
			bad.Objective += c * bad.X[j]
		}
		if k%2 == 1 {
			bad.Y = append([]float64(nil), bad.Y...)
			for i := range bad.Y {
				bad.Y[i] *= 1 + 1e-10*rng.NormFloat64()
			}
		}
		if Check(lp, bad) == nil {
			t.Errorf("program %d: %v passes, %v is optimal", k, bad.Objective, exact.Objective)
		}
	}
}

// TestPlantedDirections: whole numbers whose products cancel to 0 make a ray, and multipliers; to 1 they make none.
// -sweep sets the number of programs.
func TestPlantedDirections(t *testing.T) {
	count := 500
	if *sweepSize > 0 {
		count = *sweepSize
	}
	rng := rand.New(rand.NewPCG(91, 2))
	for k := range count {
		n := 2 + rng.IntN(5)
		scale := math.Pow(10, float64(rng.IntN(13)))
		r, a, bounds, zero := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		left := 0.0
		for j := range n - 1 {
			r[j], a[j], bounds[j] = float64(rng.IntN(4)), math.Round(scale*float64(rng.IntN(9)-4)), 1
			left -= r[j] * a[j]
		}
		by := float64(k % 2)
		r[n-1], a[n-1], bounds[n-1] = 1, left+by, 1
		row := LP{C: make([]float64, n), A: NewDense(1, n, a), RowLo: []float64{-inf}, RowUp: []float64{9}}
		for j := range n {
			row.C[j] = -1
		}
		result := &Result{Status: status.Unbounded, X: zero, Activity: zero[:1], Y: zero[:1], ReducedCosts: zero}
		if result.Ray = r; (Check(row, result) == nil) != (by == 0) {
			t.Errorf("program %d: the ray %v of a row %v, which grows by %g: %v", k, r, a, by, Check(row, result))
		}
		column := LP{A: NewDense(n, 1, a), Lo: []float64{-inf}, RowLo: bounds}
		result = &Result{Status: status.Infeasible, X: zero[:1], Activity: zero, Y: zero, ReducedCosts: zero[:1]}
		if result.Farkas = r; (Check(column, result) == nil) != (by == 0) {
			t.Errorf("program %d: multipliers %v of a column %v, whose sum is %g: %v", k, r, a, by, Check(column, result))
		}
	}
}

// TestPlantedRays: a ray that leaves a bound by a small difference of large terms is none, nor are such multipliers.
func TestPlantedRays(t *testing.T) {
	for _, m := range []float64{1e3, 1e6, 1e9, 1e12, 1e14} {
		bounded := LP{C: []float64{-1, -1}, RowLo: []float64{-inf}, RowUp: []float64{4}, A: NewDense(1, 2, []float64{m + 1, -m}),
			Up: []float64{inf, inf}}
		r := &Result{Status: status.Unbounded, X: []float64{0, 0}, Activity: []float64{0}, Y: []float64{0},
			ReducedCosts: []float64{0, 0}}
		if r.Ray = []float64{1, 1}; Check(bounded, r) == nil {
			t.Errorf("M = %g: a ray that leaves a row passes", m)
		}
		const x = 1e6 // the only feasible point
		feasible := LP{A: NewDense(2, 1, []float64{m + 1, -m}), RowLo: []float64{(m + 1) * x, -m * x}, Lo: []float64{-inf}}
		f := &Result{Status: status.Infeasible, X: []float64{0}, Activity: []float64{0, 0}, Y: []float64{0, 0},
			ReducedCosts: []float64{0}}
		if f.Farkas = []float64{1, 1}; Check(feasible, f) == nil {
			t.Errorf("M = %g: multipliers that leave a column open pass", m)
		}
	}
}
