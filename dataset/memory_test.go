package dataset

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestReadersKeepTheirBudget reads within budgets from a quarter to four times what the samples
// take: no more is ever held, the set included, and a budget of four times is enough.
func TestReadersKeepTheirBudget(t *testing.T) {
	if !testutil.StoppedCollector(t) {
		return
	}
	const n, d = 20000, 20
	const points = 8 * n * (d + 1)
	wide := strings.TrimSuffix(strings.Repeat("1.5,", d), ",")
	var pairs strings.Builder
	for k := range d {
		fmt.Fprintf(&pairs, " %d:1.5", k+1)
	}
	for name, file := range map[string]struct {
		line string
		read func(io.Reader, string, Options) (*Set, error)
	}{
		"csv":            {wide + ",%d\n", ReadCSV},
		"libsvm":         {"%d" + pairs.String() + "\n", readLIBSVM},
		"libsvm, sparse": {"%d 20:1\n", readLIBSVM},
	} {
		text := []byte(fmt.Sprintf(file.line, 1) + fmt.Sprintf(file.line, 2))
		for _, share := range []float64{0.25, 0.9, 1.1, 1.6, 2.2, 3, 4} {
			o := Options{MaxBytes: int64(share * points)}
			var set *Set
			var err error
			used := testutil.PeakHeap(t, func() { set, err = file.read(&repeated{text: text, left: n / 2}, "f", o) })
			t.Logf("%s: %d bytes in use, the budget is %d (%v)", name, used, o.MaxBytes, err)
			if !(used <= o.MaxBytes+o.MaxBytes/50+512<<10) {
				t.Errorf("%s: %d bytes in use, the budget is %d (%v)", name, used, o.MaxBytes, err)
			}
			if share == 4 && (err != nil || set.N != n || set.D != d) {
				t.Errorf("%s: %v within four times what the samples take", name, err)
			}
			if share < 1 && err == nil {
				t.Errorf("%s: read within %v of what the samples take", name, share)
			}
		}
	}
}

// repeated is a text so many times over.
type repeated struct {
	text []byte
	left int
	rest bytes.Reader
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.rest.Len() == 0 {
		if r.left == 0 {
			return 0, io.EOF
		}
		r.left--
		r.rest.Reset(r.text)
	}
	return r.rest.Read(p)
}

// TestFloods reads gigabytes of nothing: what never becomes a row ends the reading long before the
// text does, within the budget.
func TestFloods(t *testing.T) {
	if !testutil.StoppedCollector(t) {
		return
	}
	const budget = 8 << 20
	for name, file := range map[string]struct {
		head, line string
		read       func(io.Reader, string, Options) (*Set, error)
	}{
		"blank lines of csv":     {"1,2\n", "\n", ReadCSV},
		"blank lines of libsvm":  {"1 1:1\n", "\n", readLIBSVM},
		"comments":               {"1 1:1\n", "# nothing\n", readLIBSVM},
		"a quoted cell of lines": {"1,\"", "2\n", ReadCSV},
		"a line of csv":          {"1", ",2", ReadCSV},
		"a line of libsvm":       {"1", " ", readLIBSVM},
		"zeros of csv":           {"", "\x00", ReadCSV},
		"zeros of libsvm":        {"", "\x00", readLIBSVM},
	} {
		rest := &repeated{text: []byte(strings.Repeat(file.line, 4096)), left: 1 << 20}
		var err error
		used := testutil.PeakHeap(t, func() {
			_, err = file.read(io.MultiReader(strings.NewReader(file.head), rest), "f", Options{MaxBytes: budget})
		})
		if err == nil || used > budget {
			t.Errorf("%s: %v, %d bytes in use, the budget is %d", name, err, used, budget)
		}
		if read := (1<<20 - rest.left) * 4096 * len(file.line); read > 3*budget {
			t.Errorf("%s: %v after %d bytes, the budget is %d", name, err, read, budget)
		}
	}
}
