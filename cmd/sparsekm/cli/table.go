package cli

import (
	"encoding/csv"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
)

// table is a table for people. (A library's takes 0.5 MB of the command.)
type table struct {
	header []string
	rows   [][]string
	number []bool // columns that have numbers only, on the right side
	widths []int  // the most columns of the screen that a cell has before it wraps, 0 for any
}

// newTable returns a table without rows.
func newTable(header ...string) *table {
	t := &table{header: header, number: make([]bool, len(header)), widths: make([]int, len(header))}
	for j := range t.number {
		t.number[j] = true
	}
	return t
}

// add adds a row.
func (t *table) add(cells ...any) {
	row := make([]string, len(t.header))
	for j, c := range cells {
		row[j] = fmt.Sprint(c)
		_, whole := c.(int)
		t.number[j] = t.number[j] && whole
	}
	t.rows = append(t.rows, row)
}

// String returns the table within lines.
func (t *table) String() string {
	lines := make([][][]string, 0, 1+len(t.rows)) // of each cell of each row
	width := make([]int, len(t.header))
	for _, row := range append([][]string{t.header}, t.rows...) {
		cells := make([][]string, len(row))
		for j, text := range row {
			cells[j] = session.Wrapped(text, t.widths[j])
			for _, line := range cells[j] {
				width[j] = max(width[j], utf8.RuneCountInString(line))
			}
		}
		lines = append(lines, cells)
	}
	var b strings.Builder
	rule := func(left, middle, right string) {
		parts := make([]string, len(width))
		for j, w := range width {
			parts[j] = strings.Repeat("─", w+2)
		}
		b.WriteString(left + strings.Join(parts, middle) + right)
	}
	rule("┌", "┬", "┐\n")
	for i, cells := range lines {
		t.row(&b, cells, width)
		if i == 0 {
			rule("├", "┼", "┤\n")
		}
	}
	rule("└", "┴", "┘")
	return b.String()
}

// row writes a row of cells, each of one or more lines.
func (t *table) row(b *strings.Builder, cells [][]string, width []int) {
	more := true
	for k := 0; more; k++ {
		more = false
		for j, lines := range cells {
			text := ""
			if k < len(lines) {
				text = lines[k]
			}
			pad := strings.Repeat(" ", width[j]-utf8.RuneCountInString(text))
			if t.number[j] {
				text, pad = pad, text
			}
			b.WriteString("│ " + text + pad + " ")
			more = more || k+1 < len(lines)
		}
		b.WriteString("│\n")
	}
}

// csv returns the table as comma-separated values.
func (t *table) csv() string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.WriteAll(append([][]string{t.header}, t.rows...)) // a builder takes all
	return strings.TrimSuffix(b.String(), "\n")
}

// markdown returns the table in the form of GitHub.
func (t *table) markdown() string {
	var b strings.Builder
	for i, row := range append([][]string{t.header}, t.rows...) {
		b.WriteString("| " + strings.ReplaceAll(strings.Join(row, "\x00"), "|", `\|`) + " |\n")
		if i == 0 {
			b.WriteString(strings.Repeat("| --- ", len(row)) + "|\n")
		}
	}
	return strings.TrimSuffix(strings.ReplaceAll(b.String(), "\x00", " | "), "\n")
}

// html returns the table in HTML, of cells that are HTML already.
func (t *table) html() string {
	var b strings.Builder
	b.WriteString("<table>\n<thead>\n")
	for i, row := range append([][]string{t.header}, t.rows...) {
		tag := "td"
		if i == 0 {
			tag = "th"
		}
		b.WriteString("<tr>")
		for _, cell := range row {
			fmt.Fprintf(&b, "<%s>%s</%[1]s>", tag, cell)
		}
		if b.WriteString("</tr>\n"); i == 0 {
			b.WriteString("</thead>\n<tbody>\n")
		}
	}
	return b.String() + "</tbody>\n</table>"
}
