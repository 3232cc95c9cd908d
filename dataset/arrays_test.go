package dataset

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	_ "github.com/sparsekm/sparsekm/internal/fileformat/zipped"
)

// npyFile is an array of float64 as NumPy writes it.
func npyFile(shape string, values ...float64) []byte {
	header := "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }\n"
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
	b = append(b, header...)
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

// npzFile is an archive of the files, in pairs of name and content.
func npzFile(t *testing.T, entries ...any) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(entries); i += 2 {
		w, err := z.Create(entries[i].(string))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = w.Write(entries[i+1].([]byte)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestArrays(t *testing.T) {
	want, err := New([]float64{0.1, -2, 1e300, 4, 5, 6.5}, 3, 2, []string{"-1", "1", "1"})
	if err != nil {
		t.Fatal(err)
	}
	labels, matrix := npyFile("(3,)", -1, 1, 1), npyFile("(3, 2)", want.X...)
	last := npyFile("(3, 3)", 0.1, -2, -1, 1e300, 4, 1, 5, 6.5, 1)
	for name, c := range map[string]struct {
		in []byte
		o  Options
	}{
		"npy":          {last, Options{}},
		"npz":          {npzFile(t, "X.npy", matrix, "y.npy", labels), Options{}},
		"other order":  {npzFile(t, "a.npy", labels, "b.npy", matrix), Options{}},
		"label column": {npyFile("(3, 3)", -1, 0.1, -2, 1, 1e300, 4, 1, 5, 6.5), Options{LabelColumn: "0"}},
	} {
		got, failed := Read(bytes.NewReader(c.in), "data."+name, c.o)
		if failed != nil || !cmp.Equal(got.X, want.X) || !cmp.Equal(got.Y, want.Y) || !cmp.Equal(got.Labels, want.Labels) {
			t.Errorf("%s: %+v, %v", name, got, failed)
		}
		rows := 0
		err = Batches(bytes.NewReader(c.in), name, c.o, func(s *Set) error { rows += s.N; return nil })
		if err != nil || rows != 3 {
			t.Errorf("%s: batches of %d rows, %v", name, rows, err)
		}
	}
	bare, err := Read(bytes.NewReader(matrix), "x.npy", Options{Unlabelled: true})
	if err != nil || bare.D != 2 || bare.Y != nil {
		t.Errorf("without labels: %+v, %v", bare, err)
	}
	values, err := Read(bytes.NewReader(npyFile("(2, 2)", 1, 0.5, 2, 1e-17)), "v.npy", Options{Targets: TargetValues})
	if err != nil || !cmp.Equal(values.Targets, []float64{0.5, 1e-17}) {
		t.Errorf("values: %+v, %v", values, err)
	}
}

func TestArraysRefused(t *testing.T) {
	matrix := npyFile("(2, 2)", 1, 2, 3, 4)
	for name, c := range map[string]struct {
		in   []byte
		o    Options
		want string
	}{
		"one axis":   {npyFile("(2,)", 1, 2), Options{}, "shapes [2], want a matrix"},
		"lengths":    {npzFile(t, "x.npy", matrix, "y.npy", npyFile("(3,)", 1, 2, 3)), Options{}, "shapes [2 2], [3]"},
		"two":        {npzFile(t, "x.npy", matrix, "y.npy", matrix), Options{}, "shapes [2 2], [2 2]"},
		"a zip file": {npzFile(t, "book.xml", []byte("<x/>")), Options{}, `found a zip file with "book.xml"`},
		"cut":        {matrix[:len(matrix)-1], Options{}, "ends within its 4 elements"},
		"cut zip":    {npzFile(t, "x.npy", matrix)[:50], Options{}, "zip"},
		"header":     {matrix, Options{Header: HeaderYes}, "a header"},
		"memory":     {npyFile("(1000, 1000)"), Options{MaxBytes: 1 << 20}, "limit of 1048576 bytes"},
		"NaN":        {npyFile("(2, 2)", 1, 2, math.NaN(), 4), Options{}, "f:2:1: found \"NaN\""},
		"fraction":   {npyFile("(2, 2)", 1, 2, 3, 4.5), Options{}, "4.5"},
	} {
		if s, err := Read(bytes.NewReader(c.in), "f", c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v, %v, want %q", name, s, err, c.want)
		}
	}
}

// TestForeign names files of other formats by their first bytes.
func TestForeign(t *testing.T) {
	for magic, name := range map[string]string{"\xfd7zXZ\x00": "an xz file", "\x80\x04\x95": "a pickle", "PAR1": "a Parquet file",
		"\x08\x07\x12\x04skl2": "an ONNX file", "svm_type": "a model", "sparsekm": "a model", "solver_type L2R_LR": "a model"} {
		_, err := Read(strings.NewReader(magic+"........\n"), "f", Options{})
		if want := fmt.Sprintf("f: found %s, want", name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", magic, err, want)
		}
	}
}

// TestBzip2 reads what `printf '1 1:2\n-1 1:3\n' | bzip2` writes.
func TestBzip2(t *testing.T) {
	packed, err := base64.StdEncoding.DecodeString(bzip2Rows)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Read(bytes.NewReader(packed), "d.libsvm.bz2", Options{})
	if err != nil || s.N != 2 || !cmp.Equal(s.X, []float64{2, 3}) {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err = Read(bytes.NewReader(packed[:len(packed)-4]), "d", Options{}); err == nil {
		t.Error("a file that was cut short was read")
	}
	if s, err = Read(strings.NewReader("BZ,1\nBA,2\n"), "d.csv", Options{LabelColumn: "0"}); err != nil || s.N != 2 {
		t.Errorf("text that begins with BZ: %+v, %v", s, err)
	}
}

const bzip2Rows = "QlpoOTFBWSZTWda0LMAAAALYAAAQQAI4ECAAMQwAlBtRFNFOIeLuSKcKEhrWhZgA"
