package main

import (
	"fmt"
	"math"
	"net/http"
	"slices"

	"github.com/sparsekm/sparsekm/dataset"
)

// A model of a table takes its columns, too: an input for each, named as the column, or all in one input of text. They
// are read as a file is, so that a cell means the same in every request.

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
	var columns []dataset.Cells
	for k := range inputs {
		for j := range inputs[k].d {
			columns = append(columns, inputs[k].column(j))
		}
	}
	for j, name := range names {
		columns[j].Name = name
	}
	return v.read(columns, in.n)
}

// read reads rows in columns.
func (v *version) read(columns []dataset.Cells, n int) (*dataset.Set, error) {
	set, err := dataset.ReadTable(columns, n, nil, dataset.Options{Columns: v.clf.Columns(), MaxBytes: maxTable})
	if err != nil {
		return nil, failf(http.StatusBadRequest, "%w", err)
	}
	return set, nil
}

// maxTable bounds the memory of the samples of a request.
const maxTable = 64 << 20

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

// column is column j of the values.
func (c *cells) column(j int) (to dataset.Cells) {
	if c.text != nil {
		to.Text = func(row int) []byte { return []byte(c.text[row*c.d+j]) }
		return to
	}
	if to.Numbers = c.x; c.d > 1 {
		to.Numbers = make([]float64, c.n)
		for i := range to.Numbers {
			to.Numbers[i] = c.x[i*c.d+j]
		}
	}
	if c.bool {
		to.Role = dataset.RoleYesNo
	}
	return to
}
