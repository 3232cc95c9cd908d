package main

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
)

// The peers' side of every comparison: small C programs and Python scripts.
//
//go:embed peer
var sources embed.FS

// env is the harness with what the peers need.
type env struct{ *harness.Env }

// once returns the environment for what is timed once.
func (e *env) once() *env {
	one := *e.Env
	one.Reps = 1
	return &env{&one}
}

// source writes peer/name to the scratch folder and returns its path.
func (e *env) source(name string) (string, error) {
	b, err := sources.ReadFile("peer/" + name)
	if err != nil {
		return "", err
	}
	path := filepath.Join(e.Tmp, name)
	return path, os.WriteFile(path, b, 0o644)
}

// compileC builds peer/name with gcc -O3 and returns the program's path. An
// error means that gcc or a library is missing: say so and go on without.
func (e *env) compileC(name string, flags ...string) (string, error) {
	src, err := e.source(name)
	if err != nil {
		return "", err
	}
	bin := strings.TrimSuffix(src, filepath.Ext(src))
	out, err := exec.Command("gcc", append([]string{"-O3", "-march=native", "-o", bin, src}, flags...)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("gcc %s: %w: %s", name, err, firstLine(out))
	}
	return bin, nil
}

// pythons lists the Python executables to try: the virtual environment's, then Debian's.
func pythons() []string {
	var ps []string
	if p := os.Getenv("SPARSEKM_PEERS"); p != "" {
		ps = append(ps, p)
	}
	return append(ps, "/usr/bin/python3")
}

// python runs peer/name with one of the pythons; extra is added to the environment ("KEY=value").
func (e *env) python(py, name string, extra []string, args ...string) (string, error) {
	src, err := e.source(name)
	if err != nil {
		return "", err
	}
	cmd := exec.Command(py, append([]string{src}, args...)...)
	cmd.Env = append(append(os.Environ(), "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1"), extra...)
	out, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) { // a traceback's last line names what is missing
		lines := strings.Split(strings.TrimSpace(string(failed.Stderr)), "\n")
		err = fmt.Errorf("%w: %s", err, lines[len(lines)-1])
	}
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", py, name, err)
	}
	return string(out), nil
}

func firstLine(b []byte) string { s, _, _ := strings.Cut(string(b), "\n"); return s }
