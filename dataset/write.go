package dataset

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteLIBSVM writes the set as lines of label index:value with indices from 1, or from 0 with ZeroBased. It leaves out
// zeros, except that the first line has the last feature, which keeps the number of features, and index 0 if there is
// one. Numbers read back to the same float64.
func (s *Set) WriteLIBSVM(w io.Writer) error {
	b := bufio.NewWriter(w)
	var line []byte
	first := 1
	if s.ZeroBased {
		first = 0
	}
	for i := range s.N {
		label := s.target(i)
		if !s.Targeted() {
			label = "0"
		}
		if label == "" || strings.ContainsAny(label, " \t\r\n\v\f:#") {
			return fmt.Errorf("dataset: label %q cannot be written in a LIBSVM file", label)
		}
		line = append(line[:0], label...)
		for k, v := range s.Row(i) {
			if v != 0 || i == 0 && (k == s.D-1 || k == 0 && s.ZeroBased) {
				line = append(line, ' ')
				line = strconv.AppendInt(line, int64(first+k), 10)
				line = append(line, ':')
				line = strconv.AppendFloat(line, v, 'g', -1, 64)
			}
		}
		b.Write(append(line, '\n'))
	}
	return b.Flush()
}

// target is the text of row i's label or regression target; "" without.
func (s *Set) target(i int) string {
	switch {
	case s.Y != nil:
		return s.Labels[s.Y[i]]
	case s.Targets != nil:
		return strconv.FormatFloat(s.Targets[i], 'g', -1, 64)
	}
	return ""
}

// WriteCSV writes a header, then the features and, in the last column, the label or the regression target. Columns
// without a name are x1, x2, ...; the last one is "label" or "value".
func (s *Set) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	rec := make([]string, s.D, s.D+1)
	for k := range rec {
		rec[k] = fmt.Sprintf("x%d", k+1)
	}
	copy(rec, s.Features)
	if s.Y != nil {
		rec = append(rec, "label")
	} else if s.Targets != nil {
		rec = append(rec, "value")
	}
	if err := c.Write(rec); err != nil {
		return err
	}
	for i := range s.N {
		for k, v := range s.Row(i) {
			rec[k] = strconv.FormatFloat(v, 'g', -1, 64)
		}
		if s.Targeted() {
			rec[s.D] = s.target(i)
		}
		if err := c.Write(rec); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}
