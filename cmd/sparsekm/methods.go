package main

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/sparsekm/sparsekm"
)

type methodsCmd struct{}

// methodJSON is an element of what `sparsekm methods --json` prints under "methods".
type methodJSON struct {
	Name       string             `json:"name"`
	About      string             `json:"about"`
	Paper      string             `json:"paper"`
	Parameters []string           `json:"parameters"` // names as in reports; flags have - for _
	Defaults   map[string]float64 `json:"defaults"`   // the others are chosen from the data or off
}

func (c *methodsCmd) Run(s *session) error {
	if s.json {
		var list []methodJSON
		for _, m := range sparsekm.Methods() {
			list = append(list, methodJSON{m.Name, m.About, m.Paper, m.Uses, m.Defaults.Map()})
		}
		return s.writeJSON(map[string]any{"methods": list})
	}
	t := newTable("method", "what it is", "parameters", "paper")
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 2, WidthMax: 44, WidthMaxEnforcer: text.WrapSoft},
		{Number: 3, WidthMax: 28, WidthMaxEnforcer: text.WrapSoft},
		{Number: 4, WidthMax: 30, WidthMaxEnforcer: text.WrapSoft},
	})
	for _, m := range sparsekm.Methods() {
		flags := strings.ReplaceAll("--"+strings.Join(m.Uses, " --"), "_", "-")
		t.AppendRow(table.Row{m.Name, m.About, flags, m.Paper})
	}
	t.SetOutputMirror(s.stdout)
	t.Render()
	return nil
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
