package export

import (
	"bytes"
	"fmt"
	"go/format"
	"io"

	_ "embed"
)

//go:embed go.tmpl
var goText string

// writeGo writes a Go file.
func writeGo(w io.Writer, f *flat, o Options) error {
	p := newProgram(f, o)
	p.Doc = append(p.Doc,
		fmt.Sprintf("Tables: %d bytes. It takes rows of raw features, without scaling.", p.Bytes)+p.featureList("//"))
	e := emitter{open: "{", end: "}", decl: func(name string, n int, integer bool) string {
		kind := "float64"
		if integer {
			kind = "uint16"
		}
		return fmt.Sprintf("var %s = [%d]%s", name, n, kind)
	}}
	e.element = func(name, table, index string, _ bool) string { return table + name + "[" + index + "]" }
	var b bytes.Buffer
	if err := e.run(&b, goText, p); err != nil {
		return err
	}
	pretty, err := format.Source(b.Bytes())
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	_, err = w.Write(pretty)
	return err
}

// Imports reports whether the program needs package math.
func (p *program) Imports() bool {
	for i := range p.Groups {
		if g := &p.Groups[i]; g.Value != asItIs && g.Value != power || g.Sum == differences {
			return true
		}
	}
	return p.Probable || p.Variance != nil || p.Sets != nil && !p.Binary
}
