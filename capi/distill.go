package main

// #include "types.h"
//
// static inline int skm_ask_teacher(skm_teacher ask, void *user, double *x, int64_t n, double *values) {
//	return ask(user, x, n, values);
// }
import "C"

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"unsafe"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/distill"
	"github.com/sparsekm/sparsekm/export"
	"github.com/sparsekm/sparsekm/model"
)

// distillation is the options of skm_distill.
type distillation struct {
	Kind        string   `json:"kind"`
	Labels      []string `json:"labels"`
	MaxSV       int      `json:"max_sv"`
	MaxBytes    int      `json:"max_bytes"`
	MaxNanos    float64  `json:"max_ns"`
	Rounds      *int     `json:"rounds"`
	LabelWeight *float64 `json:"label_weight"`
	Seed        uint64   `json:"seed"`
	Columns     []int    `json:"columns"`
	Table       uint64   `json:"table"`
	limits
}

// distilled is the report of skm_distill.
type distilled struct {
	distill.Report
	Failed string `json:"failed,omitempty"`
}

//export skm_distill
func skm_distill(samples *C.skm_the_samples, values *C.skm_numbers, columns C.int64_t, ask C.skm_teacher,
	user unsafe.Pointer, options *C.skm_text, watch *C.skm_the_watch, student *C.skm_model, report, text **C.char) C.int {
	return long(watch, student, report, text, func(student *C.skm_model, report **C.char) error {
		if samples == nil || values == nil || options == nil || student == nil {
			return argument("skm_distill: samples, values, options or student is NULL")
		}
		var d distillation
		if err := parse(C.GoString(options), &d); err != nil {
			return err
		}
		set, err := setOf(samples)
		if err != nil {
			return err
		}
		o, err := d.options(set)
		if err != nil {
			return err
		}
		if o.Values, err = matrix(values, int64(set.N), int64(columns)); err != nil {
			return err
		}
		if ask != nil {
			o.Ask = asks(ask, user, int(columns), set.D)
		}
		ctx, progress, end := watched(watch, d.TimeLimit)
		defer end()
		o.Progress = progress
		r, err := distill.Distill(ctx, set, o)
		if err != nil {
			return err
		}
		about := distilled{Report: r.Report}
		if r.Failed != nil {
			about.Failed = r.Failed.Error()
		}
		return handOver(r.Classifier, about, student, report)
	})
}

// options makes the options of a distillation, and gives the set the columns.
func (d *distillation) options(set *dataset.Set) (o distill.Options, err error) {
	if err = d.check(); err != nil {
		return o, err
	}
	if d.Kind != "" {
		if o.Kind, err = distill.ParseKind(d.Kind); err != nil {
			return o, err
		}
	}
	if d.MaxSV < 0 || d.MaxBytes < 0 || !(d.MaxNanos >= 0) {
		return o, argument("options: max_sv %d, max_bytes %d, max_ns %v: want none below 0", d.MaxSV, d.MaxBytes, d.MaxNanos)
	}
	o.Labels, o.MaxUnits, o.MaxBytes, o.MaxNanos = d.Labels, d.MaxSV, d.MaxBytes, d.MaxNanos
	if d.Rounds != nil {
		if o.Rounds = *d.Rounds; o.Rounds <= 0 {
			o.Rounds = -1
		}
	}
	o.LabelWeight, o.Seed, o.Threads, o.Memory = d.LabelWeight, d.Seed, d.Threads, d.Memory
	if d.Columns == nil {
		return o, withTable(set, d.Table)
	}
	return o, columnsOf(set, d.Columns)
}

// asks is the caller's function as a teacher.
func asks(ask C.skm_teacher, user unsafe.Pointer, columns, d int) distill.Teacher {
	return func(ctx context.Context, x []float64, n int) ([]float64, error) {
		values := make([]float64, n*columns)
		if n == 0 || d == 0 {
			return values, ctx.Err()
		}
		// Rule 1 of package unsafe: a C.double is a float64. The slices hold no pointers, so cgo keeps them where they are.
		code := C.skm_ask_teacher(ask, user, (*C.double)(unsafe.Pointer(&x[0])), C.int64_t(n),
			(*C.double)(unsafe.Pointer(&values[0])))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if code != 0 {
			return nil, errors.New("it failed with " + strconv.Itoa(int(code)))
		}
		return values, nil
	}
}

// exporting is the options of skm_export.
type exporting struct {
	Name  string `json:"name"`
	Float bool   `json:"float"`
	Fixed bool   `json:"fixed"`
}

//export skm_export
func skm_export(m C.skm_model, target, options *C.skm_text, data *unsafe.Pointer, size *C.size_t, text **C.char) C.int {
	return withModel(m, text, func(c *model.Classifier) error {
		if target == nil || options == nil || data == nil || size == nil {
			return argument("skm_export: target, options, data or size is NULL")
		}
		var e exporting
		if err := parse(C.GoString(options), &e); err != nil {
			return err
		}
		var b bytes.Buffer
		o := export.Options{Name: e.Name, Float: e.Float, Fixed: e.Fixed}
		if err := export.Write(&b, c, C.GoString(target), o); err != nil {
			return argument("%w", err)
		}
		*data, *size = C.CBytes(b.Bytes()), C.size_t(b.Len())
		return nil
	})
}
