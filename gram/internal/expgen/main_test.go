package main

import (
	"go/format"
	"os"
	"path/filepath"
	"testing"
)

// The committed files are what the generator writes.
func TestFiles(t *testing.T) {
	for name, want := range files() {
		got, err := os.ReadFile(filepath.Join("..", "..", name))
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
