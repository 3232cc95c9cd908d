package main

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
)

// body reads the request whole, decompressed.
func (s *Server) body(r *http.Request) ([]byte, error) {
	coding := r.Header.Get("Content-Encoding")
	in, err := expand(r.Body, coding)
	var b bytes.Buffer
	if err == nil {
		err = s.take(r, &b, io.LimitReader(in, s.config.MaxBody+1))
	}
	switch {
	case errors.As(err, new(*http.MaxBytesError)), err == nil && int64(b.Len()) > s.config.MaxBody:
		return nil, failf(http.StatusRequestEntityTooLarge, "found more than %d bytes, want at most so many",
			s.config.MaxBody)
	case err == nil:
		return b.Bytes(), nil
	case errors.As(err, new(failure)):
		return nil, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, failf(http.StatusRequestTimeout, "the request did not come whole within %v", s.config.Timeout)
	case in != r.Body && !errors.Is(err, io.ErrUnexpectedEOF):
		return nil, failf(http.StatusBadRequest, "the request is no %s data: %w", coding, err)
	}
	return nil, failf(http.StatusBadRequest, "the request ended before its body did: %w", err)
}

// take reads as much as comes. What a client only announces takes no memory from others.
func (s *Server) take(r *http.Request, b *bytes.Buffer, in io.Reader) error {
	c := s.client(r)
	size := int64(4 << 10)
	if r.ContentLength >= 0 && r.ContentLength < size {
		size = r.ContentLength + 1
	}
	for ; ; size *= 2 {
		if err := s.hold(c, 2*(int64(b.Len())+size)); err != nil {
			return err
		}
		b.Grow(int(size) + bytes.MinRead)
		n, err := b.ReadFrom(io.LimitReader(in, size))
		if err != nil || n < size {
			return err
		}
	}
}

// expand decompresses what a client compressed. HTTP's "deflate" is zlib.
func expand(in io.Reader, coding string) (io.Reader, error) {
	switch strings.ToLower(coding) {
	case "", "identity":
		return in, nil
	case "gzip":
		return gzip.NewReader(in)
	case "deflate":
		return zlib.NewReader(in)
	}
	return in, failf(http.StatusUnsupportedMediaType, "found the content encoding %q, want gzip, deflate or none", coding)
}

// worthCompressing is the length from which answers are compressed for clients that take them so.
const worthCompressing = 4 << 10

// compress compresses an answer if its client says that it takes gzip or deflate.
func compress(text []byte, accept string) (out []byte, coding string) {
	if len(text) < worthCompressing {
		return text, ""
	}
	var b bytes.Buffer
	var w io.WriteCloser
	switch {
	case accepts(accept, "gzip"):
		coding = "gzip"
		w, _ = gzip.NewWriterLevel(&b, gzip.BestSpeed) // a level that there is
	case accepts(accept, "deflate"):
		coding = "deflate"
		w, _ = zlib.NewWriterLevel(&b, zlib.BestSpeed)
	default:
		return text, ""
	}
	_, err := w.Write(text)
	if err = errors.Join(err, w.Close()); err != nil {
		panic("serve: " + err.Error()) // memory takes everything
	}
	return b.Bytes(), coding
}

// accepts reports whether a list of codings has one, without a weight of 0.
func accepts(list, coding string) bool {
	for item := range strings.SplitSeq(list, ",") {
		name, weight, _ := strings.Cut(item, ";")
		if strings.EqualFold(strings.TrimSpace(name), coding) {
			_, q, weighted := strings.Cut(weight, "=")
			v, err := strconv.ParseFloat(strings.TrimSpace(q), 64)
			return !weighted || err == nil && v > 0
		}
	}
	return false
}
