package lpfile

import (
	"bufio"
	"fmt"
	"io"

	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/simplex/prove"
	"github.com/sparsekm/sparsekm/status"
)

// Solution is the result of a [Model] by its names and in its own sense: if the model maximises,
// objective, duals and reduced costs have the signs of gains.
type Solution struct {
	Status    status.Status
	Objective float64
	Result    *simplex.Result // in the order of the model, of the program that minimises

	sign       float64
	rows, cols map[string]int
}

// Solution returns r, a result of the model's program, by the model's names. Of several equal names the last one
// counts.
func (m *Model) Solution(r *simplex.Result) *Solution {
	s := &Solution{Status: r.Status, Objective: m.Objective(r), Result: r, sign: m.sign(),
		rows: map[string]int{}, cols: map[string]int{}}
	for i, name := range m.RowNames {
		s.rows[name] = i
	}
	for j, name := range m.ColNames {
		s.cols[name] = j
	}
	return s
}

// Value returns the value of a column. It panics if there is no such column.
func (s *Solution) Value(col string) float64 { return s.Result.X[number("column", col, s.cols)] }

// ReducedCost returns what the objective changes by when the bound that a column rests on rises by one. It
// panics if there is no such column.
func (s *Solution) ReducedCost(col string) float64 {
	return s.sign * s.Result.ReducedCosts[number("column", col, s.cols)]
}

// Activity returns the sum of a row's terms. It panics if there is no such row.
func (s *Solution) Activity(row string) float64 { return s.Result.Activity[number("row", row, s.rows)] }

// Dual returns what the objective changes by when the bound that a row rests on rises by one. It panics if
// there is no such row.
func (s *Solution) Dual(row string) float64 { return s.sign * s.Result.Y[number("row", row, s.rows)] }

// number returns what a name stands for.
func number(what, name string, numbers map[string]int) int {
	i, ok := numbers[name]
	if !ok {
		panic(fmt.Sprintf("lpfile: the model has no %s %q", what, name))
	}
	return i
}

// WriteSolution writes the columns of a result of the model's program by their names, a line each, after comments with
// the status and the objective, as Gurobi and SCIP read them.
func (m *Model) WriteSolution(w io.Writer, r *simplex.Result) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# Status = %s\n# Objective value = %s\n", r.Status, format(m.Objective(r)+0))
	for j, name := range prove.Names(m.ColNames, len(r.X), "C") {
		fmt.Fprintf(b, "%s %s\n", name, format(r.X[j]+0))
	}
	return b.Flush()
}
