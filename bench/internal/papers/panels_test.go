package papers

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestPicture wants the pictures of the first page to be those that the command draws today. Coordinates may differ by
// their last digit, since SIMD levels differ in the last bits.
func TestPicture(t *testing.T) {
	table, err := Lookup("huang-fig3")
	if err != nil {
		t.Fatal(err)
	}
	r, err := table.Run(t.Context(), &Env{Folders: []string{filepath.Join(testutil.Root(t), "testdata")}})
	if err != nil || len(r.Panels) != 3 {
		t.Fatalf("%d panels, %v", len(r.Panels), err)
	}
	number := regexp.MustCompile(`[0-9]+\.[0-9]`)
	for file, onDark := range map[string]bool{"huang-fig3.svg": false, "huang-fig3-dark.svg": true} {
		text, err := os.ReadFile(filepath.Join(testutil.Root(t), "docs", "results", file))
		if err != nil {
			t.Fatal(err)
		}
		now := Picture(r.Panels, onDark)
		for mark, want := range map[string]int{"<text ": 3, "<path ": 6, `r="2.5"`: 750, `r="6"`: 102 + 4 + 4} {
			if n := strings.Count(string(now), mark); n != want {
				t.Errorf("%s: %d times %s, want %d", file, n, mark, want)
			}
		}
		if number.ReplaceAllString(string(now), "x") != number.ReplaceAllString(string(text), "x") {
			t.Errorf("docs/results/%s is not what `go run ./bench/reproduce huang-fig3 --out docs/results` draws", file)
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
