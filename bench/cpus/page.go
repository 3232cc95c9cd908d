package main

import (
	_ "embed"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

//go:embed intro.md
var intro string

// page writes Markdown of all files: the processors, then limits and shares, at the best level of each.
func page(w io.Writer, files []*file) error {
	var b strings.Builder
	b.WriteString(intro)
	limits, shares := "| limit |", "| share of |"
	for _, f := range files {
		base := filepath.Base(f.name)
		name := strings.TrimSuffix(base, ".txt")
		fmt.Fprintf(&b, "- [%s](../../bench/cpus/%s): %s at %s, %s, load %s\n", name, base, f.keys["cpu"], f.level(),
			f.keys["go"], f.keys["load"])
		limits += " " + name + " |"
		shares += " " + name + " |"
	}
	columns := strings.Repeat(" --- |", len(files))
	fmt.Fprintf(&b, "\n%s\n| --- |%s\n", limits, columns)
	table(&b, files, func(f *file) []line { return f.limits }, func(l line) string {
		return l.parts["of"] + ", " + l.unit
	}, func(l line) string { return fmt.Sprintf("%.3g", l.value) })
	fmt.Fprintf(&b, "\n%s\n| --- |%s\n", shares, columns)
	table(&b, files, func(f *file) []line { return f.results }, func(l line) string {
		name, _, _ := strings.Cut(l.name, "/")
		size := strings.TrimSuffix(l.parts["n"]+"×"+l.parts["d"], "×0")
		return fmt.Sprintf("%s %s %s of %s", name, size, l.parts["type"], l.parts["bound"])
	}, func(l line) string { return fmt.Sprintf("%.2f", l.share) })
	_, err := io.WriteString(w, b.String())
	return err
}

// table has a row for what lines have in common, also where only later files have it, and a column for each file.
func table(b *strings.Builder, files []*file, lines func(*file) []line, what, cell func(line) string) {
	cells := make(map[string][]string)
	var rows []string
	for i, f := range files {
		for _, l := range lines(f) {
			if l.parts["level"] != f.level() {
				continue
			}
			row := what(l)
			if cells[row] == nil {
				cells[row] = make([]string, len(files))
				rows = append(rows, row)
			}
			cells[row][i] = cell(l)
		}
	}
	for _, row := range rows {
		fmt.Fprintf(b, "| %s | %s |\n", row, strings.Join(cells[row], " | "))
	}
}

// level is the best level of a file: its last limit's.
func (f *file) level() string { return f.limits[len(f.limits)-1].parts["level"] }
