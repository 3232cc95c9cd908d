package simplex

import (
	"bufio"
	"bytes"
	"io"
	"strings"
)

// ReadModelWithin reads a program in LP format where the file begins with a comment or an objective of that format,
// and in MPS format otherwise: see [ReadLPWithin] and [ReadMPSWithin].
func ReadModelWithin(r io.Reader, maxBytes int64) (*Model, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	head, err := in.Peek(1 << 16)
	if err != nil && len(head) == 0 && err != io.EOF {
		return nil, err
	}
	if beginsLP(head) {
		return ReadLPWithin(in, maxBytes)
	}
	return ReadMPSWithin(in, maxBytes)
}

// beginsLP reports whether the first word of a file, but for lines that an MPS file has for comments, is one of
// an LP file.
func beginsLP(head []byte) bool {
	for line := range bytes.Lines(head) {
		words := strings.Fields(string(line))
		if len(words) == 0 || words[0][0] == '*' {
			continue
		}
		section := sections[strings.ToLower(words[0])]
		return words[0][0] == '\\' || section == "minimize" || section == "maximize"
	}
	return false
}
