package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"strconv"
)

// parseFloat reads a finite number of any form that C's strtod reads: decimal, or hexadecimal with or without an
// exponent. After a failure found describes the token.
func parseFloat(tok []byte) (v float64, found string) {
	if short, end, ok := scanNumber(tok, 0); ok && end == len(tok) {
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

// exact10 has the powers of ten that are exact in float64, pow10 those in uint64.
var (
	exact10 [23]float64
	pow10   [20]uint64
	tenths  [20]struct { // 10^-i from i = 1 on: its highest 64 bits, times 2 to the exponent for that of quotient
		top uint64
		exp int
	}
)

func init() {
	f, u := 1.0, uint64(1)
	for i := range exact10 {
		exact10[i] = f
		f *= 10
	}
	for i := range pow10 {
		pow10[i] = u
		if i > 0 {
			down := bits.LeadingZeros64(u)
			tenths[i].top, _ = bits.Div64(1<<63, 0, u<<down)
			tenths[i].exp = down - 63
		}
		u *= 10
	}
}

// scanNumber reads the longest [+-]digits[.digits] at b[i:] and returns the position after it. The number is the one
// that strconv returns, in a fraction of the time. It returns false without digits, and with more than 19.
func scanNumber(b []byte, i int) (v float64, end int, ok bool) {
	if i >= len(b) {
		return 0, i, false
	}
	var neg uint64
	if b[i] == '-' { // compiled without a branch, since signs are hard to predict
		neg = 1
	}
	if i += int(neg); b[i-int(neg)] == '+' {
		i++
	}
	if i+9 > len(b) {
		return longNumber(b, i, neg)
	}
	// The first eight digits, with the decimal point among them taken out.
	t, point, places := binary.LittleEndian.Uint64(b[i:])^'0'*each, 0, uint(0)
	other := notDigits(t)
	digits := uint(bits.TrailingZeros64(other)) / 8
	if t>>(8*digits&63)&0xff == '.'^'0' {
		before, after := other&-other>>7-1, binary.LittleEndian.Uint64(b[i+1:])^'0'*each
		t = t&before | after&^before
		point, places = 1, digits
		digits = uint(bits.TrailingZeros64(notDigits(t))) / 8
		places = digits - places
	}
	if digits-1 < 7 { // both are exact in float64, so that their quotient is rounded once (Clinger 1990)
		v = float64(int64(number(t, digits))) / exact10[places&15]
		return math.Float64frombits(math.Float64bits(v) | neg<<63), i + int(digits) + point, true
	}
	if digits == 0 || point == 0 {
		return longNumber(b, i, neg)
	}
	m, end := scanPlaces(number(t, 8), b, i+9)
	if places += uint(end - i - 9); end-i-1 > 19 {
		return 0, end, false
	}
	v = quotient(m, int(places))
	return math.Float64frombits(math.Float64bits(v) | neg<<63), end, true
}

// longNumber is scanNumber after the sign, for any number.
func longNumber(b []byte, i int, neg uint64) (v float64, end int, ok bool) {
	begin := i
	m, i := scanDigits(0, b, i)
	digits, places := i-begin, 0
	if i < len(b) && b[i] == '.' {
		begin = i + 1
		m, i = scanDigits(m, b, begin)
		places = i - begin
	}
	if digits += places; digits == 0 || digits > 19 {
		return 0, i, false
	}
	switch {
	case places == 0:
		v = float64(m)
	case digits < 10:
		v = float64(m) / exact10[places]
	default:
		v = quotient(m, places)
	}
	return math.Float64frombits(math.Float64bits(v) | neg<<63), i, true
}

const each = 0x0101010101010101 // a byte

// notDigits has the highest bit of the first byte of t that is above 9, and those of some bytes after it.
func notDigits(t uint64) uint64 { return (t + (0x80-10)*each | t) & (0x80 * each) }

// number returns the number with the first n digits of t, whose bytes are 0 to 9.
func number(t uint64, n uint) uint64 {
	t <<= (64 - 8*n) & 127                        // zeros in front, as if they were digits
	t = (t*10 + t>>8) & 0x00ff00ff00ff00ff        // numbers of two digits
	t = (t*100 + t>>16) & 0x0000ffff0000ffff      // of four
	return (t*10000 + t>>32) & 0x00000000ffffffff // of eight
}

// eight returns the number at the beginning of the eight bytes of t and its count of digits, without a branch.
func eight(t uint64) (v uint64, n uint) {
	t ^= '0' * each // digits become 0 to 9
	n = uint(bits.TrailingZeros64(notDigits(t))) / 8
	return number(t, n), n
}

// scanPlaces is scanDigits for the digits after the first eight. Numbers of full length have 6 to 11 of them, so that
// their end is hard to predict: it reads 16 at once.
func scanPlaces(m uint64, b []byte, i int) (uint64, int) {
	if i+16 > len(b) {
		return scanDigits(m, b, i)
	}
	t, n := eight(binary.LittleEndian.Uint64(b[i:]))
	u, k := eight(binary.LittleEndian.Uint64(b[i+8:]))
	there := -uint64(n >> 3) // all ones where the first eight are digits
	k &= uint(there)
	m = (m*pow10[n]+t)*pow10[k&15] + u&there
	return m, i + int(n+k)
}

// scanDigits appends the digits at b[i:] to m: eight bytes at a time.
func scanDigits(m uint64, b []byte, i int) (uint64, int) {
	for i+8 <= len(b) {
		t, n := eight(binary.LittleEndian.Uint64(b[i:]))
		m = m*pow10[n] + t
		if i += int(n); n < 8 {
			return m, i
		}
	}
	for i < len(b) && b[i]-'0' <= 9 {
		m = m*10 + uint64(b[i]-'0')
		i++
	}
	return m, i
}

// quotient returns m/10^places, places > 0, rounded once, to even, by a product with 64 bits of 10^-places if these
// determine the rounding (Lemire 2021, Number parsing at a gigabyte per second, section 5).
func quotient(m uint64, places int) float64 {
	up := bits.LeadingZeros64(m)
	w := m << (up & 127)
	hi, lo := bits.Mul64(w, tenths[places].top) // what was cut off is less than w at the place of lo
	// hi has its highest bit or the next one: 53 bits stay.
	cut := 10 + hi>>63
	half := uint64(1) << (cut - 1)
	rest := hi & (2*half - 1)
	if rest&(half-1) == half-1 && lo+w < lo || rest == half && lo == 0 {
		return divided(m, places)
	}
	// Between 10^-19 and 10^19 nothing is subnormal, so that this product is exact.
	exp := tenths[places].exp - up + int(cut)
	return float64(hi>>cut+rest>>(cut-1)) * math.Float64frombits(uint64(exp+1023)<<52)
}

// divided is quotient for m > 0 by a division: 64 bits of the quotient, and whether anything is left.
func divided(m uint64, places int) float64 {
	d := pow10[places]
	up, down := bits.LeadingZeros64(m), bits.LeadingZeros64(d)
	hi, lo := m<<up, uint64(0)
	d <<= down
	exp := down - up - 64
	if hi >= d { // else the quotient would have 65 bits
		hi, lo, exp = hi>>1, hi<<63, exp+1
	}
	q, rest := bits.Div64(hi, lo, d)
	// q has its highest bit: 53 bits stay, 11 go.
	const cut = 64 - 53
	half := q & (1<<cut - 1)
	q >>= cut
	if half > 1<<(cut-1) || half == 1<<(cut-1) && (rest > 0 || q&1 == 1) {
		q++
	}
	return float64(q) * math.Float64frombits(uint64(exp+cut+1023)<<52)
}

// labelKind says which labels other than integers are allowed.
type labelKind uint8

const (
	integerLabel labelKind = iota
	nameLabel              // text, but no fraction, which is far more often a regression target
	anyLabel
)

// parseLabel returns the canonical text of a label: "+1" and "1.0" are "1", so
// that files that write a class differently agree; names stay as they are.
func parseLabel(tok []byte, kind labelKind) (label, found string) {
	v, err := strconv.ParseFloat(string(tok), 64)
	switch {
	case err == nil && v == math.Trunc(v) && math.Abs(v) < 1<<53:
		return strconv.FormatInt(int64(v), 10), ""
	case len(tok) == 0:
		return "", "nothing"
	case kind == anyLabel, kind == nameLabel && errors.Is(err, strconv.ErrSyntax):
		return string(tok), ""
	}
	return "", quote(tok)
}
