package main

import (
	"go/format"
	"os"
	"path/filepath"
	"testing"
)

// The committed files are what the generator writes.
func TestExpFiles(t *testing.T) {
	for name, want := range expFiles() {
		got, err := os.ReadFile(filepath.Join("..", "..", "gram", name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s is not what go generate writes", name)
		}
		if filepath.Ext(name) != ".go" {
			continue
		}
		if formatted, err := format.Source([]byte(want)); err != nil || string(formatted) != want {
			t.Errorf("%s is not formatted (%v)", name, err)
		}
	}
}
