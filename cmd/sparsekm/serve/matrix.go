package serve

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// matrix is an array of numbers in JSON, or an array of rows of numbers. encoding/json would take null for 0.
type matrix struct {
	x    []float64 // row-major
	n, d int       // of rows; n is -1 for an array of numbers
}

// UnmarshalJSON reads what is JSON already.
func (m *matrix) UnmarshalJSON(text []byte) error {
	*m = matrix{n: -1, d: -1}
	depth, row := 0, 0 // row: where the row that is open begins in x
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '[':
			if depth++; depth > 2 {
				return errors.New("found an array in a row, want numbers")
			}
			if depth == 2 {
				if m.n < 0 && len(m.x) > 0 {
					return errors.New("found numbers and rows side by side, want one or the other")
				}
				m.n, row = max(m.n, 0), len(m.x)
			}
			i++
		case ']':
			if depth--; depth == 1 {
				if m.d >= 0 && len(m.x)-row != m.d {
					return fmt.Errorf("row %d (from 0): found %d numbers, want %d, as many as in row 0", m.n, len(m.x)-row, m.d)
				}
				m.d = len(m.x) - row
				m.n++
			}
			i++
		case ',', ' ', '\t', '\r', '\n':
			i++
		default:
			end := i + 1
			for end < len(text) && !slices.Contains([]byte(",] \t\r\n"), text[end]) {
				end++
			}
			if err := m.number(string(text[i:end]), depth); err != nil {
				return err
			}
			i = end
		}
	}
	return nil
}

// number adds a value at some depth of brackets.
func (m *matrix) number(text string, depth int) error {
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case depth == 0:
		return fmt.Errorf("found %.20s, want an array of numbers", text)
	case depth == 1 && m.n >= 0:
		return errors.New("found numbers and rows side by side, want one or the other")
	case err != nil || math.IsInf(v, 0):
		return fmt.Errorf("found %.20s at number %d (from 0), want a finite number", text, len(m.x))
	}
	m.x = append(m.x, v)
	return nil
}
