package main

// #include "types.h"
import "C"

import (
	"bytes"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/internal/fileformat"
	"github.com/sparsekm/sparsekm/model"
	_ "github.com/sparsekm/sparsekm/model/importers/all"
)

// models are the caller's models by their numbers. No number is used twice.
var (
	models sync.Map // uint64 → *model.Classifier
	last   atomic.Uint64
)

// errModel is in the chain of errors for models that cannot be read.
var errModel = errors.New("not a model")

// handOver gives the caller a model and, if the caller wants one, a report as JSON.
func handOver(c *sparsekm.Classifier, about any, m *C.skm_model, report **C.char) error {
	if report != nil {
		b, err := fileformat.Marshal(about)
		if err != nil {
			return err
		}
		*report = C.CString(string(b))
	}
	*m = keep(c)
	return nil
}

func keep(c *model.Classifier) C.skm_model {
	n := last.Add(1)
	models.Store(n, c)
	return C.skm_model(n)
}

func find(m C.skm_model) (*model.Classifier, error) {
	c, ok := models.Load(uint64(m))
	if !ok {
		return nil, argument("there is no model %d, or it was freed", uint64(m))
	}
	return c.(*model.Classifier), nil
}

// withModel is [call] for a function about one of the caller's models.
func withModel(m C.skm_model, text **C.char, f func(c *model.Classifier) error) C.int {
	return call(text, func() error {
		c, err := find(m)
		if err != nil {
			return err
		}
		return f(c)
	})
}

//export skm_free
func skm_free(m C.skm_model) {
	models.Delete(uint64(m))
	tables.Delete(uint64(m))
}

//export skm_load
func skm_load(path *C.skm_text, m *C.skm_model, text **C.char) C.int {
	return call(text, func() error {
		if path == nil || m == nil {
			return argument("skm_load: path or model is NULL")
		}
		c, err := model.Load(C.GoString(path))
		return loaded(c, err, m)
	})
}

//export skm_parse
func skm_parse(data C.skm_data, size C.size_t, m *C.skm_model, text **C.char) C.int {
	return call(text, func() error {
		if data == nil || m == nil || uint64(size) > math.MaxInt {
			return argument("skm_parse: data or model is NULL, or size is out of range")
		}
		// The rule of unsafe.Slice: the caller promises size bytes. The model copies them, and the caller may free them.
		c, _, err := model.Read(bytes.NewReader(unsafe.Slice((*byte)(data), int(size))), "model")
		return loaded(c, err, m)
	})
}

// loaded gives the caller a model that was read.
func loaded(c *model.Classifier, err error, m *C.skm_model) error {
	if err != nil {
		return &modelError{err}
	}
	*m = keep(c)
	return nil
}

// modelError is an error of package model, with errModel in its chain and its own text.
type modelError struct{ error }

// Unwrap returns both errors.
func (e *modelError) Unwrap() []error { return []error{e.error, errModel} }

//export skm_save
func skm_save(m C.skm_model, path, format *C.skm_text, text **C.char) C.int {
	return withModel(m, text, func(c *model.Classifier) error {
		f, err := formatOf(format)
		if err != nil {
			return err
		}
		if path == nil {
			return argument("skm_save: path is NULL")
		}
		return c.Save(C.GoString(path), f)
	})
}

//export skm_bytes
func skm_bytes(m C.skm_model, format *C.skm_text, data *unsafe.Pointer, size *C.size_t, text **C.char) C.int {
	return withModel(m, text, func(c *model.Classifier) error {
		f, err := formatOf(format)
		if err != nil {
			return err
		}
		if data == nil || size == nil {
			return argument("skm_bytes: data or size is NULL")
		}
		var b bytes.Buffer
		if err = c.Write(&b, f); err != nil {
			return err
		}
		*data, *size = C.CBytes(b.Bytes()), C.size_t(b.Len())
		return nil
	})
}

// formatOf is the format to write a model in.
func formatOf(format *C.skm_text) (model.Format, error) {
	if format == nil {
		return "", argument("format is NULL, want one of %v", model.FormatNames())
	}
	return model.ParseFormat(C.GoString(format))
}

//export skm_describe
func skm_describe(m C.skm_model, info *C.skm_info, text **C.char) C.int {
	return withModel(m, text, func(c *model.Classifier) error {
		if info == nil {
			return argument("skm_describe: info is NULL")
		}
		*info = C.skm_info{
			features: C.int64_t(c.NumFeatures()), classes: C.int64_t(c.NumClasses()), submodels: C.int64_t(c.NumSubmodels()),
			vectors: C.int64_t(c.NumVectors()), task: C.int32_t(c.Task()), plain: C.int64_t(c.NumFeatures()),
		}
		if columns := c.Columns(); columns.Valued() {
			info.plain = C.int64_t(columns.NumPlain())
		}
		if c.Calibrated() == nil {
			info.probabilities = 1
		}
		if c.Uncertain() == nil {
			info.variances = 1
		}
		if c.Sparse() {
			info.sparse = 1
		}
		if c.Covers() == nil {
			info.sets = 1
		}
		return nil
	})
}

//export skm_label
func skm_label(m C.skm_model, class C.int64_t, label, text **C.char) C.int {
	return withModel(m, text, func(c *model.Classifier) error {
		if label == nil || class < 0 || int64(class) >= int64(c.NumClasses()) {
			return argument("skm_label: class %d of %d, or label is NULL", int64(class), c.NumClasses())
		}
		*label = C.CString(c.Label(int(class)))
		return nil
	})
}

//export skm_parts
func skm_parts(m C.skm_model, positive, negative *C.int64_t, vectors *C.double, rows *C.int64_t, coef, bias *C.double,
	text **C.char) C.int {
	return withModel(m, text, func(c *model.Classifier) error {
		p := c.Parts()
		writeParts(&p, array[C.int64_t](positive, len(p.Submodels)), array[C.int64_t](negative, len(p.Submodels)),
			array[C.int64_t](rows, p.N), array[float64](coef, len(p.Submodels)*p.N), array[float64](bias, len(p.Submodels)))
		for i, x := 0, array[float64](vectors, p.N*p.D); x != nil && i < p.N; i++ {
			row := x[i*p.D:][:p.D]
			if copy(row, p.Vector(i)); p.Scaling != nil {
				p.Scaling.InvertTo(row, row)
			}
		}
		return nil
	})
}

// writeParts writes the parts whose slices are not nil.
func writeParts(p *model.Parts, positive, negative, rows []C.int64_t, coef, bias []float64) {
	for i := range rows {
		if rows[i] = -1; p.Rows != nil {
			rows[i] = C.int64_t(p.Rows[i])
		}
	}
	clear(coef)
	for i, m := range p.Submodels {
		if positive != nil {
			positive[i] = C.int64_t(m.Pos)
		}
		if negative != nil {
			negative[i] = C.int64_t(m.Neg)
		}
		if bias != nil {
			bias[i] = m.Bias
		}
		for s := 0; coef != nil && s < len(m.Coef); s++ {
			coef[i*p.N+m.Support[s]] = m.Coef[s]
		}
	}
}

// array is n elements in C memory, nil for NULL. Rule 1 of package unsafe: T is Go's name for the C type P. The rule of
// unsafe.Slice: the caller promises n elements.
func array[T, P any](p *P, n int) []T {
	if p == nil {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(p)), n)
}
