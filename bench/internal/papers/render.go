package papers

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// nothing stands in a cell that nobody filled.
const nothing = "–"

// Header has the columns' names.
func (t *Table) Header() []string {
	header := slices.Clone(t.Of)
	for _, name := range t.Paper {
		header = append(header, name+", paper")
	}
	return append(header, t.Ours...)
}

// left reports whether a row is left out: none of its data's rows was made. What nobody made next to others stays, with
// what the paper prints.
func (r *Result) left(i int) bool {
	for k := range r.Rows {
		if r.Rows[k].Data == r.Rows[i].Data && r.Ours[k] != nil {
			return false
		}
	}
	return true
}

// Cells returns the rows that are not left out.
func (r *Result) Cells() [][]string {
	var cells [][]string
	for i, row := range r.Rows {
		if r.left(i) {
			continue
		}
		line := slices.Concat(row.Of, row.Paper)
		for k := range r.Table.Ours {
			cell := nothing
			if k < len(r.Ours[i]) {
				cell = r.Ours[i][k]
			}
			line = append(line, cell)
		}
		cells = append(cells, line)
	}
	return cells
}

// WriteMarkdown writes the table as a section; pictures are files to be shown below it.
func (r *Result) WriteMarkdown(w io.Writer, pictures ...string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%s\n\n", r.Title, r.Protocol)
	if cells := r.Cells(); len(cells) > 0 {
		line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
		line(r.Header())
		line(slices.Repeat([]string{"---"}, len(r.Header())))
		for _, row := range cells {
			line(row)
		}
		b.WriteString("\n")
	}
	for _, text := range slices.Concat(r.Deviations, r.Notes) {
		fmt.Fprintf(&b, "- %s\n", text)
	}
	fmt.Fprintf(&b, "- Data: %s. Command: `go run ./bench/reproduce %s`.\n", strings.Join(r.dataNames(), ", "), r.Name)
	for _, p := range pictures {
		fmt.Fprintf(&b, "\n![%s](%s)\n", r.Title, p)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *Table) dataNames() []string {
	var names []string
	for _, file := range t.Files() {
		if file != Drawn {
			names = append(names, file)
		} else {
			names = append(names, "drawn by the paper's rule")
		}
	}
	return names
}

// Files are the data that the table needs: its own, and those of its rows.
func (t *Table) Files() []string {
	files := slices.Clone(t.Data)
	for _, row := range t.Rows {
		if row.Data != "" && !slices.Contains(files, row.Data) {
			files = append(files, row.Data)
		}
	}
	return files
}

// WriteCSV writes the table alone.
func (r *Result) WriteCSV(w io.Writer) error {
	return csv.NewWriter(w).WriteAll(slices.Concat([][]string{r.Header()}, r.Cells()))
}

// Marks of the page in which a table stands between two comments.
func marks(name string) (begin, end string) {
	return "<!-- reproduce " + name + " -->\n", "<!-- /reproduce " + name + " -->\n"
}

// Section returns what stands between a page's marks of a table.
func Section(page, name string) (string, bool) {
	begin, end := marks(name)
	_, after, ok := strings.Cut(page, begin)
	text, _, closed := strings.Cut(after, end)
	return text, ok && closed
}

// Replace puts text between a page's marks of a table.
func Replace(page, name, text string) (string, error) {
	old, ok := Section(page, name)
	begin, end := marks(name)
	if !ok {
		return "", fmt.Errorf("papers: the page has no lines %q and %q", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return strings.Replace(page, begin+old+end, begin+text+end, 1), nil
}

// pm writes mean and standard deviation.
func pm(v []float64, digits int) string {
	if len(v) == 1 {
		return fmt.Sprintf("%.*f", digits, v[0])
	}
	mean, sd := stat.MeanStdDev(v, nil)
	return fmt.Sprintf("%.*f ± %.*f", digits, mean, digits, sd)
}
