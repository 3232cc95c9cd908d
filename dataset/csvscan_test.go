package dataset

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// cells are all records of a text by our scanner, each cell with its place, and where it failed.
func cells(r io.Reader, comma byte) (records []string, failed string) {
	s := newCSVScanner(r, 1<<20, csvHead)
	s.comma = comma
	for {
		rec, err := s.next()
		if err == io.EOF {
			return records, ""
		}
		fields, err := s.split(rec)
		if q, ok := errors.AsType[*quoteError](err); ok {
			return records, fmt.Sprintf("%d:%d", q.line, q.col)
		}
		for _, f := range fields {
			records = append(records, fmt.Sprintf("%d:%d %q", f.line, f.col, f.tok))
		}
	}
}

// peerCells are the same by encoding/csv.
func peerCells(text string, comma rune) (records []string, failed string) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.FieldsPerRecord = comma, -1
	for {
		rec, err := r.Read()
		if err == io.EOF {
			return records, ""
		}
		if pe, ok := errors.AsType[*csv.ParseError](err); ok {
			return records, fmt.Sprintf("%d:%d", pe.Line, pe.Column)
		}
		for i, cell := range rec {
			line, col := r.FieldPos(i)
			records = append(records, fmt.Sprintf("%d:%d %q", line, col, cell))
		}
	}
}

var csvTexts = []string{
	"", "\n", "a", "a,b\nc,d", "a,b\r\nc,d\r\n", "\n\n1,2\n\n\r\n3,4\n", ",\n,,", "\"a\",\"b\"\n", "\"a,b\",c\n", "\"a\nb\",c\n1,2\n",
	"\"a\r\nb\",\"c\r\nd\"e\n", "a\"b,c\n", "\"a\"b,c\n", "\"a", "\"a\n", "\"a\nb\n", "1,\"\"\n", "\"\"\"\"", "\"\"\"a\"\"\",\"\"\"\"\n", " \"a\"\n",
	"\"a\",\n", "a,\"b\"\r\n\"c\",d\r\n", "x,\"y\nz", "1,2\r", "\r\r\n1\n", "\"a\r", "a\rb,c\n",
}

// TestScanner holds the scanner to encoding/csv, cell by cell and place by place.
func TestScanner(t *testing.T) {
	for _, text := range csvTexts {
		want, wantFailed := peerCells(text, ',')
		for name, r := range map[string]io.Reader{"whole": strings.NewReader(text),
			"byte by byte": iotest.OneByteReader(strings.NewReader(text)), "data with EOF": iotest.DataErrReader(strings.NewReader(text))} {
			got, failed := cells(r, ',')
			if d := cmp.Diff(want, got); d != "" || failed != wantFailed {
				t.Errorf("%q, %s: fails at %q, want %q %s", text, name, failed, wantFailed, d)
			}
		}
	}
}

func FuzzScanner(f *testing.F) {
	for _, text := range csvTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var ends lineEnds
		ends.read([]byte(text), len(text), true)
		if strings.HasPrefix(text, "\ufeff") || strings.Contains(text, "\r\r") || strings.HasSuffix(text, "\r") ||
			ends.returns {
			return // a mark and line ends that only we know, and what for encoding/csv depends on the next line
		}
		want, wantFailed := peerCells(text, ',')
		got, failed := cells(strings.NewReader(text), ',')
		if d := cmp.Diff(want, got); d != "" || failed != wantFailed {
			t.Fatalf("%q: fails at %q, want %q %s", text, failed, wantFailed, d)
		}
	})
}

// TestScannerBlocks reads records that lie across the blocks' borders.
func TestScannerBlocks(t *testing.T) {
	var b strings.Builder
	for i := 0; b.Len() < 3*csvBlock; i++ {
		fmt.Fprintf(&b, "%d,\"q\n%d\",%s\n", i, i, strings.Repeat("x", i%100))
	}
	b.WriteString(strings.Repeat("y", 2*csvBlock) + ",z")
	want, _ := peerCells(b.String(), ',')
	got, failed := cells(iotest.HalfReader(strings.NewReader(b.String())), ',')
	if d := cmp.Diff(want, got); d != "" || failed != "" {
		t.Errorf("fails at %q, want none\n%.2000s", failed, d)
	}
	if _, err := ReadCSV(io.MultiReader(strings.NewReader("1,2\n"), iotest.ErrReader(io.ErrClosedPipe)), "f", Options{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("a reader's failure becomes %v", err)
	}
}

// TestScanNumber holds numbers to strconv, bit for bit.
func TestScanNumber(t *testing.T) {
	check := func(text string) {
		t.Helper()
		want, err := strconv.ParseFloat(text, 64)
		for _, after := range []string{"", ",1", ",1234567890123456789012345678901234567890"} {
			got, end, ok := scanNumber([]byte(text+after), 0)
			if err != nil || !ok || end != len(text) || math.Float64bits(got) != math.Float64bits(want) {
				t.Fatalf("%s: %v (%v, %d bytes), want %v %v", text+after, got, ok, end, want, err)
			}
		}
	}
	for _, text := range []string{"0", "-0", "+0.0", "1.", ".5", "-.25", "9999999999999999999", ".0000000000000000001", "9007199254740993",
		"9007199254740992.5", "9007199254740993.0", "0.000000000000000000", "-0.00000000000", "0.12345678", "0.123456789",
		"0.1234567890123456", "0.12345678901234567", "0.123456789012345678", "1234567890123456789", "4503599627370496.5", "1.7976931348623157", "0.1", "4503599627370497.5", "18014398509481985", "18014398509481987"} {
		check(text)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 200000 {
		digits := strconv.FormatUint(rnd.Uint64()>>(rnd.IntN(64)), 10)
		digits = digits[:min(len(digits), 19)]
		pos := rnd.IntN(len(digits) + 1)
		check(digits[:pos] + "." + digits[pos:])
		text := strconv.FormatFloat(rnd.NormFloat64()*100, 'f', -1, 64)
		check(text[:min(len(text), 19)])
		if len(digits) < 9 { // small ones
			check("0." + strings.Repeat("0", rnd.IntN(10)) + digits)
		}
	}
	for _, text := range []string{"", "-", ".", "+.", "x", "12345678901234567890",
		"0.12345678901234567890", "1.234567890123456789012345"} {
		if _, _, ok := scanNumber([]byte(text+"                          "), 0); ok {
			t.Errorf("%q passes for a number of its own", text)
		}
	}
}
