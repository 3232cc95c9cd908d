package main

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"

	"github.com/sparsekm/sparsekm/dataset"
)

// rowsOf reads rows of a table's columns: objects of cells by their names, or arrays of the cells of all columns that
// have features, or of all but the label's, in the order of the training. A name that an object lacks is a missing
// cell. Rows of numbers alone that have none of these widths are not some.
func (v *version) rowsOf(rows []any, numbers bool) (set *dataset.Set, some bool, err error) {
	fail := func(format string, a ...any) (*dataset.Set, bool, error) {
		return nil, true, failf(http.StatusBadRequest, "the request: "+format, a...)
	}
	if len(rows) == 0 {
		return nil, false, nil
	}
	names, ok := v.names(rows)
	_, list := rows[0].([]any)
	if !ok && (numbers || !list) {
		return nil, false, nil
	} else if !ok {
		return fail("found rows of %d cells, want %d, as many as the model has columns, or objects", len(rows[0].([]any)),
			len(v.inputs(false)))
	}
	for _, name := range names {
		if !slices.ContainsFunc(v.clf.Columns(), func(c dataset.Column) bool { return c.Name == name }) {
			return fail("found the unknown column %.400q, want only columns that the training had", name)
		}
	}
	if largest := maxNumbers / len(names); len(rows) > largest {
		return nil, true, failf(http.StatusRequestEntityTooLarge, "found %d rows, want at most %d in one request", len(rows),
			largest)
	}
	columns := make([]records, len(names))
	for j, name := range names {
		columns[j] = records{text: make([][]byte, len(rows)), numbers: make([]float64, len(rows))}
		for i, row := range rows {
			cell, found := cellOf(row, name, j, len(names), list)
			if !found {
				return fail("row %d (from 0): found no %d cells, want as many as row 0, or an object as there", i, len(names))
			}
			if err = columns[j].take(i, cell); err != nil {
				return fail("row %d (from 0), column %q: %w", i, name, err)
			}
		}
	}
	cells := make([]dataset.Cells, len(names))
	for j, name := range names {
		cells[j] = columns[j].cells(name)
		if !v.clf.Columns().Named() {
			cells[j].Name = ""
		}
	}
	set, err = v.read(cells, len(rows))
	return set, true, err
}

// inputs are the names of the columns that have features; with all of those that were left out, too.
func (v *version) inputs(all bool) (names []string) {
	for _, c := range v.clf.Columns() {
		if c.Role != dataset.RoleLabel && (all || c.Role != dataset.RoleUnused) {
			names = append(names, c.Name)
		}
	}
	return names
}

// names are those of the cells of rows, which are all arrays or all objects.
func (v *version) names(rows []any) (names []string, ok bool) {
	if first, is := rows[0].([]any); is {
		for _, all := range []bool{false, true} {
			if names = v.inputs(all); len(names) == len(first) {
				return names, true
			}
		}
		return nil, false
	}
	found := make(map[string]bool)
	for _, row := range rows {
		object, is := row.(map[string]any)
		if !is {
			return nil, false
		}
		for name := range object {
			if !found[name] {
				found[name], names = true, append(names, name)
			}
		}
	}
	return names, len(names) > 0
}

// cellOf is the cell of a row by its name, or of a list by its place among n.
func cellOf(row any, name string, place, n int, list bool) (cell any, ok bool) {
	cells, is := row.([]any)
	if list && is && len(cells) == n {
		return cells[place], true
	}
	object, is := row.(map[string]any)
	return object[name], is && !list
}

// records are the cells of a column, one of each row.
type records struct {
	text    [][]byte // nil for a number
	numbers []float64
	truths  bool // truth values are among them
	amounts bool // numbers are
}

// take adds a cell.
func (r *records) take(i int, cell any) (err error) {
	r.numbers[i] = math.NaN()
	switch cell := cell.(type) {
	case nil:
	case bool:
		if r.numbers[i], r.truths = 0, true; cell {
			r.numbers[i] = 1
		}
	case json.Number:
		r.amounts = true
		if r.numbers[i], err = cell.Float64(); err != nil {
			return fmt.Errorf("found %.20s, want a finite number", cell)
		}
	case string:
		r.text[i] = []byte(cell)
	default:
		return fmt.Errorf("found an array or an object, want a number, text, true, false or null")
	}
	return nil
}

func (r *records) cells(name string) dataset.Cells {
	c := dataset.Cells{Name: name, Numbers: r.numbers, Text: func(row int) []byte { return r.text[row] }}
	if r.truths && !r.amounts {
		c.Role = dataset.RoleYesNo
	}
	return c
}
