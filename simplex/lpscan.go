package simplex

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// LPError is a mistake at a place of a file in LP format.
type LPError struct {
	Line, Column int // from 1, the column in bytes
	Text         string
}

// Error implements error.
func (e *LPError) Error() string {
	return fmt.Sprintf("simplex: LP line %d, column %d: %s", e.Line, e.Column, e.Text)
}

// lpKind is what a token of the LP format is.
type lpKind uint8

const (
	lpEnd     lpKind = iota // of the file
	lpNumber                // without a sign; inf and infinity too
	lpName                  // keywords too
	lpSense                 // text is <, > or =
	lpSymbol                // text is +, - or :
	lpKeyword               // a name that begins a section; text is the section's usual name
)

type lpToken struct {
	kind         lpKind
	text         string
	value        float64 // of a number
	line, column int
	first        bool // of its line
}

// lpScanner takes a file in LP format apart. It holds one token at a time, so that lines have any length.
type lpScanner struct {
	in           *bufio.Reader
	line, column int  // of the next byte
	first        bool // no token of this line yet
	text         []byte
}

// maxToken is the largest number of bytes in a name or number.
const maxToken = 1 << 16

func newLPScanner(r io.Reader) *lpScanner {
	return &lpScanner{in: bufio.NewReader(r), line: 1, column: 1, first: true}
}

// peek returns the next byte; ok is false at the end of the file.
func (s *lpScanner) peek() (c byte, ok bool, err error) {
	b, err := s.in.Peek(1)
	if len(b) == 1 {
		return b[0], true, nil
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return 0, false, err
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
func (s *lpScanner) blanks() error {
	comment := false
	for {
		c, ok, err := s.peek()
		switch {
		case err != nil || !ok:
			return err
		case c == '\n':
			comment = false
		case c == '\\':
			comment = true
		case comment || strings.IndexByte(" \t\r\v\f", c) >= 0:
		default:
			return nil
		}
		s.skip()
	}
}

// next returns the next token.
func (s *lpScanner) next() (t lpToken, err error) {
	if err = s.blanks(); err != nil {
		return t, err
	}
	t = lpToken{line: s.line, column: s.column, first: s.first}
	c, ok, err := s.peek()
	if err != nil || !ok {
		return t, err
	}
	s.first, s.text = false, s.text[:0]
	switch {
	case c == '+' || c == '-' || c == ':':
		s.skip()
		t.kind, t.text = lpSymbol, string(c)
	case c == '<' || c == '>' || c == '=':
		t.kind = lpSense
		t.text, err = s.sense()
	case isDigit(c) || c == '.':
		t.kind = lpNumber
		t.value, err = s.number(&t)
	case inName(c) && c != '[' && c != ']':
		t.kind = lpName
		t.text, err = s.name(&t)
		if word := strings.ToLower(t.text); word == "inf" || word == "infinity" {
			t.kind, t.value = lpNumber, inf
		}
	case c == '[' || c == '*' || c == '^':
		err = t.fail("%q: terms that are not linear are not read", c)
	default:
		err = t.fail("%q has no meaning here", c)
	}
	return t, err
}

// fail returns an error at the token.
func (t *lpToken) fail(format string, args ...any) error {
	return &LPError{t.line, t.column, fmt.Sprintf(format, args...)}
}

// sense reads <, <=, =<, >, >=, => or =.
func (s *lpScanner) sense() (string, error) {
	sense := byte('=')
	for range 2 {
		c, ok, err := s.peek()
		if err != nil {
			return "", err
		}
		switch {
		case !ok || c != '<' && c != '>' && c != '=':
			return string(sense), nil
		case sense == '=':
			sense = c
		case c != '=':
			return string(sense), nil // "<>" is two of them
		}
		s.skip()
	}
	return string(sense), nil
}

// take appends the next byte to text.
func (s *lpScanner) take(t *lpToken, c byte) error {
	if len(s.text) == maxToken {
		return t.fail("a name or number of more than %d bytes", maxToken)
	}
	s.text = append(s.text, c)
	s.skip()
	return nil
}

// name reads one, whose first byte is known to be good.
func (s *lpScanner) name(t *lpToken) (string, error) {
	for {
		c, ok, err := s.peek()
		if err != nil || !ok || !inName(c) {
			return string(s.text), err
		}
		if err := s.take(t, c); err != nil {
			return "", err
		}
	}
}

// number reads digits, a point, and an exponent only if it has digits: in "2 e" and "2e" e is a name.
func (s *lpScanner) number(t *lpToken) (float64, error) {
	point, exponent := false, false
	for {
		b, err := s.in.Peek(3)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		switch {
		case len(b) > 0 && isDigit(b[0]):
		case len(b) > 0 && b[0] == '.' && !point && !exponent:
			point = true
		case !exponent && beginsExponent(b):
			exponent = true
			if err := s.take(t, b[0]); err != nil {
				return 0, err
			}
			b = b[1:]
		default:
			v, err := strconv.ParseFloat(string(s.text), 64)
			if err != nil && !errors.Is(err, strconv.ErrRange) {
				return 0, t.fail("%q is not a number", s.text)
			}
			return v, nil
		}
		if err := s.take(t, b[0]); err != nil {
			return 0, err
		}
	}
}

// beginsExponent reports whether b begins with e and a digit, or e, a sign and a digit.
func beginsExponent(b []byte) bool {
	if len(b) < 2 || b[0]|0x20 != 'e' {
		return false
	}
	return isDigit(b[1]) || (b[1] == '+' || b[1] == '-') && len(b) > 2 && isDigit(b[2])
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// inName reports whether c may stand in a name. Brackets may, but for the first: x[1,2].
func inName(c byte) bool {
	return c > ' ' && c != 0x7f && strings.IndexByte(`+-*^<>=:\`, c) < 0
}
