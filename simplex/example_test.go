package simplex_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/sparsekm/sparsekm/simplex"
)

// The diet of two foods: at least 8 units of protein and 6 of fibre, least cost;
// then the cost of the second food rises, and the solver starts from its last basis.
func Example() {
	lp := simplex.LP{
		C:     []float64{3, 2},
		RowLo: []float64{8, 6},
		A: simplex.NewDense(2, 2, []float64{
			2, 1,
			1, 2,
		}),
	}
	s, err := simplex.New(lp, simplex.Options{})
	if err != nil {
		panic(err)
	}
	r := s.Solve(context.Background())
	fmt.Printf("%v: %.4g at x = %.4g, duals %.4g\n", r.Status, r.Objective, r.X, r.Y)

	if err := s.SetCost([]float64{3, 8}); err != nil {
		panic(err)
	}
	r = s.Solve(context.Background())
	fmt.Printf("%v: %.4g at x = %.4g\n", r.Status, r.Objective, r.X)
	// Output:
	// optimal: 12.67 at x = [3.333 1.333], duals [1.333 0.3333]
	// optimal: 18 at x = [6 0]
}

// The optimum as a function of the cost of the second food: one segment for each optimal basis.
func ExampleSolver_Parametric() {
	s, err := simplex.New(diet(), simplex.Options{})
	if err != nil {
		panic(err)
	}
	x := make([]float64, 2)
	path, err := s.Parametric(context.Background(), simplex.Rates{C: []float64{0, 1}}, 8, func(g simplex.Segment) bool {
		g.X(x, nil)
		fmt.Printf("[%.3g, %.3g]: cost %.2f + %.2f t at x = %.3g\n", g.From, g.To, g.Value, math.Abs(g.Slope), x)
		return true
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(path.Status, path.T)
	// Output:
	// [0, 4]: cost 12.67 + 1.33 t at x = [3.33 1.33]
	// [4, 8]: cost 18.00 + 0.00 t at x = [6 0]
	// optimal 8
}

// The optimum as a function of the protein that is needed.
func ExampleSolver_Parametric_bounds() {
	s, err := simplex.New(diet(), simplex.Options{})
	if err != nil {
		panic(err)
	}
	rates := simplex.Rates{RowLo: []float64{1, 0}}
	path, err := s.Parametric(context.Background(), rates, 8, func(g simplex.Segment) bool {
		fmt.Printf("[%.3g, %.3g]: cost %.4g + %.4g t\n", g.From, g.To, g.Value, g.Slope)
		return true
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(path.Status)
	// Output:
	// [0, 4]: cost 12.67 + 1.333 t
	// [4, 8]: cost 18 + 1.5 t
	// optimal
}

// How far single costs and bounds can move until another basis is optimal.
func ExampleSolver_Ranging() {
	s, err := simplex.New(diet(), simplex.Options{})
	if err != nil {
		panic(err)
	}
	r := s.Solve(context.Background())
	g, err := s.Ranging(context.Background())
	if err != nil {
		panic(err)
	}
	fmt.Printf("x = %.3g while the second cost is in [%.3g, %.3g]\n", r.X, g.Cost[1].Lo, g.Cost[1].Up)
	fmt.Printf("y = %.3g while the protein is in [%.3g, %.3g]\n", r.Y, g.RowLo[0].Lo, g.RowLo[0].Up)
	// Output:
	// x = [3.33 1.33] while the second cost is in [1.5, 6]
	// y = [1.33 0.333] while the protein is in [3, 12]
}

// A certificate does not depend on the solver: Check needs the program and the result alone.
func ExampleCheck() {
	lp := diet()
	s, err := simplex.New(lp, simplex.Options{})
	if err != nil {
		panic(err)
	}
	r := s.Solve(context.Background())
	fmt.Println(simplex.Check(lp, r))
	r.X[0]-- // no longer feasible
	fmt.Println(errors.Is(simplex.Check(lp, r), simplex.ErrCertificate))

	lp.C = []float64{3}
	_, err = simplex.New(lp, simplex.Options{})
	fmt.Println(errors.Is(err, simplex.ErrInvalid))
	// Output:
	// <nil>
	// true
	// true
}

func diet() simplex.LP {
	return simplex.LP{C: []float64{3, 2}, RowLo: []float64{8, 6}, A: simplex.NewDense(2, 2, []float64{2, 1, 1, 2})}
}

// The optimum of the diet without any tolerance, and the first line of its proof.
func ExampleProve() {
	r, err := simplex.Solve(context.Background(), diet(), simplex.Options{})
	if err != nil {
		panic(err)
	}
	proof, err := simplex.Prove(context.Background(), diet(), r, 0)
	if err != nil {
		panic(err)
	}
	var file strings.Builder
	if err = proof.Write(&file, nil, []string{"bread", "beans"}); err != nil {
		panic(err)
	}
	first, _, _ := strings.Cut(file.String(), "\n")
	fmt.Println(proof.Status, proof.Objective, first)
	// Output: optimal 38/3 sparsekm-proof 1
}

// The same diet with other costs, foods and needs, each solved from the last basis into the same result.
func ExampleSolver_SolveInto() {
	s, err := simplex.New(diet(), simplex.Options{})
	if err != nil {
		panic(err)
	}
	var r simplex.Result
	var c simplex.Checker
	solve := func(change error) {
		if change != nil {
			panic(change)
		}
		s.SolveInto(context.Background(), &r)
		fmt.Printf("%v: %.2f\n", r.Status, r.Objective)
	}
	solve(nil)
	if err := c.Check(diet(), &r); err != nil {
		panic(err)
	}
	solve(s.SetCostAt(0, 4))
	solve(s.SetRowBoundsAt(0, 12, math.Inf(1)))
	solve(s.SetColBoundsAt(1, 0, 1))
	solve(s.SetEntry(0, 0, 4))
	// Output:
	// optimal: 12.67
	// optimal: 16.00
	// optimal: 24.00
	// optimal: 24.00
	// optimal: 18.00
}

// Many programs that differ in one cost, on all processors.
func ExamplePool() {
	ctx := context.Background()
	pool, err := simplex.NewPool(ctx, diet(), simplex.Options{})
	if err != nil {
		panic(err)
	}
	objectives := make([]float64, 5)
	err = pool.Each(ctx, 0, len(objectives), func(i int, s *simplex.Solver) error {
		return s.SetCostAt(0, float64(1+i))
	}, func(i int, r *simplex.Result) error {
		objectives[i] = r.Objective
		return nil
	})
	fmt.Printf("%.2f %v\n", objectives, err)
	// Output: [6.00 9.33 12.67 16.00 16.00] <nil>
}
