package svmtools

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// FuzzFlags runs the commands with flags of every kind on six samples: they end with 0 or 1, soon, and with a model or
// a reason.
func FuzzFlags(f *testing.F) {
	for _, flags := range []string{
		"", "-s 0 -t 2 -c 10 -g 0.5", "-s 1 -n 0.5", "-s 2 -n 1", "-s 3 -p 0", "-s 4 -q", "-t 0 -w1 2 -w-1 0", "-t 1 -d 3 -r -1",
		"-t 4", "-v 3", "-v 7 -b 1", "-b 1 -h 0", "-m 1e-9", "-e 1e300", "-e -1", "-c 1e300", "-g nan", "-c", "-z 1", "-w 1",
		"-l -1 -u 1 -y 0 2", "-l 1 -u 0", "-y 1 1", "-d 99 -t 1", "-s 5",
	} {
		f.Add(uint8(0), flags)
		f.Add(uint8(1), flags)
		f.Add(uint8(2), flags)
	}
	const data = "1 1:1 2:0.5\n-1 1:-1\n1 1:0.7 2:-0.2\n-1 1:-0.4 2:3\n1 1:2\n-1 2:1\n"
	dir := f.TempDir()
	samples := filepath.Join(dir, "samples")
	if err := os.WriteFile(samples, []byte(data), 0o600); err != nil {
		f.Fatal(err)
	}
	trained := filepath.Join(dir, "trained")
	if Run(f.Context(), "svm-train", []string{"-q", samples, trained}, 1<<30, io.Discard, io.Discard) != 0 {
		f.Fatal("no model")
	}
	out := filepath.Join(dir, "out")
	f.Fuzz(func(t *testing.T, which uint8, flags string) {
		command := tools[int(which)%len(tools)]
		files := [][]string{{samples, out}, {samples, trained, out}, {samples}}[int(which)%len(tools)]
		args := append(strings.Fields(flags), files...)
		o, err := command.parse(args)
		ranges := err == nil && command.name == "svm-scale" && (o.values['s'] != "" || o.values['r'] != "")
		if err == nil && (ranges || !slices.Equal(o.files, files)) {
			return // of other files
		}
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("a second has passed"))
		defer cancel()
		var stdout, stderr strings.Builder
		began := time.Now()
		code := Run(ctx, command.name, args, 1<<30, &stdout, &stderr)
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s %q took %v of a second", command.name, args, took)
		}
		if code != 0 && (code != 1 || stdout.Len()+stderr.Len() == 0) {
			t.Errorf("%s %q: status %d, %q", command.name, args, code, stderr.String())
		}
		if strings.Contains(stderr.String(), "goroutine ") {
			t.Errorf("%s %q: %s", command.name, args, stderr.String())
		}
	})
}
