package lpfile

import (
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/simplex"
)

// quadratic is the matrix of a quadratic objective, by row and column.
type quadratic struct{ entries map[[2]int]float64 }

// add adds v to an entry.
func (q *quadratic) add(i, j int, v float64) { q.entries[[2]int{i, j}] += v }

// matrix returns sign·Q, by columns, nil if there are no entries.
func (q *quadratic) matrix(n int, sign float64) simplex.Columns {
	if q == nil || len(q.entries) == 0 {
		return nil
	}
	columns := make([][]int32, n)
	for e, v := range q.entries {
		if v != 0 {
			columns[e[1]] = append(columns[e[1]], int32(e[0]))
		}
	}
	s := &simplex.Sparse{Rows: n}
	var value []float64
	for j, index := range columns {
		slices.Sort(index)
		value = value[:0]
		for _, i := range index {
			value = append(value, sign*q.entries[[2]int{int(i), j}])
		}
		s.Append(index, value)
	}
	return s
}

// quadraticTerms reads "column column value [column value]" of a section of Q.
func (p *mpsReader) quadraticTerms(f []string) {
	if !p.columnsIn(f) {
		if x := p.fixed(); len(x) > 0 && p.columnsIn(x[1:]) {
			f = x[1:] // names with blanks
		}
	}
	if len(f) != 3 && len(f) != 5 {
		p.misfit(f, "a column and one or two pairs of column and value")
		return
	}
	i := p.lateColumn(f[0])
	for rest := f[1:]; len(rest) > 0; rest = rest[2:] {
		j, v := p.lateColumn(rest[0]), p.number(rest[1])
		p.take(2 * entryBytes)
		if _, twice := p.quadratic.entries[[2]int{i, j}]; twice {
			p.warn(p.line, "columns %q and %q have two entries, which are added", f[0], rest[0])
		}
		p.quadratic.add(i, j, v)
		if p.section != "QMATRIX" && i != j {
			p.quadratic.add(j, i, v)
		}
		if sum := p.quadratic.entries[[2]int{i, j}]; math.IsInf(sum, 0) {
			p.fail("the entries of columns %q and %q add up to %v", f[0], rest[0], sum)
		}
	}
}

// columnsIn reports whether f is a known column with one or two pairs of a known column and a value.
func (p *mpsReader) columnsIn(f []string) bool {
	if len(f) != 3 && len(f) != 5 {
		return false
	}
	known := p.hasColumn(f[0])
	for rest := f[1:]; len(rest) > 0; rest = rest[2:] {
		known = known && p.hasColumn(rest[0])
	}
	return known
}

// brackets reads [ terms ] / 2.
func (p *lpReader) brackets(factor float64) {
	if !p.inObjective {
		p.fail(p.now, "%q: quadratic terms are read in the objective only", "[")
	}
	p.advance()
	for first := true; p.err == nil && !p.operator("]"); first = false {
		sign, signed := p.signs()
		if !signed && !first {
			p.unexpected("+, - or ] after a quadratic term")
			return
		}
		p.quadraticTerm(sign * factor)
	}
	p.advance()
	slash := p.now.text
	if p.now.kind == lpName && slash == "/" {
		if p.advance(); p.now.kind == lpNumber && p.now.value == 2 {
			slash = "/2"
		}
	}
	if slash != "/2" {
		p.unexpected("/ 2 after ]")
		return
	}
	p.advance()
}

// operator reports whether the present token is one of quadratic terms.
func (p *lpReader) operator(text string) bool { return p.now.kind == lpOperator && p.now.text == text }

// quadraticTerm reads x ^ 2 or x * y with a coefficient before it.
func (p *lpReader) quadraticTerm(v float64) {
	if p.now.kind == lpNumber {
		v *= p.now.value
		p.advance()
	}
	if p.now.kind != lpName {
		p.unexpected("a column of a quadratic term")
		return
	}
	i := p.col()
	p.finite(v)
	p.advance()
	j := i
	switch {
	case p.operator("^"):
		if p.advance(); p.now.kind != lpNumber || p.now.value != 2 {
			p.unexpected("the exponent 2")
			return
		}
	case p.operator("*"):
		if p.advance(); p.now.kind != lpName {
			p.unexpected("the column of a product")
			return
		}
		j = p.col()
	default:
		p.unexpected("^ 2 or * and a column")
		return
	}
	p.take(2 * entryBytes)
	p.quadratic.add(i, j, v/2)
	p.quadratic.add(j, i, v/2)
	if v := p.quadratic.entries[[2]int{i, j}]; math.IsInf(v, 0) || math.IsNaN(v) {
		p.fail(p.now, "the coefficient of a quadratic term is not finite")
	}
	p.advance()
}
