package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
)

// Profiling has the flags of `go test` that write profiles.
type Profiling struct {
	CPUProfile string `name:"cpuprofile" placeholder:"FILE" writes:"" group:"profile" help:"Write a CPU profile, labelled by phase (go tool pprof -tagfocus)."`
	MemProfile string `name:"memprofile" placeholder:"FILE" writes:"" group:"profile" help:"Write a heap profile at the end."`
	Trace      string `name:"trace" placeholder:"FILE" writes:"" group:"profile" help:"Write an execution trace (go tool trace)."`
}

// around runs work with the profiles that were asked for.
func (p *Profiling) around(work func() error) (err error) {
	var finish []func() error
	defer func() {
		for _, f := range finish {
			err = errors.Join(err, f())
		}
	}()
	// record opens name and calls start; stop runs when the work is over.
	record := func(name string, start func(io.Writer) error, stop func(io.Writer) error) error {
		if name == "" {
			return nil
		}
		f, err := os.Create(name)
		if err != nil {
			return err
		}
		w := &CheckedWriter{W: f}
		finish = append(finish, func() error {
			err := stop(w)
			if err == nil {
				err = w.err
			}
			return errors.Join(err, f.Close())
		})
		return start(w)
	}
	if err := record(p.CPUProfile,
		func(w io.Writer) error { return pprof.StartCPUProfile(w) },
		func(io.Writer) error { pprof.StopCPUProfile(); return nil }); err != nil {
		return err
	}
	if err := record(p.Trace,
		func(w io.Writer) error { return trace.Start(w) },
		func(io.Writer) error { trace.Stop(); return nil }); err != nil {
		return err
	}
	if err := record(p.MemProfile,
		func(io.Writer) error { return nil },
		func(w io.Writer) error { runtime.GC(); return pprof.WriteHeapProfile(w) }); err != nil {
		return err
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
