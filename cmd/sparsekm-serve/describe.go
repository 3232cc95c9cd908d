package main

import (
	"net/http"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/predict"
)

// takes are the inputs of a model, and the columns that may come instead of them.
func (v *version) takes() (inputs, columns []tensor) {
	for _, c := range v.clf.Columns() {
		switch {
		case c.Name == "" || c.Role == dataset.RoleLabel || c.Role == dataset.RoleUnused:
		case c.Role == dataset.RoleNumber:
			columns = append(columns, describe(c.Name, "FP64", []int{-1}, nil))
		default:
			columns = append(columns, describe(c.Name, "BYTES", []int{-1}, nil))
		}
	}
	return []tensor{describe("rows", "FP64", []int{-1, v.clf.NumFeatures()}, nil)}, columns
}

// gives describes the outputs of a model.
func (v *version) gives() []tensor {
	outputs := tensors(&predict.Predictions{Model: v.clf})
	for i := range outputs {
		outputs[i].Shape[0], outputs[i].Data = -1, nil
	}
	return outputs
}

// tensors are the outputs of predictions.
func tensors(p *predict.Predictions) []tensor {
	clf := p.Model
	if clf.Task().Real() {
		t := []tensor{describe("values", "FP64", []int{p.N}, p.Decisions)}
		if clf.Covers() == nil {
			t = append(t, describe("intervals", "FP64", []int{p.N, 2}, p.Intervals))
		}
		return t
	}
	t := []tensor{
		describe("labels", "BYTES", []int{p.N}, p.Labels()),
		describe("decisions", "FP64", []int{p.N, clf.NumSubmodels()}, p.Decisions),
	}
	if clf.Calibrated() == nil {
		t = append(t, describe("probabilities", "FP64", []int{p.N, clf.NumClasses()}, p.Probabilities))
	}
	if clf.Covers() == nil {
		t = append(t, describe("sets", "BOOL", []int{p.N, clf.NumClasses()}, p.Sets))
	}
	return t
}

// metadata says what a model takes and gives. The protocol has no place for labels, which are in the order of the
// probabilities and sets, and for columns.
type metadata struct {
	Name     string   `json:"name"`
	Versions []string `json:"versions"`
	Platform string   `json:"platform"`
	Inputs   []tensor `json:"inputs"`
	Outputs  []tensor `json:"outputs"`
	Labels   []string `json:"labels,omitempty"`
	Columns  []tensor `json:"columns,omitempty"`
}

func metadataOf(_ *http.Request, m *served, v *version) (any, error) {
	inputs, columns := v.takes()
	return metadata{m.name, []string{latest, v.id()}, "sparsekm", inputs, v.gives(), v.clf.Labels(), columns}, nil
}

// config is what Triton's clients ask for besides the metadata. Rows are part of the shapes, so there are no batches.
type config struct {
	Name     string         `json:"name"`
	Platform string         `json:"platform"`
	Backend  string         `json:"backend"`
	Batch    int            `json:"max_batch_size"`
	Input    []configTensor `json:"input"`
	Output   []configTensor `json:"output"`
}

// configTensor is an input or output in the words of Triton's extension for configurations.
type configTensor struct {
	Name string `json:"name"`
	Type string `json:"data_type"`
	Dims []int  `json:"dims"`
}

func configOf(_ *http.Request, m *served, v *version) (any, error) {
	all := func(tensors []tensor) (config []configTensor) {
		for _, t := range tensors {
			kind := t.Datatype
			if kind == "BYTES" {
				kind = "STRING"
			}
			config = append(config, configTensor{t.Name, "TYPE_" + kind, t.Shape})
		}
		return config
	}
	inputs, _ := v.takes()
	return config{m.name, "sparsekm", "sparsekm", 0, all(inputs), all(v.gives())}, nil
}

// entry is a model in the list that Triton's extension has. Files load models, never requests.
type entry struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	State   string `json:"state"`
}

func (s *Server) repository(*http.Request) (any, error) {
	list := make([]entry, len(s.names))
	for i, name := range s.names {
		list[i] = entry{name, s.models[name].now.Load().id(), "READY"}
	}
	return list, nil
}
