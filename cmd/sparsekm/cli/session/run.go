package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
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

// SetFlags are the names of the flags on the command line, in its order: a flag that is there
// and has no effect is refused, also with the value that it has by default.
type SetFlags []string

// newSetFlags fails for a text that is no value: the empty one of an unset variable of a shell, and
// a flag instead of the value of the flag before it.
func newSetFlags(parsed *kong.Context) (g SetFlags, err error) {
	for _, p := range parsed.Path {
		switch {
		case p.Flag != nil:
			g = append(g, p.Flag.Name)
			if v := p.Flag.Target; v.Kind() == reflect.String {
				if text := v.String(); text == "" || FlagLike(text) {
					return nil, Usagef("--%s: found %s, want a value", p.Flag.Name, OrEmpty(text))
				}
			}
		case p.Positional != nil && p.Positional.Target.Kind() == reflect.String:
			if p.Positional.Passthrough || p.Positional.Target.String() != "" {
				continue
			}
			return nil, Usagef("<%s>: found an empty text, want a name", p.Positional.Name)
		}
	}
	return g, nil
}

// OrEmpty is a text in a message: words for the empty one.
func OrEmpty(text string) string {
	if text == "" {
		return "an empty text"
	}
	return text
}

// FlagLike reports whether a text is -o or --out rather than a value such as - or -1.
func FlagLike(text string) bool {
	name, long := strings.CutPrefix(text, "--")
	if long {
		return name != ""
	}
	return len(text) == 2 && text[0] == '-' && (text[1] < '0' || text[1] > '9')
}

// First returns the first of the names that is there, "" if none is.
func (g SetFlags) First(names ...string) string {
	for _, name := range g {
		if slices.Contains(names, name) {
			return name
		}
	}
	return ""
}
