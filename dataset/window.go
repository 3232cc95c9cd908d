package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/sparsekm/sparsekm/internal/parallel"
)

// window is the part of a file that is read: buf[lo:hi] has the bytes that nobody has used.
type window struct {
	r      io.Reader
	buf    []byte
	lo, hi int
	err    error // of r
	fills  int
	whole  bool // waits until buf is full
	ends   lineEnds
	ahead  *ahead // what was read of it, nil for nothing
}

// known returns the bytes of the next line with its end, if it is a row that was read ahead; else 0.
func (w *window) known() int {
	if w.ahead == nil {
		return 0
	}
	if a := w.ahead; a.find(w) {
		return a.rows[a.part][a.row].to - w.lo
	}
	return 0
}

// fill reads more bytes after the unused ones.
func (w *window) fill() {
	w.fills++
	if w.lo > 0 {
		w.hi = copy(w.buf, w.buf[w.lo:w.hi])
		w.lo = 0
	}
	if w.hi == len(w.buf) {
		w.buf = append(w.buf, make([]byte, len(w.buf))...)
	}
	for empty := 0; empty < 100; empty++ { // a reader may return no bytes and no error
		n, err := w.r.Read(w.buf[w.hi:])
		w.hi, w.err = w.hi+n, err
		w.ends.read(w.buf[w.lo:w.hi], n, err != nil)
		if err != nil || n > 0 && (!w.whole || w.hi == len(w.buf)) {
			return
		}
		if n > 0 {
			empty = 0
		}
	}
	w.err = io.ErrNoProgress
}

// lineEnds makes line feeds of carriage returns where these alone end lines.
type lineEnds struct{ known, returns bool }

// read takes what is unused of a file, whose last n bytes are new. Carriage returns end lines if there are two before
// the first line feed, or any where no line feed comes.
func (e *lineEnds) read(text []byte, n int, all bool) {
	const enough = 64 << 10
	if feed := bytes.IndexByte(text, '\n'); !e.known && (all || feed >= 0 || len(text) >= enough) {
		e.known, n = true, len(text)
		if feed < 0 {
			e.returns = bytes.IndexByte(text[:max(0, n-1)], '\r') >= 0
		} else {
			e.returns = bytes.Count(bytes.TrimSuffix(text[:feed], []byte{'\r'}), []byte{'\r'}) > 1
		}
	}
	if e.returns {
		for i, c := range text[len(text)-n:] {
			if c == '\r' {
				text[len(text)-n+i] = '\n'
			}
		}
	}
}

const (
	aheadBytes = 128 << 10 // of text, for each goroutine
	maxAhead   = 8         // goroutines
	// aheadMemory is the memory of what is read ahead, relative to its text: pairs "9:1 " take 16 bytes.
	aheadMemory = 5
)

// ahead is how a parser reads rows on several goroutines before it takes them in order: each time the window has new
// bytes, the whole lines among them.
type ahead struct {
	threads int
	fills   int      // of the window, at the last time
	rows    [][]span // of each part: its rows
	part    int      // that has the next row,
	row     int      // and the row's place in it
	found   bool     // the next row is that one
}

// span is a place in the window: of a line with its end.
type span struct{ from, to int }

// begin makes the window large enough for o.Threads goroutines, unless there is one, or too little memory.
func (a *ahead) begin(w *window, o *Options) {
	a.threads = min(parallel.Workers(o.Threads), maxAhead)
	size := a.threads * aheadBytes
	if a.threads < 2 || int64(aheadMemory*size) > o.maxBytes()/32 {
		a.threads = 0
		return
	}
	o.MaxBytes = o.maxBytes() - int64(aheadMemory*size)
	a.rows = make([][]span, a.threads)
	w.ahead = a
	if w.whole = true; len(w.buf) < size {
		w.buf = append(make([]byte, 0, size), w.buf[:w.hi]...)[:size]
	}
}

// due reports whether the window has new bytes.
func (a *ahead) due(w *window) bool { return a.threads > 0 && a.fills != w.fills }

// split calls f with every line of the window's unused whole lines, without its end, in parts on several goroutines; f
// reports whether the line is a row that was read.
func (a *ahead) split(w *window, f func(part int, line []byte) (read bool)) {
	a.fills, a.part, a.row, a.found = w.fills, 0, 0, false
	end := w.lo + bytes.LastIndexByte(w.buf[w.lo:w.hi], '\n') + 1
	parallel.For(a.threads, a.threads, func(_, part int) {
		rows := a.rows[part][:0]
		for from, to := a.cut(w, end, part), a.cut(w, end, part+1); from < to; {
			eol := from + bytes.IndexByte(w.buf[from:to], '\n')
			if f(part, withoutCR(w.buf[from:eol])) {
				rows = append(rows, span{from, eol + 1})
			}
			from = eol + 1
		}
		a.rows[part] = rows
	})
}

// find moves on to the row with which the unused bytes of the window begin. It reports whether that was read: row of
// part.
func (a *ahead) find(w *window) bool {
	a.found = false
	if a.fills != w.fills {
		return false
	}
	for ; a.part < len(a.rows); a.part, a.row = a.part+1, 0 {
		for rows := a.rows[a.part]; a.row < len(rows); a.row++ {
			if from := rows[a.row].from; from >= w.lo {
				a.found = from == w.lo
				return a.found
			}
		}
	}
	return false
}

// cut returns where the part begins: at a line.
func (a *ahead) cut(w *window, end, part int) int {
	pos := w.lo + (end-w.lo)*part/a.threads
	if pos <= w.lo || pos >= end {
		return min(max(pos, w.lo), end)
	}
	return pos + bytes.IndexByte(w.buf[pos-1:end], '\n') // 0 after a line's end
}

// lines splits a file into lines.
type lines struct {
	window
	max   int // bytes of a line
	n     int // lines so far
	start int // of the last line, in the window
}

func newLines(r io.Reader, o *Options) *lines {
	return &lines{window: window{r: r, buf: make([]byte, min(64<<10, o.maxLine()))}, max: o.maxLine()}
}

var errLongLine = errors.New("a long line")

// next returns the next line without its end; io.EOF at the end of the file. It is valid until the next call.
func (l *lines) next() ([]byte, error) {
	if n := l.known(); n > 0 {
		return l.take(n-1, 1), nil
	}
	for seen := 0; ; {
		k := bytes.IndexByte(l.buf[l.lo+seen:l.hi], '\n')
		switch {
		case k >= 0:
			return l.take(seen+k, 1), nil
		case l.err == io.EOF && l.lo < l.hi:
			return l.take(l.hi-l.lo, 0), nil
		case l.err != nil:
			return nil, l.err
		}
		if seen = l.hi - l.lo; seen >= l.max {
			return nil, errLongLine
		}
		known := l.ends.known
		if l.fill(); l.ends.known != known {
			seen = 0
		}
	}
}

// take uses a line of n bytes and its end.
func (l *lines) take(n, end int) []byte {
	l.start = l.lo
	l.lo += n + end
	return withoutCR(l.buf[l.start : l.start+n])
}

// withoutCR is the line without a carriage return at its end.
func withoutCR(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}

// each calls f with every line; f reports whether the line has a row. The most bytes of a line are also the most
// between two rows.
func (l *lines) each(file string, f func(line []byte) (used bool, err error)) error {
	for skipped := 0; ; {
		line, err := l.next()
		switch {
		case err == io.EOF:
			return nil
		case errors.Is(err, errLongLine):
			return &Error{File: file, Line: l.n + 1,
				Found: fmt.Sprintf("a line of more than %d bytes", l.max), Want: "a shorter one"}
		case err != nil:
			return fmt.Errorf("%s:%d: %w", file, l.n+1, err)
		}
		l.n++
		used, err := f(line)
		if err != nil {
			return err
		}
		if skipped += 1 + len(line); used {
			skipped = 0
		} else if skipped > l.max {
			return &Error{File: file, Line: l.n, Found: fmt.Sprintf("%d bytes without a row", skipped),
				Want: fmt.Sprintf("at most %d", l.max)}
		}
	}
}
