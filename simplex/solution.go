package simplex

import (
	"context"
	"fmt"

	"github.com/sparsekm/sparsekm/status"
)

// Solution is the result of a [Model] by its names and in its own sense: if the model maximises,
// objective, duals and reduced costs have the signs of gains.
type Solution struct {
	Status    status.Status
	Objective float64
	Result    *Result // in the order of the model, of the program that minimises

	sign       float64
	rows, cols map[string]int
}

// Solve solves the model once. For changes and further solves use [New] with the model's LP, and
// [Model.Solution] for what its results are by name.
func (m *Model) Solve(ctx context.Context, opt Options) (*Solution, error) {
	s, err := New(m.LP, opt)
	if err != nil {
		return nil, err
	}
	return m.Solution(s.Solve(ctx)), nil
}

// Solution returns r, a result of the model's LP, by the model's names. Of several equal names the last one counts.
func (m *Model) Solution(r *Result) *Solution {
	s := &Solution{Status: r.Status, Objective: m.Objective(r), Result: r, sign: 1,
		rows: map[string]int{}, cols: map[string]int{}}
	if m.Maximize {
		s.sign = -1
	}
	for i, name := range m.RowNames {
		s.rows[name] = i
	}
	for j, name := range m.ColNames {
		s.cols[name] = j
	}
	return s
}

// Value returns the value of a column. It panics if there is no such column.
func (s *Solution) Value(col string) float64 { return s.Result.X[place("column", col, s.cols)] }

// ReducedCost returns what the objective changes by when the bound that a column rests on rises by one. It
// panics if there is no such column.
func (s *Solution) ReducedCost(col string) float64 {
	return s.sign * s.Result.ReducedCosts[place("column", col, s.cols)]
}

// Activity returns the sum of a row's terms. It panics if there is no such row.
func (s *Solution) Activity(row string) float64 { return s.Result.Activity[place("row", row, s.rows)] }

// Dual returns what the objective changes by when the bound that a row rests on rises by one. It panics if
// there is no such row.
func (s *Solution) Dual(row string) float64 { return s.sign * s.Result.Y[place("row", row, s.rows)] }

// place returns the number that a name stands for.
func place(what, name string, of map[string]int) int {
	i, ok := of[name]
	if !ok {
		panic(fmt.Sprintf("simplex: the model has no %s %q", what, name))
	}
	return i
}
