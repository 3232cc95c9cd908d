package cli

import (
	"errors"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
)

// Profiling has the flags of `go test` that write profiles.
type Profiling struct {
	CPUProfile string `name:"cpuprofile" placeholder:"FILE" group:"profile" help:"Write a CPU profile, labelled by phase (go tool pprof -tagfocus)."`
	MemProfile string `name:"memprofile" placeholder:"FILE" group:"profile" help:"Write a heap profile at the end."`
	Trace      string `name:"trace" placeholder:"FILE" group:"profile" help:"Write an execution trace (go tool trace)."`
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
	record := func(name string, start func(*os.File) error, stop func(*os.File) error) error {
		if name == "" {
			return nil
		}
		f, err := os.Create(name)
		if err != nil {
			return err
		}
		finish = append(finish, func() error { return errors.Join(stop(f), f.Close()) })
		return start(f)
	}
	if err := record(p.CPUProfile,
		func(f *os.File) error { return pprof.StartCPUProfile(f) },
		func(*os.File) error { pprof.StopCPUProfile(); return nil }); err != nil {
		return err
	}
	if err := record(p.Trace,
		func(f *os.File) error { return trace.Start(f) },
		func(*os.File) error { trace.Stop(); return nil }); err != nil {
		return err
	}
	if err := record(p.MemProfile,
		func(*os.File) error { return nil },
		func(f *os.File) error { runtime.GC(); return pprof.WriteHeapProfile(f) }); err != nil {
		return err
	}
	return work()
}
