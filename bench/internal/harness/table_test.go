package harness

import (
	"bytes"
	"testing"
)

// ExampleTable prints a table.
func ExampleTable() {
	Table([]string{"set", "ms"}, [][]string{{"iris", "1.5"}})
	// Output:
	// | set | ms |
	// | --- | --- |
	// | iris | 1.5 |
}

// TestRows writes the cells of a table to the file of rows as well.
func TestRows(t *testing.T) {
	var file bytes.Buffer
	rows = &file
	defer func() { rows = nil }()
	Table([]string{"set", "ms"}, [][]string{{"iris", "1.5"}})
	if got := file.String(); got != "set\tms\niris\t1.5\n" {
		t.Errorf("the file of rows has %q", got)
	}
}
