package dataset

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestLayouts reads one table in many layouts.
func TestLayouts(t *testing.T) {
	// Rows are a, b, y: 1 2 p, 2 3 q, 1.5 2 p, 4 3 q, as often as needed.
	rows := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			r := []any{[]string{"1", "2", "1.5", "4"}[i%4], []string{"2", "3"}[i%2], []string{"p", "q"}[i%2]}
			fmt.Fprintf(&b, format+"\n", r...)
		}
		return b.String()
	}
	numbered := func(n int) (text string) {
		for i, line := range strings.Split(strings.TrimSpace(rows("%s,%s,%s", n)), "\n") {
			text += fmt.Sprintf("\"%d\",%s\n", i+1, line)
		}
		return text
	}
	for _, tt := range []struct{ what, file, text, says string }{
		{"commas", "f.csv", "a,b,y\n" + rows("%s,%s,%s", 8), ""},
		{"bars", "f.csv", "a|b|y\n" + rows("%s|%s|%s", 8), ""},
		{"bars without a name", "f", "a|b|y\n" + rows("%s|%s|%s", 8), ""},
		{"bars with blanks", "f.txt", "a | b | y\n" + rows("%s | %s | %s", 8), ""},
		{"blanks", "f.csv", "a b y\n" + rows("%s %s %s", 8), "cells are separated by blanks"},
		{"blanks without a name", "f.data", "a b y\n" + rows("%s %s %s", 8), "cells are separated by blanks"},
		{"runs of blanks", "f.data", "a   b \ty\n" + rows("  %s    %s   %s  ", 8), "cells are separated by blanks"},
		{"blanks and quotes", "f.data", "a b y\n" + rows("%s %s\t\"%s\"", 8), "cells are separated by blanks"},
		{"a comment", "f.csv", "# comment line\na,b,y\n" + rows("%s,%s,%s", 8), "the first line is left out"},
		{"comments with commas", "f.csv", "# made by x, y, z, on Monday\n%% and\n\na,b,y\n" + rows("%s,%s,%s", 8), "the first 2 lines are left out"},
		{"comments within", "f.csv", "a,b,y\n" + rows("%s,%s,%s", 4) + "# the second half\n" + rows("%s,%s,%s", 4), ""},
		{"sep", "f.csv", "sep=;\na;b;y\n" + rows("%s;%s;%s", 8), ""},
		{"sep of Windows", "f.csv", "\ufeffsep=|\r\na|b|y\r\n" + strings.ReplaceAll(rows("%s|%s|%s", 8), "\n", "\r\n"), ""},
		{"a title", "f.csv", "Report of 2024\n\na,b,y\n" + rows("%s,%s,%s", 8), "the first line is left out"},
		{"a title of a spreadsheet", "f.csv", "Report of 2024,,\n,,\na,b,y\n" + rows("%s,%s,%s", 8), "the first 2 lines are left out"},
		{"titles and bars", "f.txt", "Report\nof us\na|b|y\n" + rows("%s|%s|%s", 8), "the first 2 lines are left out"},
		{"R", "f.csv", "\"a\",\"b\",\"y\"\n" + numbered(8), "the first column has no name"},
		{"R by blanks", "f.txt", "\"a\" \"b\" \"y\"\n" + strings.ReplaceAll(numbered(8), ",", " "), "cells are separated by blanks; the first column has no name"},
		{"commas at the end of rows", "f.csv", "a,b,y\n" + rows("%s,%s,%s,", 8), ""},
		{"commas at the end of lines", "f.csv", "a,b,y,\n" + rows("%s,%s,%s,", 8), ""},
		{"a comma at the end of the header", "f.csv", "a,b,y,\n" + rows("%s,%s,%s", 8), ""},
		{"quotes around lines", "f.csv", "\"a,b,y\"\n" + rows("\"%s,%s,%s\"", 8), "quotes around whole lines are left out"},
		{"quotes within quotes", "f.csv", "\"a,b,y\"\n" + rows("\"%s,%s,\"\"%s\"\"\"", 8), "quotes around whole lines are left out"},
		{"carriage returns", "f.csv", strings.ReplaceAll("a,b,y\n"+rows("%s,%s,%s", 8), "\n", "\r"), ""},
		{"semicolons and decimal commas", "f.csv", "a;b;y\n" + strings.ReplaceAll(rows("%s;%s;%s", 8), ".", ","), ""},
		{"semicolons, decimal commas and no header", "f.csv", strings.ReplaceAll(rows("%s,0;%s,0;%s", 8), "1.5,0", "1,50"), ""},
		{"a flag for blanks", "f.csv", "a b y\n" + rows("%s %s %s", 8), "cells are separated by blanks"},
	} {
		o := Options{}
		if tt.what == "a flag for blanks" {
			o.Delimiter = ' '
		}
		o.Guess = true
		s, err := Read(strings.NewReader(tt.text), tt.file, o)
		if err != nil {
			t.Errorf("%s: %v", tt.what, err)
			continue
		}
		want := make([]float64, 0, 16)
		for range 2 {
			want = append(want, 1, 2, 2, 3, 1.5, 2, 4, 3)
		}
		if s.D != 2 || !slices.Equal(s.X, want) || !slices.Equal(s.Labels, []string{"p", "q"}) || s.Y[0] != 0 || s.Y[1] != 1 ||
			s.Notes.Layout != tt.says {
			t.Errorf("%s: %d features %q, %v of %v, notes %+v", tt.what, s.D, s.Features, s.X, s.Labels, s.Notes)
			continue
		}
		later, err := Read(strings.NewReader(tt.text), tt.file, Options{Columns: s.Columns, Delimiter: o.Delimiter})
		if err != nil || !slices.Equal(later.X, s.X) || !slices.Equal(later.Y, s.Y) {
			t.Errorf("%s: read again: %v", tt.what, err)
		}
	}
}

// TestRisingHeader has first lines of numbers, some of public reports: those of data frames without names, and years,
// are names.
func TestRisingHeader(t *testing.T) {
	rows := func(cells ...string) (text string) {
		for i := range 12 {
			line := strings.Join(cells, ",")
			for k := range cells {
				line = strings.Replace(line, "%d", fmt.Sprint((7*i+5*k+i*k)%11%(k+3)), 1)
			}
			text += line + "," + string(rune('p'+i%2)) + "\n"
		}
		return text
	}
	for _, tt := range []struct {
		what, text string
		header     bool
	}{
		{"pandas", "0,1,2,3\n" + rows("0.%d5", "1.%d5", "-3.%d"), true},
		{"pandas with rows' names", ",0,1,2,3\n" + rows("%d", "0.%d5", "1.%d5", "-3.%d"), true},
		{"from one, the label named", "1,2,3,kind\n" + rows("0.%d5", "1.%d5", "-3.%d"), true},
		{"whole numbers below", "0,1,2,3,4,5\n" + rows("%d", "%d", "%d", "%d", "%d"), true},
		{"years", "2001,2002,2004,2005,2009,2010,kind\n" + rows("%d", "%d.5", "%d", "%d.5", "%d", "%d"), true},
		{"dask/dask#878", ",0,1,2,3\n" + rows("%d", "0.1%d43168", "0.3%d71428", "0.0%d40880"), true},
		{"numenta/numenta-apps#825", "0,1,2,3,4\n" + rows("%d.25", "1%d", "%d7.5", "2%d"), true},
		{"snapotter-hq/SnapOtter#1199", "region,2023,2024,2025,kind\n" + rows("EMEA%d", "1%d", "2%d", "3%d"), true},
		{"World Bank", "Country Name,Country Code,1960,1961,1962\n" + rows("C%d", "C%d", "1%d5.5", "2%d4.25"), true},
		{"pandas-dev/pandas#57792", "0,1.99e-06,0,1.98e-06,0,0,0,p\n" + rows("3e-12", "1.9%d", "3e-12", "1.9%d", "3e-12", "0", "3e-12"), false},
		{"pandas-dev/pandas#33188", "1540,125205,PRODAJA,04-JUN-18,-3,-.625,p\n" + rows("1540", "125205", "PRODAJA", "%d-JUL-18", "-%d", "-.4"), false},
		{"NVIDIA/cudf#12582", "1, 2, 3,p\n" + rows("4", "5", "6"), false},
		{"a city in front", "Rome,1,2,3,p\n" + rows("Oslo", "%d", "%d", "%d"), false},
		{"values that every column has", "0,1,2,p\n" + rows("%d", "%d", "%d"), false},
		{"rows that rise", "1,5,7,9,11,12,p\n" + rows("0", "4", "6", "%d9", "100", "101"), false},
		{"measurements", "1.5,2,3,p\n" + rows("0.%d5", "1.%d5", "-3.%d"), false},
	} {
		s, err := guessed(tt.text, Options{})
		if err != nil {
			t.Errorf("%s: %v", tt.what, err)
			continue
		}
		want := 12
		if !tt.header {
			want++
		}
		if s.N != want || tt.header != strings.Contains(s.Notes.Layout, "--header no") {
			t.Errorf("%s: %d rows, %q", tt.what, s.N, s.Notes.Layout)
		}
	}
}

// TestLayoutReports has files by which other programs failed, of public reports, and two of the most used sets.
func TestLayoutReports(t *testing.T) {
	repeat := func(line string, changes ...string) (text string) {
		for i := range 12 {
			next := line
			for k := 0; k < len(changes); k += 3 {
				next = strings.Replace(next, changes[k], changes[k+1+i%2], 1)
			}
			text += fmt.Sprintf(next, i) + "\n"
		}
		return text
	}
	for _, tt := range []struct {
		from, file, text string
		names            string  // of the columns, of one without a header its number
		first            float64 // feature of the first row
	}{
		{"UCI housing.data", "housing.data", repeat(" 0.0%d632  18.00   2.310  0  0.5380  6.5750  65.20  4.0900   1  296.0  15.30 396.90   4.98  24.00", "18.00", "18.00", " 0.00", "24.00", "24.00", "21.60"), "", 0.00632},
		{"UCI auto-mpg.data", "auto-mpg.data", repeat("18.%d   8   307.0      130.0      3504.      12.0   70  1\t\"chevrolet chevelle malibu\"", "chevelle", "chevelle", "impala"), "", 18},
		{"UCI ecoli.data", "ecoli.data", repeat("AAT%d_ECOLI   0.49  0.29  0.48  0.50  0.56  0.24  0.35   cp", " cp", " cp", " im", "0.29", "0.29", "0.40"), "", 0.29},
		{"pandas-dev/pandas#34732", "f.csv", "# 1: 5\n# 3: x\n# F: 5.\n# Value: \";\"\n# Time: \"\"\n# Time separator: \"T\"\nTimestamp;T;ID;P\n" + repeat("%d;0;6;0006", ";6;", ";6;", ";7;", "0006", "0006", "0007"), "Timestamp T ID P", 6},
		{"stevehansen/csv#26", "f.csv", "nonsense1\nnonsense2\nheader0,header1,header2\n" + repeat("%d.5,2,row2", ",2,", ",2,", ",3,", "row2", "row2", "row3"), "header0 header1 header2", 0.5},
		{"pandas-dev/pandas#47303", "f.csv", "sep=|\ncol1|col2\n" + repeat("%d.5|row1", "row1", "row1", "row2"), "col1 col2", 0.5},
		{"civictechdc/cib-mango-tree#211", "f.csv", "This is an unusual comment. # should be skipped\nAnd here we add another one. # should be skipped\nColumn1,Column2,Column3\n" + repeat("\"value1\",%d,23.3", "value1", "value1", "value2", "23.3", "23.3", "14.2"), "Column1 Column2 Column3", 0},
		{"bedatadriven/renjin#108", "f.tsv", "\na\te\ti\tM0\n" + repeat("Planet%d\t0.38710\t0.20563\t7.005\t174.795", "0.38710", "0.38710", "0.72333", "174.795", "174.795", "50.416"), "column_0 a e i M0", 0.3871},
		{"h2oai/datatable#3453", "f.tsv", "AAAC-1_1\tAAAC-2_1\tTTTG\n" + repeat("gene%d\t0\t1\t0", "\t1\t", "\t1\t", "\t3\t", "\t0\t", "\t0\t", "\t5\t"), "column_0 AAAC-1_1 AAAC-2_1 TTTG", 0},
		{"langgenius/dify#42354", "f.csv", "name;region;units\n" + repeat("widget, small;E%d;12", "widget", "widget", "gadget", "12", "12", "7"), "name region units", 1},
		{"ParaView's tables", "f.txt", "x | y | kind\n" + repeat("%d.5 | 2 | row2", "row2", "row2", "row3", "| 2 |", "| 2 |", "| 3 |"), "x y kind", 0.5},
	} {
		s, err := Read(strings.NewReader(tt.text), tt.file, Options{Guess: true, Targets: TargetGuess})
		if err != nil {
			t.Errorf("%s: %v", tt.from, err)
			continue
		}
		var names []string
		for _, c := range s.Columns {
			names = append(names, strings.ReplaceAll(c.Name, " ", "_"))
		}
		if got := strings.TrimSpace(strings.Join(names, " ")); got != tt.names || s.N != 12 || s.X[0] != tt.first {
			t.Errorf("%s: columns %q, %d rows, %v, %+v", tt.from, got, s.N, s.X[:s.D], s.Notes)
		}
	}
	// What no layout fits is an error, and not a smaller table.
	for from, text := range map[string]string{
		"duckdb/duckdb#25827":              "c0\nv0\na;b\n",
		"duckdb/duckdb#9343":               "one,two,three\n1,2,3,4\n1,2,3\n\n1,2,3,4,5\n1,2,3,4,5\n1,2,3\n",
		"vincentlaucsb/csv-parser#283":     "a;b;c;d\n1;2;3\n4;5;6\n",
		"prettytable/prettytable#498":      "City name\nAdelaide\nBrisbane\n",
		"pandas-dev/pandas#18692":          "1 2 3\na\"b \"\n4 5 6\n",
		"Textualize/rich-cli#38":           "Features,rich,markdown,rich-cli\nhas tables,x,x\neasy to use,x,x,x\n",
		"a sentence, and another, at last": "It is so.\nThen it is not.\nSo what, then?\n",
	} {
		if s, err := Read(strings.NewReader(text), "f.csv", Options{Guess: true}); err == nil {
			t.Errorf("%s: read as %q, %d rows", from, s.Features, s.N)
		}
	}
}
