package export

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// writer collects the text of a program. A word that begins with $ stands for what differs from program to program, as
// $_ for the prefix of names in C: neither C nor Go has such words.
type writer struct {
	text  strings.Builder
	words map[string]string // the meanings of words in every text
	float bool              // numbers are floats
	err   error             // the first number that the program cannot have
}

// put writes lines, with the meanings of words in their places: those of pairs, a word and its meaning, and those of
// every text. A line break at the begin is none, so that a text may stand by itself in the source.
func (w *writer) put(text string, pairs ...string) {
	text = strings.TrimPrefix(text, "\n") + "\n"
	for {
		at := strings.IndexByte(text, '$')
		if at < 0 {
			break
		}
		word := text[at : at+lengthOfWord(text[at:])]
		meaning, known := w.words[word]
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == word {
				meaning, known = pairs[i+1], true
			}
		}
		if !known {
			panic("export: no meaning of " + word)
		}
		w.text.WriteString(text[:at])
		w.text.WriteString(meaning)
		text = text[at+len(word):]
	}
	w.text.WriteString(text)
}

// lengthOfWord is that of $_ or of $ and the small letters and digits after it.
func lengthOfWord(s string) int {
	if strings.HasPrefix(s, "$_") {
		return 2
	}
	n := 1
	for n < len(s) && (s[n] >= 'a' && s[n] <= 'z' || s[n] >= '0' && s[n] <= '9') {
		n++
	}
	return n
}

// deeper indents what write writes by one level more.
func (w *writer) deeper(write func()) {
	before := w.text.String()
	w.text.Reset()
	write()
	inner := w.text.String()
	w.text.Reset()
	w.text.WriteString(before)
	for line := range strings.Lines(inner) {
		w.text.WriteString("\t" + line)
	}
}

// flush writes the program; it writes nothing if the program cannot have a number.
func (w *writer) flush(to io.Writer) error {
	if w.err != nil {
		return w.err
	}
	_, err := io.WriteString(to, w.text.String())
	return err
}

// num is a number that reads back to the same one.
func (w *writer) num(v float64) string {
	bits, suffix := 64, ""
	if w.float {
		bits, suffix = 32, "f"
		if w.err == nil && math.IsInf(float64(float32(v)), 0) {
			w.err = fmt.Errorf("export: %v is beyond the range of float", v)
		}
	}
	s := strconv.FormatFloat(v, 'g', -1, bits)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s + suffix
}

// whole is a number of a table of integers.
func (w *writer) whole(v int) string {
	if w.err == nil && v > math.MaxUint16 {
		w.err = fmt.Errorf("export: %d is beyond the range of a table of 16-bit integers", v)
	}
	return strconv.Itoa(v)
}

// lay lays out the elements of a table, up to ten a line.
func lay[T any](v []T, text func(T) string) string {
	var b strings.Builder
	for i, e := range v {
		if i%10 == 0 {
			b.WriteString("\n\t")
		} else {
			b.WriteByte(' ')
		}
		b.WriteString(text(e) + ",")
	}
	return b.String()
}
