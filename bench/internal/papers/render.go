package papers

import (
	"fmt"
	"io"
	"slices"
	"strconv"
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

// WriteMarkdown writes the whole table as a section; pictures are files to be shown below it.
func (r *Result) WriteMarkdown(w io.Writer, pictures ...string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%s\n\n", r.Title, r.Protocol)
	writeTable(&b, r.Header(), r.Cells())
	r.writeNotes(&b, slices.Concat(r.Deviations, r.Notes))
	fmt.Fprintf(&b, "- Data: %s. Command: `go run ./bench/reproduce %s`.\n", strings.Join(r.dataNames(), ", "), r.Name)
	r.writePictures(&b, pictures)
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteSection writes what the page has of the table: a long one as medians, with a link to the file of all rows, and
// no deviation that an earlier section has.
func (r *Result) WriteSection(w io.Writer, rows string, pictures ...string) error {
	var b strings.Builder
	_, title, _ := strings.Cut(r.Title, "), ") // the page has a title for each paper
	fmt.Fprintf(&b, "### %s (`%s`)\n\n%s\n\n", title, r.Name, r.Protocol)
	switch {
	case r.By == nil:
		writeTable(&b, r.Header(), r.Cells())
	case r.Over == "":
		fmt.Fprintf(&b, "[All rows](%s).\n\n", rows)
	default:
		fmt.Fprintf(&b, "Medians over the %s; [all rows](%s).\n\n", r.Over, rows)
		header, cells := r.summary()
		writeTable(&b, header, cells)
	}
	r.writeSideBySide(&b)
	earlier := r.earlier()
	r.writeNotes(&b, slices.DeleteFunc(slices.Concat(r.Deviations, r.Notes), func(d string) bool {
		return slices.Contains(earlier, d) || neverHad(d)
	}))
	r.writePictures(&b, pictures)
	_, err := io.WriteString(w, b.String())
	return err
}

// neverHad reports whether a note is of files alone that the documentation's figures never had, as the page says.
func neverHad(note string) bool {
	_, names, ok := strings.Cut(note, ": ")
	if !ok || !strings.HasPrefix(note, leftOut) && !strings.HasPrefix(note, wereDrawn) {
		return false
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(names, "."), ", ") {
		set, isSplits := strings.CutSuffix(name, ".splits")
		if isSplits {
			name = set + ".libsvm"
		}
		if d, err := FileOf(name); err != nil || d.SHA256 != "" {
			return false
		}
	}
	return true
}

func writeTable(b *strings.Builder, header []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	for _, cells := range slices.Concat([][]string{header, slices.Repeat([]string{"---"}, len(header))}, rows) {
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	b.WriteString("\n")
}

func (r *Result) writeNotes(b *strings.Builder, notes []string) {
	for _, text := range notes {
		fmt.Fprintf(b, "- %s\n", text)
	}
}

// writeSideBySide writes a column next to the printed one, without deviations.
func (r *Result) writeSideBySide(b *strings.Builder) {
	name, column := r.SideBySide[0], r.SideBySide[1]
	printed, ours := slices.Index(r.Table.Paper, column), slices.Index(r.Table.Ours, column)
	if printed < 0 {
		return
	}
	var pairs []string
	for i, row := range r.Rows {
		if r.Ours[i] != nil && strings.HasSuffix(strings.Join(row.Of, " "), name) {
			own, _, _ := strings.Cut(r.Ours[i][ours], " ± ")
			theirs, _, _ := strings.Cut(row.Paper[printed], " ± ")
			pairs = append(pairs, fmt.Sprintf("%s (%s)", own, theirs))
		}
	}
	fmt.Fprintf(b, "By row, %s (paper): %s.\n\n", strings.TrimSpace(name+" "+column), strings.Join(pairs, ", "))
}

func (r *Result) writePictures(b *strings.Builder, pictures []string) {
	for _, p := range pictures {
		fmt.Fprintf(b, "\n![%s](%s)\n", r.Name, p)
	}
}

// earlier are the deviations of the tables before this one.
func (t *Table) earlier() (all []string) {
	for _, other := range tables() {
		if other.Name == t.Name {
			break
		}
		all = append(all, other.Deviations...)
	}
	return all
}

// summary has a row for each value of the columns By: how many rows it sums up, and their medians.
func (r *Result) summary() (header []string, rows [][]string) {
	all, cells := r.Header(), r.Cells()
	place := make([]int, len(r.By))
	for i, name := range r.By {
		place[i] = slices.Index(all, name)
	}
	key := func(row []string) (k []string) {
		for _, j := range place {
			k = append(k, row[j])
		}
		return k
	}
	header = append(slices.Concat(r.By, []string{r.Over}), all[len(r.Of):]...)
	for _, row := range cells {
		if slices.ContainsFunc(rows, func(done []string) bool { return slices.Equal(done[:len(place)], key(row)) }) {
			continue
		}
		same := slices.DeleteFunc(slices.Clone(cells), func(o []string) bool { return !slices.Equal(key(o), key(row)) })
		sum := append(key(row), strconv.Itoa(len(same)))
		for j := len(r.Of); j < len(all); j++ {
			sum = append(sum, middle(same, j))
		}
		rows = append(rows, sum)
	}
	return header, rows
}

// middle is the median of a column's numbers without their deviations, or how often each of few words is there.
func middle(rows [][]string, j int) string {
	var numbers []float64
	var words []string
	counts := make(map[string]int)
	for _, row := range rows {
		number, _, _ := strings.Cut(row[j], " ")
		v, err := strconv.ParseFloat(number, 64)
		switch {
		case row[j] == nothing:
		case err == nil:
			numbers = append(numbers, v)
		default:
			if counts[row[j]]++; counts[row[j]] == 1 {
				words = append(words, row[j])
			}
		}
	}
	if len(numbers) > 0 {
		return strconv.FormatFloat(median(numbers), 'g', 4, 64)
	}
	if len(words) > 3 {
		return ""
	}
	slices.Sort(words)
	for i, word := range words {
		words[i] = fmt.Sprintf("%s: %d", word, counts[word])
	}
	return strings.Join(words, ", ")
}

func (t *Table) dataNames() []string {
	var names []string
	for _, file := range t.Files() {
		if file != Drawn {
			names = append(names, file)
		} else {
			names = append(names, "drawn or computed by the paper's rule")
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

// WriteTSV writes the table alone, its cells parted by tabs.
func (r *Result) WriteTSV(w io.Writer) error {
	var b strings.Builder
	for _, cells := range slices.Concat([][]string{r.Header()}, r.Cells()) {
		b.WriteString(strings.Join(cells, "\t") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Marks of the page in which a table stands between two comments.
func marks(name string) (begin, end string) {
	return "<!--" + name + "-->\n", "<!--/" + name + "-->\n"
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
