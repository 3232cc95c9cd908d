package dataset

import (
	"fmt"
	"strconv"
	"strings"
)

// Found says in a line what the columns are, nothing if all are numbers without missing cells, and in a line for each
// how those are read that are not written plainly.
func (n *Notes) Found() (columns string, written []string) {
	if columns = n.found(); columns != "" {
		columns = "columns: " + columns
	}
	for i := range n.Written {
		written = append(written, "column "+n.Written[i].Column+": "+n.Written[i].written())
	}
	return columns, written
}

func (n *Notes) found() string {
	levels := described(n.Categories, func(c *ColumnNote) string {
		if c.Others > 0 {
			return fmt.Sprintf("%s %d and %d rare words", c.Column, c.Levels, c.Others)
		}
		return fmt.Sprintf("%s %d", c.Column, c.Levels)
	})
	dates := described(n.Dates, func(c *ColumnNote) string { return c.Column + " by " + strings.Join(c.Parts, "+") })
	out := described(n.LeftOut, func(c *ColumnNote) string { return c.Column + " (" + c.Why + ")" })
	marked := false
	missing := described(n.Missing, func(c *ColumnNote) string {
		if c.Marked {
			marked = true
			return c.Column + " marked"
		}
		return c.Column
	})
	var parts []string
	add := func(names []string, one, many string) {
		if len(names) == 1 {
			many = one
		}
		if len(names) > 0 {
			parts = append(parts, fmt.Sprintf("%d %s (%s)", len(names), many, upToTen(names)))
		}
	}
	if n.Numbers > 0 {
		parts = append(parts, fmt.Sprintf("%d numbers", n.Numbers))
	}
	if n.Numbers == 1 {
		parts[0] = "1 number"
	}
	add(levels, "category", "categories")
	add(n.YesNo, "yes or no", "yes or no")
	add(dates, "date", "dates")
	if add(missing, "with missing cells", "with missing cells"); marked {
		parts[len(parts)-1] += ": filled and marked"
	}
	if len(parts) == 1 && n.Numbers > 0 && len(out) == 0 {
		return ""
	}
	text := strings.Join(parts, ", ")
	if len(out) > 0 {
		text += "; left out: " + upToTen(out)
	}
	return text
}

// written says how a column was read that is not written plainly.
func (c *ColumnNote) written() string {
	var parts []string
	switch {
	case c.Form == clockForm && c.Also != "":
		parts = append(parts, "read as times, in seconds; 1:30 is taken for 90 seconds, but may be 1 h 30 min")
	case c.Form == clockForm:
		parts = append(parts, "read as times like "+c.Form+", in seconds")
	case strings.Contains(c.Form, rangeForm):
		parts = append(parts, "read as numbers like "+c.Form+": the middle of a range, or its only bound")
	case c.Also != "":
		parts = append(parts, fmt.Sprintf("dates are taken for %s, but they may be %s", c.Form, c.Also))
	case c.Form != "":
		parts = append(parts, "read as numbers like "+c.Form)
	}
	if len(c.Words) > 0 {
		quoted := make([]string, len(c.Words))
		for i, word := range c.Words {
			quoted[i] = strconv.Quote(word)
		}
		parts = append(parts, upToTen(quoted)+" count as missing")
	}
	return strings.Join(parts, "; ")
}

// described describes columns.
func described(notes []ColumnNote, text func(c *ColumnNote) string) (all []string) {
	for i := range notes {
		all = append(all, text(&notes[i]))
	}
	return all
}

func upToTen(names []string) string {
	const limit = 10
	text := strings.Join(names[:min(len(names), limit)], ", ")
	if len(names) > limit {
		text += fmt.Sprintf(" and %d more", len(names)-limit)
	}
	return text
}
