package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// The committed files are what the generator writes.
func TestFiles(t *testing.T) {
	for _, pkg := range []string{"gram", "internal/dense", "internal/limits", "smo"} {
		dir := filepath.Join(testutil.Root(t), pkg)
		texts, err := files(dir)
		if err != nil {
			t.Fatalf("%s: %v", pkg, err)
		}
		for name, want := range texts {
			if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s/%s is not what go generate writes (%v)", pkg, name, err)
			}
		}
	}
}
