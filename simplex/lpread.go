package simplex

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// ReadLP reads a linear program in the LP format of CPLEX: minimize or maximize, subject to, bounds, end,
// by all their names. Keywords of sections begin a line, in letters of either case; comments go from a backslash
// to the end of the line; lines have any length. Coefficients may stand at their columns without a blank, terms of
// one column add up, constants stand anywhere, and a row can be a range (-1 <= x + y <= 5). A value of 1e20 or more
// on the side of a bound is infinite. Columns are in the order in which the file first names them, with
// bounds 0 and +∞; rows without a name are R1, R2, … by their place, and an objective is obj.
//
// Integers, binaries, semi-continuous columns, sets, quadratic terms and lazy rows are refused, because the package
// solves linear programs only. A mistake at a place is an [*LPError]. So is a name of more than 64 KiB, and
// the name at which the program takes more than 8 GiB.
func ReadLP(r io.Reader) (*Model, error) { return ReadLPWithin(r, 8<<30) }

// ReadLPWithin is [ReadLP] for a program that takes at most maxBytes, with the copies that a [Solver] makes of it.
// The memory of the solver's basis comes in addition.
func ReadLPWithin(r io.Reader, maxBytes int64) (*Model, error) {
	p := &lpReader{in: newLPScanner(r), maxBytes: maxBytes, cols: map[string]int{}, rows: map[string]bool{},
		bounded: map[int]lpToken{}}
	err := p.read()
	var at *LPError
	switch {
	case errors.As(err, &at):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("simplex: LP line %d: %w", p.in.line, err)
	}
	return p.model()
}

// lpReader reads with one token of look-ahead beyond the present one.
type lpReader struct {
	in        *lpScanner
	now, then lpToken
	m         Model
	cols      map[string]int
	rows      map[string]bool
	start     []int   // row → its first entry
	index     []int32 // columns of the entries
	value     []float64
	last      []int           // column → its last entry
	bounded   map[int]lpToken // column → its last bound

	held, maxBytes int64
}

func (p *lpReader) take(bytes int) error {
	if p.held += int64(bytes); p.held > p.maxBytes {
		return p.now.fail("the program takes more than %d bytes of memory", p.maxBytes)
	}
	return nil
}

// advance makes the next token the present one.
func (p *lpReader) advance() (err error) {
	p.now = p.then
	if p.now.kind == lpEnd && p.now.line > 0 {
		return nil
	}
	p.then, err = p.in.next()
	if err == nil && p.now.first && p.now.kind == lpName {
		err = p.keyword()
	}
	return err
}

// sections are the keywords, lower case; those of two words have the second one behind them.
var sections = map[string]string{
	"min": "minimize", "minimum": "minimize", "minimize": "minimize", "minimise": "minimize",
	"max": "maximize", "maximum": "maximize", "maximize": "maximize", "maximise": "maximize",
	"st": "subject to", "s.t.": "subject to", "st.": "subject to", "subject to": "subject to", "such that": "subject to",
	"bound": "bounds", "bounds": "bounds", "end": "end",
	"gen": "general", "general": "general", "generals": "general",
	"int": "general", "integer": "general", "integers": "general",
	"bin": "binary", "binary": "binary", "binaries": "binary",
	"semi": "semi-continuous", "semis": "semi-continuous",
	"sos": "sos", "sos1": "sos", "sos2": "sos", "pwlobj": "piecewise objective", "lazy constraints": "lazy constraints",
	"user cuts": "user cuts",
}

// keyword makes the present token one if it begins a section: no label, and no column with a bound. A keyword
// of two words takes both tokens.
func (p *lpReader) keyword() (err error) {
	word := strings.ToLower(p.now.text)
	if p.then.text == ":" || p.then.kind == lpSense && !p.then.first {
		return nil
	}
	section := sections[word]
	if p.then.kind == lpName && !p.then.first {
		if two := sections[word+" "+strings.ToLower(p.then.text)]; two != "" {
			section = two
			p.then, err = p.in.next()
		}
	}
	if section != "" {
		p.now.kind, p.now.text = lpKeyword, section
	}
	return err
}

// read reads the file section by section.
func (p *lpReader) read() error {
	for range 2 {
		if err := p.advance(); err != nil {
			return err
		}
	}
	if p.now.kind != lpKeyword || p.now.text != "minimize" && p.now.text != "maximize" {
		return p.unexpected("minimize or maximize")
	}
	p.m.Maximize = p.now.text == "maximize"
	if err := p.advance(); err != nil {
		return err
	}
	if err := p.objective(); err != nil {
		return err
	}
	for {
		section := p.now
		if section.kind != lpKeyword {
			return p.unexpected("a section")
		}
		if section.text == "end" {
			return p.crossed()
		}
		if err := p.advance(); err != nil {
			return err
		}
		if err := p.section(section); err != nil {
			return err
		}
	}
}

// section reads what stands under a keyword.
func (p *lpReader) section(header lpToken) error {
	statement := p.row
	switch header.text {
	case "subject to":
	case "bounds":
		statement = p.bound
	case "general", "binary":
		statement = func() error {
			return p.now.fail("%q is a column of section %s: only linear programs are read", p.now.text, header.text)
		}
	default:
		return header.fail("section %s is not read", header.text)
	}
	for p.now.kind != lpKeyword && p.now.kind != lpEnd {
		if err := statement(); err != nil {
			return err
		}
	}
	return nil
}

// unexpected says what stands where something else is wanted.
func (p *lpReader) unexpected(want string) error {
	switch t := &p.now; t.kind {
	case lpEnd:
		return t.fail("the file ends, want %s", want)
	case lpNumber:
		return t.fail("found %v, want %s", t.value, want)
	default:
		return t.fail("found %q, want %s", t.text, want)
	}
}

// crossed refuses bounds that no number meets.
func (p *lpReader) crossed() error {
	for j, name := range p.m.ColNames {
		if lo, up := p.m.Lo[j], p.m.Up[j]; !validBounds(lo, up) {
			at := p.bounded[j]
			return at.fail("column %q: no number is within its bounds [%v, %v]", name, lo, up)
		}
	}
	return nil
}

// model puts the parts together.
func (p *lpReader) model() (*Model, error) {
	m, n := len(p.m.RowNames), len(p.m.ColNames)
	a := &Sparse{Rows: m, Start: make([]int, n+1)}
	p.start = append(p.start, len(p.index))
	for e, j := range p.index {
		if p.value[e] != 0 {
			a.Start[j+1]++
		}
	}
	for j := range n {
		a.Start[j+1] += a.Start[j]
	}
	a.Index, a.Value = make([]int32, a.Start[n]), make([]float64, a.Start[n])
	next := append([]int(nil), a.Start[:n]...)
	for i := range m {
		for e := p.start[i]; e < p.start[i+1]; e++ {
			if j := p.index[e]; p.value[e] != 0 {
				a.Index[next[j]], a.Value[next[j]] = int32(i), p.value[e]
				next[j]++
			}
		}
		if p.m.RowNames[i] == "" {
			p.m.RowNames[i] = p.freeName("R" + strconv.Itoa(i+1))
		}
	}
	if p.m.ObjName == "" {
		p.m.ObjName = p.freeName("obj")
	}
	p.m.A = a
	if p.m.Maximize {
		p.m.turn()
	}
	if err := p.m.Validate(); err != nil {
		return nil, p.now.fail("%s", strings.TrimPrefix(err.Error(), "simplex: "))
	}
	return &p.m, nil
}

// freeName returns a name for a row or the objective that the file does not have.
func (p *lpReader) freeName(name string) string {
	for p.rows[name] {
		name += "_"
	}
	p.rows[name] = true
	return name
}

// infinite returns v, infinite from 1e20 on.
func infinite(v float64) float64 {
	if math.Abs(v) >= 1e20 {
		return math.Copysign(inf, v)
	}
	return v
}
