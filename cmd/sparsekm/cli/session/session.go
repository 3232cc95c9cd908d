// Package session is what every command of a command line shares: where it reads and writes, its limits, how it
// shows progress, and the exit status that it ends with.
package session

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/internal/fileformat"
	"github.com/sparsekm/sparsekm/status"
)

// Session is what a command gets to run with. Its fields do not change while the command runs.
type Session struct {
	Context        context.Context // done after the first interrupt
	Start          time.Time       // when the command began: time limits count from here
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Memory         int64        // budget of --mem
	Quiet          bool         // only errors and warnings are shown
	verbose        bool         // every event is shown
	JSON           bool         // standard output gets one JSON object
	Set            SetFlags     // the flags on the command line
	Log            *slog.Logger // receives what goes to standard error; nil for text
}

// WithTimeLimit returns the session with a time limit that counts from the start of the command; 0 means none.
func (s *Session) WithTimeLimit(limit time.Duration) (*Session, context.CancelFunc) {
	if limit <= 0 {
		return s, func() {}
	}
	t := *s
	var cancel context.CancelFunc
	t.Context, cancel = context.WithDeadline(s.Context, s.Start.Add(limit))
	return &t, cancel
}

// InBackground runs f, which cannot be stopped, in a goroutine. It waits for the end of f or of the session, whose
// error it returns. After the end of the session the process ends soon, and f with it.
func InBackground[T any](s *Session, f func() (T, error)) (v T, err error) {
	if s.Context.Err() != nil {
		return v, Ended(s.Context.Err())
	}
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		r, failed := f()
		done <- result{r, failed}
	}()
	select {
	case r := <-done:
		return r.v, r.err
	case <-s.Context.Done():
		return v, Ended(s.Context.Err())
	}
}

// Note tells a person something that is not a result.
func (s *Session) Note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if s.Log != nil {
		s.Log.Warn(text)
		return
	}
	fmt.Fprintf(s.Stderr, "sparsekm: %s\n", text)
}

// fail prints the error that ends the command.
func (s *Session) fail(err error) {
	text := strings.TrimPrefix(err.Error(), "sparsekm: ")
	if s.Log != nil {
		s.Log.Error(text)
		return
	}
	fmt.Fprintln(s.Stderr, "sparsekm:", text)
}

// Main runs a command and ends the process with the status that run returns. The first interrupt ends the context: the
// work stops and keeps its best result. A second interrupt ends the process.
func Main(run func(ctx context.Context) (status int)) {
	if !slices.ContainsFunc(os.Args, func(arg string) bool { return strings.Contains(arg, "mem=") }) {
		runtime.MemProfileRate = 0 // a fiftieth of a small training goes into samples for nobody
	}
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		<-signals
		os.Exit(Interrupted)
	}()
	os.Exit(run(ctx))
}

// Exit statuses; docs/reference/exit.md has the table of what ends with which.
const (
	Done   = 0
	Failed = 1
	Usage  = 2
	Limit  = 3

	Interrupted = 130 // by a second interrupt, as shells have it
)

// ErrLimit says that a limit came first and that the result written is the best so far.
var ErrLimit = errors.New("stopped by a limit")

// ErrInterrupted says that an interrupt came before there was a result.
var ErrInterrupted = errors.New("interrupted before there was a result")

// usageError is a mistake on the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Usagef returns an error for a mistake on the command line, with the words of [fmt.Errorf].
func Usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// AsUsage makes err, which may not be nil, a mistake on the command line.
func AsUsage(err error) error { return usageError{err} }

// Ended turns the end of a context into the words for an interrupt or a time limit. Other errors stay as they are.
func Ended(err error) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s before there was a result", status.TimeLimit)
	case errors.Is(err, context.Canceled):
		return ErrInterrupted
	}
	return err
}

// StatusOf returns the exit status of a command that ended with err.
func StatusOf(err error) int {
	switch {
	case err == nil:
		return Done
	case errors.Is(err, ErrLimit):
		return Limit
	case errors.As(err, new(usageError)):
		return Usage
	}
	return Failed
}

// WriteJSON prints v on standard output, one object on one line. Numbers that are not finite are null; the others have
// the shortest digits that read back to the same float64.
func (s *Session) WriteJSON(v any) error { return fileformat.Encode(s.Stdout, v) }

// Show prints a report: as an object for --json, else for people unless they want none.
func (s *Session) Show(report any, print func(w io.Writer)) error {
	if s.JSON {
		return s.WriteJSON(report)
	}
	if !s.Quiet {
		print(s.Stdout)
	}
	return nil
}

// WriteFile writes name in one piece: a failure leaves the old file as it was.
// The name "-" or "" is standard output.
func (s *Session) WriteFile(name string, write func(io.Writer) error) error {
	if name == "" || name == "-" {
		w := bufio.NewWriter(s.Stdout)
		return errors.Join(write(w), w.Flush())
	}
	return fileformat.Write(name, write)
}

// stopping returns w as a writer that fails when the session ends.
func (s *Session) Stopping(w io.Writer) io.Writer { return stoppingWriter{s, w} }

type stoppingWriter struct {
	s *Session
	w io.Writer
}

func (w stoppingWriter) Write(b []byte) (int, error) {
	if err := w.s.Context.Err(); err != nil {
		return 0, Ended(err)
	}
	return w.w.Write(b)
}

// Streams are what a command reads and writes.
type Streams struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Run parses args and runs the command that they name. It returns the exit status.
func Run(ctx context.Context, args []string, std Streams, p *Program) (status int) {
	start, out := time.Now(), &CheckedWriter{W: std.Stdout}
	l, err := p.parse(args)
	if err != nil {
		fmt.Fprintf(std.Stderr, "sparsekm: %s (see %s --help)\n", err, p.Name)
		return Usage
	}
	if l.shows() {
		if l.show(out); out.Failed() != nil {
			fmt.Fprintln(std.Stderr, "sparsekm:", out.Failed())
			return Failed
		}
		return Done
	}
	if cpu.Ignored() != "" {
		fmt.Fprintf(std.Stderr, "sparsekm: warning: %s is ignored: %s\n", cpu.EnvVar, cpu.Ignored())
	}
	s := &Session{Context: ctx, Start: start, Stdin: std.Stdin, Stdout: out, Stderr: std.Stderr,
		JSON: l.common.JSON, Set: l.set}
	err = s.run(l)
	if err == nil || errors.Is(err, ErrLimit) {
		err = cmp.Or(out.Failed(), err)
	}
	if err != nil && !errors.Is(err, ErrLimit) {
		s.fail(err)
	}
	return StatusOf(err)
}

// show writes the help or the version.
func (l *line) show(w io.Writer) {
	if l.common.Show.asked {
		fmt.Fprint(w, l.help(columns(w)))
	} else {
		fmt.Fprintln(w, l.program.Version())
	}
}

// run checks what every command line is held to, and runs the command.
func (s *Session) run(l *line) error {
	if err := s.checkFiles(l); err != nil {
		return err
	}
	if slices.ContainsFunc(l.flags, func(f *Flag) bool { return f.Name == "mem" }) {
		if err := Room(); err != nil {
			return err
		}
	}
	if r, ok := l.runner.(interface{ watched() *ProgressFlags }); ok {
		s.listen(r.watched())
	}
	if r, ok := l.runner.(interface{ budget() int64 }); ok {
		s.Memory = r.budget()
		defer LimitMemory(s.Memory)()
	}
	if r, ok := l.runner.(interface{ deadline() time.Duration }); ok {
		limited, cancel := s.WithTimeLimit(r.deadline())
		defer cancel()
		s = limited
	}
	return profiled(l.common.Profile, func() error { return l.runner.Run(s) })
}

// SetFlags are the names of the flags on the command line, in its order: a flag that is there
// and has no effect is refused, also with the value that it has by default.
type SetFlags []string

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
