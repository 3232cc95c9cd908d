package fileformat

import (
	"strings"
	"testing"
)

// TestNoZip: a program without package zipped says what it misses.
func TestNoZip(t *testing.T) {
	err := EachInZip([]byte("PK\x03\x04"), "CSV", nil)
	if err == nil || !strings.Contains(err.Error(), "import package sparsekm") {
		t.Error(err)
	}
}
