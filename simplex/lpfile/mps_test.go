package lpfile

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/simplex"
)

// example has every section, every row type with and without ranges, and every type of bound.
const example = `* a comment
NAME          EXAMPLE
OBJSENSE
    MAX
ROWS
 N  COST
 L  LIM1
 G  LIM2
 E  MYEQN
 E  MINUS
 L  RL
 G  RG
 N  FREE
COLUMNS
    X         COST               1.0   LIM1               1.0
    X         LIM2               1.0
    MARKER    'MARKER'                 'INTORG'
    Y         COST               2.0   LIM1               1.0
    Y         MYEQN             -1.0
    MARKER    'MARKER'                 'INTEND'
    Z         COST              -1.0   MYEQN             1.0D0
    Z         FREE               3.0
    A         RL                 1.0   RG                 1.0
    B         MINUS              1.0
    C         MINUS              1.0
    D         RL                 2.0
    E         RL                 2.5
    F         RG                 2.5
RHS
    RHS       COST              10.0   LIM1               4.0
    RHS       LIM2               1.0   MYEQN              7.0
    RHS       MINUS              5.0   RL                 6.0
    RHS       RG                 2.0
RANGES
    RNG       LIM1               2.5   LIM2               4.0
    RNG       MYEQN              3.0   MINUS             -3.0
BOUNDS
 UP BND       X                  4.0
 LO BND       Y                 -1.0
 UP BND       Y                  1.0
 FX BND       Z                  2.5
 FR BND       A
 MI BND       B
 UP BND       B                  8.0
 UP BND       C                 -2.0
 BV BND       D
 LI BND       E                  1.0
 UI BND       E                  3.0
 PL BND       F
ENDATA
`

func TestReadMPS(t *testing.T) {
	m, err := Read(strings.NewReader(example), Limits{Linear: true})
	if err != nil {
		t.Fatal(err)
	}
	want := &Model{
		Name: "EXAMPLE", ObjName: "COST", Maximize: true, Relaxed: true, Warnings: []string{
			`line 45: column "C" has a negative upper bound and no lower one: that is -infinity, as for CPLEX and Gurobi; ` +
				"HiGHS, GLPK and SCIP take 0",
			"integer columns: 3. Their integrality is dropped, nothing else"},
		RowNames: []string{"LIM1", "LIM2", "MYEQN", "MINUS", "RL", "RG", "FREE"},
		ColNames: []string{"X", "Y", "Z", "A", "B", "C", "D", "E", "F"},
		LP: simplex.LP{
			Offset: 10, // maximise cᵀx − 10
			C:      []float64{-1, -2, 1, 0, 0, 0, 0, 0, 0},
			Lo:     []float64{0, -1, 2.5, -inf, -inf, -inf, 0, 1, 0},
			Up:     []float64{4, 1, 2.5, inf, 8, -2, 1, 3, inf},
			RowLo:  []float64{1.5, 1, 7, 2, -inf, 2, -inf},
			RowUp:  []float64{4, 5, 10, 5, 6, inf, inf},
		},
	}
	if d := cmp.Diff(want, m, cmpopts.IgnoreFields(simplex.LP{}, "A"), cmpopts.EquateEmpty()); d != "" {
		t.Error(d)
	}
	wantA := [][]float64{
		{1, 1, 0, 0, 0, 0, 0, 0, 0},
		{1, 0, 0, 0, 0, 0, 0, 0, 0},
		{0, -1, 1, 0, 0, 0, 0, 0, 0},
		{0, 0, 0, 0, 1, 1, 0, 0, 0},
		{0, 0, 0, 1, 0, 0, 2, 2.5, 0},
		{0, 0, 0, 1, 0, 0, 0, 0, 2.5},
		{0, 0, 3, 0, 0, 0, 0, 0, 0},
	}
	if d := cmp.Diff(wantA, entries(m.A)); d != "" {
		t.Error(d)
	}
}

// TestNamesWithBlanks needs the columns of the fixed format.
func TestNamesWithBlanks(t *testing.T) {
	m, err := Read(strings.NewReader(`NAME          BLANKS
ROWS
 N  THE COST
 L  ROW 1
COLUMNS
    COL 1     THE COST           1.0   ROW 1              2.0
    COL 2     ROW 1              3.0
RHS
    RHS 1     ROW 1              4.0
BOUNDS
 UP BND 1     COL 2              5.0
 FR BND 1     COL 1
ENDATA
`), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if m.ObjName != "THE COST" || m.RowNames[0] != "ROW 1" || m.ColNames[1] != "COL 2" ||
		m.RowUp[0] != 4 || m.Up[1] != 5 || !math.IsInf(m.Lo[0], -1) {
		t.Errorf("got %+v", m)
	}
}

func TestFreeFormat(t *testing.T) {
	m, err := Read(strings.NewReader("NAME\nOBJSENSE MAXIMIZE\nROWS\n N obj\n L a_row_with_a_long_name\n"+
		"COLUMNS\n a_column_with_a_long_name obj 1 a_row_with_a_long_name 2\nRHS\n a_row_with_a_long_name 4\n"+
		"BOUNDS\n UP a_column_with_a_long_name 5\n UP BND a_column_with_a_long_name 1e400\nENDATA\n"), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := simplex.New(m.LP, simplex.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Objective(s.Solve(context.Background())); got != 2 {
		t.Errorf("optimum %v, want 2", got)
	}
}

func TestReadMPSRefuses(t *testing.T) {
	const head = "NAME X\nROWS\n N C\n L R\nCOLUMNS\n"
	const x = head + " x C 1 R 1\n"
	for name, c := range map[string]struct{ text, want string }{
		"nothing":             {"", "line 0: the file ends without ENDATA"},
		"no end":              {x, "line 6: the file ends without ENDATA"},
		"section":             {"NAME\nRAWS\n", `line 2: unknown section "RAWS"`},
		"row type":            {"ROWS\n X R\n", `line 2: row type "X"`},
		"row without name":    {"ROWS\n L\n", "line 2: 1 fields"},
		"row twice":           {"ROWS\n N C\n L R\n G R\n", `line 4: row "R" appears twice`},
		"row named as cost":   {"ROWS\n N C\n L C\n", `line 3: row "C" appears twice`},
		"unknown row":         {head + " x Q 1\n", `line 6: unknown row "Q"`},
		"no number":           {head + " x R one\n", `line 6: "one" is not a number`},
		"NaN":                 {head + " x R NaN\n", `line 6: value "NaN" is not finite`},
		"infinite":            {head + " x R 1e999\n", `line 6: value "1e999" is not finite`},
		"field count":         {head + " x R\n", "line 6: 2 fields"},
		"column apart":        {head + " x R 1\n y R 1\n x C 1\n", `line 8: column "x" appears twice`},
		"rhs of unknown row":  {x + "RHS\n RHS Q 1\n", `line 8: unknown row "Q"`},
		"bound type":          {x + "BOUNDS\n SC BND x 1\n", `line 8: bound type "SC"`},
		"bound without value": {x + "BOUNDS\n UP x\n", "line 8: 2 fields, want a type, a set, a column and a value, of bounds UP"},
		"bound at infinity":   {x + "BOUNDS\n LO BND x 1e30\n", "line 8: bound LO +Inf, which no number meets"},
		"row at infinity":     {x + "RHS\n S R -1e20\nENDATA\n", `row "R": no number is within its bounds [-Inf, -1e+20]`},
		"constant":            {x + "RHS\n S C inf\n", `line 8: the objective's constant "inf" is not finite`},
		"marker":              {head + " M MARKER SOSORG\n", "line 6: marker SOSORG, want 'INTORG' or 'INTEND'"},
		"section of sets":     {x + "SOS1 set\n", `line 7: unknown section "SOS1"`},
		"cost in column 24":   {"ROWS\n N  my obj\n E  r\nCOLUMNS\n    my col    my obj   -5.0            r         1.0\n", "line 5: 7 fields, want a column's name and one or two pairs of row and value; names with blanks need the columns of the fixed format, outside of which column 24 is"},
		"number of 13 digits": {"ROWS\n N  my obj\n E  r\nCOLUMNS\n    my col    my obj    1234567890123\n", "outside of which column 37 is"},
		"data first":          {" x R 1\n", "line 1: data before the first section"},
		"data after NAME":     {"NAME\n x R 1\n", "line 2: data in section NAME"},
		"sense":               {"OBJSENSE\n UP\n", `line 2: objective sense "UP"`},
		"long line":           {"NAME\n" + strings.Repeat("x", 2<<20), "line 2: more than 1048576 bytes in a line"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(strings.NewReader(c.text), Limits{Linear: true})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %q, want one with %q", err, c.want)
			}
		})
	}
}

// same compares models with their entries.
func same(t testing.TB, a, b *Model) {
	t.Helper()
	if d := cmp.Diff(a, b, cmpopts.IgnoreFields(simplex.LP{}, "A"), cmpopts.EquateEmpty()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(entries(a.A), entries(b.A)); d != "" {
		t.Error(d)
	}
}

func roundTrip(t testing.TB, m *Model) *Model {
	t.Helper()
	var buf bytes.Buffer
	err := m.WriteMPS(&buf)
	for i, lo := range m.RowLo {
		if lo > m.RowUp[i] { // MPS has no such rows
			if err == nil || !strings.Contains(err.Error(), "bounds that cross") {
				t.Fatalf("row %d has the bounds %v and %v: %v", i, lo, m.RowUp[i], err)
			}
			return m
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	again, err := Read(&buf, Limits{Linear: true})
	if err != nil {
		t.Fatal(err)
	}
	return again
}

func TestMPSRoundTrip(t *testing.T) {
	m, err := Read(strings.NewReader(example), Limits{Linear: true})
	if err != nil {
		t.Fatal(err)
	}
	if !m.Relaxed {
		t.Error("the integer columns are not mentioned")
	}
	m.Relaxed, m.Warnings = false, nil // what is written has none
	same(t, m, roundTrip(t, m))
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 2))
		p, _ := planted(rng, 1+rng.IntN(9), 1+rng.IntN(9), 0.5, false)
		named := roundTrip(t, &Model{LP: p.lp(true), Maximize: seed%2 == 0})
		same(t, named, roundTrip(t, named))
		for i, lo := range p.rowLo { // a range may move by an ulp, nothing else
			if !testutil.Within(named.RowLo[i], lo, 1e-15) {
				t.Errorf("seed %d: row %d begins at %v, want %v", seed, i, named.RowLo[i], lo)
			}
		}
		if d := cmp.Diff(p.a, entries(named.A)); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([][]float64{p.c, p.lo, p.up}, [][]float64{named.C, named.Lo, named.Up}); d != "" {
			t.Error(d)
		}
	}
}

// TestUnnamedObjective gives the objective a name of its own where rows have those that it would have.
func TestUnnamedObjective(t *testing.T) {
	p, _ := planted(rand.New(rand.NewPCG(1, 2)), 3, 3, 1, false)
	m := roundTrip(t, &Model{LP: p.lp(true), RowNames: []string{"COST_", "COST", ""}})
	if want := []string{"COST_", "COST", "R3"}; m.ObjName != "COST__" || !slices.Equal(m.RowNames, want) {
		t.Errorf("objective %q, rows %q, want COST__ and %q", m.ObjName, m.RowNames, want)
	}
}

func FuzzMPS(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte("NAME\nROWS\n N C\n E R\nCOLUMNS\n x C 1 R 1\nRHS\n R 1e300\nRANGES\n R -1e300\nBOUNDS\n FR x\nENDATA\n"))
	f.Add([]byte("\v\n\v0\r"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Read(bytes.NewReader(text), Limits{Linear: true})
		if err != nil {
			if !regexp.MustCompile(`^lpfile: (MPS|LP) line `).MatchString(err.Error()) { // a text may be of either format
				t.Errorf("the error names no line: %v", err)
			}
			return
		}
		again := roundTrip(t, m)
		if rows, cols := len(m.RowNames), len(m.ColNames); len(again.RowNames) != rows || len(again.ColNames) != cols {
			t.Errorf("%d rows and %d columns, read back as %d and %d", rows, cols, len(again.RowNames), len(again.ColNames))
		}
		if d := cmp.Diff(m.C, again.C); d != "" {
			t.Error(d)
		}
	})
}
