package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"math"

	"github.com/sparsekm/sparsekm/internal/atomicfile"
)

// writeJSON prints v on standard output, one object on one line. encoding/json
// writes the shortest digits that read back to the same float64.
func (s *session) writeJSON(v any) error {
	enc := json.NewEncoder(s.stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// writeFile writes name in one piece: a failure leaves the old file as it was.
// The name "-" or "" is standard output.
func (s *session) writeFile(name string, write func(io.Writer) error) error {
	if name == "" || name == "-" {
		w := bufio.NewWriter(s.stdout)
		return errors.Join(write(w), w.Flush())
	}
	return atomicfile.Write(name, write)
}

// stopping returns w as a writer that fails when the session ends.
func (s *session) stopping(w io.Writer) io.Writer { return stoppingWriter{s, w} }

type stoppingWriter struct {
	s *session
	w io.Writer
}

func (w stoppingWriter) Write(b []byte) (int, error) {
	if err := w.s.ctx.Err(); err != nil {
		return 0, stopped(err)
	}
	return w.w.Write(b)
}

// numbers multiplies by sign, leaves no -0, and makes JSON out of what is not finite.
func numbers(v []float64, sign float64) []number {
	n := make([]number, len(v))
	for i := range v {
		n[i] = unsigned(sign * v[i])
	}
	return n
}

// unsigned is v, and 0 of -0.
func unsigned(v float64) number { return number(v + 0) }

// number is a float64 that JSON shows as null when it is not finite.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if v := float64(n); math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}
