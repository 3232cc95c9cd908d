package serve

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/model/predict"
)

// The Open Inference Protocol, version 2: one input of the shape [n, d], its data row by row, flat or nested.

// inferRequest is a request for inference. Parameters are not looked at, but for those that announce another form.
type inferRequest struct {
	ID         string         `json:"id"`
	Parameters map[string]any `json:"parameters"`
	Inputs     []inferInput   `json:"inputs"`
	Outputs    []struct {
		Name       string         `json:"name"`
		Parameters map[string]any `json:"parameters"`
	} `json:"outputs"`
}

type inferInput struct {
	Name       string         `json:"name"`
	Shape      []int          `json:"shape"`
	Datatype   string         `json:"datatype"`
	Parameters map[string]any `json:"parameters"`
	Data       *matrix        `json:"data"`
}

// tensor is an output, or the description of an input or output.
type tensor struct {
	Name     string `json:"name"`
	Datatype string `json:"datatype"`
	Shape    []int  `json:"shape"`
	Data     any    `json:"data,omitempty"`
}

type inferAnswer struct {
	Model   string   `json:"model_name"`
	Version string   `json:"model_version"`
	ID      string   `json:"id,omitempty"`
	Outputs []tensor `json:"outputs"`
}

// binary are parameters of the extension by which numbers come or go next to the JSON object.
var binary = []string{"binary_data_size", "binary_data", "binary_data_output", "shared_memory_region"}

func (s *Server) infer(r *http.Request, m *served, v *version) (any, error) {
	if r.Header.Get("Inference-Header-Content-Length") != "" {
		return nil, failf(http.StatusBadRequest, "found binary data, want numbers in JSON")
	}
	if isCSV, err := form(r); err != nil {
		return nil, err
	} else if isCSV {
		return nil, failf(http.StatusUnsupportedMediaType, "found the content type %q, want application/json",
			r.Header.Get("Content-Type"))
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
	var q inferRequest
	if err = decode(body, &q, false); err != nil {
		return nil, err
	}
	x, n, d, err := q.points()
	if err != nil {
		return nil, failf(http.StatusBadRequest, "%w", err)
	}
	p, err := s.answerTo(r.Context(), v, x, n, d)
	if err != nil {
		return nil, err
	}
	outputs, err := q.choose(tensors(p))
	if err != nil {
		return nil, failf(http.StatusBadRequest, "%w", err)
	}
	s.figures.rows(m.name, n)
	return &inferAnswer{Model: m.name, Version: v.id(), ID: q.ID, Outputs: outputs}, nil
}

// samples checks the input.
func (q *inferRequest) points() (x []float64, n, d int, err error) {
	if len(q.Inputs) != 1 {
		return nil, 0, 0, fmt.Errorf("found %d inputs, want one of the shape [rows, features]", len(q.Inputs))
	}
	in := &q.Inputs[0]
	for _, parameters := range []map[string]any{q.Parameters, in.Parameters} {
		for _, name := range binary {
			if v, ok := parameters[name]; ok && v != false {
				return nil, 0, 0, fmt.Errorf("found the parameter %s, want numbers in JSON", name)
			}
		}
	}
	switch {
	case in.Datatype != "FP64" && in.Datatype != "FP32":
		return nil, 0, 0, fmt.Errorf("input %q: found the datatype %q, want FP64 or FP32", in.Name, in.Datatype)
	case len(in.Shape) != 2 || in.Shape[0] < 0 || in.Shape[1] < 0:
		return nil, 0, 0, fmt.Errorf("input %q: found the shape %v, want [rows, features]", in.Name, in.Shape)
	case in.Data == nil:
		return nil, 0, 0, fmt.Errorf("input %q: found no data, want numbers", in.Name)
	}
	x, n, d = in.Data.x, in.Shape[0], in.Shape[1]
	if in.Data.n >= 0 && (in.Data.n != n || n > 0 && in.Data.d != d) {
		return nil, 0, 0, fmt.Errorf("input %q: found data of %d rows of %d numbers, want the shape %v", in.Name, in.Data.n,
			in.Data.d, in.Shape)
	}
	if n > 0 && (len(x)/n != d || len(x)%n != 0) || n == 0 && len(x) > 0 { // n·d may overflow
		return nil, 0, 0, fmt.Errorf("input %q: found %d numbers, want as many as the shape %v has", in.Name, len(x),
			in.Shape)
	}
	if in.Datatype == "FP32" {
		for i, v := range x {
			if x[i] = float64(float32(v)); math.IsInf(x[i], 0) {
				return nil, 0, 0, fmt.Errorf("input %q: found %v at number %d (from 0), want one that FP32 has", in.Name, v, i)
			}
		}
	}
	return x, n, d, nil
}

// tensors are all outputs.
func tensors(p *predict.Predictions) []tensor {
	if p.Classes == nil {
		t := []tensor{{"values", "FP64", []int{p.N}, p.Decisions}}
		if p.Intervals != nil {
			t = append(t, tensor{"intervals", "FP64", []int{p.N, 2}, p.Intervals})
		}
		return t
	}
	t := []tensor{
		{"labels", "BYTES", []int{p.N}, p.Labels()},
		{"decisions", "FP64", []int{p.N, len(p.Decisions) / p.N}, p.Decisions},
	}
	if p.Probabilities != nil {
		t = append(t, tensor{"probabilities", "FP64", []int{p.N, len(p.Probabilities) / p.N}, p.Probabilities})
	}
	if p.Sets != nil {
		t = append(t, tensor{"sets", "BOOL", []int{p.N, len(p.Sets) / p.N}, p.Sets})
	}
	return t
}

// choose returns the outputs that are asked for, in that order; all where none is.
func (q *inferRequest) choose(all []tensor) ([]tensor, error) {
	if len(q.Outputs) == 0 {
		return all, nil
	}
	var chosen []tensor
	for _, o := range q.Outputs {
		for _, name := range binary {
			if v, ok := o.Parameters[name]; ok && v != false {
				return nil, fmt.Errorf("output %q: found the parameter %s, want numbers in JSON", o.Name, name)
			}
		}
		i := slices.IndexFunc(all, func(t tensor) bool { return t.Name == o.Name })
		if i < 0 {
			var names []string
			for _, t := range all {
				names = append(names, t.Name)
			}
			return nil, fmt.Errorf("found the output %q, want one of %s", o.Name, strings.Join(names, ", "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// metadata says what a model takes and gives. Labels, which the protocol has no place for, are in the order of the
// probabilities and sets.
func metadata(_ *http.Request, m *served, v *version) (any, error) {
	clf := v.clf
	description := struct {
		Name     string   `json:"name"`
		Versions []string `json:"versions"`
		Platform string   `json:"platform"`
		Inputs   []tensor `json:"inputs"`
		Outputs  []tensor `json:"outputs"`
		Labels   []string `json:"labels,omitempty"`
	}{
		Name: m.name, Versions: []string{v.id()}, Platform: "sparsekm", Labels: clf.Labels(),
		Inputs: []tensor{{"rows", "FP64", []int{-1, clf.NumFeatures()}, nil}},
	}
	if clf.Task().Real() {
		description.Outputs = []tensor{{"values", "FP64", []int{-1}, nil}}
		if clf.Covers() == nil {
			description.Outputs = append(description.Outputs, tensor{"intervals", "FP64", []int{-1, 2}, nil})
		}
		return description, nil
	}
	description.Outputs = []tensor{
		{"labels", "BYTES", []int{-1}, nil},
		{"decisions", "FP64", []int{-1, clf.NumSubmodels()}, nil},
	}
	if clf.Calibrated() == nil {
		description.Outputs = append(description.Outputs, tensor{"probabilities", "FP64", []int{-1, clf.NumClasses()}, nil})
	}
	if clf.Covers() == nil {
		description.Outputs = append(description.Outputs, tensor{"sets", "BOOL", []int{-1, clf.NumClasses()}, nil})
	}
	return description, nil
}
