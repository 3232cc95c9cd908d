package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/predict"
)

// KServe's protocol, version 1, which TensorFlow Serving began: rows in "instances". KServe takes them in "inputs" too,
// where TensorFlow Serving has columns, or one tensor by its name, and answers "outputs".

type v1Request struct {
	Instances json.RawMessage `json:"instances,omitempty" about:"rows of numbers or cells, one row, or objects of cells"`
	Inputs    json.RawMessage `json:"inputs,omitempty" about:"the same, or an object of columns"`
}

type v1Answer struct {
	Predictions any `json:"predictions" about:"labels, as numbers if all are numbers, or values"`
	Outputs     any `json:"outputs,omitempty" about:"the same, for inputs"`
}

// predictV1 answers with labels or values alone, as the protocol has it.
func (s *Server) predictV1(r *http.Request, m *served, v *version) (any, error) {
	if err := onlyJSON(r); err != nil {
		return nil, err
	}
	var q v1Request
	read := func(body []byte) (*dataset.Set, error) {
		if err := decode(body, &q, false); err != nil {
			return nil, err
		}
		if (q.Instances == nil) == (q.Inputs == nil) {
			return nil, failf(http.StatusBadRequest, `the request: want {"instances": [[cells of a row], ...]}, or "inputs"`)
		}
		return v.instances(slices.Concat(q.Instances, q.Inputs))
	}
	return s.worked(r, m, v, read, func(p *predict.Predictions, _ *dataset.Set) (any, error) {
		a := v1Answer{Predictions: p.Decisions}
		if p.Classes != nil {
			a.Predictions = plain(p.Labels(), v.clf.Labels())
		}
		if q.Inputs != nil {
			a.Outputs = a.Predictions
		}
		return a, nil
	})
}

// plain is labels as scikit-learn has them: numbers where those of all classes are numbers in JSON.
func plain(labels, classes []string) any {
	for _, label := range classes {
		if _, err := strconv.ParseFloat(label, 64); err != nil || !json.Valid([]byte(label)) {
			return labels
		}
	}
	numbers := make([]json.Number, len(labels))
	for i, label := range labels {
		numbers[i] = json.Number(label)
	}
	return numbers
}

// instances reads rows in each of their forms.
func (v *version) instances(text []byte) (*dataset.Set, error) {
	if cells := bytes.Count(text, []byte(",")); cells > maxNumbers {
		return nil, failf(http.StatusRequestEntityTooLarge, "found %d cells, want at most %d in one request", cells,
			maxNumbers)
	}
	var m matrix
	var rows []any
	err := m.UnmarshalJSON(text)
	switch {
	case err != nil:
		if rows, err = v.unfold(value(text)); err != nil {
			return nil, err
		}
		if text, err = json.Marshal(rows); err == nil {
			err = m.UnmarshalJSON(text)
		}
	case m.n < 0 && v.clf.NumFeatures() == 1:
		m.n, m.d = len(m.x), 1
	case m.n < 0 && len(m.x) > 0:
		m.n, m.d = 1, len(m.x)
	}
	return v.samples(&m, err, func() []any {
		if rows == nil {
			rows, _ = v.unfold(value(text)) // numbers, which it takes
		}
		return rows
	})
}

// unfold returns rows, each an array or an object of cells.
func (v *version) unfold(value any) (rows []any, err error) {
	switch x := value.(type) {
	case map[string]any:
		return v.frame(x)
	case []any:
		for i, row := range x {
			switch row := row.(type) {
			case []any:
				rows = append(rows, row)
			case map[string]any:
				some, err := v.frame(row)
				if err != nil {
					return nil, err
				}
				rows = append(rows, some...)
			default:
				if i == 0 {
					return []any{x}, nil // one row
				}
				return nil, failf(http.StatusBadRequest, "the request: row %d (from 0): found a cell, want a row as before it", i)
			}
		}
		return rows, nil
	}
	return nil, failf(http.StatusBadRequest, "the request: found instances that are no array or object, want rows")
}

// frame returns the rows of an object: one of cells, or of columns as pandas writes them, arrays or objects of cells by
// their index. A single array under the name of no column is the tensor of TensorFlow Serving.
func (v *version) frame(object map[string]any) (rows []any, err error) {
	names := slices.Sorted(maps.Keys(object))
	columns := make([][]any, len(names))
	long := 0
	for j, name := range names {
		switch x := object[name].(type) {
		case []any:
			columns[j] = x
		case map[string]any:
			for _, key := range slices.SortedFunc(maps.Keys(x), func(a, b string) int {
				return cmp.Or(len(a)-len(b), cmp.Compare(a, b))
			}) {
				columns[j] = append(columns[j], x[key])
			}
		default:
			continue
		}
		long++
	}
	if len(names) == 1 && len(columns[0]) > 0 && v.column(names[0]) == nil {
		if _, several := columns[0][0].([]any); several {
			return columns[0], nil
		}
		return []any{columns[0]}, nil
	}
	if long == 0 {
		return []any{object}, nil
	}
	for j, name := range names {
		if len(columns[j]) != len(columns[0]) || columns[j] == nil {
			return nil, failf(http.StatusBadRequest, "the request: column %.400q: found %d cells, want an array of as many as "+
				"column %.400q has", name, len(columns[j]), names[0])
		}
	}
	for i := range columns[0] {
		row := make(map[string]any, len(names))
		for j, name := range names {
			row[name] = columns[j][i]
		}
		rows = append(rows, row)
	}
	return rows, nil
}
