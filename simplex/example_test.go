package simplex_test

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/sparsekm/sparsekm/simplex"
)

// The diet of two foods: at least 8 units of protein and 6 of fibre, least cost;
// then the price of the second food rises, and the solver goes on from its basis.
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
	fmt.Printf("%v: %.4g at x = %.4g, prices %.4g\n", r.Status, r.Objective, r.X, r.Y)

	if err := s.SetCost([]float64{3, 8}); err != nil {
		panic(err)
	}
	r = s.Solve(context.Background())
	fmt.Printf("%v: %.4g at x = %.4g\n", r.Status, r.Objective, r.X)
	// Output:
	// optimal: 12.67 at x = [3.333 1.333], prices [1.333 0.3333]
	// optimal: 18 at x = [6 0]
}

func ExampleReadMPS() {
	m, err := simplex.ReadMPS(strings.NewReader(`NAME TINY
OBJSENSE MAX
ROWS
 N profit
 L wood
COLUMNS
 chairs profit 5 wood 2
 tables profit 8 wood 4
RHS
 wood 10
BOUNDS
 UP chairs 3
ENDATA
`))
	if err != nil {
		panic(err)
	}
	s, err := simplex.New(m.LP, simplex.Options{})
	if err != nil {
		panic(err)
	}
	r := s.Solve(context.Background())
	fmt.Println(r.Status, m.Objective(r), m.ColNames, r.X)
	// Output: optimal 23 [chairs tables] [3 1]
}

// A program by names: what two products earn, and what the hours of two machines are worth.
func ExampleProblem() {
	p := simplex.Problem{Name: "workshop", Maximize: true}
	p.Column("chairs", 5, 0, 3)
	p.Column("tables", 8, 0, math.Inf(1))
	p.Row("saw", 0, 10, simplex.Terms{"chairs": 2, "tables": 4})
	p.Row("paint", 0, 9, simplex.Terms{"chairs": 1, "tables": 1})
	m, err := p.Model()
	if err != nil {
		panic(err)
	}
	s, err := m.Solve(context.Background(), simplex.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(s.Status, s.Objective, s.Value("chairs"), s.Value("tables"), s.Dual("saw"), s.ReducedCost("chairs"))
	// Output: optimal 23 3 1 2 1
}
