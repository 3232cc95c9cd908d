//go:build js

// Command exporter writes a model as C for the demonstration page, which loads it when somebody asks for that.
// It gives the worker the function sparsekmC: a model file's bytes → {text} or {error}.
package main

import (
	"strings"
	"syscall/js"

	"github.com/sparsekm/sparsekm/export"
	"github.com/sparsekm/sparsekm/model"
)

func main() {
	js.Global().Set("sparsekmC", js.FuncOf(func(_ js.Value, args []js.Value) any {
		data := make([]byte, args[0].Get("length").Int())
		js.CopyBytesToGo(data, args[0])
		text, err := program(data)
		if err != nil {
			return map[string]any{"error": err.Error()}
		}
		return map[string]any{"text": text}
	}))
	select {} // the worker calls
}

func program(data []byte) (string, error) {
	clf, err := model.Parse(data)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = export.Write(&b, clf, "c", export.Options{})
	return b.String(), err
}
