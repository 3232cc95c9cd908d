package model

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
)

// jsonCoder writes JSON, or reads it: its methods take pointers to what they write, or to what they fill. After the
// first error of reading nothing is read. Package encoding/json would make a program that decides 0.3 MB larger.
type jsonCoder struct{ stream }

// jsonField is a field of an object. Written are those with a value to write; a file must have those that it needs.
type jsonField struct {
	name, old   string // old is the name in earlier files
	write, need bool
	value       any // as [jsonCoder.value] takes it
}

func must(name string, value any) jsonField { return jsonField{name, "", true, true, value} }

func note(name string, value any) jsonField { return jsonField{name, "", true, false, value} }

func may(name string, write bool, value any) jsonField {
	return jsonField{name, "", write, false, value}
}

// value writes or reads a number, a text, a list or an object: what is behind the pointer, or what the function does.
func (j *jsonCoder) value(value any) {
	switch v := value.(type) {
	case func():
		v()
	case *float64:
		j.float(v)
	case *int:
		j.int(v)
	case *string:
		j.text(v)
	case *bool:
		j.flag(v)
	case *[]float64:
		listed(j, v, 8, j.float)
	case *[]int:
		listed(j, v, 8, j.int)
	case *[]string:
		listed(j, v, 16, j.text)
	case *[]int32:
		listed(j, v, 4, j.index)
	case *[][]float64:
		listed(j, v, 24, func(row *[]float64) { listed(j, row, 8, j.float) })
	case *map[string]float64:
		j.numbersByName(v)
	case **csr.Matrix:
		j.sparse(v)
	case *dataset.Columns:
		listed(j, (*[]dataset.Column)(v), 256, j.column)
	case **dataset.Scaling:
		j.scaling(v)
	case **learn.Posterior:
		j.posterior(v)
	case **Conformal:
		j.conformal(v)
	case *[]learn.Step:
		listed(j, v, 40, j.step)
	}
}

// object writes the fields of an object, or reads them in any order.
func (j *jsonCoder) object(what string, fields ...jsonField) {
	if !j.reading {
		before := byte('{')
		for _, f := range fields {
			if f.write {
				j.b = append(j.b, before)
				j.b = append(appendText(j.b, f.name), ':')
				j.value(f.value)
				before = ','
			}
		}
		if before == '{' {
			j.b = append(j.b, before)
		}
		j.b = append(j.b, '}')
		return
	}
	seen := make([]bool, len(fields))
	j.items('{', '}', func() {
		var name string
		if j.text(&name); j.err != nil || !j.expect(':') {
			return
		}
		i := slices.IndexFunc(fields, func(f jsonField) bool { return f.name == name || f.old == name && name != "" })
		switch {
		case i < 0:
			j.fail("unknown field %q, which JSON models do not have; of LightGBM distill reads the text", name)
		case seen[i]:
			j.fail("found the key %q twice in an object, want it once", name)
		default:
			seen[i] = true
			j.value(fields[i].value)
		}
	})
	for i, f := range fields {
		if f.need && !seen[i] {
			j.fail("%s without %q", what, f.name)
		}
	}
}

// next returns the next byte that is not white space, 0 at the end.
func (j *jsonCoder) next() byte {
	if j.b = bytes.TrimLeft(j.b, " \t\r\n"); len(j.b) == 0 {
		return 0
	}
	return j.b[0]
}

// expect reads a byte, and fails for another one.
func (j *jsonCoder) expect(want byte) bool {
	switch found := j.next(); {
	case j.err != nil:
	case len(j.b) == 0:
		j.keep(errTruncated)
	case found != want:
		j.fail("found %q in the JSON, want %q", found, want)
	default:
		j.b = j.b[1:]
	}
	return j.err == nil
}

// word reads a word if it comes next.
func (j *jsonCoder) word(word string) (found bool) {
	j.next()
	if rest, ok := bytes.CutPrefix(j.b, []byte(word)); ok && j.err == nil {
		j.b, found = rest, true
	}
	return found
}

// items reads what stands between two brackets and commas.
func (j *jsonCoder) items(begin, end byte, item func()) {
	if !j.expect(begin) || j.next() == end && j.expect(end) {
		return
	}
	for j.err == nil {
		if item(); j.next() == end {
			j.expect(end)
			return
		}
		j.expect(',')
	}
}

// listed is a list; an empty one reads as nil. It counts two elements for each, since slices grow by doubling.
func listed[T any](j *jsonCoder, v *[]T, size int64, element func(*T)) {
	switch {
	case !j.reading && *v == nil:
		j.b = append(j.b, "null"...)
	case !j.reading:
		j.b = append(j.b, '[')
		for i := range *v {
			if i > 0 {
				j.b = append(j.b, ',')
			}
			element(&(*v)[i])
		}
		j.b = append(j.b, ']')
	case !j.word("null"):
		j.items('[', ']', func() {
			var zero T
			j.keep(j.budget.Take(2, size))
			*v = append(*v, zero)
			element(&(*v)[len(*v)-1])
		})
	}
}

func (j *jsonCoder) float(v *float64) {
	if !j.reading {
		j.b = appendFloat(j.b, *v)
		return
	}
	text := j.number()
	var err error
	if *v, err = strconv.ParseFloat(text, 64); err != nil && j.err == nil {
		j.fail("found the number %.40q, want one of float64", text)
	}
}

// appendFloat writes a number as package encoding/json does.
func appendFloat(b []byte, v float64) []byte {
	a := math.Abs(v)
	if a == 0 || a >= 1e-6 && a < 1e21 {
		return strconv.AppendFloat(b, v, 'f', -1, 64)
	}
	b = strconv.AppendFloat(b, v, 'e', -1, 64)
	if n := len(b); b[n-2] == '0' && (b[n-3] == '-' || b[n-3] == '+') { // e-09
		b = append(b[:n-2], b[n-1])
	}
	return b
}

func (j *jsonCoder) int(v *int) {
	if !j.reading {
		j.b = strconv.AppendInt(j.b, int64(*v), 10)
		return
	}
	text := j.number()
	var err error
	if *v, err = strconv.Atoi(text); err != nil && j.err == nil {
		j.fail("found the number %.40q, want an integer", text)
	}
}

// index is a number of 32 bits.
func (j *jsonCoder) index(v *int32) {
	wide := int(*v)
	if j.int(&wide); j.reading {
		if *v = int32(wide); int(*v) != wide {
			j.fail("found the index %d, want less than 2³¹", wide)
		}
	}
}

// number reads the text of a number.
func (j *jsonCoder) number() string {
	j.next()
	n := 0
	digits := func() bool {
		from := n
		for n < len(j.b) && j.b[n] >= '0' && j.b[n] <= '9' {
			n++
		}
		return n > from
	}
	one := func(of string) bool {
		found := n < len(j.b) && strings.IndexByte(of, j.b[n]) >= 0
		if found {
			n++
		}
		return found
	}
	one("-")
	ok := one("0") || digits()
	if one(".") {
		ok = digits() && ok
	}
	if one("eE") {
		one("+-")
		ok = digits() && ok
	}
	switch {
	case j.err != nil:
		return ""
	case n == len(j.b):
		j.keep(errTruncated)
	case !ok:
		j.fail("found %.20q in the JSON, want a number", j.b)
	}
	text := string(j.b[:n])
	j.b = j.b[n:]
	return text
}

func (j *jsonCoder) flag(v *bool) {
	switch {
	case !j.reading:
		j.b = strconv.AppendBool(j.b, *v)
	case j.word("true"):
		*v = true
	case !j.word("false"):
		j.fail("found %.20q in the JSON, want true or false", j.b)
	}
}

func (j *jsonCoder) text(s *string) {
	if !j.reading {
		j.b = appendText(j.b, *s)
		return
	}
	if !j.expect('"') {
		return
	}
	end := bytes.IndexByte(j.b, '"')
	for end > 0 && trailing(j.b[:end], '\\')%2 == 1 {
		more := bytes.IndexByte(j.b[end+1:], '"')
		if end += 1 + more; more < 0 {
			end = more
		}
	}
	if end < 0 {
		j.keep(errTruncated)
		return
	}
	j.keep(j.budget.Take(int64(end), 2))
	var ok bool
	if *s, ok = unquoted(j.b[:end]); !ok {
		j.fail("found the text %.40q in the JSON, want one with valid escapes", j.b[:end])
	}
	j.b = j.b[end+1:]
}

// trailing is how many bytes c are at the end of b.
func trailing(b []byte, c byte) int { return len(b) - len(bytes.TrimRight(b, string(c))) }

// unquoted is the text between two quotation marks.
func unquoted(b []byte) (string, bool) {
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		c := b[0]
		if b = b[1:]; c < ' ' {
			return "", false
		}
		if c != '\\' {
			out = append(out, c)
			continue
		}
		i := strings.IndexByte(`"\/bfnrt`, b[0])
		if i >= 0 {
			out = append(out, "\"\\/\b\f\n\r\t"[i])
			b = b[1:]
			continue
		}
		r, ok := escaped(b)
		if !ok {
			return "", false
		}
		b = b[5:]
		if utf16.IsSurrogate(r) {
			second, ok := rune(0), false
			if len(b) > 0 && b[0] == '\\' {
				second, ok = escaped(b[1:])
			}
			if r = utf16.DecodeRune(r, second); ok && r != utf8.RuneError {
				b = b[6:]
			}
		}
		out = utf8.AppendRune(out, r)
	}
	return strings.ToValidUTF8(string(out), "\ufffd"), true
}

// escaped is the number of u and four hexadecimal digits.
func escaped(b []byte) (rune, bool) {
	if len(b) < 5 || b[0] != 'u' {
		return 0, false
	}
	r, err := strconv.ParseUint(string(b[1:5]), 16, 32)
	return rune(r), err == nil
}

// appendText writes a text as package encoding/json does.
func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r >= ' ' && !strings.ContainsRune("<>&\u2028\u2029", r):
			b = utf8.AppendRune(b, r)
		case strings.ContainsRune("\b\f\n\r\t", r):
			b = append(b, '\\', "btn?fr"[r-'\b'])
		default:
			b = append(b, `\u`...)
			for shift := 12; shift >= 0; shift -= 4 {
				b = append(b, "0123456789abcdef"[r>>shift&15])
			}
		}
	}
	return append(b, '"')
}

// numbersByName is an object of numbers.
func (j *jsonCoder) numbersByName(p *map[string]float64) {
	switch {
	case !j.reading && *p == nil:
		j.b = append(j.b, "null"...)
	case !j.reading:
		var fields []jsonField
		for _, name := range slices.Sorted(maps.Keys(*p)) {
			v := (*p)[name]
			fields = append(fields, must(name, &v))
		}
		j.object("", fields...)
	case !j.word("null"):
		*p = map[string]float64{}
		j.items('{', '}', func() {
			var name string
			var v float64
			j.keep(j.budget.Take(1, 128))
			if j.text(&name); !j.expect(':') {
				return
			}
			if _, seen := (*p)[name]; seen {
				j.fail("found the key %q twice in an object, want it once", name)
			}
			j.float(&v)
			(*p)[name] = v
		})
	}
}
