package dataset

import (
	"bytes"
	"errors"
	"math"
	"strconv"
)

// parseFloat reads a finite number as C's strtod does in full: decimal, or
// hexadecimal with or without an exponent. On failure it says what it found.
func parseFloat(tok []byte) (v float64, found string) {
	if short, ok := parseShort(tok); ok {
		return short, ""
	}
	if bytes.IndexByte(tok, '_') >= 0 { // Go's own grammar has digit separators
		return 0, quote(tok)
	}
	v, err := strconv.ParseFloat(string(tok), 64)
	if errors.Is(err, strconv.ErrSyntax) && bytes.ContainsAny(tok, "xX") && !bytes.ContainsAny(tok, "pP") {
		v, err = strconv.ParseFloat(string(tok)+"p0", 64)
	}
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, quote(tok) + " (beyond float64)"
	case err != nil && len(tok) == 0:
		return 0, "nothing"
	case err != nil, math.IsNaN(v), math.IsInf(v, 0):
		return 0, quote(tok)
	}
	return v, ""
}

var pow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// parseShort reads [+-]digits[.digits] of at most 15 digits. Both the digits and
// the power of ten are exact in float64, so that their quotient is rounded once:
// it is the number that strconv would give, in a fraction of the time.
func parseShort(tok []byte) (float64, bool) {
	i, neg := 0, false
	if len(tok) > 0 && (tok[0] == '-' || tok[0] == '+') {
		i, neg = 1, tok[0] == '-'
	}
	var m int64
	digits, frac := 0, -1
	for ; i < len(tok); i++ {
		switch c := tok[i]; {
		case '0' <= c && c <= '9':
			m = m*10 + int64(c-'0')
			digits++
			if digits > 15 {
				return 0, false
			}
		case c == '.' && frac < 0:
			frac = digits
		default:
			return 0, false
		}
	}
	if digits == 0 {
		return 0, false
	}
	v := float64(m)
	if frac >= 0 {
		v /= pow10[digits-frac]
	}
	if neg {
		v = -v
	}
	return v, true
}

// labelKind is what a label may be besides an integer.
type labelKind uint8

const (
	integerLabel labelKind = iota
	nameLabel              // text, but no number that is not an integer: that is far more often a regression target
	anyLabel
)

// parseLabel returns the canonical text of a label: "+1" and "1.0" are "1", so
// that files that write a class differently agree; names stay as they are.
func parseLabel(tok []byte, kind labelKind) (label, found string) {
	v, err := strconv.ParseFloat(string(tok), 64)
	switch {
	case err == nil && v == math.Trunc(v) && math.Abs(v) <= 1<<53:
		return strconv.FormatInt(int64(v), 10), ""
	case len(tok) == 0:
		return "", "nothing"
	case kind == anyLabel, kind == nameLabel && errors.Is(err, strconv.ErrSyntax):
		return string(tok), ""
	}
	return "", quote(tok)
}
