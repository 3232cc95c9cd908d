package session

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// WriteHelp writes the help of a command, or of the program for an empty name; all has the rare flags too.
func (p *Program) WriteHelp(w io.Writer, command string, all bool) error {
	l := p.begin()
	if command != "" {
		if err := l.name(command); err != nil {
			return AsUsage(err)
		}
	}
	l.common.Show.all = all
	_, err := fmt.Fprint(w, l.help(columns(w)))
	return err
}

// help is the help of the line's command in lines of so many columns.
func (l *line) help(columns int) string {
	h := &helpText{columns: columns, all: l.common.Show.all}
	usage, about := l.program.Name+" <command>", l.program.Help
	if l.command != nil {
		usage = strings.TrimSpace(l.program.Name + " " + l.command.Name)
		for _, f := range l.args {
			usage += " " + f.String()
		}
		if l.command.Help != "" {
			about = l.command.Help
		}
	}
	fmt.Fprintf(h, "Usage: %s [flags]\n\n", usage)
	h.wrapped(about, 0)
	if l.command != nil && l.program.Examples != nil {
		if lines := l.program.Examples(l.command.Name); len(lines) > 0 {
			fmt.Fprintf(h, "\nExamples:\n\n    %s\n", strings.Join(lines, "\n    "))
		}
	}
	h.flags("Arguments:", l.args)
	for _, g := range append([]Group{{"", "Flags:"}}, l.program.Groups...) {
		h.flags(g.Title, slices.DeleteFunc(slices.Clone(l.flags), func(f *Flag) bool { return f.group != g.Key }))
	}
	if l.command == nil {
		var rows [][2]string
		for _, c := range l.program.Commands {
			rows = append(rows, [2]string{c.Name, c.Help})
		}
		h.table("Commands:", rows)
		fmt.Fprintf(h, "\n%s <command> --help shows the flags of a command.\n", l.program.Name)
	} else if h.hidden > 0 {
		fmt.Fprintf(h, "\n--help all shows %d more flags.\n", h.hidden)
	}
	return h.String()
}

// helpText is a help that is being written.
type helpText struct {
	strings.Builder
	columns int
	all     bool // rare flags too
	hidden  int  // flags left out
}

// columns is the width that a help has on w: of the variable COLUMNS, of the terminal, or 80, and at most 110.
func columns(w io.Writer) int {
	const usual, widest = 80, 110
	n, err := strconv.Atoi(os.Getenv("COLUMNS"))
	if f, ok := w.(*os.File); ok && err != nil {
		n, _, err = term.GetSize(int(f.Fd()))
	}
	if err != nil || n < usual/2 {
		n = usual
	}
	return min(n, widest)
}

// flags writes flags under a title.
func (h *helpText) flags(title string, flags []*Flag) {
	var rows [][2]string
	for _, f := range flags {
		if f.Rare && !h.all {
			h.hidden++
			continue
		}
		name := f.String()
		if f.Short == "" && !f.Arg {
			name = "    " + name
		}
		rows = append(rows, [2]string{name, f.Text()})
	}
	h.table(title, rows)
}

// table writes rows of two columns under a title.
func (h *helpText) table(title string, rows [][2]string) {
	if len(rows) == 0 {
		return
	}
	const widest = 24 // longer names have the text below them
	width := 0
	for _, row := range rows {
		if n := utf8.RuneCountInString(row[0]); n <= widest {
			width = max(width, n)
		}
	}
	h.WriteString("\n" + title + "\n")
	for _, row := range rows {
		fmt.Fprintf(h, "  %-*s", width, row[0])
		if utf8.RuneCountInString(row[0]) > width {
			fmt.Fprintf(h, "\n%*s", width+2, "")
		}
		h.WriteString("  ")
		h.wrapped(row[1], width+4)
	}
}

// wrapped writes a text in lines, all but the first one so far from the left.
func (h *helpText) wrapped(text string, indent int) {
	column := indent
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+n > h.columns:
			fmt.Fprintf(h, "\n%*s", indent, "")
			column = indent
		default:
			h.WriteByte(' ')
			column++
		}
		h.WriteString(word)
		column += n
	}
	h.WriteByte('\n')
}

// Wrapped cuts a text into lines of at most so many characters, between words; 0 cuts nothing.
func Wrapped(text string, width int) (lines []string) {
	if width == 0 {
		return []string{text}
	}
	line, room := "", 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
			line, room = word, width-n
		case n < room:
			line, room = line+" "+word, room-n-1
		default:
			lines = append(lines, line)
			line, room = word, width-n
		}
	}
	return append(lines, line)
}
