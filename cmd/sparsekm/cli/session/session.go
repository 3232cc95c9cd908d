// Package session is what every command of a command line shares: where it reads and writes, its limits, how it
// shows progress, and the exit status that it ends with.
package session

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// Session is what a command gets to run with. Its fields do not change while the command runs.
type Session struct {
	Context        context.Context // done after the first interrupt
	Start          time.Time       // when the command began: time limits count from here
	Stdin          io.Reader
	Stdout, Stderr io.Writer
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
