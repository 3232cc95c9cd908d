package main

import (
	"bufio"
	"context"
	"embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/cpu"
)

// The peers' side of every comparison: small C programs, and Python and R scripts. Each prints lines `name value` or a
// line of JSON; times are the best of the repetitions, in seconds.
//
//go:embed peer
var sources embed.FS

// env is the harness with what the peers need.
type env struct{ *harness.Env }

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
	if _, err = os.Stat(bin); err == nil {
		return bin, nil
	}
	out, err := exec.Command("gcc", append([]string{"-O3", "-march=native", "-o", bin, src}, flags...)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("gcc %s: %w: %s", name, err, strings.ReplaceAll(firstLine(out), e.Tmp, ""))
	}
	return bin, nil
}

// coreTypes are those of OpenBLAS, whose own choice can be several times slower.
var coreTypes = []string{"SKYLAKEX", "COOPERLAKE", "ZEN", "HASWELL"}

// debianPython has the NumPy and SciPy that are linked with Debian's OpenBLAS.
const debianPython = "/usr/bin/python3"

// pythons lists the Python executables to try: the virtual environment's, then Debian's.
func pythons() []string {
	if p := os.Getenv("SPARSEKM_PEERS"); p != "" {
		return []string{p, debianPython}
	}
	return []string{debianPython}
}

// python runs a case of peer/peers.py with one of the pythons; extra is added to the environment ("KEY=value").
func (e *env) python(py, name string, extra []string, args ...string) (string, error) {
	src, err := e.source("peers.py")
	if err != nil {
		return "", err
	}
	cmd := exec.Command(py, append([]string{src, name}, args...)...)
	cmd.Env = append(append(os.Environ(), "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1"), extra...)
	out, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) { // a traceback's last line names what is missing
		err = fmt.Errorf("%w: %s", err, lastLine(string(failed.Stderr)))
	}
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", py, name, err)
	}
	return string(out), nil
}

// ask decodes the last line that a case prints, of the first Python that can run it.
func (e *env) ask(name string, extra []string, answer any, args ...string) error {
	err := errors.New("no Python")
	for _, py := range pythons() {
		if err = e.askOf(py, name, extra, answer, args...); err == nil {
			break
		}
	}
	return err
}

func (e *env) askOf(py, name string, extra []string, answer any, args ...string) error {
	out, err := e.python(py, name, extra, args...)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(lastLine(out)), answer)
}

func firstLine(b []byte) string { s, _, _ := strings.Cut(string(b), "\n"); return s }

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// reported are the peers that are known to be left out.
var reported = map[string]bool{}

// absent says once that a peer is left out.
func absent(err error) {
	if text := err.Error(); !reported[text] {
		reported[text] = true
		fmt.Fprintln(os.Stderr, "left out:", text)
	}
}

// parse reads lines of "name value"; nil after an error, which it reports.
func parse(out string, err error) map[string]float64 {
	if err != nil {
		absent(err)
		return nil
	}
	f := map[string]float64{}
	for line := range strings.Lines(out) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if f[name], err = strconv.ParseFloat(value, 64); err != nil {
			f[name] = math.NaN()
		}
	}
	return f
}

// build builds the commands of this checkout as the releases are built, see .goreleaser.yaml, and returns the path of
// sparsekm.
func (e *env) build(ctx context.Context) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-tags", "nethttpomithttp2",
		"-o", e.Tmp+"/", "./cmd/sparsekm", "./cmd/sparsekm-serve")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the command: %w\n%s", err, out)
	}
	return filepath.Join(e.Tmp, "sparsekm"), nil
}

// command runs a program as often as e says, and returns its least processor time.
func (e *env) command(ctx context.Context, args ...string) (float64, error) {
	smallest := math.Inf(1)
	for range max(1, e.Reps) {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("%s: %w: %s", args[0], err, out)
		}
		smallest = min(smallest, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
	}
	return smallest, nil
}

// file writes a file of the scratch folder.
func (e *env) file(name string, write func(io.Writer) error) (string, error) {
	name = filepath.Join(e.Tmp, name)
	f, err := os.Create(name)
	if err != nil {
		return "", err
	}
	w := bufio.NewWriter(f)
	return name, errors.Join(write(w), w.Flush(), f.Close())
}

// binary writes numbers one after the other, in the host's byte order.
func (e *env) binary(name string, parts ...any) (string, error) {
	return e.file(name, func(w io.Writer) error {
		for _, part := range parts {
			if err := binary.Write(w, binary.NativeEndian, part); err != nil {
				return err
			}
		}
		return nil
	})
}

// simdLevels are the levels of this host with assembly, or the one that the environment names.
func simdLevels() []cpu.Level {
	levels := cpu.Available()
	if os.Getenv(cpu.EnvVar) != "" || len(levels) == 1 {
		return []cpu.Level{cpu.Active()}
	}
	return levels[1:]
}

// scaled is a set in units of its deviations.
func scaled(set *dataset.Set, err error) (*dataset.Set, error) {
	if err != nil {
		return nil, err
	}
	s, err := dataset.FitZ(set)
	if err != nil {
		return nil, err
	}
	return s.Apply(set), nil
}

// firstAgainstRest is a set of two classes, 1 for the first.
func firstAgainstRest(set *dataset.Set) *dataset.Set {
	two := *set
	two.Labels, two.Y = []string{"-1", "1"}, make([]int, set.N)
	for i, y := range set.Y {
		if y == 0 {
			two.Y[i] = 1
		}
	}
	return &two
}

func constant(n int, v float64) []float64 { return slices.Repeat([]float64{v}, n) }

// seconds, ms and times show a number, none that a missing peer has.
func seconds(s float64) string   { return shown("%.3f s", s) }
func ms(seconds float64) string  { return shown("%.3g", 1e3*seconds) }
func times(ratio float64) string { return shown("%.1f", ratio) }

func shown(format string, v float64) string {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf(format, v)
}
