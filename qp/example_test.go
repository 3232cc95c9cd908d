package qp_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"strings"

	"github.com/sparsekm/sparsekm/qp"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/simplex/lpfile"
)

// A portfolio: the least variance with a return of at least 6 %, no more than 60 % in one asset.
func Example() {
	var p qp.QP
	p.Q = simplex.NewDense(3, 3, []float64{0.04, 0.006, 0, 0.006, 0.01, 0.002, 0, 0.002, 0.0025})
	p.Up = []float64{0.6, 0.6, 0.6}
	p.A = simplex.NewDense(2, 3, []float64{1, 1, 1, 0.1, 0.06, 0.03}) // budget and return
	p.RowLo, p.RowUp = []float64{1, 0.06}, []float64{1, math.Inf(1)}
	s, err := qp.New(p, qp.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var r qp.Result
	for _, smallest := range []float64{0.06, 0.07} { // the second solve goes on from the first
		if err := s.SetRowBounds([]float64{1, smallest}, p.RowUp); err != nil {
			log.Fatal(err)
		}
		s.SolveInto(context.Background(), &r)
		fmt.Printf("%v %.3f, deviation %.4f\n", r.Status, r.X, math.Sqrt(2*r.Objective))
	}
	// Output:
	// optimal [0.251 0.414 0.335], deviation 0.0795
	// optimal [0.327 0.570 0.103], deviation 0.1001
}

func ExampleNNLS() {
	a := simplex.NewDense(3, 2, []float64{1, 0, 1, 1, 0, 2})
	r, err := qp.NNLS(context.Background(), a, []float64{2, 1, -1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.X, r.BoundDuals, r.Objective)
	// Output: [1.5 0] [0 2.5] 0.75
}

// Shares of a mixture: at most a half each, and a heavy row that makes their sum 1.
func ExampleBVLS() {
	a := simplex.NewDense(3, 3, []float64{1e8, 1e8, 1e8, 3, 1, 2, 1, 4, 1})
	r, err := qp.BVLS(context.Background(), a, []float64{1e8, 1.8, 2.5}, nil, []float64{0.5, 0.5, 0.5})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v %.3f\n", r.Status, r.X)
	// Output: optimal [0.300 0.500 0.200]
}

// A bounded fit with a row: both coefficients in [-1, 1], their sum 0.
func ExampleLeastSquares() {
	p, err := qp.LeastSquares(simplex.NewDense(3, 2, []float64{1, 0, 1, 1, 0, 2}), []float64{2, 1, -1})
	if err != nil {
		log.Fatal(err)
	}
	p.Lo, p.Up = []float64{-1, -1}, []float64{1, 1}
	p.A, p.RowLo, p.RowUp = simplex.NewDense(1, 2, []float64{1, 1}), []float64{0}, []float64{0}
	r, err := qp.Solve(context.Background(), p, qp.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f %.3f\n", r.X, r.Y)
	fmt.Println(qp.Check(p, r))
	// Output:
	// [0.800 -0.800] [-2.200]
	// <nil>
}

// The vector of a polytope that is nearest to z.
func ExampleProjection() {
	p := qp.Projection([]float64{2, 3})
	p.A, p.RowUp = simplex.NewDense(2, 2, []float64{1, 1, 1, -1}), []float64{3, 1}
	r, err := qp.Solve(context.Background(), p, qp.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f, distance %.3f\n", r.X, math.Sqrt(2*r.Objective))
	// Output: [1.000 2.000], distance 1.414
}

func ExampleProjectSimplex() {
	z := []float64{0.9, 0.5, -0.2}
	fmt.Println(qp.ProjectSimplex(z, 1))
	fmt.Printf("%.1f\n", z)
	// Output:
	// <nil>
	// [0.7 0.3 0.0]
}

func ExampleIsotonic() {
	y := []float64{1, 3, 2, 4, 3, 5}
	fmt.Println(qp.Isotonic(y, nil), y)
	// Output: <nil> [1 2.5 2.5 3.5 3.5 5]
}

func ExampleChecker_tolerance() {
	p := qp.Projection([]float64{1})
	r, err := qp.Solve(context.Background(), p, qp.Options{MaxIter: 10, Tolerance: 1e-12})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println((&qp.Checker{Tolerance: 1e-12}).Check(p, r), r.Activity, r.Iterations, r.Refactored, r.Proximal)
	r.X[0] = 2
	fmt.Println(errors.Is((&qp.Checker{Tolerance: 1e-12}).Check(p, r), qp.ErrCertificate))
	p.C[0] = math.NaN()
	fmt.Println(errors.Is(p.Validate(), qp.ErrInvalid))
	// Output:
	// <nil> [] 0 0 0
	// true
	// true
}

// A changed vector c: the solver goes on from its last active set, or without one.
// A result is judged in exact arithmetic, of which no rounding is left out.
func ExampleQP_Bound() {
	p := qp.QP{LP: simplex.LP{C: []float64{-1, -1}, Up: []float64{5, 5}},
		Q: simplex.NewDense(2, 2, []float64{1e10, -1e10, -1e10, 1e10})}
	r, err := qp.Solve(context.Background(), p, qp.Options{})
	if err != nil {
		log.Fatal(err)
	}
	b, err := p.Bound(context.Background(), r)
	fmt.Println(r.Objective, b.Gap, b.Violation, err)
	// Output: -10 0 0 <nil>
}

func ExampleSolver_SetCost() {
	p := qp.Projection([]float64{2, -1})
	p.Lo = []float64{0, 0}
	s, err := qp.New(p, qp.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var r qp.Result
	s.SolveInto(context.Background(), &r)
	fmt.Println(r.X, r.Iterations)
	if err := s.SetCost([]float64{-3, 2}); err != nil {
		log.Fatal(err)
	}
	s.SolveInto(context.Background(), &r)
	fmt.Println(r.X, r.Iterations)
	if err := s.SetColBounds([]float64{0, 1}, []float64{2, 5}); err != nil {
		log.Fatal(err)
	}
	s.Cold()
	s.SolveInto(context.Background(), &r)
	fmt.Println(r.X, r.Iterations)
	// Output:
	// [2 0] 1
	// [3 0] 0
	// [2 1] 2
}

// A program by names: the cheapest mix, with costs that rise with the amounts.
func ExampleSolve_names() {
	var p lpfile.Problem
	p.Column("coal", 1, 0, math.Inf(1))
	p.Column("gas", 2, 0, math.Inf(1))
	p.Row("demand", 10, math.Inf(1), lpfile.Terms{"coal": 1, "gas": 1})
	p.Term(0.5, "coal", "coal")
	p.Term(0.25, "gas", "gas")
	m, err := p.Model()
	if err != nil {
		log.Fatal(err)
	}
	r, err := qp.Solve(context.Background(), qp.QP{LP: m.LP, Q: m.Q}, qp.Options{})
	if err != nil {
		log.Fatal(err)
	}
	s := m.Solution(r.Linear())
	fmt.Printf("%v %.3f: coal %.3f, gas %.3f, %.3f a unit\n", s.Status, s.Objective, s.Value("coal"), s.Value("gas"),
		s.Dual("demand"))
	// Output: optimal 33.000: coal 4.000, gas 6.000, 5.000 a unit
}

func ExampleResult_Linear() {
	file := "max\n profit: 3 x - [ 2 x^2 + 2 x*y + 4 y^2 ] / 2 + y\nst\n both: x + y <= 1\nend\n"
	m, err := lpfile.Read(strings.NewReader(file), lpfile.Limits{Bytes: 1 << 20})
	if err != nil {
		log.Fatal(err)
	}
	p := qp.QP{LP: m.LP, Q: m.Q}
	r, err := qp.Solve(context.Background(), p, qp.Options{})
	if err != nil {
		log.Fatal(err)
	}
	s := m.Solution(r.Linear())
	fmt.Println(s.Objective, s.Value("x"), s.Dual("both"), qp.Check(p, r), r.Linear().Gap)
	// Output: 2 1 1 <nil> 0
}

// The optima of min ½x² - x, x <= t, for every t from 0 to 2: x = t, and 1 from t = 1 on.
func ExampleSolver_Parametric() {
	p := qp.Projection([]float64{1})
	p.Up = []float64{0}
	s, err := qp.New(p, qp.Options{})
	if err != nil {
		log.Fatal(err)
	}
	end, err := s.Parametric(context.Background(), simplex.Rates{Up: []float64{1}}, 2, func(g simplex.Segment) bool {
		var x, slope [1]float64
		g.X(x[:], slope[:])
		fmt.Println(g.From, g.To, x, slope)
		return true
	})
	fmt.Printf("%+v %v\n", end, err)
	// Output:
	// 0 1 [0] [1]
	// 1 2 [1] [0]
	// {Status:optimal T:2 Iterations:2 Solves:1} <nil>
}
