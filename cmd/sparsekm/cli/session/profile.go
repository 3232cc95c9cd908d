package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"strings"
)

// profiles are what --profile writes: when the work begins, and when it is over. Phases are labels (go tool pprof
// -tagfocus).
var profiles = map[string]struct{ start, stop func(io.Writer) error }{
	"cpu":   {pprof.StartCPUProfile, func(io.Writer) error { pprof.StopCPUProfile(); return nil }},
	"trace": {trace.Start, func(io.Writer) error { trace.Stop(); return nil }},
	"mem": {func(io.Writer) error { return nil },
		func(w io.Writer) error { runtime.GC(); return pprof.WriteHeapProfile(w) }},
}

// profile is a kind of profile and its file; the command line takes cpu=FILE.
type profile struct{ kind, file string }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (p *profile) UnmarshalText(text []byte) error {
	p.kind, p.file, _ = strings.Cut(string(text), "=")
	if _, ok := profiles[p.kind]; !ok || p.file == "" {
		return fmt.Errorf("found %s, want cpu=FILE, mem=FILE or trace=FILE", OrEmpty(string(text)))
	}
	return nil
}

// File is the name of the file.
func (p profile) File() string { return p.file }

// profiled runs work with the profiles that were asked for.
func profiled(all []profile, work func() error) (err error) {
	for _, p := range all {
		file, failed := os.Create(p.file)
		if failed != nil {
			return failed
		}
		w, how := &CheckedWriter{W: file}, profiles[p.kind]
		if failed = how.start(w); failed != nil {
			return errors.Join(failed, file.Close())
		}
		defer func() {
			stopped := how.stop(w)
			err = errors.Join(err, stopped, w.err, file.Close())
		}()
	}
	return work()
}

// CheckedWriter keeps the first error of what it writes: profilers and those who print drop theirs.
type CheckedWriter struct {
	W   io.Writer
	err error
}

// Failed is the error of a standard output that could not be written; nil if it could.
func (c *CheckedWriter) Failed() error {
	if c.err == nil {
		return nil
	}
	return fmt.Errorf("standard output: %w", c.err)
}

// Write implements [io.Writer].
func (c *CheckedWriter) Write(b []byte) (int, error) {
	if c.err != nil {
		return 0, c.err
	}
	var n int
	n, c.err = c.W.Write(b)
	return n, c.err
}
