package cli

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// rangingJSON has an interval for every column and row, in the order of the file and in its sense.
type rangingJSON struct {
	Cost     [][]float64 `json:"cost"`
	RowLower [][]float64 `json:"row_lower"`
	RowUpper [][]float64 `json:"row_upper"`
}

// iisJSON is a set of bounds that contradict one another.
type iisJSON struct {
	Irreducible bool        `json:"irreducible"`
	Bounds      []boundJSON `json:"bounds"`
}

type boundJSON struct {
	Of    string  `json:"of"` // row or column
	Name  string  `json:"name"`
	Bound string  `json:"bound"` // lower or upper
	Value float64 `json:"value"`
}

// explain adds to the result what else was asked for: ranges of an optimum, a conflict of what is infeasible.
func (c *lpCmd) explain(ctx context.Context, j *lpJSON, m *simplex.Model, solver *simplex.Solver,
	r *simplex.Result) error {
	switch {
	case c.Ranging && r.Status == status.Optimal:
		ranging, err := solver.Ranging(ctx)
		if err != nil {
			return err
		}
		j.Ranging = &rangingJSON{RowLower: intervals(ranging.RowLo, 1), RowUpper: intervals(ranging.RowUp, 1)}
		sign := 1.0
		if m.Maximize {
			sign = -1
		}
		j.Ranging.Cost = intervals(ranging.Cost, sign)
	case c.IIS && r.Status == status.Infeasible && j.Certificate == "verified":
		conflict, err := simplex.IIS(ctx, m.LP, r, simplex.Options{Tolerance: c.Tolerance})
		if err != nil {
			return err
		}
		j.IIS = newIISJSON(m, conflict)
	}
	return nil
}

// intervals returns the ends of ranges whose sense may be turned.
func intervals(ranges []simplex.Range, sign float64) [][]float64 {
	out := make([][]float64, len(ranges))
	for i, r := range ranges {
		lo, up := r.Lo, r.Up
		if sign < 0 {
			lo, up = -up, -lo
		}
		out[i] = numbers([]float64{lo, up}, 1)
	}
	return out
}

// numbers multiplies by sign, and leaves no -0.
func numbers(v []float64, sign float64) []float64 {
	n := make([]float64, len(v))
	for i := range v {
		n[i] = unsigned(sign * v[i])
	}
	return n
}

// unsigned is v, and 0 of -0.
func unsigned(v float64) float64 { return v + 0 }

func newIISJSON(m *simplex.Model, c *simplex.Conflict) *iisJSON {
	out := &iisJSON{Irreducible: c.Irreducible, Bounds: []boundJSON{}}
	for _, b := range c.Bounds {
		e := boundJSON{Of: "column", Bound: "lower"}
		names, lower, upper := m.ColNames, m.Lo, m.Up
		if b.Row {
			e.Of, names, lower, upper = "row", m.RowNames, m.RowLo, m.RowUp
		}
		e.Name, e.Value = names[b.Index], unsigned(lower[b.Index])
		if b.Upper {
			e.Bound, e.Value = "upper", unsigned(upper[b.Index])
		}
		out.Bounds = append(out.Bounds, e)
	}
	return out
}

// print writes the ranges of costs of all columns and of the bounds that rows have.
func (r *rangingJSON) print(w io.Writer, j *lpJSON, m *simplex.Model) {
	line := func(what, name string, of []float64) {
		fmt.Fprintf(w, "%-12s%s in [%.15g, %.15g]\n", what, name, of[0], of[1])
	}
	for i, of := range r.Cost {
		line("cost", j.ColumnNames[i], of)
	}
	for i := range r.RowLower {
		if !math.IsInf(m.RowLo[i], 0) {
			line("row lower", j.RowNames[i], r.RowLower[i])
		}
		if !math.IsInf(m.RowUp[i], 0) {
			line("row upper", j.RowNames[i], r.RowUpper[i])
		}
	}
}

// print writes the bounds of a conflict.
func (c *iisJSON) print(w io.Writer) {
	what := "irreducible"
	if !c.Irreducible {
		what = "not known to be irreducible"
	}
	fmt.Fprintf(w, "%-12s%d bounds, %s\n", "conflict", len(c.Bounds), what)
	for _, b := range c.Bounds {
		sense := ">="
		if b.Bound == "upper" {
			sense = "<="
		}
		fmt.Fprintf(w, "%-12s%s %s %.15g\n", b.Of, b.Name, sense, b.Value)
	}
}
