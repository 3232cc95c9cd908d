package lpfile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// quadraticFiles are one program in every form: ½(2x² + 2xy + 4y² …) as xᵀQx/2 with Q = [2 1 0; 1 4 0; 0 0 0].
var quadraticFiles = map[string]string{
	"LP":            "min\n obj: x + z + [ 2 x^2 + 2 x*y + 4 y ^ 2 ] / 2 - 3 y\nst\n r: x + y + z >= 1\nend\n",
	"LP, other way": "min\n obj: [ x*y + 2x^2 + y*x + 4y^2]/2 + x + z - 3 y\nst\n r: x + y + z >= 1\nend\n",
	"LP, maximised": "max\n obj: - x - z + 3 y - [ 2 x^2 + 2 x * y\n + 4 y^2 ] / 2\nst\n r: x + y + z >= 1\nend\n",
	"QUADOBJ":       mpsHead + "QUADOBJ\n    x  x  2\n    x  y  1\n    y  y  4\nENDATA\n",
	"QSECTION":      mpsHead + "QSECTION  obj\n    x  x  2\n    y  x  1  y  4\nENDATA\n",
	"QMATRIX":       mpsHead + "QMATRIX\n    x  x  2\n    x  y  1\n    y  x  1\n    y  y  4\nENDATA\n",
}

const mpsHead = "NAME\nROWS\n N  obj\n G  r\nCOLUMNS\n" +
	"    x  obj  1  r  1\n    z  obj  1  r  1\n    y  obj  -3  r  1\nRHS\n    R  r  1\n"

// TestReadQuadratic reads one program in every form.
func TestReadQuadratic(t *testing.T) {
	want := map[string]float64{"xx": 2, "xy": 1, "yx": 1, "yy": 4}
	for name, text := range quadraticFiles {
		m, err := Read(strings.NewReader(text), Limits{Bytes: 1 << 20})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := map[string]float64{}
		column := make([]float64, 3)
		for j := range 3 {
			m.Q.Column(column, j)
			for i, v := range column {
				if v != 0 {
					got[m.ColNames[i]+m.ColNames[j]] = v
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if m, err := Read(strings.NewReader("min x\nst\nend\n"), Limits{}); err != nil || m.Q != nil {
		t.Errorf("a linear program: %v, %v", m, err)
	}
}

// TestQuadraticBlanks reads a section of Q whose names have blanks, in the fixed format.
func TestQuadraticBlanks(t *testing.T) {
	line := func(fields ...any) string { return fmt.Sprintf("    %-8s  %-8s  %12s   %-8s  %12s", fields...) + "\n" }
	text := "NAME\nROWS\n N  obj\nCOLUMNS\n" + line("a 1", "obj", "1.", "", "") + line("a 2", "obj", "1.", "", "") +
		"QUADOBJ\n" + line("a 1", "a 1", "2.", "a 2", "3.") + line("a 2", "a 2", "5.", "", "") + "ENDATA\n"
	m, err := Read(strings.NewReader(text), Limits{Bytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	got := map[[2]string]float64{}
	column := make([]float64, 2)
	for j := range 2 {
		m.Q.Column(column, j)
		for i, v := range column {
			got[[2]string{m.ColNames[i], m.ColNames[j]}] = v
		}
	}
	want := map[[2]string]float64{{"a 1", "a 1"}: 2, {"a 1", "a 2"}: 3, {"a 2", "a 1"}: 3, {"a 2", "a 2"}: 5}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestQuadraticMistakes wants places of mistakes, and refusals where only linear programs are read.
func TestQuadraticMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"min [ x^3 ] / 2\nst\nend":                    "column 9: found 3, want the exponent 2",
		"min [ x y ] / 2\nst\nend":                    `found "y", want ^ 2 or * and a column`,
		"min [ x^2 y^2 ] / 2\nst\nend":                `found "y", want +, - or ]`,
		"min [ x^2 ]\nst\nend":                        "want / 2 after ]",
		"min [ x^2 ] / 3\nst\nend":                    "want / 2 after ]",
		"min [ x * 2 ] / 2\nst\nend":                  "want the column of a product",
		"min [ 1e308 x^2 + 1e308 x^2 ] / 2\nst\nend":  "is not finite",
		"min 2 [ x^2 ] / 2\nst\nend":                  "column 7: found \"[\", want subject to",
		"min x [ x^2 ] / 2\nst\nend":                  "column 7: found \"[\", want subject to",
		"min [ x^2":                                   "the file ends",
		"min x\nst\n r: [ x^2 ] / 2 <= 1\nend":        "quadratic terms are read in the objective only",
		"min x^2\nst\nend":                            "",
		mpsHead + "QUADOBJ\n    x  x\nENDATA\n":       "2 fields",
		mpsHead + "QUADOBJ\n    x  x  k\nENDATA\n":    `"k" is not a number`,
		mpsHead + "QSECTION r\n    x  x  1\nENDATA\n": "only the objective",
		mpsHead + "QCMATRIX r\n    x  x  1\nENDATA\n": "unknown section",
		mpsHead + "QUADOBJ\n x y 1e308\n y x 1e308\n": `the entries of columns "y" and "x" add up to +Inf`,
	} {
		_, err := Read(strings.NewReader(text), Limits{Bytes: 1 << 20})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: found %v, want %q", text, err, want)
		}
	}
	for name, text := range quadraticFiles {
		if _, err := Read(strings.NewReader(text), Limits{Bytes: 1 << 20, Linear: true}); err == nil {
			t.Errorf("%s: read as a linear program", name)
		}
	}
}
