package harness

import (
	"fmt"
	"strings"
)

// Table prints a Markdown table.
func Table(header []string, rows [][]string) {
	Header(header...)
	for _, r := range rows {
		Row(r...)
	}
}

// Header begins a table whose rows come one by one, as they are found.
func Header(cells ...string) {
	Row(cells...)
	Row(strings.Split(strings.Repeat("---,", len(cells)-1)+"---", ",")...)
}

// Row prints one row.
func Row(cells ...string) { fmt.Println("| " + strings.Join(cells, " | ") + " |") }
