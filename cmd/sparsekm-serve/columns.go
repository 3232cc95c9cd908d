package main

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"

	"github.com/sparsekm/sparsekm/dataset"
)

// A model of a table takes its columns, too: an input for each, named as the column, or all in one input of text. They
// become the CSV text that /predict reads, so that a cell means the same in every request.

// features are the samples of a request.
func (v *version) features(inputs []cells) (set *dataset.Set, err error) {
	if len(inputs) == 0 {
		return nil, failf(http.StatusBadRequest, "found 0 inputs, want one of the shape [rows, features]")
	}
	in := &inputs[0]
	if len(inputs) == 1 && in.text == nil && (in.d != 1 || v.column(in.name) == nil) {
		for i, x := range in.x {
			if math.IsNaN(x) {
				return nil, failf(http.StatusBadRequest, "input %q: found NaN in row %d, feature %d (from 0), want a number",
					in.name, i/in.d, i%in.d)
			}
		}
		return &dataset.Set{X: in.x, N: in.n, D: in.d}, nil
	}
	names, err := v.table(inputs)
	if err != nil {
		return nil, failf(http.StatusBadRequest, "%w", err)
	}
	header := dataset.HeaderYes
	var text []byte
	if names == nil {
		header = dataset.HeaderNo
	} else {
		for j, name := range names {
			text = appendCell(text, j, name)
		}
		text = append(text, '\n')
	}
	for k := range inputs {
		if c := v.column(inputs[k].name); c != nil && inputs[k].bool && len(c.Categories) == 2 {
			inputs[k].pair = c.Categories
		}
	}
	for i := range in.n {
		j := 0
		for k := range inputs {
			for c := range inputs[k].d {
				text = appendCell(text, j, inputs[k].cell(i, c))
				j++
			}
		}
		text = append(text, '\n')
	}
	set, err = readCSV(text, v, header)
	if e, ok := errors.AsType[*dataset.Error](err); ok && e.Line > 1 {
		row := e.Line - 1
		if names != nil {
			row--
		}
		e.File, e.Line, e.Col = fmt.Sprintf("row %d (from 0)", row), 0, 0
	}
	if err != nil {
		return nil, failf(http.StatusBadRequest, "%w", err)
	}
	return set, nil
}

// column finds a column that has features by its name.
func (v *version) column(name string) *dataset.Column {
	columns := v.clf.Columns()
	i := slices.IndexFunc(columns, func(c dataset.Column) bool {
		return c.Name == name && name != "" && c.Role != dataset.RoleLabel && c.Role != dataset.RoleUnused
	})
	if i < 0 {
		return nil
	}
	return &columns[i]
}

// table checks that inputs are columns of the model, and returns their names; nil for columns that have none.
func (v *version) table(inputs []cells) (names []string, err error) {
	var all []string
	for _, c := range v.clf.Columns() {
		if c.Role != dataset.RoleLabel && c.Role != dataset.RoleUnused {
			all = append(all, c.Name)
		}
	}
	in := &inputs[0]
	switch {
	case len(all) == 0 && len(inputs) > 1:
		return nil, fmt.Errorf("found %d inputs, want one of the shape [rows, features]: the model has no columns",
			len(inputs))
	case len(all) == 0:
		return nil, fmt.Errorf("input %q: found the datatype BYTES, want numbers: the model has no columns of text", in.name)
	case len(inputs) == 1 && v.column(in.name) == nil:
		if in.d != len(all) {
			return nil, fmt.Errorf("input %q: found rows of %d cells, want %d, as many as the model has columns", in.name, in.d,
				len(all))
		}
		if !v.clf.Columns().Named() {
			return nil, nil
		}
		return all, nil
	}
	for i := range inputs {
		c := &inputs[i]
		switch {
		case v.column(c.name) == nil:
			return nil, fmt.Errorf("found the input %q, want columns of the model: %.400q", c.name, all)
		case slices.Contains(names, c.name):
			return nil, fmt.Errorf("found the input %q twice", c.name)
		case c.d != 1 || c.n != in.n:
			return nil, fmt.Errorf("input %q: found %d rows of %d cells, want %d rows of one: a column", c.name, c.n, c.d, in.n)
		}
		names = append(names, c.name)
	}
	return names, nil
}

// cell is the text of a value; NaN is a missing one.
func (c *cells) cell(row, j int) string {
	pos := row*c.d + j
	if c.text != nil {
		return c.text[pos]
	}
	x := c.x[pos]
	if math.IsNaN(x) {
		return ""
	}
	if c.pair != nil {
		return c.pair[int(x)]
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// appendCell quotes every cell: a line of one empty cell is no row otherwise.
func appendCell(b []byte, j int, text string) []byte {
	if j > 0 {
		b = append(b, ',')
	}
	b = append(b, '"')
	for i := range len(text) {
		if text[i] == '"' {
			b = append(b, '"')
		}
		b = append(b, text[i])
	}
	return append(b, '"')
}
