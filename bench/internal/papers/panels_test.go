package papers

import (
	"bytes"
	"math"
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
	number := regexp.MustCompile(`[0-9]+(\.[0-9]+)?`)
	const file = "huang-fig3.svg"
	text, err := os.ReadFile(filepath.Join(testutil.Root(t), "docs", "results", file))
	if err != nil {
		t.Fatal(err)
	}
	var now bytes.Buffer
	if err := WritePanels(&now, r.Panels, false); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(now.String(), "<svg "); n != 4 || !strings.Contains(now.String(), ">svc keeps 102 of 250<") {
		t.Errorf("%d pictures in one", n)
	}
	want := number.FindAllString(string(text), -1)
	for i, v := range number.FindAllString(now.String(), -1) {
		a, _ := strconv.ParseFloat(v, 64)
		b, _ := strconv.ParseFloat(want[min(i, len(want)-1)], 64)
		if !(math.Abs(a-b) <= 0.11) {
			t.Fatalf("docs/results/%s is not what reproduce huang-fig3 draws: number %d is %s, was %v", file, i, v, b)
		}
	}
}
