package lpfile

import (
	"io"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/simplex"
)

// readLP reads into a builder.
func readLP(r io.Reader, b builder) (*Model, error) {
	p := &lpReader{lpScanner: newLPScanner(r, b.quadratic != nil), builder: b, bounded: map[int]lpToken{}, whole: map[int]bool{}}
	p.file()
	m := p.model()
	if p.err != nil {
		return nil, located("LP", p.line, p.err)
	}
	return m, nil
}

// lpReader reads statement by statement. After a mistake it is at the end of the file.
type lpReader struct {
	*lpScanner
	builder
	byRow   simplex.Sparse // the matrix: its columns are the rows before the last
	index   []int32
	value   []float64       // entries of the last row
	last    []int           // column → its entry there, if it has one
	bounded map[int]lpToken // column → its last bound
	whole   map[int]bool    // columns that are integer → binary

	inObjective bool
}

// take counts bytes that a part of the program needs.
func (p *lpReader) take(bytes int) {
	if !p.fits(bytes) {
		p.fail(p.now, tooLarge, p.maxBytes)
	}
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

// file reads the file section by section.
func (p *lpReader) file() {
	if p.now.kind != lpKeyword || p.now.text != "minimize" && p.now.text != "maximize" {
		want := "minimize or maximize"
		if p.then.text == ":" || strings.HasPrefix(p.now.text, "/") {
			want = notSolve
		}
		p.unexpected(want)
	}
	p.m.Maximize = p.now.text == "maximize"
	p.advance()
	p.objective()
	for p.err == nil && (p.now.kind != lpKeyword || p.now.text != "end") {
		section := p.now
		if section.kind != lpKeyword {
			p.unexpected("a section")
		}
		p.advance()
		p.section(section)
	}
	if p.err == nil && p.then.kind != lpEnd {
		p.warn(p.then.line, "what follows end is ignored")
	}
	p.endRow()
	p.settleBounds()
}

// notSolve says what a file of lp_solve's format would have to begin with.
const notSolve = "minimize or maximize without a colon, as in CPLEX's LP format; lp_solve's is not read"

// section reads what stands under a keyword.
func (p *lpReader) section(header lpToken) {
	statement := p.row
	switch header.text {
	case "subject to":
	case "bounds":
		statement = p.bound
	case "general", "binary":
		statement = func() { p.integer(header.text == "binary") }
	default: // HiGHS writes empty ones
		statement = func() { p.fail(header, "section %s is not read", header.text) }
	}
	for p.now.kind != lpKeyword && p.now.kind != lpEnd {
		statement()
	}
}

// unexpected says what stands where something else is wanted.
func (p *lpReader) unexpected(want string) {
	switch t := p.now; t.kind {
	case lpEnd:
		p.fail(t, "the file ends, want %s", want)
	case lpNumber:
		p.fail(t, "found %v, want %s", t.value, want)
	default:
		p.fail(t, "found %q, want %s", t.text, want)
	}
}

// integer reads a column of a section of integers.
func (p *lpReader) integer(binary bool) {
	if p.now.kind != lpName {
		p.unexpected("a column")
		return
	}
	j := p.col()
	p.whole[j] = p.whole[j] || binary
	p.advance()
}

// settleBounds puts binary columns within [0, 1], and refuses bounds that are infinite on the wrong side.
func (p *lpReader) settleBounds() {
	p.integers = len(p.whole)
	for j, binary := range p.whole {
		if lo, up := p.m.Lo[j], p.m.Up[j]; binary {
			p.m.Lo[j], p.m.Up[j] = max(lo, 0), min(up, 1)
			if lo < 0 || up > 1 && up < inf {
				p.warn(0, "binary columns have bounds outside of [0, 1], which are moved there")
			}
		}
	}
	for j, name := range p.m.ColNames {
		if lo, up := p.m.Lo[j], p.m.Up[j]; !validBounds(lo, up) {
			p.fail(p.bounded[j], "column %q: no number is within its bounds [%v, %v]", name, lo, up)
		}
	}
}

// model puts the parts together.
func (p *lpReader) model() *Model {
	for i, name := range p.m.RowNames {
		if name == "" {
			p.m.RowNames[i] = p.freeName("R" + strconv.Itoa(i+1))
		}
	}
	if p.m.ObjName == "" {
		p.m.ObjName = p.freeName("obj")
	}
	p.byRow.Rows = len(p.m.ColNames)
	if mistake := p.finish(p.byRow.Transpose()); mistake != "" {
		p.fail(p.now, "%s", mistake)
	}
	return &p.m
}

// freeName returns a name for a row or the objective that the file does not have.
func (p *lpReader) freeName(name string) string {
	for p.hasRow(name) {
		name += "_"
	}
	p.rows[name] = objectiveRow
	return name
}
