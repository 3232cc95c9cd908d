//go:build noarchives

package model

import (
	"fmt"
	"io"
)

// readSkops is for programs that do without archives (0.1 MB) by the build tag noarchives.
func readSkops(_ io.Reader, file string) (*Classifier, error) {
	return nil, fmt.Errorf("%s: found a skops file, but the program was built with -tags noarchives", file)
}
