package lpfile

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/simplex/prove"
)

// WriteLP writes a linear model in the LP format of CPLEX, every number so that it reads back to the same float64.
// Missing names are C1, C2, … and R1, R2, …; letters that the format has not in names become underscores, and names
// that would be numbers, keywords or those of others get some.
func (m *Model) WriteLP(w io.Writer) error {
	if err := m.Validate(); err != nil {
		return err
	}
	if m.Q != nil {
		return invalid("quadratic objectives are written in MPS files only")
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
	fmt.Fprintf(p, "\\ %s\n%s\n %s:", prove.Word(m.Name), sense, rowNames[len(p.rows)])
	for j, c := range p.lp.C { // all, so that they stay in their order
		p.term(j, p.sign*c, cols[j])
	}
	if v := p.sign * p.lp.Offset; v != 0 {
		p.term(1, v, "")
	}
	p.WriteString("\nSubject To\n")
	byRow := simplex.NewSparse(p.lp.A).Transpose()
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
			fmt.Fprintf(p, " -inf <= %s <= %s\n", name, format(up))
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
		return "", " = " + format(lo)
	case up == inf:
		return "", " >= " + strings.ToLower(format(lo))
	case lo == -inf:
		return "", " <= " + format(up)
	}
	return format(lo) + " <= ", " <= " + format(up)
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
	p.WriteString(sign + format(math.Abs(v)) + end)
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
