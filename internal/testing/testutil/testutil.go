// Package testutil holds what the tests of several packages share.
package testutil

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Root returns the top folder of the library's module, from the modules inside it too.
func Root(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module github.com/sparsekm/sparsekm\n") {
			return dir
		}
	}
	tb.Fatal("testutil: the module's go.mod is not above the working directory")
	return ""
}

// Program returns the path of a program; the test is skipped where it is not installed.
func Program(tb testing.TB, name string) string {
	tb.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		tb.Skipf("%s is not installed", name)
	}
	return path
}

// Testdata returns the path of a file in the module's testdata folder.
func Testdata(tb testing.TB, name string) string {
	tb.Helper()
	return filepath.Join(Root(tb), "testdata", name)
}

// Shared returns the path of a file below shared/data next to the checkout, where
// data sets live that the project may not carry. The test is skipped when it is absent.
func Shared(tb testing.TB, name string) string {
	tb.Helper()
	if !filepath.IsLocal(name) {
		tb.Fatalf("%s is no file of the shared data", name) // it would be missed everywhere
	}
	p := filepath.Join(Root(tb), "..", "shared", "data", name)
	if _, err := os.Stat(p); err != nil {
		tb.Skipf("shared data file %s is not here", name)
	}
	return p
}

// ULP returns the distance of a and b in units in the last place; it is huge when one is not a number.
func ULP(a, b float64) uint64 {
	if a == b {
		return 0
	}
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.MaxUint64
	}
	key := func(f float64) int64 {
		if u := math.Float64bits(f); u>>63 == 1 {
			return -int64(u &^ (1 << 63))
		} else {
			return int64(u)
		}
	}
	d := key(a) - key(b)
	if d < 0 {
		d = -d
	}
	return uint64(d)
}
