package main

import (
	"path/filepath"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestCommands: the pages name comparisons that there are, or the commit that has them.
func TestCommands(t *testing.T) {
	for _, err := range comparisons.OnPages("peers", filepath.Join(testutil.Root(t), "docs", "performance")) {
		t.Error(err)
	}
}
