package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// published are bands of public tables, as their files or code books have them, and the middles.
var published = []struct {
	source, form string
	cells        []string
	want         []float64
}{
	{"Stack Overflow survey 2023: Age", "10-19 years", []string{"Under 18 years old", "18-24 years old", "25-34 years old",
		"35-44 years old", "45-54 years old", "55-64 years old", "65 years or older", "Prefer not to say"},
		[]float64{18, 21, 29.5, 39.5, 49.5, 59.5, 65, math.NaN()}},
	{"Stack Overflow survey 2016: experience", "10-19 year", []string{"Less than 1 year", "1 - 2 years", "2 - 5 years",
		"6 - 10 years", "11+ years"}, []float64{1, 1.5, 3.5, 8, 11}},
	{"UCI diabetes 130-US: age", "10-19", []string{"[0-10)", "[10-20)", "[20-30)", "[30-40)", "[40-50)", "[50-60)",
		"[60-70)", "[70-80)", "[80-90)", "[90-100)"}, []float64{5, 15, 25, 35, 45, 55, 65, 75, 85, 95}},
	{"UCI breast cancer: tumor-size", "10-19", []string{"0-4", "5-9", "10-14", "15-19", "20-24", "25-29", "30-34",
		"35-39", "40-44", "45-49", "50-54"}, []float64{2, 7, 12, 17, 22, 27, 32, 37, 42, 47, 52}},
	{"Kaggle, BankChurners: Income_Category", "$10-19", []string{"Less than $40K", "$40K - $60K", "$60K - $80K",
		"$80K - $120K", "$120K +", "Unknown"}, []float64{40e3, 50e3, 70e3, 100e3, 120e3, math.NaN()}},
	{"Kaggle, credit cards by its code book", "$10-19", []string{"< $40K", "$40K - 60K", "$60K - $80K", "$80K-$120K",
		"> $120K"}, []float64{40e3, 50e3, 70e3, 100e3, 120e3}},
	{"Kaggle survey 2020: yearly compensation", "$10-19", []string{"$0-999", "1,000-1,999", "2,000-2,999",
		"$500,000-999,999", "> $500,000"}, []float64{499.5, 1499.5, 2499.5, 749999.5, 500e3}},
	{"HMDA: applicant age", "10-19", []string{"<25", "25-34", "35-44", "45-54", "55-64", "65-74", ">74"},
		[]float64{25, 29.5, 39.5, 49.5, 59.5, 69.5, 74}},
	{"HMDA: debt to income", "10-19%", []string{"<20%", "20%-<30%", "30%-<36%", "36%", "37%", "38%", "49%", "50%-60%",
		">60%", "NA"}, []float64{20, 25, 33, 36, 37, 38, 49, 55, 60, math.NaN()}},
	{"R-help, 2011: cut(x, breaks = 8)", "10-19", []string{"(-0.008,0.994]", "(0.994,2]", "(2,3]", "(3,4]", "(4,5]",
		"(5,6]", "(6,7.01]", "(7.01,8.01]"}, []float64{0.493, 1.497, 2.5, 3.5, 4.5, 5.5, 6.505, 7.51}},
	{"pandas.cut([1, 7, 5, 4, 6, 3], 3)", "10-19", []string{"(0.994, 3.0]", "(3.0, 5.0]", "(5.0, 7.0]"},
		[]float64{1.997, 4, 6}},
	{"Eurostat: labels of ages", "10-19 years", []string{"Less than 5 years", "From 16 to 24 years", "From 25 to 34 years",
		"From 35 to 44 years", "65 years or over"}, []float64{5, 20, 29.5, 39.5, 65}},
	{"Eurostat: codes of ages", "10-19", []string{"Y_LT15", "Y15-24", "Y25-34", "Y35-44", "Y_GE65"},
		[]float64{15, 19.5, 29.5, 39.5, 65}},
	{"IHSN 3258: ages of household heads", "10-19 years", []string{"N/A", "up to 30 years", "30 - 39 years",
		"40 - 49 years", "50 - 59 years", "60 - 64 years", "65 and over"},
		[]float64{math.NaN(), 30, 34.5, 44.5, 54.5, 62, 65}},
}

// TestPublishedRanges reads bands of public tables as the middles, and says so.
func TestPublishedRanges(t *testing.T) {
	for _, c := range published {
		text := tableOf(40*len(c.cells), "a,band", func(i int) string {
			return fmt.Sprintf(`%d,"%s"`, i*i%97, c.cells[i%len(c.cells)])
		})
		s, err := guessed(text, Options{Missing: MissingMark})
		if err != nil || s.Columns[1].Role != RoleNumber || s.Columns[1].Form != c.form {
			t.Errorf("%s: %v, %+v", c.source, err, s)
			continue
		}
		for i, want := range c.want {
			if want != want {
				want = s.Columns[1].Fill
			}
			if got := s.X[i*s.D+1]; !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
				t.Errorf("%s: %q is %v, want %v", c.source, c.cells[i], got, want)
			}
		}
		if _, written := s.Notes.Found(); !slices.ContainsFunc(written, func(line string) bool {
			return strings.Contains(line, "read as numbers like "+c.form+": the middle of a range, or its only bound")
		}) {
			t.Errorf("%s: %q", c.source, written)
		}
		later, err := ReadCSV(strings.NewReader(text), "later.csv", Options{Columns: s.Columns})
		if err != nil || !slices.Equal(later.X, s.X) {
			t.Errorf("%s: read otherwise by the columns: %v", c.source, err)
		}
	}
}

// step is the beginning of the band of a width that a value is in.
func step(v, width float64) float64 { return math.Floor(v/width) * width }

// bands are forms of ranges.
func (f *forms) bands() {
	band := func(name, format string, scale, width, top float64) {
		f.add(name, func(v float64, _ int) (string, float64) {
			low := step(v*scale, width)
			return fmt.Sprintf(format, low, low+top), low + top/2
		})
	}
	band("range", "%.0f-%.0f", 10, 5, 4)
	band("range, en dash", "%.0f–%.0f", 10, 5, 4)
	band("range, em dash", "%.0f — %.0f", 10, 5, 4)
	band("range, blanks", "%.0f - %.0f", 10, 5, 4)
	band("range in words", "%.0f to %.0f", 10, 5, 4)
	band("range in German", "%.0f bis %.0f", 10, 5, 4)
	band("half open", `"[%.0f, %.0f)"`, 10, 5, 5)
	band("R's cut", `"(%.0f,%.0f]"`, 10, 5, 5)
	band("pandas' cut", `"(%.1f, %.1f]"`, 1, 0.5, 0.5)
	band("a stroke in brackets", "[%.0f-%.0f)", 10, 5, 5)
	f.add("incomes", func(v float64, _ int) (string, float64) {
		low := step(v*10, 5)
		return fmt.Sprintf(`"$%.0f,000 - $%.0f,999"`, low, low+4), low*1000 + 2499.5
	})
	f.add("thousands of dollars", func(v float64, _ int) (string, float64) {
		low := step(v*10, 5)
		return fmt.Sprintf("$%.0fK-$%.0fK", low, low+5), low*1000 + 2500
	})
	f.add("one K for both", func(v float64, _ int) (string, float64) {
		low := step(v*10, 5)
		return fmt.Sprintf("%.0f-%.0fK", low, low+5), low*1000 + 2500
	})
	band("years", "%.0f-%.0f years", 10, 5, 4)
	band("employees", "%.0f to %.0f employees", 10, 5, 4)
	band("from and to", "From %.0f to %.0f years", 10, 5, 4)
	band("between", "between %.0f and %.0f", 10, 5, 5)
	band("percent, the upper bound excluded", "%.0f%%-<%.0f%%", 10, 5, 5)
	band("ages", "Ages %.0f-%.0f", 10, 5, 4)
	band("codes of Eurostat", "Y%.0f-%.0f", 10, 5, 4)
	band("euros", "€%.0f–€%.0f", 10, 5, 4)
	band("decimals", "%.1f-%.1f", 1, 0.5, 0.5)
	band("pairs of years", "%.0f-%.0f", 10, 1, 1)
	band("leading zeros", "%02.0f-%02.0f", 10, 5, 4)
	band("exponents", `"(%.0e,%.0e]"`, 1, 1, 1)
	f.add("negative bounds", func(v float64, _ int) (string, float64) {
		low := step(-v*10, 5) - 5
		return fmt.Sprintf("%.0f-%.0f", low, low+5), low + 2.5
	})
}

// openBands are ranges of which some have one bound, and lengths of time.
func (f *forms) openBands() {
	open := func(name, below, above string) {
		f.add(name, func(v float64, _ int) (string, float64) {
			switch low := step(v*10, 5); {
			case low < 10:
				return below, 10
			case low >= 50:
				return above, 50
			default:
				return fmt.Sprintf("%.0f-%.0f", low, low+4), low + 2
			}
		})
	}
	open("open ends", "<10", "50+")
	open("open ends in words", "under 10", "50 and over")
	open("open ends of years", "Less than 10", "50 or more")
	open("infinite ends", `"(-inf, 10.0]"`, `"(50.0, inf]"`)
	clock := func(name string, text func(seconds int) string) {
		f.add(name, func(v float64, _ int) (string, float64) {
			w := int(v * 3000)
			return text(w), float64(w)
		})
	}
	clock("tenths", func(w int) string { return fmt.Sprintf("%d:%02d:%02d.0", w/3600, w/60%60, w%60) })
	clock("minutes and seconds", func(w int) string { return fmt.Sprintf("%d:%02d", w/60, w%60) })
	f.add("negative times", func(v float64, _ int) (string, float64) {
		w := int(v * 100)
		return fmt.Sprintf("-%d:%02d:%02d.5", w/60, w%60, w%60), -float64(w*60+w%60) - 0.5
	})
	clock("letters", func(w int) string { return fmt.Sprintf("%dh%dm%ds", w/3600, w/60%60, w%60) })
	clock("short words", func(w int) string { return fmt.Sprintf("%d hr %d min %d sec", w/3600, w/60%60, w%60) })
	clock("long words", func(w int) string { return fmt.Sprintf("%d hours %d minutes %d seconds", w/3600, w/60%60, w%60) })
	clock("ISO 8601", func(w int) string { return fmt.Sprintf("PT%dH%dM%dS", w/3600, w/60%60, w%60) })
	clock("Go's durations", func(w int) string { return (time.Duration(w) * time.Second).String() })
	f.add("minutes of films", func(v float64, _ int) (string, float64) {
		return fmt.Sprintf("%.0f min", v*30), math.Round(v * 30)
	})
}

// TestRangesThatAreNone: numbers with a stroke that are codes, or that overlap, stay words; of times that may be hours
// or minutes the reader says what it took.
func TestRangesThatAreNone(t *testing.T) {
	r := NewRand(5)
	for name, cell := range map[string]func() string{
		"months":           func() string { return fmt.Sprintf("%d-%02d", 2015+r.IntN(6), 1+r.IntN(12)) },
		"dates":            func() string { return fmt.Sprintf("%d-%02d-%02d", 2015+r.IntN(6), 1+r.IntN(12), 1+r.IntN(28)) },
		"numbers of lines": func() string { return fmt.Sprintf("%d-%d", 100+r.IntN(3), 1000+r.IntN(9000)) },
		"versions":         func() string { return fmt.Sprintf("%d.%d-%d", 1+r.IntN(3), r.IntN(9), 1+r.IntN(40)) },
		"codes of packages": func() string {
			return fmt.Sprintf("%d.%d.%d-%d", 1+r.IntN(3), r.IntN(9), r.IntN(9), 1+r.IntN(40))
		},
		"ids":           func() string { return fmt.Sprintf("%d-%d", 10+r.IntN(90), 100+r.IntN(900)) },
		"accounts":      func() string { return fmt.Sprintf("DE%d-%d", 10+r.IntN(90), 100+r.IntN(900)) },
		"points":        func() string { return fmt.Sprintf(`"(%d, %d)"`, r.IntN(90), r.IntN(90)) },
		"scores":        func() string { return fmt.Sprintf("%d:%d", r.IntN(4), r.IntN(4)) },
		"odds":          func() string { return fmt.Sprintf("%d:1", 1+r.IntN(90)) },
		"grades of six": func() string { return fmt.Sprintf("%d-", 1+r.IntN(6)) },
	} {
		text := tableOf(300, "a,c", func(i int) string { return fmt.Sprintf("%v,%s", i*i%11, cell()) })
		s, err := guessed(text, Options{Missing: MissingMark})
		if err == nil && s.Columns[1].Role == RoleNumber && strings.Contains(s.Columns[1].Form, rangeForm) {
			t.Errorf("%s: form %q\n%.90q", name, s.Columns[1].Form, text)
		}
		if err == nil && s.Columns[1].Role == RoleUnused && len(s.Notes.LeftOut) != 1 {
			t.Errorf("%s: lost in silence", name)
		}
	}
	for text, want := range map[string]string{
		"%d:%02d":    "read as times, in seconds; 1:30 is taken for 90 seconds, but may be 1 h 30 min",
		"%d:%02d:07": "read as times like 1:30:00, in seconds",
	} {
		s, err := guessed(tableOf(300, "a,c", func(i int) string {
			return fmt.Sprintf("%d,"+text, i*i%11, r.IntN(20), r.IntN(60))
		}), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, written := s.Notes.Found(); !slices.Equal(written, []string{"column c: " + want}) {
			t.Errorf("%s: %q", text, written)
		}
	}
}
