package lpfile

import (
	"fmt"
	"strings"
	"testing"
)

// summary is a program of one or two columns in a line: costs, bounds of columns, rows with their bounds.
func summary(m *Model) string {
	var b strings.Builder
	if m.Offset != 0 {
		fmt.Fprintf(&b, "%v ", m.Offset)
	}
	for j, name := range m.ColNames {
		fmt.Fprintf(&b, "%v %s [%v %v] ", m.C[j], name, m.Lo[j], m.Up[j])
	}
	a := entries(m.A)
	for i := range m.RowNames {
		fmt.Fprintf(&b, "| %v [%v %v] ", a[i], m.RowLo[i], m.RowUp[i])
	}
	return strings.TrimSpace(b.String())
}

// alikeRow is a file, but for its end, with what it means and a part of its only warning.
type alikeRow struct{ text, want, warning string }

// alikeRows are files that not all readers take alike.
func alikeRows() []alikeRow {
	const rows = "NAME t\nROWS\n N obj\n L c\n"
	const x = rows + "COLUMNS\n x obj -1 c 1\n"
	const file = x + "RHS\n R c 5\n"
	const markers = rows + "COLUMNS\n M 'MARKER' 'INTORG'\n x obj -1 c 1\n M 'MARKER' 'INTEND'\nRHS\n R c 5\n"
	const plain = "-1 x [0 +Inf] | [1] [-Inf 5]"
	const whole = "integer columns: 1. Their integrality is dropped, nothing else"
	return []alikeRow{
		{"\ufeff" + file, plain, ""},
		{strings.ReplaceAll(file, "\n", "\r\n"), plain, ""},
		{strings.ReplaceAll(file, "\n ", "\n"), plain, "line 3 and 3 more: data begin in the first column"},
		{"OBJSENSE\nMAX\n" + file, "1 x [0 +Inf] | [1] [-Inf 5]", "line 2: data begin in the first column"},
		{rows + "COLUMNS\n x obj -1 $ the cost\n x c 1 $ c 7\nRHS\n R c 5 $ note\nBOUNDS\n PL B x $ c\n", plain, ""},
		{strings.NewReplacer(" c", " $c", "x", "$x").Replace(file), "-1 $x [0 +Inf] | [1] [-Inf 5]", ""},
		{strings.Replace(file, "R c", "$ c", 1), plain, ""},
		// Infinity.
		{file + "BOUNDS\n UP B x 1e30\n", plain, ""},
		{file + "BOUNDS\n UP B x 99999999999999999999\n", plain, ""},
		{file + "BOUNDS\n UP B x 9.9e19\n", "-1 x [0 9.9e+19] | [1] [-Inf 5]", ""},
		{file + "BOUNDS\n LO B x -1e20\n", "-1 x [-Inf +Inf] | [1] [-Inf 5]", ""},
		{file + "BOUNDS\n LO B x -Infinity\n UP B x inf\n", "-1 x [-Inf +Inf] | [1] [-Inf 5]", ""},
		{x + "RHS\n R c 1e30\n", "-1 x [0 +Inf] | [1] [-Inf +Inf]", ""},
		{x + "RHS\n R c 1e31\nRANGES\n R c 1e30\n", "", "no number is within"},
		{file + "RANGES\n R c 1e30\n", plain, ""},
		{strings.Replace(x, "L c", "G c", 1) + "RHS\n R c -1e30\n", "-1 x [0 +Inf] | [1] [-Inf +Inf]", ""},
		{strings.Replace(file, "L c", "E c", 1) + "RANGES\n R c -1e30\n", plain, ""},
		// Sets.
		{x + "RHS\n R c 5\n S c 9\n S obj 4\n", plain, `line 9 and 1 more: set "S" of RHS is ignored, the first one, "R", counts`},
		{x + "RHS\n c 5\n S obj 4\n T c 9\n", "-4 -1 x [0 +Inf] | [1] [-Inf 5]", `set "T" of RHS is ignored, the first one, "S"`},
		{file + "RANGES\n R c 2\n S c 4\n", "-1 x [0 +Inf] | [1] [3 5]", `set "S" of RANGES is ignored`},
		{file + "BOUNDS\n UP B x 4\n UP C x 9\n FR D x\n", "-1 x [0 4] | [1] [-Inf 5]", `line 11 and 1 more: set "C" of BOUNDS`},
		// Twice.
		{x + "RHS\n R c 5\n R c 7\n", plain, `line 9: row "c" is in RHS twice, the first value counts`},
		{x + "RHS\n R c 5\n R obj 3 obj 4\n", "-3 -1 x [0 +Inf] | [1] [-Inf 5]", `row "obj" is in RHS twice`},
		{file + "RANGES\n R c 2 c 3\n", "-1 x [0 +Inf] | [1] [3 5]", `row "c" is in RANGES twice`},
		{x + " x c 4 obj 3\nRHS\n R c 5\n", plain, `line 7 and 1 more: column "x" has a second entry in row "c", which is ignored`},
		{file + "BOUNDS\n UP B x 3\n UP B x 7\n", "-1 x [0 7] | [1] [-Inf 5]", `line 11: column "x" has this bound twice, the last`},
		{file + "BOUNDS\n LO B x 3\n LO B x 3\n MI B x\n LO B x 1\n", "-1 x [1 +Inf] | [1] [-Inf 5]", "line 12 and 1 more: column"},
		// Without an objective, ranges of free rows, columns without entries.
		{"ROWS\n L c\nCOLUMNS\n x c 1\nRHS\n R c 5\n", "0 x [0 +Inf] | [1] [-Inf 5]", "line 7: there is no objective (an N row)"},
		{file + "RANGES\n R obj 2\n", plain, `line 10: the range of the free row "obj" is ignored`},
		{strings.Replace(file, " L c", " L c\n N f", 1) + "RANGES\n R f 2\n",
			plain + " | [0] [-Inf +Inf]", `free row "f"`},
		{file + "BOUNDS\n UP B z 3\n", "-1 x [0 +Inf] 0 z [0 3] | [1 0] [-Inf 5]", `line 10: column "z" is not in COLUMNS`},
		{file + "BOUNDS\n FR x 0\n", "-1 x [-Inf +Inf] | [1] [-Inf 5]", ""},
		{file + "BOUNDS\n FR B x 7\n MI x\n PL B x 3\n", "-1 x [-Inf +Inf] | [1] [-Inf 5]", ""},
		// Bounds below 0, bounds that cross.
		{file + "BOUNDS\n UP B x -3\n", "-1 x [-Inf -3] | [1] [-Inf 5]", `column "x" has a negative upper bound and no lower one`},
		{file + "BOUNDS\n UP B x -3\n LO B x -4\n", "-1 x [-4 -3] | [1] [-Inf 5]", ""},
		{file + "BOUNDS\n UP B x 0\n", "-1 x [0 0] | [1] [-Inf 5]", ""},
		{file + "BOUNDS\n LO B x 4\n UP B x 3\n", "-1 x [4 3] | [1] [-Inf 5]", ""},
		{file + "BOUNDS\n LO B x 0\n UP B x -3\n", "-1 x [0 -3] | [1] [-Inf 5]", ""},
		// Integers.
		{markers, "-1 x [0 1] | [1] [-Inf 5]", whole},
		{markers + "BOUNDS\n UP B x 4\n", "-1 x [0 4] | [1] [-Inf 5]", whole},
		{markers + "BOUNDS\n LO B x 2\n", "-1 x [2 +Inf] | [1] [-Inf 5]", "GLPK takes 1"},
		{markers + "BOUNDS\n LO B x 2\n UI B x 7\n", "-1 x [2 7] | [1] [-Inf 5]", whole},
		{markers + "BOUNDS\n PL B x\n", plain, whole},
		{markers + "BOUNDS\n BV B x\n", "-1 x [0 1] | [1] [-Inf 5]", whole},
		{file + "BOUNDS\n LI B x 2\n", "-1 x [2 +Inf] | [1] [-Inf 5]", whole},
		{"* Problem:    plan\n" + file + " R obj 3\n", "-3 " + plain, "GLPK, which wrote the file, means 3"},
	}
}

// AlikeFiles are those of the rows that are read.
func AlikeFiles() (files []string) {
	for _, row := range alikeRows() {
		if row.want != "" {
			files = append(files, row.text+"ENDATA\n")
		}
	}
	return files
}

// TestReadMPSAlike: they mean what they mean to CPLEX, HiGHS, CLP or GLPK; whatever one of them takes otherwise has a
// warning.
func TestReadMPSAlike(t *testing.T) {
	for _, row := range alikeRows() {
		text := row.text + "ENDATA\n"
		m, err := Read(strings.NewReader(text), Limits{Linear: true})
		if err != nil {
			if row.want != "" || !strings.Contains(err.Error(), row.warning) {
				t.Errorf("%s%v", row.text, err)
			}
			continue
		}
		if got := summary(m); got != row.want {
			t.Errorf("%s%s, want %s", row.text, got, row.want)
		}
		if w := strings.Join(m.Warnings, "\n"); (w == "") != (row.warning == "") || !strings.Contains(w, row.warning) {
			t.Errorf("%swarnings %q, want %q", row.text, m.Warnings, row.warning)
		}
	}
}

// TestReadQuadraticAlike: entries of Q add up, and columns may have no other.
func TestReadQuadraticAlike(t *testing.T) {
	const head = "ROWS\n N obj\n L c\nCOLUMNS\n x obj -1 c 1\n"
	for _, row := range []struct{ text, want, warning string }{
		{"QUADOBJ\n x x 2\n x x 3\n", "[[5]]", `line 8: columns "x" and "x" have two entries, which are added`},
		{"QUADOBJ\n x x 2\n y y 4\n", "[[2 0] [0 4]]", `line 8: column "y" is not in COLUMNS: it has no entries`},
		{"BOUNDS\n UP B y 1\nQUADOBJ\n x y 1\n y x 2\n", "[[0 3] [3 0]]", `column "y" is not in COLUMNS`},
		{"QMATRIX\n x y 1\n y x 1\n", "[[0 1] [1 0]]", `column "y" is not in COLUMNS`},
	} {
		m, err := Read(strings.NewReader(head+row.text+"ENDATA\n"), Limits{Bytes: 1 << 20})
		if err != nil {
			t.Errorf("%s%v", row.text, err)
			continue
		}
		got, warnings := fmt.Sprint(entries(m.Q)), strings.Join(m.Warnings, "\n")
		if got != row.want || !strings.Contains(warnings, row.warning) {
			t.Errorf("%s%s, want %s; %q", row.text, got, row.want, m.Warnings)
		}
	}
}

// TestReadLPAlike is TestReadMPSAlike for the other format.
func TestReadLPAlike(t *testing.T) {
	const head = "min -x\nst\n c: x <= 5\n"
	const whole = "integer columns: 1. Their integrality is dropped, nothing else"
	for _, row := range []struct{ text, want, warning string }{
		{"\ufeff" + head, "-1 x [0 +Inf] | [1] [-Inf 5]", ""},
		{"max x\nbounds\n x <= 3\n", "-1 x [0 3]", ""},
		{"max x\n", "-1 x [0 +Inf]", ""},
		{head + "bin\ngen\nsemi\n", "-1 x [0 +Inf] | [1] [-Inf 5]", ""},
		{"min -x\nst\n 1: x <= 5\n", "-1 x [0 +Inf] | [1] [-Inf 5]", ""},
		{head + "bounds\n 4 <= x <= 3\n", "-1 x [4 3] | [1] [-Inf 5]", ""},
		{head + "bounds\n x <= -3\n", "-1 x [0 -3] | [1] [-Inf 5]", ""},
		{"min -x\nst\n c: 7 <= x <= 5\n", "-1 x [0 +Inf] | [1] [7 5]", ""},
		{head + "general\n x\n x\n", "-1 x [0 +Inf] | [1] [-Inf 5]", whole},
		{head + "bounds\n x <= 3\ninteger\n x\n", "-1 x [0 3] | [1] [-Inf 5]", whole},
		{head + "binary\n x\n", "-1 x [0 1] | [1] [-Inf 5]", whole},
		{head + "bounds\n 0.25 <= x\nbin\n x\n", "-1 x [0.25 1] | [1] [-Inf 5]", whole},
		{head + "bounds\n x = 0\nbin\n x\n", "-1 x [0 0] | [1] [-Inf 5]", whole},
		{head + "bounds\n x <= 4\nbin\n x\n", "-1 x [0 1] | [1] [-Inf 5]", "binary columns have bounds outside of [0, 1]"},
		{head + "bin\n x\nbounds\n x free\n", "-1 x [0 1] | [1] [-Inf 5]", "binary columns have bounds outside of [0, 1]"},
		{head + "gen\n z\n", "-1 x [0 +Inf] 0 z [0 +Inf] | [1 0] [-Inf 5]", whole},
	} {
		m, err := Read(strings.NewReader(row.text+"end\n"), Limits{Linear: true})
		if err != nil {
			t.Errorf("%s%v", row.text, err)
			continue
		}
		if got := summary(m); got != row.want {
			t.Errorf("%s%s, want %s", row.text, got, row.want)
		}
		if all := strings.Join(m.Warnings, "\n"); (all == "") != (row.warning == "") || !strings.Contains(all, row.warning) {
			t.Errorf("%swarnings %q, want %q", row.text, m.Warnings, row.warning)
		}
	}
}
