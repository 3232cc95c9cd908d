//go:build js

// Command engine computes for the demonstration page, in a web worker: it trains classifiers of samples in the plane
// and evaluates them at a grid of pixels. It gives the worker one object, sparsekm, whose functions return {error}
// after a failure. The page loads only what this program imports, so it imports two methods.
package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"syscall/js"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
)

// models are the last trained models, by method.
var models = map[string]*model.Classifier{}

func main() {
	js.Global().Set("sparsekm", js.ValueOf(map[string]any{
		"read": function(read), "train": function(train), "save": function(saved),
	}))
	select {} // the worker calls
}

// function makes a JavaScript function of one object.
func function(f func(q js.Value) (map[string]any, error)) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		answer, err := f(args[0])
		if err != nil {
			return map[string]any{"error": err.Error()}
		}
		return answer
	})
}

// read reads a file of samples as the command does, columns found by the same rules: {name, text} → {x, y, labels,
// left}. y has -1 and 1; left names columns that are not learnt from.
func read(q js.Value) (map[string]any, error) {
	const memory = 1 << 28
	name := q.Get("name").String()
	set, err := dataset.Read(strings.NewReader(q.Get("text").String()), name,
		dataset.Options{Guess: true, Missing: dataset.MissingMark, MaxBytes: memory})
	switch {
	case err != nil:
		return nil, err
	case set.Y == nil || len(set.Labels) != 2:
		return nil, fmt.Errorf("%s: found %d labels, want two", name, len(set.Labels))
	case set.D != 2:
		return nil, fmt.Errorf("%s: found %d features, want two", name, set.D)
	}
	y := make([]float64, set.N)
	for i, class := range set.Y {
		y[i] = float64(2*class - 1)
	}
	left := []any{}
	if set.Notes != nil {
		for _, c := range set.Notes.LeftOut {
			left = append(left, fmt.Sprint(c.Column))
		}
	}
	return map[string]any{"x": array(set.X[:2*set.N]), "y": array(y), "labels": []any{set.Labels[0], set.Labels[1]},
		"left": left}, nil
}

// train trains one model and decides a grid: {method, sigma, c, scale, x, y, labels, left, right, bottom, top,
// columns, rows} → {support, errors, status, field}. y has -1 and 1; the field begins at the top left.
func train(q js.Value) (map[string]any, error) {
	x, y := floats(q.Get("x")), floats(q.Get("y"))
	class := make([]int, len(y))
	for i, v := range y {
		if v > 0 {
			class[i] = 1
		}
	}
	labels := []string{q.Get("labels").Index(0).String(), q.Get("labels").Index(1).String()}
	set, err := dataset.NewClasses(x, len(y), 2, class, labels)
	if err != nil {
		return nil, err
	}
	method := q.Get("method").String()
	o := sparsekm.Options{Trainer: trainer(method, q.Get("c").Float()), Kernel: gram.RBFSigma(q.Get("sigma").Float()),
		Threads: 1}
	if q.Get("scale").Bool() {
		o.Scale = dataset.ScaleZ
	}
	clf, report, err := sparsekm.Train(context.Background(), set, o)
	if err != nil {
		return nil, err
	}
	models[method] = clf
	errors := 0
	for i, v := range decisions(clf, x) {
		if (v > 0) != (y[i] > 0) {
			errors++
		}
	}
	support := make([]float64, len(report.Support))
	for i, s := range report.Support {
		support[i] = float64(s)
	}
	return map[string]any{"support": array(support), "errors": errors, "status": report.Status.String(),
		"field": array(decisions(clf, grid(q)))}, nil
}

func trainer(method string, c float64) learn.Trainer {
	if method == "ssvc-a" {
		return ssvc.A{C: c}
	}
	return svc.Trainer{C: c}
}

// grid returns the centres of the pixels, row by row from the top left.
func grid(q js.Value) []float64 {
	left, right := q.Get("left").Float(), q.Get("right").Float()
	bottom, top := q.Get("bottom").Float(), q.Get("top").Float()
	columns, rows := q.Get("columns").Int(), q.Get("rows").Int()
	x := make([]float64, 0, 2*columns*rows)
	for i := range rows {
		for k := range columns {
			x = append(x, left+(right-left)*(float64(k)+0.5)/float64(columns), top+(bottom-top)*(float64(i)+0.5)/float64(rows))
		}
	}
	return x
}

func decisions(clf *model.Classifier, x []float64) []float64 {
	f := make([]float64, len(x)/2)
	clf.DecideBatch(f, x, len(f), 1)
	return f
}

// saved returns the last model of a method, as a file: {method} → {bytes}.
func saved(q js.Value) (map[string]any, error) {
	clf := models[q.Get("method").String()]
	if clf == nil {
		return nil, fmt.Errorf("there is no model of %s yet", q.Get("method"))
	}
	b, err := clf.MarshalBinary()
	if err != nil {
		return nil, err
	}
	bytes := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(bytes, b)
	return map[string]any{"bytes": bytes}, nil
}

// array copies numbers to a Float64Array.
func array(v []float64) js.Value {
	b := make([]byte, 0, 8*len(v))
	for _, f := range v {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(f))
	}
	bytes := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(bytes, b)
	return js.Global().Get("Float64Array").New(bytes.Get("buffer"))
}

// floats copies a Float64Array.
func floats(v js.Value) []float64 {
	b := make([]byte, v.Get("byteLength").Int())
	js.CopyBytesToGo(b, js.Global().Get("Uint8Array").New(v.Get("buffer"), v.Get("byteOffset"), len(b)))
	f := make([]float64, len(b)/8)
	for i := range f {
		f[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return f
}
