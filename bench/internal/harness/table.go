package harness

import (
	"fmt"
	"io"
	"strings"
)

// rows takes the cells of every table too, parted by tabs, if the command line names a file for them.
var rows io.Writer

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
	fmt.Println("|" + strings.Repeat(" --- |", len(cells)))
}

// Row prints one row.
func Row(cells ...string) {
	fmt.Println("| " + strings.Join(cells, " | ") + " |")
	if rows != nil {
		fmt.Fprintln(rows, strings.Join(cells, "\t"))
	}
}
