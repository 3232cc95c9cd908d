package main

import (
	"embed"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// The peers' side of every comparison: small C programs and Python scripts.
//
//go:embed peer
var sources embed.FS

// env is what the comparisons share: repetitions, data, a scratch folder, the peers found.
type env struct {
	reps int
	data string
	tmp  string
}

func newEnv(reps int, data string) (*env, error) {
	tmp, err := os.MkdirTemp("", "peers")
	return &env{reps: reps, data: data, tmp: tmp}, err
}

func (e *env) close() { os.RemoveAll(e.tmp) }

// best returns the least wall time of e.reps runs of f, in seconds.
func (e *env) best(f func()) float64 { return e.bestAfter(func() {}, f) }

// bestAfter is best with a preparation before each run that is not timed.
func (e *env) bestAfter(prepare, f func()) float64 {
	least := math.Inf(1)
	for range e.reps {
		prepare()
		start := time.Now()
		f()
		least = min(least, time.Since(start).Seconds())
	}
	return least
}

// best2 is best of f alone, where reset runs before each f.
func (e *env) best2(reset, f func()) float64 {
	least := math.Inf(1)
	for range e.reps {
		reset()
		start := time.Now()
		f()
		least = min(least, time.Since(start).Seconds())
	}
	return least
}

// source writes peer/name to the scratch folder and returns its path.
func (e *env) source(name string) (string, error) {
	b, err := sources.ReadFile("peer/" + name)
	if err != nil {
		return "", err
	}
	path := filepath.Join(e.tmp, name)
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
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", py, name, err)
	}
	return string(out), nil
}

func firstLine(b []byte) string { s, _, _ := strings.Cut(string(b), "\n"); return s }

// table prints a Markdown table.
func table(header []string, rows [][]string) {
	line := func(cells []string) { fmt.Println("| " + strings.Join(cells, " | ") + " |") }
	line(header)
	line(strings.Split(strings.Repeat("---,", len(header)-1)+"---", ","))
	for _, r := range rows {
		line(r)
	}
}
