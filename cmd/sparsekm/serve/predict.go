package serve

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
)

// mostNumbers bounds the features, decisions and probabilities of one request.
const mostNumbers = 1 << 20

// answer is what is predicted for the rows of a request.
type answer struct {
	v             *version
	n             int
	class         []int     // nil for values, which are the decisions
	decisions     []float64 // n×NumSubmodels
	probabilities []float64 // n×NumClasses, nil where the model has none
}

// answerTo predicts n rows of d features.
func (s *Server) answerTo(ctx context.Context, v *version, x []float64, n, d int) (*answer, error) {
	clf := v.clf
	m, k := clf.NumSubmodels(), clf.NumClasses()
	switch want, most := clf.NumFeatures(), mostNumbers/(d+m+k+1); {
	case n < 1:
		return nil, failf(http.StatusBadRequest, "found no row, want at least one")
	case d != want:
		return nil, failf(http.StatusBadRequest, "found rows of %d features, want %d, as many as the model has", d, want)
	case n > most:
		return nil, failf(http.StatusRequestEntityTooLarge, "found %d rows, want at most %d in one request", n, most)
	}
	a := &answer{v: v, n: n, decisions: make([]float64, n*m)}
	if !clf.Task().Real() {
		a.class = make([]int, n)
		if clf.Calibrated() == nil {
			a.probabilities = make([]float64, n*k)
		}
	}
	err := clf.EachBatch(ctx, n, func(lo, rows int) {
		f := a.decisions[lo*m : (lo+rows)*m]
		clf.DecideBatch(f, x[lo*d:(lo+rows)*d], rows, 1) // requests have the threads
		if a.class != nil {
			clf.Classes(a.class[lo:lo+rows], f, rows)
		}
		clf.Predicted(f)
		if a.probabilities != nil {
			clf.ProbabilitiesOf(a.probabilities[lo*k:(lo+rows)*k], f, rows, 1)
		}
	})
	if err != nil {
		return nil, failf(http.StatusServiceUnavailable, "the request took longer than %v, or its client went away",
			s.config.Timeout)
	}
	for i, f := range a.decisions {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, failf(http.StatusBadRequest, "found the decision %v for row %d (from 0), want a finite number: "+
				"its features are too large for the model's %s kernel", f, i/m, clf.Kernel().Kind)
		}
	}
	return a, nil
}

func (a *answer) label(i int) string { return a.v.labels[a.class[i]] }

func (a *answer) text() []string {
	labels := make([]string, a.n)
	for i := range labels {
		labels[i] = a.label(i)
	}
	return labels
}

// rows cuts a matrix into its n rows.
func rows(x []float64, n int) [][]float64 {
	r, d := make([][]float64, n), len(x)/n
	for i := range r {
		r[i] = x[i*d : (i+1)*d]
	}
	return r
}

// predictRequest is what /predict takes.
type predictRequest struct {
	Rows *matrix `json:"rows"`
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
}

// predict takes rows as JSON or CSV, and gives them back in the form of the request or in that of Accept.
func (s *Server) predict(r *http.Request, m *served, v *version) (any, error) {
	isCSV, err := form(r)
	if err != nil {
		return nil, err
	}
	body, err := s.body(r)
	if err != nil {
		return nil, err
	}
	leave, err := take(s.slots, "requests are worked on")
	if err != nil {
		return nil, err
	}
	defer leave()
	x, n, d := []float64(nil), 0, 0
	if isCSV {
		x, n, d, err = readCSV(body, v)
	} else {
		x, n, d, err = readRows(body)
	}
	if err != nil {
		return nil, err
	}
	a, err := s.answerTo(r.Context(), v, x, n, d)
	if err != nil {
		return nil, err
	}
	s.figures.rows(m.name, n)
	switch accept := r.Header.Get("Accept"); {
	case strings.Contains(accept, "text/csv"), isCSV && !strings.Contains(accept, "application/json"):
		return a.csv()
	}
	p := &predictAnswer{Model: m.name, Version: v.id()}
	if a.class == nil {
		p.Values = a.decisions
		return p, nil
	}
	p.Labels, p.Decisions = a.text(), rows(a.decisions, n)
	if a.probabilities != nil {
		p.Classes, p.Probabilities = v.labels, rows(a.probabilities, n)
	}
	return p, nil
}

// form reports whether the body is CSV; else it is JSON, which curl calls a form unless it is told otherwise. Scripts
// of web pages have to name one of both, since browsers ask the server before they send these to another origin.
func form(r *http.Request) (isCSV bool, err error) {
	if coding := r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return false, failf(http.StatusUnsupportedMediaType, "found the content encoding %q, want none", coding)
	}
	given := r.Header.Get("Content-Type")
	kind, _, err := mime.ParseMediaType(given)
	switch {
	case given == "" && !byPage(r):
		return false, nil
	case err == nil && kind == "text/csv":
		return true, nil
	case err == nil && kind == "application/json",
		err == nil && kind == "application/x-www-form-urlencoded" && !byPage(r):
		return false, nil
	}
	return false, failf(http.StatusUnsupportedMediaType, "found the content type %q, want application/json or text/csv",
		given)
}

// body reads the request whole.
func (s *Server) body(r *http.Request) ([]byte, error) {
	var b bytes.Buffer
	if n := r.ContentLength; n > 0 && n <= s.config.MaxBody {
		b.Grow(int(n) + bytes.MinRead)
	}
	_, err := b.ReadFrom(r.Body)
	switch {
	case err == nil:
		return b.Bytes(), nil
	case errors.As(err, new(*http.MaxBytesError)):
		return nil, failf(http.StatusRequestEntityTooLarge, "found more than %d bytes, want at most so many",
			s.config.MaxBody)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, failf(http.StatusRequestTimeout, "the request did not come whole within %v", s.config.Timeout)
	}
	return nil, failf(http.StatusBadRequest, "the request ended before its body did: %w", err)
}

// decode reads one JSON object and nothing after it.
func decode(body []byte, v any, strict bool) error {
	dec := json.NewDecoder(bytes.NewReader(body))
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
	if err != nil {
		return failf(http.StatusBadRequest, "the request: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

func readRows(body []byte) (x []float64, n, d int, err error) {
	var q predictRequest
	if err = decode(body, &q, true); err != nil {
		return nil, 0, 0, err
	}
	if q.Rows == nil || q.Rows.n < 0 {
		return nil, 0, 0, failf(http.StatusBadRequest, `want {"rows": [[numbers of a row], ...]}`)
	}
	return q.Rows.x, q.Rows.n, max(q.Rows.d, 0), nil
}

// readCSV reads samples as `sparsekm predict` does: the model's own columns where it has names for them, with or
// without a header and labels, which are not looked at.
func readCSV(body []byte, v *version) (x []float64, n, d int, err error) {
	set, err := dataset.ReadCSV(bytes.NewReader(body), "the request", dataset.Options{
		Columns: v.clf.Columns(), Width: v.clf.NumFeatures(), Targets: dataset.TargetGuess, MaxBytes: 64 << 20,
	})
	if err != nil {
		return nil, 0, 0, failf(http.StatusBadRequest, "%w", err)
	}
	return set.X, set.N, set.D, nil
}

// csv is a line a row: the label or the value, decisions, probabilities, as `sparsekm predict --write csv` has them.
func (a *answer) csv() (any, error) {
	clf := a.v.clf
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	cells := []string{"value"}
	if a.class != nil {
		cells[0] = "label"
		for m := range clf.NumSubmodels() {
			cells = append(cells, fmt.Sprintf("decision %d for %s", m, clf.PositiveLabel(m)))
		}
	}
	if a.probabilities != nil {
		for _, label := range a.v.labels {
			cells = append(cells, "probability of "+label)
		}
	}
	_ = w.Write(cells) // a buffer takes everything
	m, k := len(a.decisions)/a.n, len(a.probabilities)/a.n
	for i := range a.n {
		cells = cells[:0]
		if a.class != nil {
			cells = append(cells, a.label(i))
		}
		for _, v := range a.decisions[i*m : (i+1)*m] {
			cells = append(cells, strconv.FormatFloat(v, 'g', -1, 64))
		}
		for _, v := range a.probabilities[i*k : (i+1)*k] {
			cells = append(cells, strconv.FormatFloat(v, 'g', -1, 64))
		}
		_ = w.Write(cells)
	}
	w.Flush()
	return raw{"text/csv; charset=utf-8", b.Bytes()}, nil
}
