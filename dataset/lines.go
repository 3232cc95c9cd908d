package dataset

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// eachLine calls f with every line of r; f reports whether the line has a row. o bounds the bytes of a line, and the
// bytes between two rows.
func eachLine(r io.Reader, file string, o *Options, f func(line []byte) (used bool, err error)) error {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 0, min(64<<10, o.maxLine())), o.maxLine())
	line := 0
	for skipped := 0; sc.Scan(); {
		line++
		used, err := f(sc.Bytes())
		if err != nil {
			return err
		}
		if skipped += 1 + len(sc.Bytes()); used {
			skipped = 0
		} else if skipped > o.maxLine() {
			return &Error{File: file, Line: line, Found: fmt.Sprintf("%d bytes without a row", skipped),
				Want: fmt.Sprintf("at most %d", o.maxLine())}
		}
	}
	switch err := sc.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return &Error{File: file, Line: line + 1,
			Found: fmt.Sprintf("a line of more than %d bytes", o.maxLine()), Want: "a shorter one"}
	case err != nil:
		return fmt.Errorf("%s:%d: %w", file, line+1, err)
	}
	return nil
}
