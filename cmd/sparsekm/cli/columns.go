package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
)

// noteColumns says what was found in the columns of a table, unless they are numbers and nothing else.
func noteColumns(s *session.Session, name string, n *dataset.Notes) {
	if n == nil {
		return
	}
	if n.Layout != "" {
		s.Note("%s: %s", name, n.Layout)
	}
	columns, written := n.Found()
	if columns != "" && !s.Quiet {
		s.Note("%s", columns)
	}
	for _, text := range written {
		s.Note("%s", text)
	}
	if n.Unlabelled > 0 {
		s.Note("%s: %s without a label left out", name, counted(n.Unlabelled, "row"))
	}
	if len(n.Filled) > 0 {
		cells := 0
		for _, c := range n.Filled {
			cells += c.Cells
		}
		s.Note("%s: %s filled (--strict refuses them): %s", name, counted(cells, "missing cell"),
			listed(filledCells(n.Filled), 10))
	}
	if n.Unknown > 0 {
		s.Note("%s of words that the training did not have count as none (--strict refuses them), the first: %v",
			counted(n.Unknown, "cell"), n.First)
	}
}

// filledCells names columns with their numbers of cells.
func filledCells(notes []dataset.ColumnNote) (all []string) {
	for _, c := range notes {
		all = append(all, fmt.Sprintf("%s %d", c.Column, c.Cells))
	}
	return all
}

// counted is a number of things, in the singular for one.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// joined adds what batches of one file note.
func joined(all, more *dataset.Notes) *dataset.Notes {
	if all == nil || more == nil {
		if all == nil {
			return more
		}
		return all
	}
	all.Unknown += more.Unknown
	all.Unlabelled += more.Unlabelled
	for _, c := range more.Filled {
		i := slices.IndexFunc(all.Filled, func(note dataset.ColumnNote) bool { return note.Column == c.Column })
		if i < 0 {
			all.Filled = append(all.Filled, c)
		} else {
			all.Filled[i].Cells += c.Cells
		}
	}
	if all.First == nil {
		all.First = more.First
	}
	return all
}

// like makes a reading that of samples like those of a training file, whose columns hold.
func (f *reading) like(train *dataset.Set) {
	f.Columns, f.Guess, f.weighs = train.Columns, false, false
	f.ZeroBased = f.ZeroBased || train.ZeroBased
	f.fromOne = train.Pairs && !f.ZeroBased
	if f.Targets == dataset.TargetGuess {
		if f.Targets = dataset.TargetClasses; train.Targets != nil {
			f.Targets = dataset.TargetValues
		}
		fractions(&f.Options, train.Labels)
	}
	if train.Columns == nil && f.column == "" {
		f.Missing = dataset.MissingError
	}
}

// faultsError has a line for each fault of a table, and one with the flags that help with all of them.
type faultsError struct {
	dataset.Faults
	flags []string
}

func (e *faultsError) Error() string {
	text := e.Faults.Error()
	if len(e.flags) > 0 {
		text += "\ntry: " + strings.Join(e.flags, " ")
	}
	return strings.ReplaceAll(text, "\n", "\nsparsekm: ")
}

// advisedAll finds the flags that help with all faults of a table.
func advisedAll(faults dataset.Faults, regress string) error {
	var drop, words, odd, flags []string
	missing := "auto"
	add := func(flag string) {
		if !slices.Contains(flags, flag) {
			flags = append(flags, flag)
		}
	}
	for _, e := range faults {
		switch {
		case e.NoLabel:
			add("--drop-unlabelled")
		case e.Label:
			add(regress)
		case e.Comma:
			add("--decimal ,")
		case e.Missing:
			missing = "mark"
		case e.Column == "":
		case e.Words:
			words = append(words, shellName(e.Column))
		case e.Text && e.Odd != nil:
			for _, word := range e.Odd {
				if word = shellName(word); !slices.Contains(odd, word) {
					odd = append(odd, word)
				}
			}
		case (e.Text || e.Many) && !slices.Contains(drop, shellName(e.Column)):
			drop = append(drop, shellName(e.Column))
		}
	}
	if len(words) > 0 {
		add("--categorical " + strings.Join(words, ","))
	}
	if len(odd) > 0 || missing == "mark" {
		add("--missing " + strings.Join(append([]string{missing}, odd...), ","))
	}
	if len(drop) > 0 {
		add("--drop " + strings.Join(drop, ","))
	}
	return &faultsError{faults, flags}
}

// shellName is a column's name as a shell takes it in a list.
func shellName(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '.' || r == '-')
	}) {
		return name
	}
	return "'" + strings.ReplaceAll(strings.ReplaceAll(name, ",", `\,`), "'", `'\''`) + "'"
}
