package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/parallel"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/svc"
)

// TestProgram builds the library, and with it a C program that uses all of it; the header must do for C99, C++
// and what the R package loads.
func TestProgram(t *testing.T) {
	dir := t.TempDir()
	library := filepath.Join(dir, "libsparsekm.so")
	run(t, "go", "build", "-buildmode=c-shared", "-o", library, ".")
	program := filepath.Join(dir, "program")
	strict := []string{"-pedantic", "-Wall", "-Wextra", "-Werror"}
	run(t, "gcc", append(strict, "-std=c99", "-o", program, "testdata/program.c", library, "-lm", "-lpthread",
		"-Wl,-rpath,"+dir)...)
	run(t, "gcc", append(strict, "-x", "c++", "-std=c++98", "-Wno-long-long", "-fsyntax-only", "sparsekm.h")...)
	run(t, "gcc", append(strict, "-std=c99", "-fsyntax-only", "-I.", "../r/src/library.c")...)
	samples := filepath.Join("..", "testdata", "ripley.train.libsvm")
	if out := run(t, program, samples); out != "done\n" {
		t.Errorf("the program printed %q", out)
	}
}

// TestPanic: a panic is a code and a text for C.
func TestPanic(t *testing.T) {
	var none []int
	if code := call(nil, func() error { none[1]++; return nil }); code != 5 {
		t.Errorf("code %d, want that of SKM_INTERNAL", code)
	}
	if code := call(nil, func() error { return nil }); code != 0 {
		t.Errorf("code %d without an error", code)
	}
}

// TestWorkerPanics: so is one of a goroutine that trains, decides or factors.
func TestWorkerPanics(t *testing.T) {
	set, err := dataset.ReadFile(filepath.Join("..", "testdata", "ripley.train.libsvm"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []sparsekm.Options{{Trainer: svc.Trainer{C: 1}}, {Trainer: ssvc.A{C: 1}}} {
		var calls atomic.Int32
		method.Threads = 2
		method.Kernel = gram.Custom(func(x, z []float64) float64 {
			if calls.Add(1) > 1000 {
				panic("a kernel that fails")
			}
			return x[0]*z[0] + x[1]*z[1]
		})
		if code := call(nil, func() error { _, _, err := sparsekm.Train(t.Context(), set, method); return err }); code != 5 {
			t.Errorf("code %d, want that of SKM_INTERNAL", code)
		}
	}
	if code := call(nil, func() error { parallel.For(2, 9, func(_, i int) { panic(i) }); return nil }); code != 5 {
		t.Errorf("code %d of a loop, want that of SKM_INTERNAL", code)
	}
}

// run runs a program that must not fail, and returns what it printed.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("no %s", name)
	}
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}
