package simplex

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/sparsekm/sparsekm/internal/rational"
)

// WriteLP writes m in the LP format of CPLEX, every number so that it reads back to the same float64. Missing names are
// C1, C2, … and R1, R2, …; letters that the format has not in names become underscores, and names that would be
// numbers, keywords or those of others get some.
func (m *Model) WriteLP(w io.Writer) error {
	if err := m.Validate(); err != nil {
		return err
	}
	p := newWriter(w, m)
	rowNames, taken := lpNames(append(p.rows, p.obj))
	cols, _ := lpNames(p.cols)
	if p.m.ObjName == "" {
		for p.obj = "obj"; taken[p.obj]; p.obj += "_" {
		}
		rowNames[len(p.rows)] = p.obj
	}
	sense := "Minimize"
	if m.Maximize {
		sense = "Maximize"
	}
	fmt.Fprintf(p, "\\ %s\n%s\n %s:", rational.Word(m.Name), sense, rowNames[len(p.rows)])
	for j, c := range p.lp.C { // all, so that they stay in their order
		p.term(j, p.sign*c, cols[j])
	}
	if v := p.sign * p.lp.Offset; v != 0 {
		p.term(1, v, "")
	}
	p.WriteString("\nSubject To\n")
	byRow := transposed(len(p.rows), len(cols), sparseCopy(p.lp.A).Entries)
	for i, name := range rowNames[:len(p.rows)] {
		index, value := byRow.Entries(i)
		if len(index) == 0 && len(cols) > 0 {
			index, value = []int32{0}, []float64{0}
		}
		before, after := lpSides(p.lp.RowLo[i], p.lp.RowUp[i])
		fmt.Fprintf(p, " %s: %s", name, before)
		for t, j := range index {
			p.term(t, value[t], cols[j])
		}
		fmt.Fprintf(p, "%s\n", after)
	}
	p.WriteString("Bounds\n")
	for j, name := range cols {
		switch lo, up := p.lp.Lo[j], p.lp.Up[j]; {
		case lo == 0 && up == inf:
		case lo == -inf && up == inf:
			fmt.Fprintf(p, " %s free\n", name)
		case lo == -inf:
			fmt.Fprintf(p, " -inf <= %s <= %s\n", name, number(up))
		default:
			before, after := lpSides(lo, up)
			fmt.Fprintf(p, " %s%s%s\n", before, name, after)
		}
	}
	p.WriteString("End\n")
	return p.Flush()
}

// lpSides are what stands before and after a sum or a column with these bounds.
func lpSides(lo, up float64) (before, after string) {
	switch {
	case lo == up:
		return "", " = " + number(lo)
	case up == inf:
		return "", " >= " + strings.ToLower(number(lo))
	case lo == -inf:
		return "", " <= " + number(up)
	}
	return number(lo) + " <= ", " <= " + number(up)
}

// term writes the k-th term of a sum, of which eight are on a line.
func (p *mpsWriter) term(k int, v float64, col string) {
	sign, end := " + ", ""
	if v < 0 {
		sign = " - "
	}
	if col != "" {
		end = " " + col
	}
	if k > 0 && k%8 == 0 {
		p.WriteString("\n ")
	}
	p.WriteString(sign + number(math.Abs(v)) + end)
}

// lpNames returns names as the LP format has them, all different, and the set of them.
func lpNames(names []string) (all []string, taken map[string]bool) {
	taken = map[string]bool{}
	for _, name := range names {
		name = strings.Map(func(r rune) rune {
			if r > 0x7e || !inName(int(r)) {
				return '_'
			}
			return r
		}, name)
		first, lower := int(name[0]), strings.ToLower(name)
		if isDigit(first) || strings.IndexByte(".[]/", name[0]) >= 0 {
			name = "_" + name
		}
		switch lower {
		case "inf", "infinity", "free", "subject", "such", "lazy", "user":
			name += "_"
		default:
			if sections[lower] != "" {
				name += "_"
			}
		}
		for taken[name] {
			name += "_"
		}
		taken[name] = true
		all = append(all, name)
	}
	return all, taken
}

// WriteSolution writes the columns of a result of the model's LP by their names, a line each, after comments with the
// status and the objective, as Gurobi and SCIP read them.
func (m *Model) WriteSolution(w io.Writer, r *Result) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# Status = %s\n# Objective value = %s\n", r.Status, number(m.Objective(r)+0))
	for j, name := range rational.Named(m.ColNames, len(r.X), "C") {
		fmt.Fprintf(b, "%s %s\n", name, number(r.X[j]+0))
	}
	return b.Flush()
}
