package main

import (
	"fmt"
	"strings"

	"github.com/sparsekm/sparsekm/bench/internal/papers"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
)

// reproducedJSON is a table of `sparsekm reproduce --json`.
type reproducedJSON struct {
	Name       string     `json:"name"`
	Title      string     `json:"title"`
	Protocol   string     `json:"protocol"`
	Header     []string   `json:"header"`
	Rows       [][]string `json:"rows"`
	Deviations []string   `json:"deviations"`
	Notes      []string   `json:"notes"` // of this run
	Data       []dataJSON `json:"data"`
}

// dataJSON is a file that a table needs.
type dataJSON struct {
	File   string `json:"file"`
	Source string `json:"source"`
	SHA256 string `json:"sha256,omitempty"`
	Path   string `json:"path,omitempty"`  // where it was found
	Drawn  bool   `json:"drawn,omitempty"` // samples like it are drawn where it is not
}

func newReproducedJSON(r *papers.Result) *reproducedJSON {
	return &reproducedJSON{Name: r.Name, Title: r.Title, Protocol: r.Protocol, Header: r.Header(), Rows: r.Cells(),
		Deviations: r.Deviations, Notes: r.Notes, Data: dataOf(r.Table, new(papers.Env))}
}

func dataOf(t *papers.Table, env *papers.Env) []dataJSON {
	data := []dataJSON{}
	for _, file := range t.Files() {
		if d, err := papers.FileOf(file); err == nil {
			data = append(data, dataJSON{d.File, d.Source, d.SHA256, env.Find(file), d.Drawn()})
		}
	}
	return data
}

// listTables shows every table and the data that it needs, each file once.
func listTables(s *session.Session, env *papers.Env) error {
	if s.JSON {
		all := []*reproducedJSON{}
		for _, t := range papers.All() {
			all = append(all, &reproducedJSON{Name: t.Name, Title: t.Title, Protocol: t.Protocol, Header: t.Header(),
				Deviations: t.Deviations, Data: dataOf(t, env)})
		}
		return s.WriteJSON(map[string]any{"tables": all})
	}
	files := make(map[string]bool)
	var data []dataJSON
	for _, t := range papers.All() {
		fmt.Fprintf(s.Stdout, "%s\n    %s\n", t.Name, wrapped(t.Title, 4))
		var names string
		for _, d := range dataOf(t, env) {
			if d.File == papers.Drawn {
				continue
			}
			names += " " + d.File
			if !files[d.File] {
				files[d.File] = true
				data = append(data, d)
			}
		}
		if names != "" {
			fmt.Fprintf(s.Stdout, "    %s\n", wrapped(names[1:], 4))
		}
	}
	fmt.Fprintln(s.Stdout, "\nData, with the SHA-256 of the documentation's:")
	for _, d := range data {
		there := d.Path
		switch {
		case there == "" && d.Drawn:
			there = "not there: drawn"
		case there == "":
			there = "not there"
		}
		fmt.Fprintf(s.Stdout, "%s: %s\n    %s\n", d.File, there, wrapped(d.Source, 4))
		if d.SHA256 != "" {
			fmt.Fprintf(s.Stdout, "    %s\n", d.SHA256)
		}
	}
	return nil
}

// wrapped is a text in 80 columns whose lines after the first are indented.
func wrapped(long string, indent int) string {
	return strings.Join(session.Wrapped(long, 80-indent), "\n"+strings.Repeat(" ", indent))
}
