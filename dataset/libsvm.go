package dataset

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

func newLIBSVMParser(r io.Reader, file string, o Options) *libsvmParser {
	return &libsvmParser{Options: o, file: file, lines: newLines(r, &o), targets: newTargets(o.Targets)}
}

func (p *libsvmParser) read(each func(n, d int) error) error {
	return p.lines.each(p.file, func(line []byte) (row bool, err error) {
		before := p.n
		if each == nil {
			p.readAhead()
		}
		switch err = p.parse(line); {
		case err != nil || p.n == before:
		case each != nil:
			err = each(p.n, p.stored())
		default:
			p.takeMore()
		}
		return p.n > before, err
	})
}

func (p *libsvmParser) rows() int { return p.n }

func (p *libsvmParser) forget() {
	p.n, p.steadyValues = 0, steadyValues{}
	p.entries, p.counts = pieces[entry]{}, pieces[int32]{}
	p.targets.forget()
}

// entry is a value of a sparse row.
type entry struct {
	index int32
	value float64
}

// libsvmParser collects the sparse rows of LIBSVM's text format; see [LIBSVM].
type libsvmParser struct {
	Options
	file    string
	lines   *lines
	some    bool          // there was a row
	n       int           // rows of this set so far
	entries pieces[entry] // non-zero features,
	counts  pieces[int32] // their number in each row
	pairs   []entry       // of the row that is read
	steadyValues
	targets targets
	d       int
	end     int  // last feature of the first row
	ragged  bool // another row ends at another feature
	full    int  // number of features of the last row, if it lists all from 1; else 0
	ahead   libsvmAhead
}

// steadyValues are the values of a set all of whose rows so far list the features 1 to d.
type steadyValues struct {
	steady   bool
	heads    []indexText
	values   pieces[float64]
	nonzeros int // of them
}

func (p *libsvmParser) fail(col int, found, want string) error {
	return &Error{File: p.file, Line: p.lines.n, Col: col + 1, Found: found, Want: want}
}

// parse reads one line.
func (p *libsvmParser) parse(line []byte) error {
	if p.lines.n == 1 {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	r, pos := p.usable(), 0
	if r != nil && r.class >= 0 && !p.targets.real {
		p.targets.add(label{class: r.class})
	} else {
		var err error
		if pos, err = p.label(line); pos < 0 || err != nil {
			return err
		}
	}
	if r != nil {
		p.take(r)
	} else if !p.steady || !p.steadyRow(line, pos) {
		if err := p.features(line, pos); err != nil {
			return err
		}
	}
	p.n++
	p.settle()
	if p.bytes() > p.maxBytes() || p.n == math.MaxInt32 {
		return p.fail(0, "more samples than fit", larger(p.maxBytes()))
	}
	return p.fits(p.lines.n)
}

// label reads the label, and returns where the features begin; -1 if the line has no row.
func (p *libsvmParser) label(line []byte) (pos int, err error) {
	pos = skipBlank(line, 0)
	if pos == len(line) || line[pos] == '#' {
		return -1, nil
	}
	tok := line[pos:tokenEnd(line, pos)]
	pair := bytes.IndexByte(tok, ':') >= 0
	p.Unlabelled = p.Unlabelled || pair && p.Width > 0 && !p.some
	if !p.Unlabelled {
		if pair {
			return pos, p.fail(pos, quote(tok), "a label before the first feature")
		}
		l, found, want := p.targets.read(tok, p.labelKind(integerLabel), false)
		if found != "" {
			return pos, &Error{File: p.file, Line: p.lines.n, Col: pos + 1, Found: found, Want: want, Label: isNumber(tok)}
		}
		p.targets.add(l)
	}
	if !p.Unlabelled || !pair {
		pos = skipBlank(line, pos+len(tok))
	}
	if bytes.HasPrefix(line[pos:], []byte("qid:")) {
		pos = skipBlank(line, tokenEnd(line, pos))
	}
	return pos, nil
}

const (
	denseFeatures = 4096 // up to so many features every zero is stored, unless Options.KeepNarrow is set
	sparseShare   = 0.15 // share of non-zero elements from which every zero is stored
)

// wide reports whether the samples may stay sparse.
func (p *libsvmParser) wide() bool {
	return p.KeepNarrow || p.KeepSparse && max(p.d, p.Width) > denseFeatures
}

// thin reports whether the samples so far may stay sparse and have few enough non-zero elements.
func (p *libsvmParser) thin() bool {
	return p.wide() && !p.steady &&
		float64(p.entries.count) < sparseShare*float64(p.n)*float64(max(p.d, p.Features, p.Width))
}

// fits refuses samples that are not thin and exceed the memory with every zero stored.
func (p *libsvmParser) fits(line int) error {
	if p.thin() {
		return nil
	}
	return checkSize(p.file, line, p.n, max(p.d, p.Features), p.maxBytes()-p.bytes())
}

// stored returns the number of stored features a sample, for sparse samples twice the mean (index and value).
func (p *libsvmParser) stored() int {
	if p.wide() {
		return 2 * (p.entries.count + p.nonzeros) / p.n
	}
	return max(p.d, p.Width)
}

// bytes returns the bytes in use so far, including room to grow.
func (p *libsvmParser) bytes() int64 {
	return 16*int64(p.entries.room) + 4*int64(p.counts.room) + 8*int64(p.values.room) + p.targets.room()
}

// set makes the set of the rows so far.
func (p *libsvmParser) set() (*Set, error) {
	s := &Set{N: p.n, D: p.d, Ragged: p.ragged, Pairs: true, ZeroBased: p.ZeroBased}
	if p.Features > 0 {
		s.D = p.Features
	}
	if s.N == 0 {
		return nil, &Error{File: p.file, Found: "no samples", Want: "at least one line of label index:value ..."}
	}
	if err := p.fits(0); err != nil {
		return nil, err
	}
	sparse := p.thin()
	if !p.Unlabelled {
		p.targets.finish(s)
	}
	if sparse && s.D > csr.MaxFeatures {
		return nil, &Error{File: p.file, Found: fmt.Sprintf("%d features", s.D), Want: fmt.Sprintf("at most %d", csr.MaxFeatures)}
	}
	if sparse {
		s.Sparse = p.rowsOf(s)
		return s, nil
	}
	if p.steady {
		s.X = p.values.join(p.ahead.threads)
		return s, nil
	}
	s.X = make([]float64, s.N*s.D)
	p.eachPiece(func(row, _ int, entries []entry, counts []int32) {
		for _, n := range counts {
			x := s.X[row*s.D : (row+1)*s.D]
			for _, e := range entries[:n] {
				x[e.index] = e.value
			}
			entries = entries[n:]
			row++
		}
	})
	return s, nil
}

// rowsOf returns the rows of s as a sparse matrix.
func (p *libsvmParser) rowsOf(s *Set) *csr.Matrix {
	m := &csr.Matrix{N: s.N, D: s.D, Start: make([]int, s.N+1)}
	m.Index, m.Value = make([]int32, p.entries.count), make([]float64, p.entries.count)
	p.eachPiece(func(row, pos int, entries []entry, counts []int32) {
		for k, e := range entries {
			m.Index[pos+k], m.Value[pos+k] = e.index, e.value
		}
		for k, n := range counts {
			pos += int(n)
			m.Start[row+k+1] = pos
		}
	})
	return m
}

// eachPiece calls f, on several goroutines, with the entries of consecutive rows, their counts in each row, the first
// row and the number of entries before it.
func (p *libsvmParser) eachPiece(f func(row, before int, entries []entry, counts []int32)) {
	counts, list := p.counts.join(1), append(p.entries.full, p.entries.last)
	type place struct{ row, before, rows int }
	places, row, before := make([]place, len(list)), 0, 0
	for k, piece := range list {
		from, end := row, before+len(piece)
		places[k] = place{row, before, 0}
		for before < end || k == len(list)-1 && row < len(counts) {
			before += int(counts[row])
			row++
		}
		places[k].rows = row - from
	}
	parallel.For(max(1, p.ahead.threads), len(list), func(_, k int) {
		p := places[k]
		f(p.row, p.before, list[k], counts[p.row:p.row+p.rows])
	})
}

// checkSize refuses sets whose dense form, with the class of each sample, exceeds the limit. Line 0 is the whole file.
func checkSize(file string, line, n, d int, limit int64) error {
	if int64(n)*int64(d+1) > max(limit/8, 0) {
		return &Error{File: file, Line: line,
			Found: fmt.Sprintf("%d samples of %d features, %s when every zero is stored", n, d, size(8*float64(n)*float64(d+1))),
			Want:  fmt.Sprintf("at most %s, what the memory budget has left", size(float64(max(0, limit))))}
	}
	return nil
}

// size formats a number of bytes in tenths of a MiB or GiB.
func size(bytes float64) string {
	switch {
	case bytes < 1<<20:
		return fmt.Sprintf("%.0f bytes", bytes)
	case bytes < 1<<30:
		return fmt.Sprintf("%.1f MiB", bytes/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", bytes/(1<<30))
}

// larger asks for a larger budget than one of so many bytes.
func larger(budget int64) string {
	const some = 1 << 10
	if budget < some { // other things took it
		return "a larger memory budget, of which nothing is left for them"
	}
	return "a memory budget of more than " + size(float64(budget))
}
