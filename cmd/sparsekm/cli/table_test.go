package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTable writes a table in each form.
func TestTable(t *testing.T) {
	table := newTable("sv", "what", "note")
	table.widths[2] = 9
	table.add(7, "a|b", "one two three four")
	table.add(12, "ä,\"c\"", "")
	want := strings.Join([]string{
		"┌────┬───────┬─────────┐",
		"│ sv │ what  │ note    │",
		"├────┼───────┼─────────┤",
		"│  7 │ a|b   │ one two │",
		"│    │       │ three   │",
		"│    │       │ four    │",
		"│ 12 │ ä,\"c\" │         │",
		"└────┴───────┴─────────┘"}, "\n")
	for form, forms := range map[string][2]string{
		"lines":    {table.String(), want},
		"csv":      {table.csv(), "sv,what,note\n7,a|b,one two three four\n12,\"ä,\"\"c\"\"\","},
		"markdown": {table.markdown(), "| sv | what | note |\n| --- | --- | --- |\n| 7 | a\\|b | one two three four |\n| 12 | ä,\"c\" |  |"},
		"html": {table.html(), "<table>\n<thead>\n<tr><th>sv</th><th>what</th><th>note</th></tr>\n</thead>\n<tbody>\n" +
			"<tr><td>7</td><td>a|b</td><td>one two three four</td></tr>\n<tr><td>12</td><td>ä,\"c\"</td><td></td></tr>\n</tbody>\n</table>"},
	} {
		if d := cmp.Diff(strings.Split(forms[0], "\n"), strings.Split(forms[1], "\n")); d != "" {
			t.Errorf("%s: %s", form, d)
		}
	}
}
