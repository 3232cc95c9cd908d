package trees

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxScores bounds the scores of a sample.
const maxScores = 100_000

// memoryShare is how many bytes the reading of a byte of a file may take.
const memoryShare = 32

// HeadBytes is the number of bytes that [Known] looks at.
const HeadBytes = 64

// Known reports whether a file that begins with these bytes is for [Read], which may still refuse it.
func Known(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	line, _, ended := bytes.Cut(head, []byte("\n"))
	return ended && string(bytes.TrimSpace(line)) == "tree" || bytes.HasPrefix(head, []byte("{")) &&
		bytes.Contains(head[:min(len(head), HeadBytes)], []byte("learner"))
}

// Read reads a file of LightGBM or XGBoost, whose name errors have, within so many bytes of memory.
func Read(r io.Reader, name string, maxBytes int64) (*Model, error) {
	largest := max(1, maxBytes/memoryShare)
	data, err := io.ReadAll(io.LimitReader(r, largest+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case int64(len(data)) > largest:
		return nil, fmt.Errorf("%s: %w: found more than %d bytes", name, ErrMemory, largest)
	case !Known(data):
		return nil, fmt.Errorf("%s: found neither LightGBM's text nor XGBoost's JSON", name)
	}
	data = bytes.TrimLeft(data, " \t\r\n")
	if data[0] == '{' {
		return readXGBoost(name, data)
	}
	return readLightGBM(name, data)
}

// ErrMemory is the error of a file that is too large for the memory that it may take.
var ErrMemory = errors.New("trees do not fit the memory")
