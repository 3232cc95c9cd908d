package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

const measured = `goos: linux
goarch: amd64
cpu: Some Processor
Unit share better=higher
BenchmarkLimit/of=fma/bytes=0/level=avx2 1 40 GFLOP/s
BenchmarkExp/d=0/n=1000/type=float64/bound=fma/level=avx2 1 450 ns/op 0.8000 share
BenchmarkSMO/d=0/n=1000/type=float64/bound=l2/level=avx2 1 900 ns/op 0.5000 share
`

// docs/performance/cpus.md is made of the files.
func TestPage(t *testing.T) {
	want, err := os.ReadFile(filepath.Join(testutil.Root(t), "docs", "performance", "cpus.md"))
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := run(&got, ".", ""); err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Error("docs/performance/cpus.md is not what `go run ./bench/cpus` prints")
	}
}

// A row that only a later file has stands in the table, with an empty cell for the others.
func TestLaterRows(t *testing.T) {
	dir := t.TempDir()
	const box = "BenchmarkBox/d=0/n=200/type=float64/bound=l2/level=avx2 1 9 ns/op 0.0200 share\n"
	for name, text := range map[string]string{"a.txt": measured, "b.txt": measured + box} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var got bytes.Buffer
	if err := run(&got, dir, ""); err != nil {
		t.Fatal(err)
	}
	const want = "\n| SMO 1000 float64 of l2 | 0.50 | 0.50 |\n| Box 200 float64 of l2 |  | 0.02 |\n"
	if !strings.HasSuffix(got.String(), want) {
		t.Errorf("%s\nwant at its end %s", &got, want)
	}
}

// Shares that fell are named; times, and other processors, do not matter.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	news := filepath.Join(t.TempDir(), "new")
	save := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	save(filepath.Join(dir, "some.txt"), measured)
	for _, row := range []struct{ old, new, fails, says string }{
		{"450 ns", "4500 ns", "", "2 shares as in"},
		{"0.5000", "0.3600", "", "2 shares as in"},
		{"0.5000", "0.3400", "1 of 2 shares", "SMO/d=0/n=1000/type=float64/bound=l2/level=avx2: share 0.34, was 0.50"},
		{"0.5000", "NaN", "1 of 2 shares", "share NaN"},
		{"Some", "Another", "", "nothing to compare with"},
		{"goarch: amd64", "goarch: arm64", "", "nothing to compare with"},
		{"BenchmarkSMO", "BenchmarkOther", "has no SMO", ""},
		{"0.5000", "half", `new:7: found "half"`, ""},
		{measured, "cpu: Some Processor\n", "found 0 limits", ""},
	} {
		save(news, strings.Replace(measured, row.old, row.new, 1))
		var out bytes.Buffer
		err := run(&out, dir, news)
		if (err == nil) != (row.fails == "") || err != nil && !strings.Contains(err.Error(), row.fails) {
			t.Errorf("%s: error %v, want %q", row.new, err, row.fails)
		}
		if !strings.Contains(out.String(), row.says) {
			t.Errorf("%s: says %q, want %q", row.new, out.String(), row.says)
		}
	}
}
