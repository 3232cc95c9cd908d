package model

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
)

var (
	_ encoding.BinaryMarshaler   = (*Classifier)(nil)
	_ encoding.BinaryUnmarshaler = (*Classifier)(nil)
	_ encoding.BinaryAppender    = (*Classifier)(nil)
	_ io.WriterTo                = (*Classifier)(nil)
	_ io.ReaderFrom              = (*Classifier)(nil)
	_ json.Marshaler             = (*Classifier)(nil)
	_ json.Unmarshaler           = (*Classifier)(nil)
)

// sameParts compares models; whether an empty list is nil is all that may differ.
func sameParts(a, b *Classifier) string {
	return cmp.Diff(a.Parts(), b.Parts(), cmpopts.EquateEmpty())
}

// everyModel calls f with models of all schemes, kernels and sizes.
func everyModel(t *testing.T, f func(t *testing.T, c *Classifier)) {
	rnd := dataset.NewRand(11)
	for _, shape := range [][2]int{{0, 1}, {1, 0}, {5, 3}} {
		for name, kernel := range kernels(shape[1]) {
			for _, scheme := range schemes {
				p := randomParts(rnd, scheme, kernel, shape[0], shape[1])
				if scheme == OneVsRest {
					own := gram.WeightedRBF(0.7, make([]float64, shape[1]))
					p.Submodels[2].Kernel = &own
				}
				if scheme == PairwiseFuzzy {
					p.Scaling, p.Rows, p.Platt, p.Params, p.Features = nil, nil, nil, nil, 0
				}
				if scheme == OneVsOne && p.D == 3 {
					p.Columns = columnsOfThree()
				}
				t.Run(fmt.Sprintf("%s/%v/n=%d/d=%d", name, scheme, shape[0], shape[1]), func(t *testing.T) { f(t, mustNew(t, p)) })
			}
		}
	}
}

func TestFileRoundTrip(t *testing.T) {
	everyModel(t, func(t *testing.T, c *Classifier) {
		for _, format := range []Format{SKM, JSON} {
			var b bytes.Buffer
			if err := c.Write(&b, format); err != nil {
				t.Fatal(err)
			}
			back, got, err := Read(&b, "f")
			if err != nil {
				t.Fatal(err)
			}
			if d := sameParts(c, back); d != "" || got != format {
				t.Errorf("%v came back as %v: %s", format, got, d)
			}
		}
	})
}

func TestMarshalers(t *testing.T) {
	c := mustNew(t, randomParts(dataset.NewRand(12), OneVsOne, gram.RBF(1), 5, 3))
	b, err := c.AppendBinary([]byte("before"))
	if err != nil {
		t.Fatal(err)
	}
	var one Classifier
	if err = one.UnmarshalBinary(b[len("before"):]); err != nil || sameParts(c, &one) != "" {
		t.Error("AppendBinary, UnmarshalBinary:", err)
	}
	b, _ = c.MarshalBinary()
	stream := bytes.NewReader(append(append(b, b...), "after"...)) // ReadFrom stops at the end of a model
	for range 2 {
		var next Classifier
		n, failed := next.ReadFrom(stream)
		if failed != nil || int(n) != len(b) || sameParts(c, &next) != "" {
			t.Error("ReadFrom:", n, failed)
		}
	}
	if rest, _ := io.ReadAll(stream); string(rest) != "after" {
		t.Errorf("ReadFrom left %q", rest)
	}
	text, err := json.Marshal(map[string]*Classifier{"model": c})
	var in map[string]*Classifier
	if err == nil {
		err = json.Unmarshal(text, &in)
	}
	if err != nil || sameParts(c, in["model"]) != "" {
		t.Error("JSON:", err)
	}
}

func TestDamagedFilesAreRefused(t *testing.T) {
	c := mustNew(t, randomParts(dataset.NewRand(13), OneVsRest, gram.RBF(1), 3, 2))
	b, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	for n := range b {
		if _, err := Parse(b[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes make a model", n, len(b))
		}
		if _, _, err := Read(bytes.NewReader(b[:n]), "f"); err == nil || !strings.HasPrefix(err.Error(), "f: ") {
			t.Fatalf("the first %d bytes: %v", n, err)
		}
		if _, err := new(Classifier).ReadFrom(bytes.NewReader(b[:n])); err == nil {
			t.Fatalf("ReadFrom made a model of %d bytes", n)
		}
		bad := bytes.Clone(b)
		bad[n] ^= 0x10
		if _, err := Parse(bad); err == nil {
			t.Fatalf("byte %d is wrong, and nobody noticed", n)
		}
	}
	if _, err := Parse(append(bytes.Clone(b), 0)); err == nil {
		t.Error("a byte too many was accepted")
	}
	bad := bytes.Clone(b)
	bad[len(magic)] = version + 1
	const later = "model: file of version 15, this program reads versions 1 to 14"
	if _, err := Parse(bad); err == nil || err.Error() != later {
		t.Error("a later version:", err)
	}
}

// Counts that a hostile file claims must not be believed: every word of the payload
// becomes huge in turn, with a checksum that fits.
func TestHugeCountsAreRefused(t *testing.T) {
	c := mustNew(t, randomParts(dataset.NewRand(14), OneVsOne, gram.RBF(1), 3, 2))
	b, err := c.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	for at := headerSize; at+4 < len(b)-4; at++ {
		bad := bytes.Clone(b)
		copy(bad[at:], "\xfe\xff\xff\x7f")
		if p, err := Parse(reseal(bad)); err == nil && p.NumVectors() != 3 {
			t.Fatalf("a model of %d vectors from byte %d", p.NumVectors(), at)
		}
	}
}

// reseal makes length and checksum of a file fit its payload.
func reseal(b []byte) []byte {
	n := len(b) - 4
	binary.LittleEndian.PutUint64(b[headerSize-8:], uint64(n-headerSize))
	binary.LittleEndian.PutUint32(b[n:], checksum(b[:n]))
	return b
}

func TestReadJSONRefuses(t *testing.T) {
	c := mustNew(t, randomParts(dataset.NewRand(15), Binary, gram.RBF(1), 2, 2))
	text := earlier(c)
	for _, tt := range []struct{ old, new, want string }{
		{`"version":1`, `"version":3`, "version 3"},
		{`"format":"sparsekm"`, `"format":"other"`, `format "other"`},
		{`"version":1`, `"version":1,"colour":3`, `unknown field "colour", which JSON models do not have`},
		{`"kernel":"rbf"`, `"kernel":"linear","kernel":"rbf"`, `the key "kernel" twice`},
		{`"kernel":"rbf"`, `"Kernel":"linear","kernel":"rbf"`, `unknown field "Kernel"`},
		{`"kernel":"rbf"`, `"kernel":"custom"`, `kernel "custom"`},
		{`"decision_function_shape":"binary"`, `"decision_function_shape":"x"`, `unknown scheme "x"`},
		{`"kind":"zscore"`, `"kind":"x"`, `unknown scaling "x"`},
		{`"n_features_in":2`, `"n_features_in":3`, "support vector 0 has 2 features, want 3"},
		{`"probA":[`, `"probA":[1,`, "2 values of probA and 1 of probB"},
		{`"intercept":`, `"intercept":1e999,"x":`, "found the number"},
	} {
		bad := strings.Replace(string(text), tt.old, tt.new, 1)
		if bad == string(text) {
			t.Fatalf("%s is not in the file", tt.old)
		}
		if _, _, err := Read(strings.NewReader(bad), "f.json"); err == nil || !strings.Contains(err.Error(), tt.want) ||
			!strings.HasPrefix(err.Error(), "f.json: ") {
			t.Errorf("%s: got %v", tt.new, err)
		}
	}
	for n := range text {
		if _, _, err := Read(bytes.NewReader(text[:n]), "f"); err == nil {
			t.Fatalf("the first %d bytes make a model", n)
		}
	}
	if _, _, err := Read(strings.NewReader(string(text)+"{}"), "f"); err == nil {
		t.Error("text after the model was accepted")
	}
}

func TestReadRefusesOtherFiles(t *testing.T) {
	foreign := `f: found "hello wo", want a model file: ` + skmCodec.Want
	for _, c := range codecsOfFiles() {
		foreign += ", " + c.Want
	}
	for text, want := range map[string]string{
		"":            "f: found an empty file, want a model",
		" \n":         "f: found an empty file, want a model",
		"hello world": foreign,
		"sparsekm":    "f: the file is truncated",
	} {
		if _, _, err := Read(strings.NewReader(text), "f"); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestCustomKernelsAreNotWritten(t *testing.T) {
	p := randomParts(dataset.NewRand(16), Binary, gram.Custom(func(x, z []float64) float64 { return 1 }), 2, 2)
	c := mustNew(t, p)
	for _, f := range []Format{SKM, JSON, LIBSVM} {
		if err := c.Write(io.Discard, f); err == nil {
			t.Errorf("%v has a custom kernel", f)
		}
	}
}

func TestSaveKeepsTheOldFileOnFailure(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.skm")
	good := mustNew(t, randomParts(dataset.NewRand(17), Binary, gram.RBF(1), 2, 2))
	bad := mustNew(t, randomParts(dataset.NewRand(17), Binary, gram.Custom(func(x, z []float64) float64 { return 1 }), 2,
		2))
	if err := good.Save(path, SKM); err != nil {
		t.Fatal(err)
	}
	if err := bad.Save(path, SKM); err == nil {
		t.Error("a custom kernel was saved")
	}
	back, err := Load(path)
	if err != nil || sameParts(good, back) != "" {
		t.Error("the old file is gone:", err)
	}
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
		t.Errorf("%d files are left", len(files))
	}
	if err := good.Save(filepath.Join(path, "b.skm"), SKM); err == nil {
		t.Error("a file below a file was written")
	}
}

var update = flag.Bool("update", false, "write testdata/v1.* anew; only before the format's first release")

// Files of version 1 stay readable for ever, and mean the same.
func TestGoldenFiles(t *testing.T) {
	if *update {
		p := randomParts(dataset.NewRand(18), OneVsOne, gram.Poly(2, 0.5, 1), 6, 3)
		own := gram.WeightedRBF(0.7, []float64{1, 2, 3})
		p.Submodels[5].Kernel = &own
		c := mustNew(t, p)
		for _, f := range []Format{SKM, JSON} {
			if err := os.WriteFile("testdata/v1."+string(f), asOnce(t, c, f), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	skm, err := Load("testdata/v1.skm")
	if err != nil {
		t.Fatal(err)
	}
	words, err := Load("testdata/v1.json")
	if err != nil {
		t.Fatal(err)
	}
	if d := sameParts(skm, words); d != "" {
		t.Error(d)
	}
	for _, f := range []Format{SKM, JSON} {
		want, err := os.ReadFile("testdata/v1." + string(f))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(asOnce(t, skm, f), want) {
			t.Errorf("%v is written differently now", f)
		}
	}
}
