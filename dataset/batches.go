package dataset

import (
	"bufio"
	"io"
)

// Batches reads samples as [Read] does and calls f with sets of them, in the order of the file. Before it waits for
// more bytes it passes on the samples that it has, so that f gets the samples of a pipe as they arrive. A batch has
// at most 4 MiB of features, or one sample, so the memory does not depend on the length of the file.
//
// A set belongs to f; its Labels are the batch's. D and Ragged are for the file so far; in a LIBSVM file D may grow
// unless Options.Features fixes it. Samples before a bad line come before its error. An error of f ends the reading and
// is returned. The header rule of [ReadCSV] uses only the lines that arrived with the first one.
func Batches(r io.Reader, file string, o Options, f func(*Set) error) error {
	b, format, err := open(r, file, &o)
	if err != nil {
		return err
	}
	s := &batches{b: b, f: f}
	s.p = newParser(format, s, file, o, 1)
	bad := s.p.read(s.full)
	if err = s.flush(); err != nil {
		return err
	}
	if bad == nil && !s.some {
		_, bad = s.p.set() // an error: there are no samples
	}
	return bad
}

// batches is a parser's reader. It passes on the parser's rows before it waits for bytes.
type batches struct {
	b    *bufio.Reader
	p    parser // nil while its constructor reads
	some bool   // there was a sample
	f    func(*Set) error
	err  error // of f
}

// Read passes on the rows so far if it would have to wait.
func (s *batches) Read(to []byte) (int, error) {
	if s.b.Buffered() == 0 {
		if err := s.flush(); err != nil {
			return 0, err
		}
	}
	return s.b.Read(to)
}

// full passes on n rows of d stored features if they fill a batch.
func (s *batches) full(n, d int) error {
	const most = 4 << 20 / 8
	if (n+1)*(d+1) > most {
		return s.flush()
	}
	return nil
}

func (s *batches) flush() error {
	if s.err != nil || s.p == nil || s.p.rows() == 0 {
		return s.err
	}
	set, err := s.p.set()
	if s.p.forget(); err == nil {
		err = s.f(set)
	}
	s.some, s.err = true, err
	return err
}
