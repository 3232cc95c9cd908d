package lpfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// lpKind is what a token of the LP format is.
type lpKind uint8

const (
	lpEnd      lpKind = iota // of the file
	lpNumber                 // without a sign; inf and infinity too
	lpName                   // keywords too
	lpSense                  // text is <, > or =
	lpSymbol                 // text is +, - or :
	lpKeyword                // a name that begins a section; text is the section's usual name
	lpOperator               // text is [, ], * or ^, of quadratic terms
)

type lpToken struct {
	kind         lpKind
	text         string
	value        float64 // of a number
	line, column int
	first        bool // of its line
}

// lpScanner takes a file in LP format apart. It holds two tokens, so that lines have any length.
type lpScanner struct {
	in           *bufio.Reader
	line, column int  // of the next byte
	first        bool // no token of this line yet
	text         []byte
	bracketed    bool // terms in brackets are read
	inBrackets   bool

	now, then lpToken // the present token and the next one
	err       error   // the first mistake: both tokens are the end of the file from then on
}

// maxToken is the largest number of bytes in a name or number.
const maxToken = 1 << 16

func newLPScanner(r io.Reader, quadratic bool) *lpScanner {
	in := bufio.NewReader(r)
	if head, err := in.Peek(len(byteOrderMark)); err == nil && string(head) == byteOrderMark {
		in.Discard(len(head)) // which cannot fail
	}
	s := &lpScanner{in: in, line: 1, column: 1, first: true, bracketed: quadratic}
	s.advance()
	s.advance()
	return s
}

// fail notes a mistake at a token, unless there is one already.
func (s *lpScanner) fail(t lpToken, format string, args ...any) {
	if s.err == nil {
		s.err = &Error{"LP", t.line, t.column, fmt.Sprintf(format, args...)}
	}
	s.now, s.then = lpToken{}, lpToken{}
}

// advance makes the next token the present one.
func (s *lpScanner) advance() {
	if s.now.kind == lpEnd && s.now.line > 0 {
		return
	}
	s.now = s.then
	s.read()
	if s.err == nil && s.now.first && s.now.kind == lpName {
		s.keyword()
	}
}

// keyword makes the present token one if it begins a section: no label, and no column with a bound. A keyword
// of two words takes both tokens.
func (s *lpScanner) keyword() {
	word := strings.ToLower(s.now.text)
	if s.then.text == ":" || s.then.kind == lpSense && !s.then.first {
		return
	}
	section := sections[word]
	if s.then.kind == lpName && !s.then.first {
		if two := sections[word+" "+strings.ToLower(s.then.text)]; two != "" {
			section = two
			s.read()
		}
	}
	if section != "" {
		s.now.kind, s.now.text = lpKeyword, section
	}
}

// peek returns the next byte, −1 at the end of the file and after an error.
func (s *lpScanner) peek() int {
	b, err := s.in.Peek(1)
	if len(b) == 1 && s.err == nil {
		return int(b[0])
	}
	s.broken(err)
	return -1
}

// broken notes the error of a read, unless it is the end of the file.
func (s *lpScanner) broken(err error) {
	if s.err == nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
}

// skip passes over the byte that peek returned.
func (s *lpScanner) skip() {
	c, _ := s.in.ReadByte()
	s.column++
	if c == '\n' {
		s.line, s.column, s.first = s.line+1, 1, true
	}
}

// blanks passes over white space and comments, which go from a backslash to the end of their line.
func (s *lpScanner) blanks() {
	comment := false
	for {
		switch c := s.peek(); {
		case c < 0:
			return
		case c == '\n':
			comment = false
		case c == '\\':
			comment = true
		case comment || strings.IndexByte(" \t\r\v\f", byte(c)) >= 0:
		default:
			return
		}
		s.skip()
	}
}

// read reads the token then.
func (s *lpScanner) read() {
	s.blanks()
	t := lpToken{line: s.line, column: s.column, first: s.first}
	c := s.peek()
	if c >= 0 {
		s.first, s.text = false, s.text[:0]
	}
	switch {
	case c < 0:
	case c == '+' || c == '-' || c == ':':
		s.skip()
		t.kind, t.text = lpSymbol, string(rune(c))
	case c == '<' || c == '>' || c == '=':
		t.kind, t.text = lpSense, s.sense()
	case isDigit(c) || c == '.':
		t.kind, t.value = lpNumber, s.number(t)
		if s.peek() == ':' {
			t.text = string(s.text) // the name of a row
		}
	case inName(c) && c != '[' && c != ']':
		t.kind, t.text = lpName, s.name(t)
		if word := strings.ToLower(t.text); word == "inf" || word == "infinity" {
			t.kind, t.value = lpNumber, inf
		}
	case s.bracketed && strings.IndexByte("[]*^", byte(c)) >= 0:
		s.skip()
		s.inBrackets = c == '[' || s.inBrackets && c != ']'
		t.kind, t.text = lpOperator, string(rune(c))
	case c == '*' && s.now.text == "/":
		s.fail(s.now, "found %q, want %s", "/*", notSolve)
	case c == '[' || c == '*' || c == '^':
		s.fail(t, "%q: terms that are not linear are not read; qp reads quadratic objectives", rune(c))
	default:
		s.fail(t, "%q has no meaning here", rune(c))
	}
	if s.then = t; s.err != nil {
		s.now, s.then = lpToken{}, lpToken{}
	}
}

// sense reads <, <=, =<, >, >=, => or =.
func (s *lpScanner) sense() string {
	sense := '='
	for range 2 {
		c := rune(s.peek())
		if c != '<' && c != '>' && c != '=' || sense != '=' && c != '=' { // "<>" is two of them
			break
		}
		if sense == '=' {
			sense = c
		}
		s.skip()
	}
	return string(sense)
}

// take appends the next byte to text.
func (s *lpScanner) take(t lpToken, c byte) {
	if len(s.text) == maxToken {
		s.fail(t, "a name or number of more than %d bytes", maxToken)
		return
	}
	s.text = append(s.text, c)
	s.skip()
}

// name reads one, whose first byte is known to be good. Among quadratic terms a bracket that it did not open ends it.
func (s *lpScanner) name(t lpToken) string {
	open := 0
	for c := s.peek(); inName(c); c = s.peek() {
		if c == '[' {
			open++
		} else if c == ']' {
			if open--; open < 0 && s.inBrackets {
				break
			}
		}
		s.take(t, byte(c))
	}
	return string(s.text)
}

// number reads digits, a point, and an exponent only if it has digits: in "2 e" and "2e" e is a name.
func (s *lpScanner) number(t lpToken) float64 {
	point, exponent := false, false
	for s.err == nil {
		b, err := s.in.Peek(3)
		switch c := s.peek(); {
		case isDigit(c):
		case c == '.' && !point && !exponent:
			point = true
		case !exponent && beginsExponent(b):
			exponent = true
			s.take(t, b[0])
			b = b[1:]
		default:
			s.broken(err)
			v, err := strconv.ParseFloat(string(s.text), 64)
			if err != nil && !errors.Is(err, strconv.ErrRange) {
				s.fail(t, "%q is not a number", s.text)
			}
			return v
		}
		s.take(t, b[0])
	}
	return 0
}

// beginsExponent reports whether b begins with e and a digit, or e, a sign and a digit.
func beginsExponent(b []byte) bool {
	if len(b) < 2 || b[0]|0x20 != 'e' {
		return false
	}
	return isDigit(int(b[1])) || (b[1] == '+' || b[1] == '-') && len(b) > 2 && isDigit(int(b[2]))
}

func isDigit(c int) bool { return '0' <= c && c <= '9' }

// inName reports whether c may stand in a name. Brackets may, but for the first: x[1,2].
func inName(c int) bool {
	return c > ' ' && c != 0x7f && strings.IndexByte(`+-*^<>=:\`, byte(c)) < 0
}
