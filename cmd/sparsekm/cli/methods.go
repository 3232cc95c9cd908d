package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/learn"
)

type methodsCmd struct{}

// methodJSON is an element of what `sparsekm methods --json` prints under "methods".
type methodJSON struct {
	Name       string             `json:"name"`
	About      string             `json:"about"`
	Paper      string             `json:"paper"`
	Parameters []string           `json:"parameters"` // names as in reports; flags have - for _
	Defaults   map[string]float64 `json:"defaults"`   // the others are chosen from the data or off
	Range      map[string]string  `json:"range"`      // what each number must be
	Doc        map[string]string  `json:"doc"`        // what each parameter means
	Validation bool               `json:"validation"` // it decides on held-out points, --val
	DumpsLP    bool               `json:"dumps_lp"`   // it solves linear programs, --dump-lp
}

func newMethodJSON(m sparsekm.Method) methodJSON {
	j := methodJSON{Name: m.Name, About: m.About, Paper: m.Paper, Defaults: defaults(m).Numbers(),
		Range: make(map[string]string), Doc: make(map[string]string), Validation: readsValidation(m), DumpsLP: dumps(m)}
	for _, p := range m.Params() {
		j.Parameters = append(j.Parameters, p.Name)
		j.Doc[p.Name] = p.Doc
		if p.Range.Text != "" {
			j.Range[p.Name] = p.Range.Text
		}
	}
	return j
}

// bare is the method's trainer with its defaults.
func bare(m sparsekm.Method) learn.Trainer {
	t, err := m.New(nil)
	if err != nil {
		panic(err) // defaults are never refused
	}
	return t
}

func defaults(m sparsekm.Method) learn.Values { return learn.ValuesOf(bare(m)) }

func readsValidation(m sparsekm.Method) bool { return m.Validation }

func dumps(m sparsekm.Method) bool {
	_, ok := bare(m).(learn.Dumper)
	return ok
}

// having lists the methods that have a property.
func having(property func(sparsekm.Method) bool) string {
	var names []string
	for _, m := range sparsekm.Methods() {
		if property(m) {
			names = append(names, m.Name)
		}
	}
	return strings.Join(names, ", ")
}

func (c *methodsCmd) Run(s *session) error {
	if s.json {
		var list []methodJSON
		for _, m := range sparsekm.Methods() {
			list = append(list, newMethodJSON(m))
		}
		return s.writeJSON(map[string]any{"methods": list})
	}
	t := newTable("method", "what it is", "parameters and defaults", "paper")
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 2, WidthMax: 44, WidthMaxEnforcer: text.WrapSoft},
		{Number: 3, WidthMax: 28, WidthMaxEnforcer: text.WrapSoft},
		{Number: 4, WidthMax: 30, WidthMaxEnforcer: text.WrapSoft},
	})
	for _, m := range sparsekm.Methods() {
		t.AppendRow(table.Row{m.Name, m.About, usage(m), m.Paper})
	}
	t.SetOutputMirror(s.stdout)
	t.Render()
	meanings(s.stdout)
	return nil
}

// usage lists a method's flags with their defaults.
func usage(m sparsekm.Method) string {
	var list []string
	values := defaults(m).Numbers()
	for _, p := range m.Params() {
		flag := "--" + flagName(p.Name)
		if v, ok := values[p.Name]; ok {
			flag += fmt.Sprintf("=%g", v)
		}
		list = append(list, flag)
	}
	if readsValidation(m) {
		list = append(list, "--val")
	}
	if dumps(m) {
		list = append(list, "--dump-lp")
	}
	return strings.Join(list, " ")
}

// meanings prints what every parameter means, once for all methods that have it.
func meanings(w io.Writer) {
	t := newTable("parameter", "value", "what it means")
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 3, WidthMax: 76, WidthMaxEnforcer: text.WrapSoft}})
	for _, p := range parameters() {
		t.AppendRow(table.Row{"--" + flagName(p.Name), p.Range.Text, p.Doc})
	}
	t.SetOutputMirror(w)
	t.Render()
}

// newTable returns a table for people.
func newTable(header ...string) table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	row := make(table.Row, len(header))
	for i, h := range header {
		row[i] = h
	}
	t.AppendHeader(row)
	return t
}
