package model

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// skopsFolder has files that skops wrote, and what scikit-learn decides with their models.
const skopsFolder = "testdata/skops"

// TestSkops wants scikit-learn's labels, decisions and probabilities.
func TestSkops(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(skopsFolder, "decisions.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Rows   [][]float64
		Models map[string]struct {
			Decisions, Probabilities [][]float64
			Labels                   []string
		}
	}
	if err = json.Unmarshal(text, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden.Models) < 10 {
		t.Fatalf("%d models", len(golden.Models))
	}
	for name, want := range golden.Models {
		c, err := Load(filepath.Join(skopsFolder, name+".skops"))
		if err != nil {
			t.Error(err)
			continue
		}
		f, p := make([]float64, c.NumSubmodels()), make([]float64, c.NumClasses())
		for i, row := range golden.Rows {
			x := row[:c.NumFeatures()]
			c.DecideTo(f, x)
			testutil.NearAll(t, name, f, want.Decisions[i], 1e-12)
			if len(want.Labels) > 0 && c.Label(c.Predict(x)) != want.Labels[i] {
				t.Errorf("%s: row %d is %s, want %s", name, i, c.Label(c.Predict(x)), want.Labels[i])
			}
			if want.Probabilities != nil {
				c.Probabilities(p, x)
				testutil.NearAll(t, name, p, want.Probabilities[i], 5e-3) // LIBSVM iterates to 0.005/2 even of two classes
			}
		}
	}
}

// TestSkopsRefused damages files, and wants an error that says what is wrong.
func TestSkopsRefused(t *testing.T) {
	schema := func(old, with string) func(map[string][]byte) {
		return func(files map[string][]byte) {
			b := regexp.MustCompile(old).ReplaceAllString(string(files["schema.json"]), with)
			if b == string(files["schema.json"]) {
				t.Fatalf("no %s in the schema", old)
			}
			files["schema.json"] = []byte(b)
		}
	}
	arrays := func(change func([]byte) []byte) func(map[string][]byte) {
		return func(files map[string][]byte) {
			for name, b := range files {
				if strings.HasSuffix(name, ".npy") {
					files[name] = change(slices.Clone(b))
				}
			}
		}
	}
	for i, c := range []struct {
		file   string
		damage func(map[string][]byte)
		want   string
	}{
		{"svc", schema(`"protocol": 2`, `"protocol": 3`), "found the protocol 3, want 2"},
		{"svc", schema(`"protocol": 2,`, ``), "found the protocol none"},
		{"svc", schema(`^\s*\{`, `[`), "schema.json"},
		{"svc", func(f map[string][]byte) { delete(f, "schema.json") }, `no "schema.json"`},
		{"svc", func(f map[string][]byte) { f["schema.json"] = f["schema.json"][:5000] }, "schema.json"},
		{"svc", schema(`"__class__": "SVC"`, `"__class__": "KNeighborsClassifier"`), "KNeighborsClassifier"},
		{"svc", schema(`"__module__": "sklearn.svm._classes"`, `"__module__": "os"`), "found os.SVC"},
		{"svc", schema(`"__loader__": "ObjectNode"`, `"__loader__": "ReduceNode"`), "want an estimator"},
		{"svc", schema(`\\"rbf\\"`, `\"precomputed\"`), "precomputed"},
		{"svc", schema(`\\"rbf\\"`, `5`), "kernel"},
		{"svc", schema(`"support_vectors_"`, `"vectors"`), "no support_vectors_"},
		{"svc", schema(`"dual_coef_"`, `"support_vectors_"`), "want numbers of shape"},
		{"svc", schema(`"_n_support"`, `"classes_"`), "_n_support"},
		{"svc", schema(`"break_ties": \{[^}]*"content": "false"`, `"break_ties": {"__loader__": "JsonNode", "content": "true"`), "break_ties"},
		{"svc", arrays(func(b []byte) []byte { return b[:len(b)-1] }), "the file ends within"},
		{"svc", arrays(func(b []byte) []byte { return bytes.Replace(b, []byte("'<"), []byte("'>"), 1) }), ""},
		{"svc", arrays(func(b []byte) []byte { return bytes.Replace(b, []byte("'<f8'"), []byte("'|O8'"), 1) }), "|O8"},
		{"svc", arrays(func(b []byte) []byte { b[0] = 'X'; return b }), "no NumPy array"},
		{"svc", arrays(func(b []byte) []byte { b[6] = 9; return b }), "version 9"},
		{"svc", arrays(func(b []byte) []byte { return bytes.Replace(b, []byte("False"), []byte("Maybe"), 1) }), "header"},
		{"svc", func(f map[string][]byte) { clear(f) }, ""},
		{"svc-words", schema(`"__class__": "StandardScaler"`, `"__class__": "PCA"`), "Pipeline of [PCA SVC]"},
		{"svc-words", schema(`"mean_"`, `"median_"`), "no mean_"},
		{"svc-words", schema(`\[\s*\{\s*"__class__": "tuple"`, `{"a": {"__class__": "tuple"`), ""},
		{"nu-svc", schema(`"clip": \{[^}]*"content": "false"`, `"clip": {"__loader__": "JsonNode", "content": "true"`), "clip"},
		{"nu-svc", schema(`"feature_range"`, `"range"`), "feature_range"},
		{"linear-svc-two", schema(`"coef_"`, `"weights"`), "no coef_"},
	} {
		_, err := readAs("skops", bytes.NewReader(damaged(t, c.file, c.damage)), "m.skops", MaxBytes)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "m.skops: skops file: ") {
			t.Errorf("case %d: %v, want %q", i, err, c.want)
		}
	}
}

// damaged is a file of skops with its parts changed.
func damaged(t *testing.T, name string, change func(map[string][]byte)) []byte {
	t.Helper()
	z, err := zip.OpenReader(filepath.Join(skopsFolder, name+".skops"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	files := make(map[string][]byte)
	for _, f := range z.File {
		r, failed := f.Open()
		if failed != nil {
			t.Fatal(failed)
		}
		if files[f.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	change(files)
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, data := range files {
		f, failed := w.Create(name)
		if failed != nil {
			t.Fatal(failed)
		}
		if _, err = f.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err = w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestSkopsCut wants no prefix of a file to be a model, and no more memory than there may be.
func TestSkopsCut(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(skopsFolder, "svc.skops"))
	if err != nil {
		t.Fatal(err)
	}
	for n := 4; n < len(data); n += 97 {
		if _, err = readAs("skops", bytes.NewReader(data[:n]), "m", MaxBytes); err == nil {
			t.Errorf("%d of %d bytes are a model", n, len(data))
		}
	}
	if _, err = readAs("skops", bytes.NewReader(data), "m", 1000); !errors.Is(err, ErrMemory) {
		t.Errorf("within 1000 bytes: %v", err)
	}
	var b bytes.Buffer
	c, format, err := Read(bytes.NewReader(data), "m")
	if err != nil || format != "skops" {
		t.Fatalf("%v, %v", format, err)
	}
	if err = c.Write(&b, "skops"); err == nil || !strings.Contains(err.Error(), "unknown file format") {
		t.Errorf("written: %v", err)
	}
}

// FuzzSkops wants models or errors, of schemas and arrays.
func FuzzSkops(f *testing.F) {
	names, err := filepath.Glob(filepath.Join(skopsFolder, "*.skops"))
	if err != nil || len(names) == 0 {
		f.Fatalf("%v %v", names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := readAs("skops", bytes.NewReader(data), "m", 1<<20)
		if (c == nil) == (err == nil) {
			t.Fatalf("%v, %v", c, err)
		}
		if c != nil {
			c.DecideTo(make([]float64, c.NumSubmodels()), make([]float64, c.NumFeatures()))
		}
	})
}
