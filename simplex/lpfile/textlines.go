package lpfile

import (
	"bufio"
	"io"
	"strings"
	"unicode/utf8"
)

// textLines are the lines of a text, as parts of the strings that it is read into, one for many lines.
type textLines struct {
	from  io.Reader
	block []byte
	rest  string // of what was read
	err   error  // what ended it
	found []string
}

func newTextLines(r io.Reader) *textLines { return &textLines{from: r, block: make([]byte, 16<<10)} }

// next returns the next line without its end, [bufio.ErrTooLong] for one above maxLine, and what has ended the text, as
// io.EOF.
func (l *textLines) next() (line string, err error) {
	for empty := 0; ; {
		i := strings.IndexByte(l.rest, '\n')
		switch {
		case i > maxLine, i < 0 && len(l.rest) > maxLine:
			return "", bufio.ErrTooLong
		case i >= 0:
			line, l.rest = l.rest[:i], l.rest[i+1:]
			return line, nil
		case l.err != nil && l.rest == "":
			return "", l.err
		case l.err != nil: // the last one has no end
			line, l.rest = l.rest, ""
			return line, nil
		}
		if empty++; !l.more() {
			if empty > 100 && l.err == nil {
				l.err = io.ErrNoProgress
			}
			continue
		}
		empty = 0
	}
}

// more reads on, after what is left of the block, and reports whether there was something.
func (l *textLines) more() bool {
	kept := len(l.rest)
	if kept > len(l.block)/2 {
		l.block = make([]byte, 4*kept)
	}
	copy(l.block, l.rest)
	n, err := l.from.Read(l.block[kept:])
	l.rest, l.err = string(l.block[:kept+n]), err
	return n > 0
}

// fields are strings.Fields of a line, until the next call.
func (l *textLines) fields(line string) []string {
	f, start := l.found[:0], -1
	for i := range len(line) {
		switch c := line[i]; {
		case c >= utf8.RuneSelf:
			return strings.Fields(line)
		case c != ' ' && c-'\t' > '\r'-'\t':
			if start < 0 {
				start = i
			}
		case start >= 0:
			f, start = append(f, line[start:i]), -1
		}
	}
	if start >= 0 {
		f = append(f, line[start:])
	}
	l.found = f
	return f
}
