package main

// #include "types.h"
import "C"

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/fileformat"
	"github.com/sparsekm/sparsekm/learn"
	_ "github.com/sparsekm/sparsekm/learn/all" // every method by its name
)

//export skm_train
func skm_train(samples *C.skm_the_samples, options *C.skm_text, watch *C.skm_the_watch, m *C.skm_model,
	report, text **C.char) C.int {
	return long(watch, m, report, text, func(m *C.skm_model, report **C.char) error {
		if samples == nil || options == nil || m == nil {
			return argument("skm_train: samples, options or model is NULL")
		}
		var t training
		if err := parse(C.GoString(options), &t); err != nil {
			return err
		}
		set, err := setOf(samples)
		if err != nil {
			return err
		}
		ctx, progress, end := watched(watch, t.TimeLimit)
		defer end()
		o, err := t.options()
		if err != nil {
			return err
		}
		if samples.candidates != nil {
			if o.Candidates, err = setOf(samples.candidates); err != nil {
				return fmt.Errorf("candidates: %w", err)
			}
		}
		if err = cmp.Or(categorise(&o, set, t.Columns, t.Table), withTable(set, t.Table)); err != nil {
			return err
		}
		o.SampleWeight, o.Progress = array[float64](samples.weight, set.N), progress
		c, r, err := sparsekm.Train(ctx, set, o)
		if err != nil {
			return err
		}
		if t.Brief {
			r.Support, r.Vectors = nil, nil
			for i := range r.Submodels {
				r.Submodels[i].Support, r.Submodels[i].Coef = nil, []float64{}
			}
		}
		return handOver(c, r, m, report)
	})
}

// setOf returns a set of the caller's samples, valid during the call.
func setOf(p *C.skm_samples) (*dataset.Set, error) {
	const each = 64 // classes, weights and lists of a sample
	s := &dataset.Set{N: int(p.n), D: int(p.d)}
	err := room(s.N, s.D, each)
	if err != nil {
		return nil, err
	}
	if p.start == nil {
		s.X, err = matrix(p.x, int64(p.n), int64(p.d))
	} else {
		s.Sparse, err = sparseOf(p)
	}
	if err != nil {
		return nil, err
	}
	s.Targets = array[float64](p.values, s.N)
	if i := infinite(s.Targets); i >= 0 {
		return nil, argument("value %d is %v, want a finite number", i, s.Targets[i])
	}
	if p.y != nil {
		if err = classes(s, p); err != nil {
			return nil, err
		}
	}
	return s, s.Validate()
}

// sparseOf returns the caller's sparse samples.
func sparseOf(p *C.skm_samples) (*csr.Matrix, error) {
	if p.n < 0 || p.n >= math.MaxInt32 || p.d < 0 || p.d > csr.MaxFeatures {
		return nil, argument("%d sparse samples of %d features", int64(p.n), int64(p.d))
	}
	m := &csr.Matrix{N: int(p.n), D: int(p.d), Start: array[int](p.start, int(p.n)+1)}
	total := m.Start[m.N]
	if total < 0 || int64(total) > maxCaller/8 || total > 0 && (p.x == nil || p.index == nil) {
		return nil, argument("%d features of sparse samples, or x or index is NULL", total)
	}
	m.Index, m.Value = array[int32](p.index, total), array[float64](p.x, total)
	return m, nil // Validate of the set checks it
}

// classes adds the classes of the samples to a set.
func classes(s *dataset.Set, p *C.skm_samples) error {
	if p.classes < 1 || int64(p.classes) > int64(s.N) {
		return argument("%d classes of %d samples", int64(p.classes), s.N)
	}
	s.Y, s.Labels = make([]int, s.N), make([]string, p.classes)
	for i, y := range array[C.int64_t](p.y, s.N) {
		if y < 0 || y >= p.classes {
			return argument("sample %d has the class %d, want 0 to %d", i, int64(y), int64(p.classes)-1)
		}
		s.Y[i] = int(y)
	}
	s.Labels = labelsOf(p.labels, len(s.Labels))
	return nil
}

// labelsOf returns the names of the classes; without names, their numbers.
func labelsOf(names **C.char, classes int) []string {
	labels := make([]string, classes)
	own := array[*C.char](names, classes)
	for c := range labels {
		labels[c] = strconv.Itoa(c)
		if own != nil && own[c] != nil {
			labels[c] = C.GoString(own[c])
		}
	}
	return labels
}

// methodJSON is a method in the result of skm_methods.
type methodJSON struct {
	Name   string       `json:"name"`
	About  string       `json:"about"`
	Paper  string       `json:"paper"`
	Tasks  []learn.Task `json:"tasks"`
	Params []paramJSON  `json:"params"`
	Own    bool         `json:"own_kernel"`
}

type paramJSON struct {
	Name    string   `json:"name"`
	Doc     string   `json:"doc"`
	Default any      `json:"default"`
	Range   string   `json:"range,omitempty"`
	Words   []string `json:"words,omitempty"`
}

//export skm_methods
func skm_methods(json, text **C.char) C.int {
	return call(text, func() error {
		if json == nil {
			return argument("skm_methods: json is NULL")
		}
		var list []methodJSON
		for _, m := range sparsekm.Methods() {
			j := methodJSON{Name: m.Name, About: m.About, Paper: m.Paper, Tasks: m.TasksOf(), Params: []paramJSON{},
				Own: m.OwnKernel}
			for _, p := range m.Params() {
				j.Params = append(j.Params, paramJSON{Name: p.Name, Doc: p.Doc, Default: p.Default, Range: p.Range.Text,
					Words: p.Words})
			}
			list = append(list, j)
		}
		b, err := fileformat.Marshal(list)
		if err == nil {
			*json = C.CString(string(b))
		}
		return err
	})
}
