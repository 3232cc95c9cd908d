package lpfile

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/simplex"
	"github.com/sparsekm/sparsekm/status"
)

// lpExample has every section, every kind of row and of bound, and the liberties that the format takes.
const lpExample = `\ a comment
MAXIMISE
 gain: 3x1 - x2 + - 2.5 x3 + 1e2e1 +4 y[1,2]
 + x1 - 10 \ a constant, and x1 again
Such That
 c1: 2 x1 + x2 <= 10
 x1 + 3
   x2 >= -2
 -1 <= x1 - x3 <= 5
 named: 2 >= x1 - x2
 eq: x1 + x2 + 1 = + 4
 empty: >= -1
 free: 3.5E-1x1 >= -infinity
 c2: x1 + x1 =< 7
 7 => x2
bounds:x2 - 0 x3 > 1
BOUND
 x1 <= 4
 -3 <= x2 <= 1e20
 x3 free
 5 >= y[1,2] 1 <= y[1,2]
 -inf < e1
 fix = -1e-3
INTEGERS
END
anything`

func TestReadLP(t *testing.T) {
	m, err := Read(strings.NewReader(lpExample), Limits{Linear: true})
	if err != nil {
		t.Fatal(err)
	}
	want := &Model{
		ObjName: "gain", Maximize: true, Warnings: []string{"line 26: what follows end is ignored"},
		RowNames: []string{"c1", "R2", "R3", "named", "eq", "empty", "free", "c2", "R9", "bounds"},
		ColNames: []string{"x1", "x2", "x3", "e1", "y[1,2]", "fix"},
		LP: simplex.LP{
			Offset: 10,
			C:      []float64{-4, 1, 2.5, -100, -4, 0},
			Lo:     []float64{0, -3, -inf, -inf, 1, -1e-3},
			Up:     []float64{4, inf, inf, inf, 5, -1e-3},
			RowLo:  []float64{-inf, -2, -1, -inf, 3, -1, -inf, -inf, -inf, 1},
			RowUp:  []float64{10, inf, 5, 2, 3, inf, inf, 7, 7, inf},
		},
	}
	if d := cmp.Diff(want, m, cmpopts.IgnoreFields(simplex.LP{}, "A")); d != "" {
		t.Error(d)
	}
	wantA := [][]float64{{2, 1, 0}, {1, 3, 0}, {1, 0, -1}, {1, -1, 0}, {1, 1, 0}, {}, {0.35}, {2}, {0, 1}, {0, 1}}
	for i := range wantA {
		wantA[i] = append(wantA[i], make([]float64, 6-len(wantA[i]))...)
	}
	if d := cmp.Diff(wantA, entries(m.A)); d != "" {
		t.Error(d)
	}
	if _, entries := m.A.Dims(); len(m.A.(*simplex.Sparse).Value) != 14 || entries != 6 {
		t.Errorf("%d entries, want 14: a coefficient of 0 is none", len(m.A.(*simplex.Sparse).Value))
	}
}

// TestReadLPRow: what one row may look like.
func TestReadLPRow(t *testing.T) {
	for text, want := range map[string][3]float64{ // lower bound, upper bound, coefficient
		"x >= 1": {1, inf, 1}, "x > 1": {1, inf, 1}, "x => 1": {1, inf, 1}, "x = 1": {1, 1, 1}, "x =< 1": {-inf, 1, 1},
		"1 <= x": {1, inf, 1}, "1 >= x": {-inf, 1, 1}, "1 = x": {1, 1, 1}, "- 1 <= - - x + 1 <= 2": {-2, 1, 1},
		"5 >= 2x >= 3": {3, 5, 2}, "x + 1 - 3 <= 1": {-inf, 3, 1}, "-x <= -.5": {-inf, -0.5, -1}, "2.e1x<=1e+1": {-inf, 10, 20},
		"x - x >= 0": {0, inf, 0}, "x <= 1e20": {-inf, inf, 1}, "x >= -1e400": {-inf, inf, 1}, "-inf <= x <= 3": {-inf, 3, 1},
		"0 <= 3": {-3, inf, 0}, "<= 3": {-inf, 3, 0}, "1\n<=\nx\n<=\n2": {1, 2, 1},
	} {
		m, err := Read(strings.NewReader("min x\nst\n"+text+"\nend"), Limits{Linear: true})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := [3]float64{m.RowLo[0], m.RowUp[0], entries(m.A)[0][0]}; got != want || len(m.RowLo) != 1 {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestReadLPRefuses(t *testing.T) {
	const head = "min x\nst\n"
	for text, want := range map[string]string{
		"":                                  "line 1, column 1: the file ends, want minimize or maximize",
		"max":                               "line 1, column 4: the file ends, want subject to",
		"rows x":                            `line 1, column 1: found "rows", want minimize or maximize`,
		head + " x >= 1":                    "line 3, column 8: the file ends, want a section",
		"min 2 3 x\nst\nend":                "line 1, column 7: found 3, want subject to",
		"min x y\nst\nend":                  `line 1, column 7: found "y", want subject to`,
		"min x +\nst\nend":                  `line 2, column 1: found "subject to", want a number or a column after the sign`,
		"min [ x^2 ] / 2\nst\nend":          "line 1, column 5: '[': terms that are not linear are not read",
		"min x^2\nst\nend":                  "line 1, column 6: '^': terms that are not linear",
		"min inf x\nst\nend":                `line 1, column 5: the coefficient of "x" is not finite`,
		"min 1e308x + 1e308x\nst\n":         `line 1, column 19: the coefficient of "x" is not finite`,
		"min inf\nst\nend":                  "line 1, column 5: the objective's constant is not finite",
		head + "x 1":                        "line 3, column 3: found 1, want <=, >= or =",
		head + "x <= y":                     `line 3, column 6: found "y", want a number`,
		head + "3 <= ":                      "line 3, column 6: the file ends, want a number or a term",
		head + "3 <= x >= 2":                `line 3, column 8: found ">", want the range's other "<"`,
		head + "3 = x = 2":                  `line 3, column 7: found "=", want the range's other`,
		head + "x >= inf":                   "line 3, column 1: no number is within the row's bounds [+Inf, +Inf]",
		head + "x <> 2":                     `line 3, column 4: found ">", want a number`,
		head + "r: x <= 2\nr: x >= 1":       `line 4, column 1: row "r" appears twice`,
		"min r: x\nst\nr: x >= 1":           `line 3, column 1: row "r" appears twice`,
		head + "a: b: x <= 1":               `line 3, column 4: found "b", want <=`,
		head + "x = 1 -> y = 2":             `line 3, column 8: found ">", want`,
		head + "x <= 1e":                    `line 3, column 8: the file ends, want <=, >= or =`,
		head + "x <= .":                     `line 3, column 6: "." is not a number`,
		head + "x & 1":                      `line 3, column 3: found "&", want <=`,
		head + "x \x00 1":                   `line 3, column 3: '\x00' has no meaning here`,
		head + "bounds\n 2 x <= 1":          `line 4, column 4: found "x", want <=, >= or = after the value of a bound`,
		head + "bounds\n 2 <= 3":            "line 4, column 7: found 3, want a column",
		head + "bounds\n x >= 1e":           "line 4, column 9: the file ends, want <=, >=, = or free after the column",
		head + "bounds\n x 3":               "line 4, column 4: found 3, want <=, >=, = or free",
		head + "bounds\n 1 = x = 2":         `line 4, column 8: found "=", want <=`,
		head + "bounds\n 1 <= x >= 2":       `line 4, column 9: found ">", want <=`,
		head + "bounds\n x >= y":            `line 4, column 7: found "y", want a number`,
		head + "bounds\n x = inf\nend":      `line 4, column 2: column "x": no number is within its bounds [+Inf, +Inf]`,
		head + "gen\n 3\nend":               "line 4, column 2: found 3, want a column",
		"/* a */\nmax: 3x;":                 `line 1, column 1: found "/*", want minimize or maximize without a colon, as in CPLEX's LP format; lp_solve's`,
		"Maximize: x\nst\nend":              `line 1, column 1: found "Maximize", want minimize or maximize without a colon`,
		head + "sos\nx\nend":                "line 3, column 1: section sos is not read",
		head + "semi-continuous\nx\nend":    "line 3, column 1: section semi-continuous is not read",
		head + "lazy constraints\nx\nend":   "line 3, column 1: section lazy constraints is not read",
		"min " + strings.Repeat("x", 1<<17): "line 1, column 5: a name or number of more than 65536 bytes",
		"min " + strings.Repeat("1", 1<<17): "line 1, column 5: a name or number of more than 65536 bytes",
	} {
		_, err := readLP(strings.NewReader(text), newBuilder(0))
		var owner *Error
		if !errors.As(err, &owner) || !strings.HasPrefix(err.Error(), "lpfile: LP "+want) {
			t.Errorf("%.60q: error %q, want one with %q", text, err, want)
		}
	}
}

// TestReadLPWithin: a file may not make the reader take more than it is given.
func TestReadLPWithin(t *testing.T) {
	for name, long := range map[string]string{
		"rows":    "min x\nst\n" + lines(2000, " >= %d\n"),
		"columns": "min x\n" + lines(2000, "+ x%d\n"),
		"entries": "min x\n" + lines(400, "+ x%d\n") + "st\n" + strings.Repeat("r: "+lines(400, "+ x%d\n")+">= 1\n", 30),
	} {
		if name == "entries" {
			long = strings.ReplaceAll(long, "r: ", "")
		}
		_, err := Read(strings.NewReader(long), Limits{Bytes: 400000})
		if err == nil || !strings.Contains(err.Error(), "more than 400000 bytes of memory") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Read(strings.NewReader(lpExample), Limits{Bytes: 400000}); err != nil {
		t.Error(err)
	}
}

func FuzzLP(f *testing.F) {
	f.Add([]byte(lpExample))
	f.Add([]byte("min x\nst 0 <= 3\n1 <= x + y <= 2\n- inf <= 2 x\nbounds\nx free\nend"))
	f.Add([]byte("max\nsubject to\nsubject:x>=1\nlazy x <= 2\ngen\nend"))
	f.Add([]byte("min\nst 0 = 3\n1 <= x + y <= 0\nend"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := readLP(bytes.NewReader(text), newBuilder(0))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "lpfile: LP line ") {
				t.Errorf("the error names no line: %v", err)
			}
			return
		}
		if err := m.Validate(); err != nil {
			t.Error(err)
		}
		if again := roundTrip(t, m); len(again.RowNames) != len(m.RowNames) || len(again.C) != len(m.C) {
			t.Errorf("as an MPS file it has %d rows and %d columns, want %d and %d",
				len(again.RowNames), len(again.C), len(m.RowNames), len(m.C))
		}
	})
}

// highsLP is a file that HiGHS 1.12 wrote: ranges are two rows there, and a row without entries has no terms.
const highsLP = `\ File written by HiGHS .lp file handler
max
 obj: +1.5 c0 -2e-07 c1  +3.25
st
 r0: +1 c0 -2.5 c1 +30000000000 c2 <= +4
 r1lo: +1 c0 +1 c1 >= +1
 r1up: +1 c0 +1 c1 <= +4
 r2: +1 c2 +1 c3 = +1
 r4: -1 c4 >= +1
 r5: >= -1
bounds
 c1 free
 -3 <= c2 <= -1
 c3 = 2
 -inf <= c4 <= 4
 c5 <= 5
end
`

func TestReadLPOfHiGHS(t *testing.T) {
	m, err := Read(strings.NewReader(highsLP), Limits{Bytes: 1 << 20, Linear: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := simplex.Solve(context.Background(), m.LP, simplex.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := m.Solution(r)
	if err := simplex.Check(m.LP, r); err != nil || s.Status != status.Optimal {
		t.Error(s.Status, err)
	}
	testutil.NearRel(t, "objective that HiGHS finds", s.Objective, 12857144580.678574, 1e-9)
}

// TestBeginsLP: the first word decides which format a file has.
func TestBeginsLP(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "NAME min\n": false, "* min\nROWS\n": false, "* c\n\n \tMiN x": true, "\\ c\n": true, "minimize\n": true,
		"MAXIMUM x": true, "maximal": false, "st\n": false,
	} {
		if got := beginsLP([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	for text, want := range map[string]string{"": "MPS line 0", "ROWS\n X\n": "MPS line 2", "min x\n x": "LP line 2"} {
		if _, err := Read(strings.NewReader(text), Limits{Bytes: 1 << 20, Linear: true}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want one with %q", text, err, want)
		}
	}
}
