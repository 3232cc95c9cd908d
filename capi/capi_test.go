package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestProgram builds the library, and with it a C program that uses all of it; the header must do for C99 and C++.
func TestProgram(t *testing.T) {
	dir := t.TempDir()
	library := filepath.Join(dir, "libsparsekm.so")
	run(t, "go", "build", "-buildmode=c-shared", "-o", library, ".")
	program := filepath.Join(dir, "program")
	strict := []string{"-pedantic", "-Wall", "-Wextra", "-Werror"}
	run(t, "gcc", append(strict, "-std=c99", "-o", program, "testdata/program.c", library, "-lm", "-lpthread",
		"-Wl,-rpath,"+dir)...)
	run(t, "gcc", append(strict, "-x", "c++", "-std=c++98", "-Wno-long-long", "-fsyntax-only", "sparsekm.h")...)
	points := filepath.Join("..", "testdata", "ripley.train.libsvm")
	if out := run(t, program, points); out != "done\n" {
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
