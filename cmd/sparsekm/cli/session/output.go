package session

import (
	"bufio"
	"errors"
	"io"

	"github.com/sparsekm/sparsekm/internal/atomicfile"
	"github.com/sparsekm/sparsekm/internal/numjson"
)

// WriteJSON prints v on standard output, one object on one line. Numbers that are not finite are null; the others have
// the shortest digits that read back to the same float64.
func (s *Session) WriteJSON(v any) error { return numjson.Encode(s.Stdout, v) }

// WriteFile writes name in one piece: a failure leaves the old file as it was.
// The name "-" or "" is standard output.
func (s *Session) WriteFile(name string, write func(io.Writer) error) error {
	if name == "" || name == "-" {
		w := bufio.NewWriter(s.Stdout)
		return errors.Join(write(w), w.Flush())
	}
	return atomicfile.Write(name, write)
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
