package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed intro.md
var intro string

// page writes Markdown of all files.
func page(w io.Writer, files []*file) error {
	var b strings.Builder
	b.WriteString(intro)
	for _, f := range files {
		base := filepath.Base(f.name)
		fmt.Fprintf(&b, "\n## %s: %s\n\n", f.keys["cpu"], strings.TrimSuffix(base, ".txt"))
		fmt.Fprintf(&b, "%s/%s, family %s, microcode %s, %s. Load while it was measured: %s. ",
			f.keys["goos"], f.keys["goarch"], cmp.Or(f.keys["family"], "unknown"), f.keys["microcode"],
			f.keys["go"], f.keys["load"])
		fmt.Fprintf(&b, "[%[1]s](../../bench/cpus/%[1]s)\n\n", base)
		levels := f.levels()
		header(&b, []string{"limit", "KiB", "unit"}, levels)
		table(&b, f.limits, levels, func(l line) string {
			return fmt.Sprintf("%s | %s | %s", l.parts["of"], kib(l.parts["bytes"]), l.unit)
		}, func(l line) string { return fmt.Sprintf("%.3g", l.value) })
		b.WriteByte('\n')
		header(&b, []string{"share of", "n", "d", "type", "limit"}, levels)
		table(&b, f.results, levels, func(l line) string {
			name, _, _ := strings.Cut(l.name, "/")
			return fmt.Sprintf("%s | %s | %s | %s | %s", name, l.parts["n"], l.parts["d"], l.parts["type"], l.parts["bound"])
		}, func(l line) string { return fmt.Sprintf("%.0f %%", 100*l.share) })
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func header(b *strings.Builder, columns, levels []string) {
	all := slices.Concat(columns, levels)
	fmt.Fprintf(b, "| %s |\n|%s\n", strings.Join(all, " | "), strings.Repeat(" --- |", len(all)))
}

// table has a row for what lines have in common at all levels.
func table(b *strings.Builder, lines []line, levels []string, what, cell func(line) string) {
	for _, first := range lines {
		if first.parts["level"] != levels[0] {
			continue
		}
		fmt.Fprintf(b, "| %s |", what(first))
		for _, level := range levels {
			text := ""
			for _, l := range lines {
				if l.parts["level"] == level && what(l) == what(first) {
					text = cell(l)
				}
			}
			fmt.Fprintf(b, " %s |", text)
		}
		b.WriteByte('\n')
	}
}

func (f *file) levels() (levels []string) {
	for _, l := range f.limits {
		if level := l.parts["level"]; !slices.Contains(levels, level) {
			levels = append(levels, level)
		}
	}
	return levels
}

func kib(bytes string) string {
	var n int
	if _, err := fmt.Sscan(bytes, &n); err != nil || n == 0 {
		return ""
	}
	return fmt.Sprint(n >> 10)
}
