package presolve

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var inf = math.Inf(1)

// program makes one of a dense matrix by rows.
func program(a [][]float64, c, lo, up, rowLo, rowUp []float64) *Program {
	p := &Program{Start: []int{0}, C: c, Lo: lo, Up: up, RowLo: rowLo, RowUp: rowUp}
	for j := range c {
		for i, row := range a {
			if row[j] != 0 {
				p.Index = append(p.Index, int32(i))
				p.Value = append(p.Value, row[j])
			}
		}
		p.Start = append(p.Start, len(p.Index))
	}
	return p
}

// TestReduce: each reduction where it is the first that can be made, what is left, and the basis that comes back where
// nothing is. What they do together package simplex tests, against exact fractions.
func TestReduce(t *testing.T) {
	for _, c := range []struct {
		name       string
		p          *Program
		rows, cols []int // what is left
		row, col   []Position
	}{
		{"a row that gives the bound", program([][]float64{{-2}}, []float64{-1}, []float64{0}, []float64{9}, []float64{-6},
			[]float64{inf}), nil, nil, []Position{AtLower}, []Position{Basic}},
		{"a row that gives a bound of no use", program([][]float64{{2}}, []float64{1}, []float64{0}, []float64{9}, []float64{-inf},
			[]float64{6}), nil, nil, []Position{Basic}, []Position{AtLower}},
		{"an implied row", program([][]float64{{1, 1}}, []float64{1, -1}, []float64{0, 0}, []float64{1, 1}, []float64{-inf},
			[]float64{2}), nil, nil, []Position{Basic}, []Position{AtLower, AtUpper}},
		{"a forcing row", program([][]float64{{1, -2}}, []float64{-1, 4}, []float64{0, 0}, []float64{1, 1}, []float64{-inf},
			[]float64{-2}), nil, nil, []Position{AtUpper}, []Position{AtLower, Basic}},
		{"a column that rows and cost push down", program([][]float64{{1, -1}, {2, 1}}, []float64{1, -1}, []float64{0, 0},
			[]float64{inf, 5}, []float64{-inf, -inf}, []float64{7, 3}), nil, nil,
			[]Position{Basic, AtUpper}, []Position{AtLower, Basic}},
		{"an implied free column", program([][]float64{{1, 1}, {0, 1}}, []float64{1, 3}, []float64{-9, 0}, []float64{9, 2},
			[]float64{4, 1}, []float64{4, inf}), nil, nil, []Position{AtLower, AtLower}, []Position{Basic, Basic}},
		{"a multiple of a row", program([][]float64{{1, 2}, {-2, -4}}, []float64{1, 2.5}, []float64{0, 0}, []float64{9, 9},
			[]float64{3, -8}, []float64{inf, inf}), []int{0}, []int{0, 1}, nil, nil},
		{"a multiple of a column", program([][]float64{{1, -2}, {1, -2}}, []float64{1, -1}, []float64{0, 0}, []float64{inf, 5},
			[]float64{3, -inf}, []float64{inf, 8}), nil, nil, []Position{AtLower, Basic}, []Position{Basic, AtLower}},
		{"a doubleton equation", program([][]float64{{1, 2, 0}, {1, 3, 1}, {-1, 2, 2}, {0, 1, -1}}, []float64{1, -3, -2},
			[]float64{0, 0, 0}, []float64{9, 9, 9}, []float64{4, -inf, -inf, -inf}, []float64{4, 5, 6, 1}), []int{1, 2, 3},
			[]int{1, 2}, nil, nil},
		{"columns in proportion", program([][]float64{{1, 2, 1}, {-2, -4, 3}, {1, 2, -1}}, []float64{-1, -2, -3},
			[]float64{0, 0, 0}, []float64{9, 9, 9}, []float64{-inf, -inf, -inf}, []float64{5, 6, 7}), []int{0, 1, 2},
			[]int{0, 2}, nil, nil},
		{"a slack", program([][]float64{{1, 1, 1}, {1, 2, 0}, {2, -1, 0}}, []float64{-1, -1, 0}, []float64{0, 0, 0},
			[]float64{5, 5, 5}, []float64{6, -inf, -inf}, []float64{6, 8, 7}), []int{0, 1, 2}, []int{0, 1}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Reduce(context.Background(), c.p)
			if r == nil {
				t.Fatal("nothing was reduced")
			}
			if d := cmp.Diff([2][]int{c.rows, c.cols}, [2][]int{r.Rows, r.Cols}); d != "" {
				t.Fatal(d)
			}
			if c.row == nil {
				return
			}
			b := r.Restore(Solution{})
			if d := cmp.Diff([2][]Position{c.row, c.col}, [2][]Position{b.Rows, b.Cols}); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestReduceNot: what has nothing to reduce, is infeasible or unbounded is left to the solver, which can prove it.
func TestReduceNot(t *testing.T) {
	one := []float64{1}
	for name, p := range map[string]*Program{
		"nothing": program([][]float64{{1, 1}, {1, -1}}, []float64{-1, -2}, []float64{0, 0}, []float64{9, 9},
			[]float64{-inf, -inf}, []float64{5, 1}),
		"crossing bounds": program([][]float64{{1}}, one, []float64{0}, []float64{1}, []float64{2}, []float64{3}),
		"an empty row":    program([][]float64{{0}}, one, []float64{0}, []float64{1}, []float64{2}, []float64{3}),
		"no end":          program([][]float64{{1}}, one, []float64{-inf}, []float64{1}, []float64{-inf}, []float64{3}),
		"a row too far": program([][]float64{{1, 1}}, []float64{1, 1}, []float64{0, 0}, []float64{1, 1}, []float64{3},
			[]float64{inf}),
	} {
		if r := Reduce(context.Background(), p); r != nil {
			t.Errorf("%s: rows %v and columns %v are left", name, r.Rows, r.Cols)
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if Reduce(ended, program([][]float64{{1}}, one, []float64{0}, one, []float64{-inf}, one)) != nil {
		t.Error("reduced after the end of the context")
	}
}
