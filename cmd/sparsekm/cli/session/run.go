package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/alecthomas/kong"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// Flags are the flags of every command; kong reads the tags.
type Flags struct {
	JSON      bool `name:"json" help:"Print one JSON object on standard output and nothing else there."`
	Profiling `embed:""`
}

// Streams are what a command reads and writes.
type Streams struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Run parses args and runs the command that they name. It returns the exit status. The parser that newParser returns
// has the given options, and fills flags. A command is a struct with a method Run(*Session) error.
func Run(ctx context.Context, args []string, std Streams, flags *Flags,
	newParser func(...kong.Option) (*kong.Kong, error)) (status int) {
	start, out := time.Now(), &CheckedWriter{W: std.Stdout}
	helped := false
	parser, err := newParser(kong.Writers(out, std.Stderr), kong.Exit(func(int) { helped = true })) // after --help
	if err != nil {
		panic(err) // a tag is wrong
	}
	parsed, err := parser.Parse(args)
	switch {
	case out.Failed() != nil: // of --help
		fmt.Fprintln(std.Stderr, "sparsekm:", out.Failed())
		return Failed
	case helped:
		return Done
	case err != nil:
		fmt.Fprintf(std.Stderr, "sparsekm: %v (see %s --help)\n", err, parser.Model.Name)
		return Usage
	}
	if cpu.Ignored() != "" {
		fmt.Fprintf(std.Stderr, "sparsekm: warning: %s is ignored: %s\n", cpu.EnvVar, cpu.Ignored())
	}
	s := &Session{Context: ctx, Start: start, Stdin: std.Stdin, Stdout: out, Stderr: std.Stderr, JSON: flags.JSON}
	err = s.run(parsed, &flags.Profiling)
	if err == nil || errors.Is(err, ErrLimit) {
		err = cmp.Or(out.Failed(), err)
	}
	if err != nil && !errors.Is(err, ErrLimit) {
		s.fail(err)
	}
	return StatusOf(err)
}

// run checks what every command line is held to, and runs the command.
func (s *Session) run(parsed *kong.Context, p *Profiling) (err error) {
	if s.Set, err = newSetFlags(parsed); err != nil {
		return err
	}
	command := parsed.Selected()
	if command == nil { // a program of one command
		command = parsed.Model.Node
	}
	if err = s.checkFiles(command); err != nil {
		return err
	}
	return p.around(func() error { return parsed.Run(s) })
}
