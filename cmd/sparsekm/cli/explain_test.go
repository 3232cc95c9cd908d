package cli

import (
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestExplain holds the parts of a decision against predict's own, to 1e-12, and the vectors against the rows of the
// training.
func TestExplain(t *testing.T) {
	for name, args := range map[string][]string{
		"two classes": {"-m", "ssvc-a", "--scale", "zscore", ripley(t)},
		"linear":      {"-m", "svc", "--kernel", "linear", ripley(t)},
		"three":       {"-m", "svc", testutil.Testdata(t, "iris.libsvm")},
	} {
		model, data := filepath.Join(t.TempDir(), "m.skm"), args[len(args)-1]
		support := object(t, append([]string{"train", "-o", model}, args...)...)["support"].([]any)
		lines := strings.Split(must(t, "predict", "--decisions", model, data).stdout, "\n")
		for _, row := range []int{0, 1, 77, 149} {
			o := object(t, "predict", "--explain", strconv.Itoa(row), "--top", "2", model, data)
			fields := strings.Fields(lines[row])
			machines := o["submodels"].([]any)
			if o["label"] != fields[0] || len(machines) != len(fields)-1 || o["row"] != float64(row) {
				t.Fatalf("%s: row %d: %v; predict says %q", name, row, o, lines[row])
			}
			for i, m := range machines {
				m := m.(map[string]any)
				want, err := strconv.ParseFloat(fields[1+i], 64)
				if err != nil {
					t.Fatal(err)
				}
				sum := m["bias"].(float64) + m["rest"].(float64)
				for _, v := range m["vectors"].([]any) {
					v := v.(map[string]any)
					sum += v["share"].(float64)
					testutil.Near(t, "share", v["coef"].(float64)*v["kernel"].(float64), v["share"].(float64), 0)
					if support[int(v["vector"].(float64))] != v["row"] {
						t.Errorf("%s: vector %v is not row %v", name, v["vector"], v["row"])
					}
				}
				testutil.NearRel(t, name+": decision", m["decision"].(float64), want, 0)
				testutil.Near(t, name+": sum", sum, want, 1e-12*max(1, math.Abs(want)))
			}
		}
		text := must(t, "predict", "--explain", "77", "--top", "2", model, data).stdout
		if !strings.Contains(text, "row 77: class ") || !strings.Contains(text, "bias") || !strings.Contains(text, " more ") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}
