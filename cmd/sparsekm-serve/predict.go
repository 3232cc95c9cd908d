package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/fileformat"
	"github.com/sparsekm/sparsekm/internal/predict"
)

// maxNumbers bounds the features, decisions and probabilities of one request.
const maxNumbers = 1 << 20

// answerTo predicts samples, with probabilities and prediction sets where the model has them.
func (s *Server) answerTo(ctx context.Context, v *version, set *dataset.Set) (*predict.Predictions, error) {
	clf, n, d := v.clf, set.N, set.D
	switch want, largest := clf.NumFeatures(), maxNumbers/(d+clf.NumSubmodels()+clf.NumClasses()+1); {
	case n < 1:
		return nil, failf(http.StatusBadRequest, "found no row, want at least one")
	case d != want:
		return nil, failf(http.StatusBadRequest, "found rows of %d features, want %d, as many as the model has", d, want)
	case n > largest:
		return nil, failf(http.StatusRequestEntityTooLarge, "found %d rows, want at most %d in one request", n, largest)
	}
	probable := !clf.Task().Real() && clf.Calibrated() == nil
	p, err := predict.Set(ctx, clf, set, 1, probable) // requests have the threads
	if err == nil && clf.Covers() == nil {
		err = p.AddSets(ctx, set, 1)
	}
	if err != nil {
		return nil, failf(http.StatusServiceUnavailable, "the request took longer than %v, or its client went away",
			s.config.Timeout)
	}
	clf.Predicted(p.Decisions)
	if err = p.Finite(0); err != nil {
		return nil, failf(http.StatusBadRequest, "%w", err)
	}
	return p, nil
}

// predictRequest is what /predict takes.
type predictRequest struct {
	Rows json.RawMessage `json:"rows" about:"arrays of numbers or cells, or objects of cells by their columns"`
}

// predictAnswer is what /predict gives, with the names of `sparsekm predict --json`.
type predictAnswer struct {
	Model         string      `json:"model"`
	Version       string      `json:"version"`
	Labels        []string    `json:"labels,omitempty"`
	Values        []float64   `json:"values,omitempty"`    // instead of labels and decisions
	Decisions     [][]float64 `json:"decisions,omitempty"` // one for each model of the model
	Classes       []string    `json:"classes,omitempty"`   // with probabilities, whose order they are
	Probabilities [][]float64 `json:"probabilities,omitempty"`
	Sets          [][]string  `json:"sets,omitempty"`      // labels, of a model with prediction sets
	Intervals     [][]float64 `json:"intervals,omitempty"` // ends, of a model of values with them
	notes
}

// worked answers a request for predictions while it has a place: read finds the samples, answer says what is predicted.
func (s *Server) worked(r *http.Request, m *served, v *version, read func(body []byte) (*dataset.Set, error),
	answer func(*predict.Predictions, *dataset.Set) (any, error)) (any, error) {
	body, leave, err := s.work(r)
	if err != nil {
		return nil, err
	}
	defer leave()
	set, err := read(body)
	if err != nil {
		return nil, err
	}
	p, err := s.answerTo(r.Context(), v, set)
	if err != nil {
		return nil, err
	}
	a, err := answer(p, set)
	if err == nil {
		s.figures.rows(m.name, set.N)
	}
	return a, err
}

// predict takes rows as JSON or CSV, and answers in the form of the request or in that of Accept. CSV is that of
// `sparsekm predict --write csv`.
func (s *Server) predict(r *http.Request, m *served, v *version) (any, error) {
	isCSV, err := form(r)
	if err != nil {
		return nil, err
	}
	read := v.readRows
	if isCSV {
		read = v.readCSV
	}
	return s.worked(r, m, v, read, func(p *predict.Predictions, set *dataset.Set) (any, error) {
		switch accept := r.Header.Get("Accept"); {
		case strings.Contains(accept, "text/csv"), isCSV && !strings.Contains(accept, "application/json"):
			lines := predict.Lines{Form: "csv", Decisions: p.Classes != nil}
			text, err := lines.Of(p, 0)
			return raw{"text/csv; charset=utf-8", text, 0}, err
		}
		a := &predictAnswer{Model: m.name, Version: v.id(), notes: notesOf(set)}
		if p.Classes == nil {
			a.Values, a.Intervals = p.Decisions, p.IntervalRows()
			return a, nil
		}
		a.Labels, a.Decisions, a.Sets = p.Labels(), p.DecisionRows(), p.SetLabels()
		if p.Probabilities != nil {
			a.Classes, a.Probabilities = v.clf.Labels(), p.ProbabilityRows()
		}
		return a, nil
	})
}

// onlyJSON refuses CSV.
func onlyJSON(r *http.Request) error {
	isCSV, err := form(r)
	if isCSV {
		err = failf(http.StatusUnsupportedMediaType, "found the content type %q, want application/json",
			r.Header.Get("Content-Type"))
	}
	return err
}

// form reports whether the body is CSV; else it is JSON, which curl calls a form unless it is told otherwise. Scripts
// of web pages have to name one of both, since browsers ask the server before they send these to another origin.
func form(r *http.Request) (isCSV bool, err error) {
	types := r.Header["Content-Type"]
	contentType := strings.Join(types, ", ") // there may be one
	kind, _, err := mime.ParseMediaType(contentType)
	switch {
	case len(types) == 0 && (!byPage(r) || r.Header.Get(headerLength) != ""): // which browsers ask the server about
		return false, nil
	case err == nil && kind == "text/csv":
		return true, nil
	case err == nil && kind == "application/json",
		err == nil && kind == "application/octet-stream" && r.Header.Get(headerLength) != "",
		err == nil && kind == "application/x-www-form-urlencoded" && !byPage(r):
		return false, nil
	}
	return false, failf(http.StatusUnsupportedMediaType, "found the content type %q, want application/json or text/csv",
		contentType)
}

// decode reads one JSON object and nothing after it.
func decode(body []byte, v any, strict bool) error {
	dec := json.NewDecoder(fileformat.Once(bytes.NewReader(body), true))
	if strict {
		dec.DisallowUnknownFields()
	}
	err := dec.Decode(v)
	if err == nil && dec.InputOffset() < int64(len(bytes.TrimRight(body, " \t\r\n"))) {
		err = errors.New("found more after the object, want its end")
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("found the end after %d bytes, want a JSON object", len(body))
	}
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		err = fmt.Errorf("%s: found %s, want %s", cmp.Or(kind.Field, "its value"), kind.Value, jsonKind(kind.Type))
	}
	if err != nil {
		return failf(http.StatusBadRequest, "the request: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

// jsonKind is JSON's word for what a type is read from.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "an array"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	}
	return "an object"
}

// readRows reads a request of /predict.
func (v *version) readRows(body []byte) (*dataset.Set, error) {
	var q predictRequest
	if err := decode(body, &q, true); err != nil {
		return nil, err
	}
	m := matrix{n: -1}
	if string(q.Rows) == "null" {
		q.Rows = nil
	}
	err := m.UnmarshalJSON(q.Rows)
	if err == nil && m.n < 0 {
		return nil, failf(http.StatusBadRequest, `want {"rows": [[numbers of a row], ...]}`)
	}
	return v.samples(&m, err, func() (rows []any) {
		rows, _ = value(q.Rows).([]any)
		return rows
	})
}

// samples are rows of features. A model of a table takes rows of its columns too, if they are no numbers of as many
// features: then a matrix that has an error, or another width, comes from the values.
func (v *version) samples(m *matrix, err error, values func() []any) (*dataset.Set, error) {
	if v.clf.Columns() != nil && (err != nil || m.n > 0 && m.d != v.clf.NumFeatures()) {
		if set, some, failed := v.rowsOf(values(), err == nil); some {
			return set, failed
		}
	}
	if err != nil {
		return nil, failf(http.StatusBadRequest, "the request: %w", err)
	}
	return &dataset.Set{X: m.x, N: m.n, D: max(m.d, 0)}, nil
}

// value is JSON text that has been read once, with its numbers as they are written.
func value(text []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	_ = d.Decode(&v)
	return v
}

// readCSV reads samples as `sparsekm predict` does: the model's own columns where it has names for them, with or
// without a header and labels, which are not looked at.
func (v *version) readCSV(body []byte) (*dataset.Set, error) {
	set, err := dataset.ReadCSV(bytes.NewReader(body), "the request", dataset.Options{
		Columns: v.clf.Columns(), Width: v.clf.NumFeatures(), Targets: dataset.TargetGuess, MaxBytes: maxTable,
	})
	if err != nil {
		err = failf(http.StatusBadRequest, "%w", err)
	}
	return set, err
}

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
