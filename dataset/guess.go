package dataset

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/internal/deal"
)

// Faults are all that is wrong with a table, in the order of the file: for each column the first cell of each kind.
type Faults []*Error

// Error has a line for each fault, and for all after a hundred.
func (f Faults) Error() string {
	const limit = 100
	lines := make([]string, 0, limit+1)
	for _, e := range f[:min(len(f), limit)] {
		lines = append(lines, e.Error())
	}
	if len(f) > limit {
		lines = append(lines, fmt.Sprintf("%s: and %d faults more", f[0].File, len(f)-limit))
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the faults.
func (f Faults) Unwrap() []error {
	all := make([]error, len(f))
	for i, e := range f {
		all[i] = e
	}
	return all
}

// guess is what a parser knows of a table whose columns' kinds it finds. A pass over the file takes columns for numbers
// until a cell is text; the next pass has all their cells as words. Text shows among the first rows as a rule, and then
// one pass is enough.
type guess struct {
	text      map[int]bool   // columns with text
	again     bool           // this pass found another one
	asked     map[int]bool   // columns that the options name
	absent    map[int]*Error // the first missing cell of a column, and their number
	firstText map[int]*Error // the first word of a column that is no number
	faults    Faults
	faultOf   map[faultKey]*Error
	found     []finding // by column
}

type faultKey struct {
	column int // -1 for rows
	want   string
	absent bool
}

// forget begins a pass; what columns have text remains.
func (g *guess) forget() {
	text := g.text
	if text == nil {
		text = make(map[int]bool)
	}
	*g = guess{text: text, asked: make(map[int]bool), absent: make(map[int]*Error),
		firstText: make(map[int]*Error), faultOf: make(map[faultKey]*Error)}
}

// noteFault keeps a fault of a cell in column j, or of a row.
func (p *csvParser) noteFault(j int, e *Error) {
	if j >= 0 {
		e.Column = p.nameOf(j)
	}
	g, key := p.guess, faultKey{j, e.Want, e.NoLabel}
	if first := g.faultOf[key]; first != nil {
		first.Count++
		return
	}
	e.Count = max(e.Count, 1)
	g.faultOf[key] = e
	g.faults = append(g.faults, e)
}

// err returns the faults in the order of the file; nil for none.
func (g *guess) err() error {
	if len(g.faults) == 0 {
		return nil
	}
	deal.Sort(g.faults, func(a, b *Error) int {
		return cmp.Or(a.Line-b.Line, a.Col-b.Col)
	})
	return g.faults
}

// opening recognizes a format, and says how its parser is made.
type opening func(r io.Reader, file string, o *Options) (Format, func(Options) parser, error)

// ofAny opens a file of any format.
func ofAny(r io.Reader, file string, o *Options) (Format, func(Options) parser, error) {
	b, format, err := open(r, file, o)
	return format, func(now Options) parser { return newParser(format, b, file, now, csvHead) }, err
}

// ofCSV opens a table; a program that reads no other links no other parser.
func ofCSV(r io.Reader, file string, _ *Options) (Format, func(Options) parser, error) {
	return CSV, func(now Options) parser { return newCSVParser(r, file, now, csvHead) }, nil
}

// readGuessed reads a table whose columns' kinds are found, in one pass over r or two; any other file as it is.
func readGuessed(r io.Reader, file string, o Options, of opening) (*Set, error) {
	again, g := newSource(r, o.maxBytes()/4), new(guess)
	for {
		now := o
		format, parserOf, err := of(again, file, &now)
		if err != nil {
			return nil, err
		}
		if again.file == nil && format != LIBSVM && now.Guess {
			now.MaxBytes = max(1, now.maxBytes()-again.max) // a copy of the text may take the rest
		}
		p := parserOf(now)
		table, ok := p.(tableParser)
		if !ok || !now.Guess { // NumPy's arrays are numbers
			again.forget()
			return readAll(p)
		}
		g.forget()
		table.guessWith(g)
		if err = p.read(nil); err != nil {
			return nil, err
		}
		if !g.again {
			return p.set()
		}
		if err = again.rewind(); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
}

// tableParser is a parser of a table with columns.
type tableParser interface{ guessWith(g *guess) }

func (p *csvParser) guessWith(g *guess) { p.guess = g }

// source is a reader that can begin again: by its file's offset, or with a copy of what it has read, which is all then.
type source struct {
	io.Reader
	file   io.Seeker // nil for a copy
	start  int64     // where it began
	copied []byte
	max    int64 // bytes of a copy
}

func newSource(r io.Reader, limit int64) *source {
	s := &source{Reader: r, max: limit}
	if f, ok := r.(io.Seeker); ok {
		if pos, err := f.Seek(0, io.SeekCurrent); err == nil {
			s.file, s.start = f, pos
			return s
		}
	}
	s.Reader = io.TeeReader(r, s)
	return s
}

// forget ends the copy; the source cannot begin again then.
func (s *source) forget() { s.copied, s.max = nil, -1 }

// Write copies what is read.
func (s *source) Write(text []byte) (int, error) {
	if int64(len(s.copied)+len(text)) > s.max {
		s.forget()
	} else {
		s.copied = append(s.copied, text...)
	}
	return len(text), nil
}

func (s *source) rewind() error {
	switch {
	case s.file != nil:
		if _, err := s.file.Seek(s.start, io.SeekStart); err != nil {
			return fmt.Errorf("a second pass over the file: %w", err)
		}
	case s.max < 0:
		return errors.New("found text beyond a quarter of the memory budget, want a file instead of a pipe, or more memory")
	default:
		s.Reader = bytes.NewReader(s.copied)
	}
	return nil
}

// presume marks the columns that have text in the first rows.
func (p *csvParser) presume(first []string, header bool) {
	rows := p.scan.sample(headerSample)
	if !header {
		rows = append(rows, first)
	}
	for j, c := range p.columns {
		if c.Role == RoleNumber && slices.ContainsFunc(rows, func(row []string) bool {
			return j < len(row) && !isMissing([]byte(row[j])) && !p.isNumber(row[j])
		}) {
			p.guess.text[j] = true
		}
	}
}

// prepare lets the columns that have text be read as words.
func (p *csvParser) prepare() {
	for j := range p.guess.text {
		if p.place[j] >= 0 && p.seen[j] == nil && p.known[j] == nil {
			p.seen[j], p.plainAt[j] = &classes{}, -1
		}
	}
}

// guessCell takes a bad cell of column j: text makes the column one of words, anything else is a fault. The row stays.
func (p *csvParser) guessCell(j int, bad error, x []float64) error {
	e, ok := errors.AsType[*Error](bad)
	switch {
	case !ok:
		return bad
	case e.Text && j != p.label && p.columns[j].Role == RoleNumber && p.attributes == nil:
		p.guess.text[j], p.guess.again = true, true
	default:
		p.noteFault(j, e)
	}
	if k := p.place[j]; k >= 0 {
		x[k] = 0
	}
	return nil
}

// absent counts a missing cell, which stays NaN for now.
func (p *csvParser) absent(j int, tok []byte, f csvField, x []float64) {
	e := p.guess.absent[j]
	if e == nil {
		e = p.noValue(j, tok, f)
		p.guess.absent[j] = e
	}
	e.Count++
	x[p.place[j]], p.hollow = math.NaN(), true
}

// newWord looks at the first cell with a word in column j: the first one that is no number is remembered.
func (p *csvParser) newWord(j int, tok []byte, f csvField) {
	p.textBytes += int64(len(tok)) + 100
	if p.guess.firstText[j] == nil && !isMissing(tok) && !p.isNumber(string(tok)) {
		p.guess.firstText[j] = p.fault(f, j, Error{Found: quote(tok), Want: "a finite number", Text: true})
	}
}

// decide finds the kinds of all columns, and what becomes of their missing cells. With faults among the rows it returns
// them, and those of columns.
func (p *csvParser) decide() error {
	kinds := p.kinds()
	if p.Missing == MissingDrop && p.hollow && len(p.guess.faults) == 0 {
		if p.dropRows(kinds); p.out.N == 0 {
			return p.noSamples()
		}
		before := kinds
		kinds = p.kinds()
		for j, f := range before { // a column that was left out has dropped no row, and may have no value any more
			if f.role == RoleUnused {
				kinds[j] = f
			}
		}
	}
	for j := range p.columns {
		if p.place[j] >= 0 {
			p.become(j, &kinds[j])
		}
	}
	if err := p.guess.err(); err != nil {
		return err
	}
	p.guess.found = kinds
	if !slices.ContainsFunc(p.columns, func(c Column) bool { return c.feature() }) {
		var out []string
		for j, f := range kinds {
			if f.why != "" {
				out = append(out, p.nameOf(j)+" ("+f.why+")")
			}
		}
		return Faults{{File: p.file, Found: "no column for a feature: " + strings.Join(out[:min(len(out), 10)], ", "),
			Want: "numbers, dates or categories"}}
	}
	return nil
}

// kinds finds what each column is. The roles that the options or declarations give stay, and numbers of any kind if
// nothing else is left.
func (p *csvParser) kinds() []finding {
	kinds := make([]finding, len(p.columns))
	left := 0
	for j, c := range p.columns {
		switch {
		case p.place[j] < 0:
		case c.Role == RoleCategory || p.known[j] != nil:
			kinds[j].role = RoleCategory
		default:
			kinds[j] = p.kind(j)
		}
		if p.place[j] >= 0 && kinds[j].role == RoleUnused && p.guess.asked[j] {
			kinds[j] = p.keep(j, kinds[j])
		}
		if p.place[j] >= 0 && kinds[j].role != RoleUnused {
			left++
		}
	}
	for j := range kinds {
		if f := &kinds[j]; p.place[j] >= 0 && left == 0 && f.why != noValues && p.seen[j] == nil {
			f.role = RoleNumber
		}
	}
	return kinds
}

// keep keeps a column that the options name.
func (p *csvParser) keep(j int, f finding) finding {
	e := p.guess.firstText[j]
	switch {
	case f.why == noValues:
		absent := p.guess.absent[j]
		if absent == nil { // words such as NA
			return finding{role: RoleCategory}
		}
		fault := *absent
		fault.Count = 1
		return finding{fault: &fault}
	case p.seen[j] == nil:
		return finding{role: RoleNumber}
	case f.why == constant:
		return finding{role: RoleCategory}
	}
	fault := *e
	fault.Want = "numbers, dates or categories; it is " + f.why
	return finding{fault: &fault}
}

// become gives column j its kind.
func (p *csvParser) become(j int, f *finding) {
	c, k := &p.columns[j], p.place[j]
	if f.fault != nil {
		p.noteFault(j, f.fault)
		return
	}
	if c.Role = f.role; f.values != nil && f.role != RoleUnused {
		p.valuesBecome(c, k, f)
	} else if f.keeps != nil {
		c.Form = otherWords
		for i := range p.out.N {
			if v := &p.out.X[i*p.values+k]; *v == *v && !f.keeps[int(*v)] {
				*v = -1 // none of the words
			}
		}
	}
	if f.role != RoleUnused {
		f.missing = p.missingAt(k)
	}
	if f.missing > 0 && p.Missing == MissingError {
		e := p.guess.absent[j]
		if e == nil { // words such as NA between dates
			e = p.noValue(j, nil, csvField{})
			e.Count = f.missing
		}
		p.noteFault(j, e)
	}
}

// note lists what the columns are, after their categories and marks are known.
func (p *csvParser) note() {
	notes := p.notes()
	notes.LeftOut = append(notes.LeftOut, p.empty...)
	notes.Layout = p.scan.layout.String()
	for j, f := range p.guess.found {
		c, name := &p.columns[j], p.nameOf(j)
		switch {
		case p.place[j] < 0:
			continue
		case f.role == RoleUnused:
			notes.LeftOut = append(notes.LeftOut, ColumnNote{Column: name, Why: f.why})
		case f.role == RoleNumber:
			notes.Numbers++
		case f.role == RoleYesNo:
			notes.YesNo = append(notes.YesNo, name)
		case f.role == RoleCategory:
			notes.Categories = append(notes.Categories, ColumnNote{Column: name, Levels: len(c.Categories), Others: f.others})
		case f.role == RoleDate:
			notes.Dates = append(notes.Dates, ColumnNote{Column: name, Parts: c.PartNames()})
		}
		words := append(slices.Clone(f.odd), f.gone...)
		if f.role == RoleNumber && c.Form != "" || f.also != "" || len(words) > 0 {
			note := ColumnNote{Column: name, Form: c.Form, Also: f.also, Words: words[:min(len(words), 10)]}
			if f.role == RoleDate {
				note.Form = shownForm(c.Form)
				if f.also != "" {
					note.Also = shownForm(f.also)
				}
			}
			notes.Written = append(notes.Written, note)
		}
		if f.missing > 0 {
			notes.Missing = append(notes.Missing, ColumnNote{Column: name, Cells: f.missing, Marked: c.Marked})
		}
	}
}

// valuesBecome puts the values of words in their place, which are numbers or dates.
func (p *csvParser) valuesBecome(c *Column, k int, f *finding) {
	s := &p.out
	values := make([]float64, 0, s.N)
	for i := range s.N {
		v := &s.X[i*p.values+k]
		if *v == *v {
			*v = f.values[int(*v)]
		}
		if *v == *v {
			values = append(values, *v)
		} else {
			p.hollow = true
		}
	}
	c.Form = f.form
	c.Absent = append(c.Absent, f.odd...)
	if f.role == RoleDate {
		c.Parts = varying(values)
		if !hasDay(f.form) {
			c.Parts &= 3 // without the weekday
		}
	}
}

// missingAt counts the missing cells at place k.
func (p *csvParser) missingAt(k int) (n int) {
	for i := 0; p.hollow && i < p.out.N; i++ {
		if v := p.out.X[i*p.values+k]; v != v {
			n++
		}
	}
	return n
}

// nameOf is a column's name, or its index.
func (p *csvParser) nameOf(j int) string {
	if p.columns[j].Name != "" {
		return p.columns[j].Name
	}
	return fmt.Sprint(j)
}

// dropRows leaves out the rows with a missing cell in a column that is used.
func (p *csvParser) dropRows(kinds []finding) {
	s := &p.out
	var rows []int
	for i := range s.N {
		whole := true
		for j, k := range p.place {
			if k < 0 || kinds[j].role == RoleUnused {
				continue
			}
			v := s.X[i*p.values+k]
			if v == v && kinds[j].values != nil {
				v = kinds[j].values[int(v)]
			}
			whole = whole && v == v
		}
		if whole {
			rows = append(rows, i)
		}
	}
	s.D = p.values
	some := s.Subset(rows)
	s.X, s.Y, s.Targets, s.Groups, s.Weights = some.X, some.Y, some.Targets, some.Groups, some.Weights
	s.Skipped += s.N - len(rows)
	s.N = len(rows)
	used := make([]int, len(s.Labels)) // classes without a row are none
	var labels []string
	for c, n := range s.Counts() {
		if used[c] = len(labels); n > 0 {
			labels = append(labels, s.Labels[c])
		}
	}
	for i, c := range s.Y {
		s.Y[i] = used[c]
	}
	s.Labels = labels
}
