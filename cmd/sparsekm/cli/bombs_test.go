package cli

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/model"
)

// bomb is a small file that unfolds, and commands that read it as FILE within a budget. Each ends with a result, or
// with one line of standard error.
type bomb struct {
	what     string
	name     string // of the file, for its ending
	write    func(w io.Writer) error
	commands []string // words; MODEL and DATA are harmless files, NEW is a free name
	mib      int      // the budget; 0 means 24
}

// TestBombs runs every command on files that unfold, each in a process of its own, and wants its peak within the budget
// and 64 MiB.
func TestBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("many processes")
	}
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("the system does not tell how much memory a process took")
	}
	dir := t.TempDir()
	data, clf := filepath.Join(dir, "data.libsvm"), filepath.Join(dir, "model.skm")
	if err := os.WriteFile(data, []byte("1 1:1\n-1 1:2\n1 2:3\n-1 1:2 2:1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, "train", "-m", "svc", "-q", "--out", clf, data)
	for i, b := range bombs(t) {
		file := filepath.Join(dir, strconv.Itoa(i), b.name)
		names := strings.NewReplacer("FILE", file, "MODEL", clf, "DATA", data, "NEW", file+".out")
		t.Run(b.what, func(t *testing.T) {
			if err := writeBomb(file, b.write); err != nil {
				t.Fatal(err)
			}
			for _, words := range b.commands {
				args := strings.Fields(words)
				for k, word := range args {
					args[k] = names.Replace(word)
				}
				b.run(t, file, words, args)
			}
		})
	}
}

func writeBomb(name string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// peakOf precedes the peak in what TestBombChild writes.
const peakOf = "\nVmHWM:"

// run runs a command in a process of its own.
func (b *bomb) run(t *testing.T, file, words string, args []string) {
	t.Helper()
	const over = 64
	mib := max(b.mib, 24)
	if !strings.HasPrefix(words, "svm-") {
		args = append(args, fmt.Sprintf("--mem=%dMiB", mib))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestBombChild$")
	child.Env = append(os.Environ(), argsOfChild+"="+strings.Join(args, "\n"))
	var stderr bytes.Buffer
	child.Stderr = &stderr
	err := child.Run()
	says, rest, ok := strings.Cut(stderr.String(), peakOf)
	kb, _ := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")))
	info, _ := os.Stat(file)
	says = strings.TrimPrefix(strings.TrimSpace(says), "sparsekm: ")
	t.Logf("| %s: `%s` | %d | %d | %d | %.150s |", b.what, words, info.Size(), mib, kb>>10,
		strings.ReplaceAll(strings.ReplaceAll(says, filepath.Dir(file)+"/", ""), "\n", "; "))
	switch {
	case !ok || kb == 0:
		t.Errorf("%s: %s: it crashed: %v, %s", b.what, words, err, says)
	case kb>>10 > mib+over:
		t.Errorf("%s: %s: %d MiB at the peak, the budget is %d", b.what, words, kb>>10, mib)
	case err != nil && (child.ProcessState.ExitCode() != session.Failed || strings.Count(says, "\n") > 0 || says == ""):
		t.Errorf("%s: %s: %v: %s", b.what, words, err, says)
	}
}

// TestBombChild is a command in a process of its own, which says how much memory it took.
func TestBombChild(t *testing.T) {
	args := os.Getenv(argsOfChild)
	if args == "" {
		t.Skip("no arguments")
	}
	code := run(context.Background(), strings.Split(args, "\n"), strings.NewReader(""), io.Discard, os.Stderr)
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, peak, _ := strings.Cut(string(status), strings.TrimPrefix(peakOf, "\n"))
	peak, _, _ = strings.Cut(peak, "\n")
	fmt.Fprintln(os.Stderr, peakOf+peak)
	os.Exit(code)
}

// TestAddressSpace trains within limits of the address space (ulimit -v), of which Go's runtime has reserved some. It
// ends with a model or with one line and status 1, never in the runtime.
func TestAddressSpace(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if _, failed := os.Stat("/proc/self/limits"); testing.Short() || err != nil || failed != nil {
		t.Skip("short, or without a shell and limits of Linux")
	}
	data := filepath.Join(t.TempDir(), "ringnorm.libsvm")
	must(t, "gen", "ringnorm", "--n", "3000", "-o", data)
	for _, kb := range []int{2_000_000, 2_500_000, 3_000_000} { // the runtime needs about 1.5 GB
		args := []string{"train", "-m", "ssvc-a", "--mem", "8GiB", "--time-limit", "5s", "-q", data}
		child := exec.CommandContext(t.Context(), sh, "-c",
			fmt.Sprintf(`ulimit -v %d && exec "$0" "-test.run=^TestBombChild$"`, kb), os.Args[0])
		child.Env = append(os.Environ(), argsOfChild+"="+strings.Join(args, "\n"))
		var stderr bytes.Buffer
		child.Stderr = &stderr
		err := child.Run()
		says, _, ok := strings.Cut(stderr.String(), peakOf)
		t.Logf("%d kB: %v, %s", kb, err, says)
		if status := child.ProcessState.ExitCode(); !ok || status != session.Done && status != session.Failed &&
			status != session.Limit {
			t.Errorf("within %d kB: %v: %s", kb, err, says)
		}
	}
}

// plain is a file of this text.
func plain(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// many writes a beginning, and then a text so many times.
func many(begin, s string, times int) func(io.Writer) error {
	return func(w io.Writer) error {
		const piece = 1 << 10
		if _, err := io.WriteString(w, begin); err != nil {
			return err
		}
		for block := strings.Repeat(s, piece); times >= piece; times -= piece {
			if _, err := io.WriteString(w, block); err != nil {
				return err
			}
		}
		_, err := io.WriteString(w, strings.Repeat(s, times))
		return err
	}
}

func gzipped(write func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		z := gzip.NewWriter(w)
		return errors.Join(write(z), z.Close())
	}
}

// bzip2 repeats a stream of bzip2, which together are one text.
func bzip2(stream string, times int) func(io.Writer) error {
	b, err := base64.StdEncoding.DecodeString(stream)
	if err != nil {
		panic(err)
	}
	return many("", string(b), times)
}

// member is a file of an archive.
type member struct {
	name  string
	write func(io.Writer) error
}

func archived(members ...member) func(io.Writer) error {
	return func(w io.Writer) error {
		z := zip.NewWriter(w)
		z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
			return flate.NewWriter(w, flate.BestSpeed)
		})
		method := zip.Deflate
		if len(members) > 1000 {
			method = zip.Store // a compressor for each takes long
		}
		for _, m := range members {
			f, err := z.CreateHeader(&zip.FileHeader{Name: m.name, Method: method})
			if err != nil {
				return err
			}
			if err = m.write(f); err != nil {
				return err
			}
		}
		return z.Close()
	}
}

// npy is an array of zero bytes.
func npy(descr, order, shape string, bytes int) func(io.Writer) error {
	h := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, order, shape)
	h += strings.Repeat(" ", 63-(len(h)+10)%64) + "\n"
	size := binary.LittleEndian.AppendUint16(nil, uint16(len(h)))
	return many("\x93NUMPY\x01\x00"+string(size)+h, "\x00", bytes)
}

// skm is our own format.
func skm(t *testing.T, p model.Parts) func(io.Writer) error {
	c, err := model.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return func(w io.Writer) error { _, err := c.WriteTo(w); return err }
}
