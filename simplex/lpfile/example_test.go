package lpfile_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/sparsekm/sparsekm/qp"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/simplex/lpfile"
)

// A program in MPS format, as other solvers write it; a maximum is told in the file's own sense.
func ExampleRead() {
	m, err := lpfile.Read(strings.NewReader(`NAME TINY
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
`), lpfile.Limits{})
	if err != nil {
		panic(err)
	}
	r, err := simplex.Solve(context.Background(), m.LP, simplex.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Status, m.Objective(r), m.ColNames, r.X)
	// Output: optimal 23 [chairs tables] [3 1]
}

// A quadratic program in LP format, and a file whose mistake has a place.
func ExampleRead_quadratic() {
	const file = "minimize\n obj: - 4 a + [ 2 a ^2 + 2 b ^2 ] / 2\nsubject to\n c: a + b = 1\nend\n"
	m, err := lpfile.Read(strings.NewReader(file), lpfile.Limits{Bytes: 1 << 20})
	if err != nil {
		panic(err)
	}
	r, err := qp.Solve(context.Background(), qp.QP{LP: m.LP, Q: m.Q}, qp.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.2f %.2f\n", r.X, m.Solution(r.Linear()).Dual("c"))

	_, err = lpfile.Read(strings.NewReader("minimize\n cost: x +\nend\n"), lpfile.Limits{})
	var mistake *lpfile.Error
	fmt.Println(errors.As(err, &mistake), mistake.Line)
	// Output:
	// [1.00 0.00] -2.00
	// true 3
}

// A program by names: what two products earn, and what an hour of the saw is worth.
func ExampleProblem() {
	p := lpfile.Problem{Name: "workshop", Maximize: true}
	p.Column("chairs", 5, 0, 3)
	p.Column("tables", 8, 0, math.Inf(1))
	p.Row("saw", 0, 10, lpfile.Terms{"chairs": 2, "tables": 4})
	p.Row("paint", 0, 9, lpfile.Terms{"chairs": 1, "tables": 1})
	m, err := p.Model()
	if err != nil {
		panic(err)
	}
	r, err := simplex.Solve(context.Background(), m.LP, simplex.Options{})
	if err != nil {
		panic(err)
	}
	s := m.Solution(r)
	fmt.Println(s.Status, s.Objective, s.Value("chairs"), s.Value("tables"), s.Dual("saw"), s.ReducedCost("chairs"))
	// Output: optimal 23 3 1 2 1
}
