package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/predict"
)

// The Open Inference Protocol, version 2, with Triton's extension for binary data: a JSON object, whose length a header
// says, and after it the data of inputs or outputs in their order. gRPC is left out.

// headerLength has the bytes of the JSON object that binary data follow.
const headerLength = "Inference-Header-Content-Length"

// inferRequest is a request for inference. What may be left out is omitempty.
type inferRequest struct {
	ID         string        `json:"id,omitempty"`
	Parameters parameters    `json:"parameters,omitempty"`
	Inputs     []inferInput  `json:"inputs"`
	Outputs    []inferOutput `json:"outputs,omitempty"`
}

type inferInput struct {
	Name       string          `json:"name"`
	Shape      []int           `json:"shape"`
	Datatype   string          `json:"datatype"`
	Parameters parameters      `json:"parameters,omitempty"`
	Data       json.RawMessage `json:"data,omitempty" about:"numbers or text, flat or in rows"`
}

type inferOutput struct {
	Name       string     `json:"name"`
	Parameters parameters `json:"parameters,omitempty"`
}

type inferAnswer struct {
	Model   string   `json:"model_name"`
	Version string   `json:"model_version"`
	ID      string   `json:"id,omitempty"`
	Outputs []tensor `json:"outputs"`
	Notes   *notes   `json:"parameters,omitempty"`
}

// notes is what an answer has besides the outputs.
type notes struct {
	Unknown int `json:"unknown,omitempty"` // cells of words that the training did not have
	Filled  int `json:"filled,omitempty"`  // missing cells
}

// notesOf counts what reading changed.
func notesOf(set *dataset.Set) (n notes) {
	if set.Notes == nil {
		return n
	}
	n.Unknown = set.Notes.Unknown
	for _, c := range set.Notes.Filled {
		n.Filled += c.Cells
	}
	return n
}

func (s *Server) infer(r *http.Request, m *served, v *version) (any, error) {
	if err := onlyJSON(r); err != nil {
		return nil, err
	}
	var q inferRequest
	read := func(body []byte) (*dataset.Set, error) {
		inputs, err := q.read(body, r.Header.Get(headerLength))
		if err != nil {
			return nil, err
		}
		return v.features(inputs)
	}
	return s.worked(r, m, v, read, func(p *predict.Predictions, set *dataset.Set) (any, error) {
		outputs, tail, err := q.choose(tensors(p))
		if err != nil {
			return nil, failf(http.StatusBadRequest, "%w", err)
		}
		answer := &inferAnswer{m.name, cmp.Or(r.PathValue("version"), v.id()), q.ID, outputs, nil}
		if found := notesOf(set); found != (notes{}) {
			answer.Notes = &found
		}
		if tail == nil {
			return answer, nil
		}
		object, err := json.Marshal(answer)
		return raw{"application/octet-stream", append(object, tail...), len(object)}, err
	})
}

// read reads the JSON object and the inputs. Without a header's length the object is the whole body.
func (q *inferRequest) read(body []byte, length string) (inputs []cells, err error) {
	var rest []byte
	if length != "" {
		n, failed := strconv.Atoi(length)
		if failed != nil || n < 1 || n > len(body) {
			return nil, failf(http.StatusBadRequest, "%s: found %.20q, want the bytes of the JSON object, from 1 to %d",
				headerLength, length, len(body))
		}
		body, rest = body[:n], body[n:]
	}
	if err = decode(body, q, false); err != nil {
		return nil, err
	}
	if err = q.Parameters.refuse(); err != nil {
		return nil, failf(http.StatusBadRequest, "%w", err)
	}
	for i := range q.Inputs {
		var c cells
		if c, rest, err = q.Inputs[i].read(rest); err != nil {
			return nil, failf(http.StatusBadRequest, "%w", err)
		}
		inputs = append(inputs, c)
	}
	if len(rest) > 0 {
		return nil, failf(http.StatusBadRequest, "found %d bytes after the data of all inputs, want none", len(rest))
	}
	return inputs, nil
}

// choose returns the outputs that are asked for, in that order, and all where none is. Data that are to be binary are
// in tail instead, which is nil if none are.
func (q *inferRequest) choose(all []tensor) (chosen []tensor, tail []byte, err error) {
	ask := q.Outputs
	if len(ask) == 0 {
		ask = slices.Grow(ask, len(all))[:len(all)]
		for i := range all {
			ask[i].Name = all[i].Name
		}
	}
	for _, o := range ask {
		if err = o.Parameters.refuse(); err != nil {
			return nil, nil, fmt.Errorf("output %q: %w", o.Name, err)
		}
		i := slices.IndexFunc(all, func(t tensor) bool { return t.Name == o.Name })
		if i < 0 {
			var names []string
			for _, t := range all {
				names = append(names, t.Name)
			}
			return nil, nil, fmt.Errorf("found the output %q, want one of %s", o.Name, strings.Join(names, ", "))
		}
		if slices.ContainsFunc(chosen, func(t tensor) bool { return t.Name == o.Name }) {
			return nil, nil, fmt.Errorf("found the output %q twice", o.Name)
		}
		t := all[i]
		if b := o.Parameters.Binary; b != nil && *b || b == nil && q.Parameters.AllBinary {
			from := len(tail)
			tail = appendBinary(tail, t.Data)
			size := int64(len(tail) - from)
			t.Data, t.Parameters = nil, &parameters{Size: &size}
		}
		chosen = append(chosen, t)
	}
	return chosen, tail, nil
}

// describe is a tensor without parameters.
func describe(name, datatype string, shape []int, data any) tensor {
	return tensor{Name: name, Datatype: datatype, Shape: shape, Data: data}
}
