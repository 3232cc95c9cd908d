//go:build js

// Command engine is what the demonstration page computes with, in a web worker: it trains
// classifiers of the plane and decides a grid of pixels. It gives the worker one object, sparsekm, whose functions
// return {error} where something is wrong. What it does not import the page need not load.
package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"syscall/js"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/ssvc"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
)

// models are those of the last training, by method.
var models = map[string]*model.Classifier{}

func main() {
	js.Global().Set("sparsekm", js.ValueOf(map[string]any{
		"train": function(train), "save": function(saved),
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

// train trains one model and decides a grid: {method, sigma, c, scale, x, y, labels, left, right, bottom, top,
// columns, rows} → {support, errors, status, field}. The field begins at the left top.
func train(q js.Value) (map[string]any, error) {
	y := floats(q.Get("y"))
	set := &dataset.Set{X: floats(q.Get("x")), N: len(y), D: 2}
	raw := set
	var scaling *dataset.Scaling
	if q.Get("scale").Bool() {
		var err error
		if scaling, err = dataset.FitZ(set); err != nil {
			return nil, err
		}
		set = scaling.Apply(set)
	}
	p := &learn.Problem{X: set.X, N: set.N, D: 2, Y: y, Kernel: gram.RBFSigma(q.Get("sigma").Float())}
	p.Threads = 1
	method, c := q.Get("method").String(), q.Get("c").Float()
	r, err := learned(method, c, p)
	if err != nil {
		return nil, err
	}
	parts := model.BinaryParts(p.Kernel, p.X, 2, r.Expansion)
	parts.Labels = []string{q.Get("labels").Index(0).String(), q.Get("labels").Index(1).String()}
	parts.Scaling, parts.Method, parts.Trained, parts.Features = scaling, method, set.N, 2
	clf, err := model.New(parts)
	if err != nil {
		return nil, err
	}
	models[method] = clf
	errors := 0
	for i, v := range decisions(clf, raw.X) {
		if (v > 0) != (y[i] > 0) {
			errors++
		}
	}
	support := make([]float64, len(r.Support))
	for i, s := range r.Support {
		support[i] = float64(s)
	}
	return map[string]any{"support": array(support), "errors": errors, "status": r.Report.Status.String(),
		"field": array(decisions(clf, grid(q)))}, nil
}

// learned calls the methods by their types: by their interface, all methods of their packages would be loaded.
func learned(method string, c float64, p *learn.Problem) (*learn.Result, error) {
	if method == "ssvc-a" {
		return ssvc.A{C: c}.Train(context.Background(), p)
	}
	return svc.Trainer{C: c}.Train(context.Background(), p)
}

// grid are the centers of the pixels, row by row from the left top.
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

// saved is the last model of a method, as a file: {method} → {bytes}.
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
