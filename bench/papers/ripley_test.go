package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/testutil"
)

// TestRipleyPicture wants the pictures of the first page to be those that the command draws today. Coordinates
// may differ by their last digit, since SIMD levels differ in the last bits.
func TestRipleyPicture(t *testing.T) {
	points, err := dataset.ReadFile(testutil.Testdata(t, "ripley.train.libsvm"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	machines, err := ripleyMachines(t.Context(), points)
	if err != nil {
		t.Fatal(err)
	}
	number := regexp.MustCompile(`[0-9]+\.[0-9]`)
	for file, colours := range inks {
		text, err := os.ReadFile(filepath.Join(testutil.Root(t), "docs", file))
		if err != nil {
			t.Fatal(err)
		}
		now := ripleyPicture(points, machines, colours)
		if number.ReplaceAllString(string(now), "x") != number.ReplaceAllString(string(text), "x") {
			t.Errorf("docs/%s is not what `go run ./bench/papers -out docs ripley` draws", file)
			continue
		}
		want := number.FindAllString(string(text), -1)
		for i, v := range number.FindAllString(string(now), -1) {
			a, _ := strconv.ParseFloat(v, 64)
			b, _ := strconv.ParseFloat(want[i], 64)
			testutil.Near(t, file+", number "+strconv.Itoa(i), a, b, 0.11)
		}
	}
}
