package simplex

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/status"
)

var update = flag.Bool("update", false, "record CLP's results in testdata/clp.json anew; needs clp")

// clpRecord is what CLP said of the programs that every clone has, so that a test
// compares with it where it is not installed.
type clpRecord struct {
	Version, Command string
	Results          map[string]clpResult // by program: a file of testdata, or a name of sparseModels or hard
}

type clpResult struct {
	Status    string
	Objective float64 // of an optimum, in the ten digits that CLP prints
}

// clpTolerance is for ten digits and CLP's own tolerances of 1e-9.
const clpTolerance = 1e-8

var clpOptions = []string{"-primalTolerance", "1e-9", "-dualTolerance", "1e-9", "-dualsimplex"}

func readRecord(t *testing.T) (r clpRecord) {
	t.Helper()
	b, err := os.ReadFile("testdata/clp.json")
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// recorded lists the programs whose results are recorded.
func recorded(t *testing.T) map[string]LP {
	t.Helper()
	files, err := filepath.Glob("testdata/*.mps.gz")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs in testdata", err)
	}
	programs := map[string]LP{}
	for _, f := range files {
		programs[filepath.Base(f)] = readProgram(t, f)
	}
	for _, c := range sparseModels {
		if openSets[c.data] != "" {
			programs[c.name] = c.lp(readPoints(t, c.data))
		}
	}
	for _, c := range hard {
		if len(c.p.a) > 0 { // CLP refuses a file without rows
			programs[c.name] = c.p.lp(false)
		}
	}
	return programs
}

// TestCLP solves the recorded programs and compares with CLP's results.
func TestCLP(t *testing.T) {
	programs := recorded(t)
	if *update {
		record(t, programs)
	}
	r := readRecord(t)
	var names, want []string
	for name := range r.Results {
		want = append(want, name)
	}
	for name, lp := range programs {
		names = append(names, name)
		t.Run(name, func(t *testing.T) {
			if rows, _ := lp.A.Dims(); testing.Short() && rows > 100 {
				t.Skip("seconds")
			}
			c := r.Results[name]
			st := status.Optimal
			for _, s := range []status.Status{status.Infeasible, status.Unbounded} {
				if s.String() == c.Status {
					st = s
				}
			}
			solveEveryWay(t, lp, st, c.Objective, clpTolerance)
			if st == status.Optimal {
				solveTight(t, lp, Method(0))
			}
		})
	}
	if d := cmp.Diff(slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(names))); d != "" {
		t.Errorf("recorded programs are others (run with -update): %s", d)
	}
}

// record writes testdata/clp.json.
func record(t *testing.T, programs map[string]LP) {
	t.Helper()
	clp, err := exec.LookPath("clp")
	if err != nil {
		t.Fatal(err)
	}
	r := clpRecord{Command: "clp FILE " + strings.Join(clpOptions, " "), Results: map[string]clpResult{}}
	for name, lp := range programs {
		r.Results[name], r.Version = runCLP(t, clp, lp)
	}
	b, err := json.MarshalIndent(r, "", "\t")
	if err == nil {
		err = os.WriteFile("testdata/clp.json", append(b, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

var clpLine = regexp.MustCompile(`(?m)^(Optimal|PrimalInfeasible|DualInfeasible) objective (\S+)`)

// runCLP solves lp with the clp command.
func runCLP(t *testing.T, clp string, lp LP) (r clpResult, version string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "lp.mps")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err = WriteMPS(f, lp); err != nil {
		t.Fatal(err)
	}
	if err = f.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(clp, append([]string{path}, clpOptions...)...).CombinedOutput()
	m := clpLine.FindSubmatch(out)
	if err != nil || m == nil {
		t.Fatalf("clp: %v: %s", err, out)
	}
	switch string(m[1]) {
	case "PrimalInfeasible":
		r.Status = status.Infeasible.String()
	case "DualInfeasible":
		r.Status = status.Unbounded.String()
	default:
		r.Status = status.Optimal.String()
		if r.Objective, err = strconv.ParseFloat(string(m[2]), 64); err != nil {
			t.Fatal(err)
		}
	}
	version, _, _ = strings.Cut(string(out), "\n")
	return r, version
}

// TestSparseModels solves the linear programs of sparse kernel models on larger sets by each
// method; CLP solves them too where it is installed.
func TestSparseModels(t *testing.T) {
	clp, _ := exec.LookPath("clp")
	for _, c := range sparseModels {
		if openSets[c.data] != "" {
			continue // TestCLP
		}
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() {
				t.Skip("seconds")
			}
			lp := c.lp(readPoints(t, c.data))
			opt := solveTight(t, lp, Method(0))
			testutil.NearRel(t, "objective of the primal method", solveTight(t, lp, Primal), opt, 1e-8)
			if clp == "" {
				t.Log("without clp: it is not installed")
				return
			}
			r, _ := runCLP(t, clp, lp)
			testutil.NearRel(t, "CLP's objective", r.Objective, opt, clpTolerance)
		})
	}
}
