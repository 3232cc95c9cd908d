package simplex

import (
	"bytes"
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testutil"
	"github.com/sparsekm/sparsekm/status"
)

// TestMachines solves the linear programs of sparse kernel machines by each
// method, and as its peers do: through the dump that `clp` reads, where it is installed.
func TestMachines(t *testing.T) {
	clp, _ := exec.LookPath("clp")
	for _, c := range machines {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() {
				t.Skip("seconds")
			}
			x, y := readPoints(t, c.data)
			lp := c.lp(x, y)
			var opt float64
			for _, method := range []Method{Auto, Primal} {
				s, err := New(lp, Options{Method: method})
				if err != nil {
					t.Fatal(err)
				}
				r := s.Solve(context.Background())
				if err := Check(lp, r); err != nil || r.Status != status.Optimal {
					t.Fatal(r.Status, err)
				}
				if !(r.PrimalResidual <= 1e-9) || !(r.DualResidual <= 1e-9) || !(r.Gap <= 1e-9) {
					t.Errorf("residuals %g and %g, gap %g", r.PrimalResidual, r.DualResidual, r.Gap)
				}
				if method == Auto {
					opt = r.Objective
				} else if !testutil.Within(r.Objective, opt, 1e-8*(1+math.Abs(opt))) {
					t.Errorf("dual method %.12g, primal method %.12g", opt, r.Objective)
				}
			}
			if clp == "" {
				t.Log("without clp: it is not installed")
				return
			}
			if got := runCLP(t, clp, lp); !testutil.Within(got, opt, 1e-8*(1+math.Abs(opt))) {
				t.Errorf("objective %.12g, CLP says %.12g", opt, got)
			}
		})
	}
}

// runCLP solves lp with the clp command at tolerances of 1e-9.
func runCLP(t *testing.T, clp string, lp LP) float64 {
	t.Helper()
	var buf bytes.Buffer
	if err := (&Model{LP: lp}).WriteMPS(&buf); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "lp.mps")
	if err := os.WriteFile(path, buf.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(clp, path, "-primalTolerance", "1e-9", "-dualTolerance", "1e-9", "-dualsimplex").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	m := regexp.MustCompile(`Optimal objective (\S+)`).FindSubmatch(out)
	if m == nil {
		t.Fatalf("clp: %s", out)
	}
	v, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
