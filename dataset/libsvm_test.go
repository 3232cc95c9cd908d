package dataset

import (
	"bytes"
	"compress/gzip"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

func TestReadLIBSVMAccepts(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		o          Options
		x          []float64
		d          int
		y          []int
		labels     []string
	}{
		{name: "plain", text: "+1 1:0.5 3:-2\n-1 2:1e-3\n", x: []float64{.5, 0, -2, 0, 1e-3, 0}, d: 3, y: []int{1, 0}, labels: []string{"-1", "1"}},
		{name: "no final newline", text: "1 1:1\n2 1:2", x: []float64{1, 2}, d: 1, y: []int{0, 1}, labels: []string{"1", "2"}},
		{name: "CRLF", text: "1 1:1\r\n2\r\n", x: []float64{1, 0}, d: 1, y: []int{0, 1}, labels: []string{"1", "2"}},
		{name: "comments, blank lines, qid, tabs", text: "# top\n\n 1\tqid:3 1:1 # text 7:x\n \t\n2 qid:4\t1:2\t#\n", x: []float64{1, 2}, d: 1, y: []int{0, 1}, labels: []string{"1", "2"}},
		{name: "space after colon", text: "1 1: 5 2:6\n", x: []float64{5, 6}, d: 2, y: []int{0}, labels: []string{"1"}},
		{name: "hexadecimal", text: "1 1:0x1p-2 2:0x1.8\n", x: []float64{.25, 1.5}, d: 2, y: []int{0}, labels: []string{"1"}},
		{name: "labels that are equal as integers", text: "+1 1:1\n1.0 1:2\n1 1:3\n1e0 1:4\n-0 1:5\n0 1:6\n", x: []float64{1, 2, 3, 4, 5, 6}, d: 1, y: []int{1, 1, 1, 1, 0, 0}, labels: []string{"0", "1"}},
		{name: "numeric order of labels", text: "10 1:1\n9 1:1\n-3 1:1\n", x: []float64{1, 1, 1}, d: 1, y: []int{2, 1, 0}, labels: []string{"-3", "9", "10"}},
		{name: "zero-based", text: "1 0:1 1:2\n", o: Options{ZeroBased: true}, x: []float64{1, 2}, d: 2, y: []int{0}, labels: []string{"1"}},
		{name: "padded features", text: "1 1:1\n", o: Options{Features: 3}, x: []float64{1, 0, 0}, d: 3, y: []int{0}, labels: []string{"1"}},
		{name: "ignored features", text: "1 1:1 4:9\n", o: Options{Features: 2, IgnoreExtra: true}, x: []float64{1, 0}, d: 2, y: []int{0}, labels: []string{"1"}},
		{name: "explicit zero counts as a feature", text: "1 1:1 4:0\n", x: []float64{1, 0, 0, 0}, d: 4, y: []int{0}, labels: []string{"1"}},
		{name: "text labels", text: "dog 1:1\ncat 1:2\n1.5 1:3\n", o: Options{TextLabels: true}, x: []float64{1, 2, 3}, d: 1, y: []int{2, 1, 0}, labels: []string{"1.5", "cat", "dog"}},
		{name: "unlabelled", text: "1:1\n1.5 1:2\nqid:2 1:3\n", o: Options{Unlabelled: true}, x: []float64{1, 2, 3}, d: 1},
		{name: "byte order mark", text: "\ufeff1 1:1\n", x: []float64{1}, d: 1, y: []int{0}, labels: []string{"1"}},
		{name: "no features at all", text: "1\n2\n", x: []float64{}, d: 0, y: []int{0, 1}, labels: []string{"1", "2"}},
		{name: "tiny numbers", text: "1 1:1e-400 2:4.9e-324\n", x: []float64{0, 4.9e-324}, d: 2, y: []int{0}, labels: []string{"1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := readLIBSVM(strings.NewReader(tt.text), "f", tt.o)
			if err != nil {
				t.Fatal(err)
			}
			want := &Set{X: tt.x, N: len(strings.Fields("")), D: tt.d, Y: tt.y, Labels: tt.labels, Ragged: got.Ragged, Pairs: true, // see TestRagged
				ZeroBased: strings.Contains(tt.text, " 0:")}
			if want.N = len(tt.y); tt.y == nil {
				want.N = 3
			}
			if d := cmp.Diff(want, got, cmp.Transformer("nil", func(s []string) int { return len(s) })); d != "" {
				t.Error(d)
			}
			if !cmp.Equal(got.Labels, tt.labels, cmp.Transformer("text", func(s []string) string {
				return strings.Join(s,
					" ")
			})) {
				t.Errorf("labels %q, want %q", got.Labels, tt.labels)
			}
		})
	}
}

func TestReadLIBSVMRefuses(t *testing.T) {
	for _, tt := range []struct {
		text string
		o    Options
		want string
	}{
		{text: "", want: "f: found no samples, want at least one line of label index:value ..."},
		{text: "# only\n\n", want: "f: found no samples, want at least one line of label index:value ..."},
		{text: "1 1:1\n1 1:1 junk\n", want: `f:2:7: found "junk", want index:value`},
		{text: "one 1:1\n", want: `f:1:1: found "one", want an integer label`},
		{text: "1.5 1:1\n", want: `f:1:1: found "1.5", want an integer label`},
		{text: "nan 1:1\n", want: `f:1:1: found "nan", want an integer label`},
		{text: "inf 1:1\n", want: `f:1:1: found "inf", want an integer label`},
		{text: "1:1 2:1\n", want: `f:1:1: found "1:1", want a label before the first feature`},
		{text: "a:b 2:1\n", o: Options{TextLabels: true}, want: `f:1:1: found "a:b", want a label before the first feature`},
		{text: "1 1:nan\n", want: `f:1:5: found "nan", want a finite number`},
		{text: "1 1:-inf\n", want: `f:1:5: found "-inf", want a finite number`},
		{text: "1 1:1e999\n", want: `f:1:5: found "1e999" (beyond float64), want a finite number`},
		{text: "1 1:1_0\n", want: `f:1:5: found "1_0", want a finite number`},
		{text: "1 1:0x\n", want: `f:1:5: found "0x", want a finite number`},
		{text: "1 1:.\n", want: `f:1:5: found ".", want a finite number`},
		{text: "1 1:\n", want: `f:1:5: found nothing, want a finite number`},
		{text: "1 1: 2:3\n", want: `f:1:6: found "2:3", want a finite number`},
		{text: "1 1:1:1\n", want: `f:1:5: found "1:1", want a finite number`},
		{text: "1 1:1 0:1\n", want: "f:1:7: found index 0 after a larger one, want ascending indices"},
		{text: "1 -1:1\n", want: `f:1:3: found index "-1", want an integer up to 2147483647`},
		{text: "1 2147483648:1\n", want: `f:1:3: found index "2147483648", want an integer up to 2147483647`},
		{text: "1 :1\n", want: `f:1:3: found index "", want an integer up to 2147483647`},
		{text: "1 x:1\n", want: `f:1:3: found index "x", want an integer up to 2147483647`},
		{text: "1 2:1 1:1\n", want: "f:1:7: found index 1 after a larger one, want ascending indices"},
		{text: "1 2:1 2:1\n", want: "f:1:7: found index 2 twice, want ascending indices"},
		{text: "1 5:1\n", o: Options{Features: 4}, want: "f:1:3: found index 5, want at most 4 features"},
		{text: "1 1:1 2:1 3:1\n", o: Options{MaxLine: 8}, want: "f:1: found a line of more than 8 bytes, want a shorter one"},
		{text: "1 2147483647:1\n2 1:1\n", want: "f:1: found 1 samples of 2147483647 features, 16.0 GiB when every zero is stored, want at most 8.0 GiB, what the memory budget has left"},
		{text: strings.Repeat("1 1:1\n", 10), o: Options{MaxBytes: 100}, want: "f:1:1: found more samples than fit, want a larger memory budget, of which nothing is left for them"},
	} {
		_, err := readLIBSVM(strings.NewReader(tt.text), "f", tt.o)
		var e *Error
		if !errors.As(err, &e) || err.Error() != tt.want {
			t.Errorf("%q:\n got %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

// Every number that LIBSVM files hold must come out as strconv has it, on the short path too.
func TestParseShortIsExact(t *testing.T) {
	rnd := NewRand(1)
	for range 100000 {
		digits := make([]byte, 1+rnd.IntN(17))
		for i := range digits {
			digits[i] = byte('0' + rnd.IntN(10))
		}
		tok := append([]byte{"+-"[rnd.IntN(2)]}, digits...)
		if pos := 1 + rnd.IntN(len(tok)); rnd.IntN(4) > 0 {
			tok = append(tok[:pos:pos], append([]byte{'.'}, tok[pos:]...)...)
		}
		v, found := parseFloat(tok)
		if want := atof(t, string(tok)); found != "" || math.Float64bits(v) != math.Float64bits(want) {
			t.Fatalf("%s: got %v (%s), want %v", tok, v, found, want)
		}
	}
}

func TestReadFileShapes(t *testing.T) {
	for _, tt := range []struct {
		file   string
		n, d   int
		counts []int
	}{
		{"ripley.train.libsvm", 250, 2, []int{125, 125}},
		{"ripley.test.libsvm", 1000, 2, []int{500, 500}},
		{"diabetis.libsvm", 768, 8, []int{500, 268}},
		{"ionosphere.libsvm", 351, 34, []int{126, 225}},
		{"iris.libsvm", 150, 4, []int{50, 50, 50}},
	} {
		s, err := ReadFile(testutil.Testdata(t, tt.file), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if s.N != tt.n || s.D != tt.d || !cmp.Equal(s.Counts(), tt.counts) {
			t.Errorf("%s: %d×%d, classes %v; want %d×%d, %v", tt.file, s.N, s.D, s.Counts(), tt.n, tt.d, tt.counts)
		}
	}
}

func TestGzipIsRecognised(t *testing.T) {
	raw, err := os.ReadFile(testutil.Testdata(t, "iris.libsvm"))
	if err != nil {
		t.Fatal(err)
	}
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write(raw)
	w.Close()
	want, err := Read(bytes.NewReader(raw), "-", Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read(bytes.NewReader(z.Bytes()), "-", Options{})
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("gzipped data differ (%v)", err)
	}
	if _, err := Read(bytes.NewReader(z.Bytes()[:z.Len()/2]), "-", Options{}); err == nil {
		t.Error("a truncated gzip file was read")
	}
}

func TestWriteLIBSVMRoundTrip(t *testing.T) {
	for _, name := range []string{"ripley.train.libsvm", "ionosphere.libsvm", "iris.libsvm"} {
		want, err := ReadFile(testutil.Testdata(t, name), Options{})
		if err != nil {
			t.Fatal(err)
		}
		want = want.Widen(want.D + 1) // a last feature of zeros must survive
		want.Ragged = true            // the first row names it, the others do not
		want.X[0] = 1e300 / 3
		var b bytes.Buffer
		if err = want.WriteLIBSVM(&b); err != nil {
			t.Fatal(err)
		}
		got, err := readLIBSVM(&b, "f", Options{})
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s changed on the way (%v)", name, err)
		}
	}
	s := &Set{N: 1, D: 0, Y: []int{0}, Labels: []string{"two words"}}
	if err := s.WriteLIBSVM(&bytes.Buffer{}); err == nil {
		t.Error("a label with a space was written")
	}
}

// TestPairs reads rows of random pairs, with short and long indices and values, any blanks and any line end: each is
// what strconv reads.
func TestPairs(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	blanks := []string{" ", " ", " ", "  ", "\t", " \r "}
	values := []string{"1", "0", "7", "1", "10", "-1", "+3", "0.5", "1.", "1e2", "0x1p3", "123.456789012345"}
	for trial := range 1000 {
		line, last := "1", 0
		var want []entry
		for range rnd.IntN(12) {
			last += 1 + rnd.IntN(1<<rnd.IntN(15))
			value := values[rnd.IntN(len(values))]
			line += blanks[rnd.IntN(len(blanks))] + strconv.Itoa(last) + ":" + value
			if v, _ := strconv.ParseFloat(value, 64); v != 0 {
				want = append(want, entry{int32(last - 1), v})
			}
		}
		text := "2 1:1 3:1\n" + line + []string{"", "\n", "\r\n", " \n", "\n3 1:1"}[trial%5]
		s, err := readLIBSVM(strings.NewReader(text), "f", Options{})
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if s.D != max(3, last) {
			t.Fatalf("%q: %d features, want %d", text, s.D, max(3, last))
		}
		row := make([]float64, s.D)
		for _, e := range want {
			row[e.index] = e.value
		}
		if got := s.X[s.D : 2*s.D]; !slices.Equal(got, row) {
			t.Fatalf("%q: %v, want %v", text, got, row)
		}
	}
}
