package dataset

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// grouped writes a number with marks of thousands.
func grouped(v float64, places int, group, point string) string {
	text := fmt.Sprintf("%.*f", places, v)
	whole, fraction, some := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + group + whole[i:]
	}
	if some {
		whole += point + fraction
	}
	return whole
}

// rounded is a number as a text of so many places has it.
func rounded(v float64, places int) float64 {
	scale := math.Pow(10, float64(places))
	return math.Round(v*scale) / scale
}

// disguise is a way to write a number of about 0.1 to 6: the cell, and what it should be read as; NaN for missing.
type disguise struct {
	name string
	cell func(v float64, i int) (string, float64)
}

// forms is a list of disguises.
type forms []disguise

func (f *forms) add(name string, cell func(v float64, i int) (string, float64)) {
	*f = append(*f, disguise{name, cell})
}

// disguises are forms of numbers and dates in tables that people make.
func disguises() (all forms) {
	all.units()
	all.marks()
	all.signs()
	all.scales()
	all.gaps()
	all.dates()
	all.clocks()
	all.bands()
	all.openBands()
	return all
}

func (f *forms) units() {
	add := f.add
	plain := func(name, format string, scale float64, places int) {
		add(name, func(v float64, _ int) (string, float64) {
			return fmt.Sprintf(format, places, v*scale), rounded(v*scale, places)
		})
	}
	plain("plain", "%.*f", 1, 3)
	plain("dollar", "$%.*f", 100, 2)
	plain("minus after dollar", "$-%.*f", -1, 2)
	plain("euro behind", "%.*f €", 100, 2)
	plain("euro at once", "%.*f€", 100, 2)
	plain("code before", "USD %.*f", 100, 2)
	plain("code behind", "%.*f CHF", 100, 2)
	plain("rupees", "Rs. %.*f", 100, 0)
	plain("Brazil", "R$ %.*f", 100, 2)
	plain("percent", "%.*f%%", 10, 1)
	plain("percent apart", "%.*f %%", 10, 1)
	plain("kilograms", "%.*f kg", 1, 1)
	plain("kilograms at once", "%.*fkg", 1, 1)
	plain("degrees", "%.*f°C", 10, 1)
	plain("horsepower", "%.*f bhp", 50, 2)
	plain("square feet", "%.*f sq.ft", 500, 0)
	plain("a word behind", "%.*f reviews", 5000, 0)
	plain("plus behind", "%.*f+", 100, 1)
	plain("about", "~%.*f", 100, 1)
}

func (f *forms) marks() {
	add := f.add
	marks := func(name, group, point string, scale float64, places int, around string) {
		add(name, func(v float64, _ int) (string, float64) {
			return fmt.Sprintf(around, grouped(v*scale, places, group, point)), rounded(v*scale, places)
		})
	}
	add("minus sign", func(v float64, _ int) (string, float64) { return fmt.Sprintf("\u2212%.2f", v), -rounded(v, 2) })
	marks("thousands", ",", ".", 10000, 0, `"%s"`)
	marks("dollars and thousands", ",", ".", 10000, 2, `"$%s "`)
	marks("millions with commas", ",", ".", 3e6, 0, `"%s"`)
	marks("German", ".", ",", 10000, 2, `"%s"`)
	marks("German euros", ".", ",", 10000, 2, `"%s €"`)
	marks("full stops alone", ".", ",", 3e6, 0, "%s")
	marks("blanks", " ", ".", 10000, 1, "%s")
	marks("blanks and comma", " ", ",", 10000, 1, `"%s"`)
	marks("blanks without a break", "\u00a0", ",", 10000, 2, `"%s"`)
	marks("narrow blanks", "\u202f", ",", 10000, 2, `"%s €"`)
	marks("apostrophes", "'", ".", 10000, 2, "%s")
	marks("raised commas", "\u2019", ".", 10000, 2, "CHF %s")
	marks("decimal comma", "", ",", 1, 2, `"%s"`)
	marks("small decimal comma", "", ",", 0.1, 3, `"%s"`)
	marks("bounds above", ",", ".", 1000, 1, `"<%s"`)
	marks("pounds", ",", ".", 10000, 2, `"£%s"`)
	marks("percent with comma", "", ",", 10, 1, `"%s %%"`)
	add("Indian groups", func(v float64, _ int) (string, float64) {
		w := math.Round(v*1e6) + 1e5
		head, tail := int(w)/1000, int(w)%1000
		return fmt.Sprintf(`"%s,%03d"`, grouped100(head), tail), w
	})
}

func (f *forms) signs() {
	add := f.add
	add("brackets", func(v float64, _ int) (string, float64) {
		w := rounded(v-3, 2)
		if w < 0 {
			return fmt.Sprintf("(%.2f)", -w), w
		}
		return fmt.Sprintf("%.2f", w), w
	})
	add("dollars in brackets", func(v float64, _ int) (string, float64) {
		w := rounded(1000*(v-3), 2)
		if w < 0 {
			return fmt.Sprintf(`"($%s)"`, grouped(-w, 2, ",", ".")), w
		}
		return fmt.Sprintf(`"$%s"`, grouped(w, 2, ",", ".")), w
	})
	add("minus behind", func(v float64, _ int) (string, float64) {
		w := rounded(v-3, 2)
		if w < 0 {
			return fmt.Sprintf("%.2f-", -w), w
		}
		return fmt.Sprintf("%.2f", w), w
	})
	add("minus before the dollar", func(v float64, _ int) (string, float64) {
		w := rounded(v-3, 2)
		if w < 0 {
			return fmt.Sprintf("-$%.2f", -w), w
		}
		return fmt.Sprintf("$%.2f", w), w
	})
}

func (f *forms) scales() {
	add := f.add
	add("millions", func(v float64, _ int) (string, float64) { return fmt.Sprintf("%.1fM", v), rounded(v, 1) * 1e6 })
	add("euros in millions or thousands", func(v float64, i int) (string, float64) {
		if v < 2 {
			return fmt.Sprintf("€%.0fK", v*400), math.Round(v*400) * 1e3
		}
		return fmt.Sprintf("€%.1fM", v/2), rounded(v/2, 1) * 1e6
	})
	add("dollars in billions", func(v float64, i int) (string, float64) {
		if v < 2 {
			return fmt.Sprintf("$%.0fM", v*500), math.Round(v*500) * 1e6
		}
		return fmt.Sprintf("$%.2fB", v/2), rounded(v/2, 2) * 1e9
	})
	add("sizes", func(v float64, i int) (string, float64) {
		if i%3 == 0 {
			return fmt.Sprintf("%.0f KB", v*1000), math.Round(v*1000) * 1e3
		}
		return fmt.Sprintf("%.1f MB", v), rounded(v, 1) * 1e6
	})
	add("metres and kilometres", func(v float64, i int) (string, float64) {
		if i%3 == 0 {
			return fmt.Sprintf("%.0f m", v*1000), math.Round(v * 1000)
		}
		return fmt.Sprintf("%.2f km", v), rounded(v, 2) * 1e3
	})
	add("one or several", func(v float64, _ int) (string, float64) {
		w := math.Ceil(v * 10)
		if w == 1 {
			return "1 day", 1
		}
		return fmt.Sprintf("%.0f days", w), w
	})
}

func (f *forms) gaps() {
	add := f.add
	among := func(name string, every int, word func(i int) string) {
		add(name, func(v float64, i int) (string, float64) {
			if i%every == 0 {
				return word(i), math.NaN()
			}
			return fmt.Sprintf("%.3f", v), rounded(v, 3)
		})
	}
	always := func(word string) func(int) string { return func(int) string { return word } }
	among("inf", 50, always("inf"))
	among("minus infinity", 30, always("-Infinity"))
	among("unknown", 20, always("unknown"))
	among("not available", 7, always("Not Available"))
	among("many gaps", 2, always("n/a"))
	among("a stroke", 5, always("-"))
	among("two strokes", 5, always("--"))
	among("a question mark", 5, always("?"))
	among("a point", 5, always("."))
	among("faults of a spreadsheet", 9, func(i int) string { return []string{"#DIV/0!", "#N/A", "#VALUE!"}[i%3] })
	among("one odd word", 200, always("see note 4"))
	add("three or more", func(v float64, _ int) (string, float64) {
		if w := math.Floor(v * 3); w < 15 {
			return fmt.Sprint(w), w
		}
		return "15+", 15
	})
	add("below a limit", func(v float64, i int) (string, float64) {
		if v < 1.5 {
			return "<1.5", 1.5
		}
		return fmt.Sprintf("%.2f", v), rounded(v, 2)
	})
	add("above a limit", func(v float64, i int) (string, float64) {
		if v > 5 {
			return "> 5", 5
		}
		return fmt.Sprintf("%.2f", v), rounded(v, 2)
	})
	add("Fortran", func(v float64, _ int) (string, float64) {
		return strings.ReplaceAll(fmt.Sprintf("%.5e", v+10), "e", "D"), rounded(v+10, 4)
	})
	add("short Fortran", func(v float64, i int) (string, float64) {
		if w := math.Ceil(v); i%2 == 0 {
			return fmt.Sprintf("%.0fD3", w), w * 1e3
		}
		return fmt.Sprintf("%.1fD3", v), rounded(v, 1) * 1e3
	})
}

func (f *forms) dates() {
	add := f.add
	day := func(v float64) time.Time {
		return time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, int(v*300))
	}
	date := func(name, layout string, month bool) {
		add(name, func(v float64, _ int) (string, float64) {
			d := day(v)
			if month {
				d = d.AddDate(0, 0, 1-d.Day())
			}
			return d.Format(layout), float64(d.Unix()) / secondsOfDay
		})
	}
	date("day-month-year", "02-01-2006", false)
	date("short year", "02/01/06", false)
	date("month first", "1/2/06", false)
	date("month first, whole year", "1/2/2006", false)
	date("full stops and short year", "2.1.06", false)
	date("year with full stops", "2006.01.02", false)
	date("strokes and short year", "02-Jan-06", false)
	date("weekday", `"Mon, 02 Jan 2006"`, false)
	date("month", "2006-01", true)
	date("month and year", "01/2006", true)
	date("name of a month", "Jan 2006", true)
	date("month of a report", "Jan-06", true)
	date("Eurostat", "2006M01", true)
	add("quarter", func(v float64, _ int) (string, float64) {
		d := day(v)
		q := (int(d.Month()) - 1) / 3
		first := time.Date(d.Year(), time.Month(3*q+1), 1, 0, 0, 0, 0, time.UTC)
		return fmt.Sprintf("Q%d %d", q+1, d.Year()), float64(first.Unix()) / secondsOfDay
	})
	add("quarter behind", func(v float64, _ int) (string, float64) {
		d := day(v)
		q := (int(d.Month()) - 1) / 3
		first := time.Date(d.Year(), time.Month(3*q+1), 1, 0, 0, 0, 0, time.UTC)
		return fmt.Sprintf("%d-Q%d", d.Year(), q+1), float64(first.Unix()) / secondsOfDay
	})
}

func (f *forms) clocks() {
	add := f.add
	add("minutes", func(v float64, _ int) (string, float64) {
		w := int(v * 100)
		return fmt.Sprintf("%d:%02d", w/60, w%60), float64(w)
	})
	add("hours", func(v float64, _ int) (string, float64) {
		w := int(v * 3000)
		return fmt.Sprintf("%d:%02d:%02d", w/3600, w/60%60, w%60), float64(w)
	})
	add("time of day", func(v float64, _ int) (string, float64) {
		w := int(v * 200)
		return time.Date(2000, 1, 1, w/60, w%60, 0, 0, time.UTC).Format("3:04 PM"), float64(w * 60)
	})
	add("flights", func(v float64, _ int) (string, float64) {
		if w := int(v * 100); w%60 > 0 {
			return fmt.Sprintf("%dh %dm", w/60, w%60), float64(w * 60)
		}
		w := int(v * 100)
		return fmt.Sprintf("%dh", w/60), float64(w * 60)
	})
	add("days and times", func(v float64, _ int) (string, float64) {
		w := int(v * 100000)
		return fmt.Sprintf("%d days %02d:%02d:%02d", w/86400, w/3600%24, w/60%60, w%60), float64(w)
	})
	add("lengths of time", func(v float64, _ int) (string, float64) {
		w := int(v * 100)
		return fmt.Sprintf("PT%dH%dM", w/60, w%60), float64(w * 60)
	})
}

// grouped100 writes a number with marks of hundreds.
func grouped100(v int) string {
	text := fmt.Sprint(v)
	for i := len(text) - 2; i > 0; i -= 2 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// disguised is a table of 300 rows whose column v is a disguise, and the values that it should have.
func disguised(d disguise) (text string, want []float64) {
	r := NewRand(3)
	var b strings.Builder
	b.WriteString("v,noise,y\n")
	for i := range 300 {
		class := r.IntN(2)
		cell, v := d.cell(math.Abs(2+2*float64(class)+r.NormFloat64())+0.1, i)
		fmt.Fprintf(&b, "%s,%.3f,%s\n", cell, r.Float64(), []string{"q", "p"}[class])
		want = append(want, v)
	}
	return b.String(), want
}

// TestDisguises reads numbers and dates in many forms, in the training's file and again by its columns.
func TestDisguises(t *testing.T) {
	forms := disguises()
	if len(forms) < 120 {
		t.Errorf("%d forms", len(forms))
	}
	for _, d := range forms {
		text, want := disguised(d)
		s, err := guessed(text, Options{Missing: MissingMark})
		if err != nil {
			t.Errorf("%s: %v\n%.60q", d.name, err, text)
			continue
		}
		c := s.Columns[0]
		if c.Role != RoleNumber && c.Role != RoleDate {
			t.Errorf("%s: role %v, %+v\n%.60q", d.name, c.Role, s.Notes, text)
			continue
		}
		off := 0
		for i, v := range want {
			if v != v {
				v = c.Fill
			}
			if !(math.Abs(s.X[i*s.D]-v) <= 1e-9*math.Abs(v)) {
				if off++; off == 1 {
					t.Errorf("%s: row %d is %v, want %v, form %q\n%.60q", d.name, i, s.X[i*s.D], v, c.Form, text)
				}
			}
		}
		if err = s.Columns.Validate(s.D); err != nil {
			t.Errorf("%s: %v", d.name, err)
		}
		later, err := ReadCSV(strings.NewReader(text), "later.csv", Options{Columns: s.Columns})
		if err != nil || !slices.Equal(later.X, s.X) {
			t.Errorf("%s: the same file reads otherwise by its columns %+v: %v", d.name, s.Columns[0], err)
		}
		cells := s.Columns.Cells(s.X[:s.D])
		table := "v,noise\n\"" + strings.Join(cells, "\",\"") + "\"\n"
		back, err := ReadCSV(strings.NewReader(table), "back.csv", Options{Columns: s.Columns, Unlabelled: true})
		if err != nil || !(math.Abs(back.X[0]-s.X[0]) <= 1e-9*math.Abs(s.X[0])) {
			t.Errorf("%s: written as %q: %v", d.name, cells, err)
		}
	}
}

// TestNoDisguises has columns that look like numbers and are none.
func TestNoDisguises(t *testing.T) {
	r := NewRand(8)
	letters := func(n int) string {
		b := bytes.Repeat([]byte{'A'}, n)
		for i := range b {
			b[i] += byte(r.IntN(26))
		}
		return string(b)
	}
	for name, cell := range map[string]func(i int) string{
		"ZIP codes":            func(int) string { return fmt.Sprintf("%05d-%04d", 10000+r.IntN(90000), r.IntN(10000)) },
		"some long ZIP codes":  func(i int) string { return fmt.Sprintf("%05d", 98000+r.IntN(900)) + []string{"", "-6314"}[i%2] },
		"telephones":           func(int) string { return fmt.Sprintf("(%03d) %03d-%04d", r.IntN(999), r.IntN(999), r.IntN(9999)) },
		"short telephones":     func(int) string { return fmt.Sprintf("555-%04d", r.IntN(9999)) },
		"telephones in groups": func(int) string { return fmt.Sprintf("%03d %03d %03d", 600+r.IntN(99), r.IntN(999), r.IntN(999)) },
		"French telephones": func(int) string {
			return fmt.Sprintf("01 %02d %02d %02d %02d", r.IntN(99), r.IntN(99), r.IntN(99), r.IntN(99))
		},
		"world telephones":      func(int) string { return fmt.Sprintf("+49 %d %d", 100+r.IntN(900), 10000+r.IntN(90000)) },
		"versions":              func(int) string { return fmt.Sprintf("%d.%d.%d", r.IntN(4), r.IntN(30), r.IntN(12)) },
		"versions with v":       func(int) string { return fmt.Sprintf("v%d.%d", r.IntN(40), r.IntN(12)) },
		"addresses":             func(int) string { return fmt.Sprintf("192.168.%d.%d", r.IntN(256), r.IntN(256)) },
		"long addresses":        func(int) string { return fmt.Sprintf("2001:db8::%x:%x", r.IntN(65536), r.IntN(65536)) },
		"hardware addresses":    func(int) string { return fmt.Sprintf("00:%02X:%02X:%02X", r.IntN(256), r.IntN(256), r.IntN(256)) },
		"product codes":         func(int) string { return fmt.Sprintf("%d%s", 10+r.IntN(90), letters(2)) },
		"codes with D":          func(int) string { return fmt.Sprintf("%dD%d", 1+r.IntN(30), 1+r.IntN(9)) },
		"codes in front":        func(int) string { return fmt.Sprintf("%s%d", letters(1), r.IntN(1000)) },
		"orders":                func(int) string { return fmt.Sprintf("ORD-%05d", r.IntN(99999)) },
		"ranges":                func(int) string { a := r.IntN(90); return fmt.Sprintf("%d-%d", a, a+1+r.IntN(200)) },
		"chapters":              func(int) string { return fmt.Sprintf("§ %d.%d", r.IntN(90), r.IntN(9)) },
		"houses":                func(int) string { return fmt.Sprintf("%d%s", 1+r.IntN(99), []string{"", "a", "b", "c"}[r.IntN(4)]) },
		"places":                func(int) string { return fmt.Sprintf("%dth", 4+r.IntN(16)) + []string{"", " floor"}[r.IntN(2)] },
		"several units":         func(int) string { return fmt.Sprintf("%d %s", 1+r.IntN(99), []string{"kg", "lb", "pieces"}[r.IntN(3)]) },
		"several currencies":    func(int) string { return fmt.Sprintf("%s%d", []string{"$", "€", "£"}[r.IntN(3)], 1+r.IntN(999)) },
		"ratios":                func(int) string { return fmt.Sprintf("%d:%d", 1+r.IntN(30), 1+r.IntN(9)) },
		"results":               func(int) string { return fmt.Sprintf("%d-%d", r.IntN(9), r.IntN(9)) },
		"sizes of screens":      func(int) string { return fmt.Sprintf("%dx%d", 100*r.IntN(40), 100*r.IntN(40)) },
		"coordinates":           func(int) string { return fmt.Sprintf("%d°%d'N", r.IntN(90), r.IntN(60)) },
		"ISBN":                  func(int) string { return fmt.Sprintf("978-3-%d-%d", 10000+r.IntN(90000), r.IntN(10)) },
		"hexadecimal":           func(int) string { return fmt.Sprintf("%08x", r.Uint32()|0xa0000000) },
		"codes of months":       func(int) string { return fmt.Sprintf("%d-%02d", 1001+r.IntN(300), 1+r.IntN(12)) },
		"pairs":                 func(int) string { return fmt.Sprintf("%d/%d", r.IntN(30), r.IntN(30)) },
		"addresses of houses":   func(int) string { return fmt.Sprintf("%d %s Street", r.IntN(900), letters(5)) },
		"two marks of decimals": func(int) string { return fmt.Sprintf(`"%d.%d,%d"`, r.IntN(9), r.IntN(9), r.IntN(9)) },
	} {
		text := tableOf(300, "a,c", func(i int) string { return fmt.Sprintf("%v,%s", i*i%11, cell(i)) })
		s, err := guessed(text, Options{Missing: MissingMark})
		if err != nil {
			if !strings.Contains(err.Error(), `in column "c"`) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if c := s.Columns[1]; c.Role == RoleNumber || c.Role == RoleDate {
			t.Errorf("%s: role %v, form %q\n%.90q", name, c.Role, c.Form, text)
		} else if c.Role == RoleUnused && len(s.Notes.LeftOut) != 1 {
			t.Errorf("%s: lost in silence", name)
		}
	}
	for name, cell := range map[string]func() string{"years": func() string { return fmt.Sprint(1950 + r.IntN(70)) }} {
		s, err := guessed(tableOf(300, "a,c", func(i int) string { return fmt.Sprintf("%v,%s", i*i%11, cell()) }), Options{})
		if err != nil || s.Columns[1].Role != RoleNumber || s.Columns[1].Form != "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWrittenLabels: amounts of money are a regression, and its model reads them again; a few are classes.
func TestWrittenLabels(t *testing.T) {
	r := NewRand(5)
	table := func(label func() string) string {
		var b strings.Builder
		b.WriteString("a,y\n")
		for range 200 {
			fmt.Fprintf(&b, "%.3f,%s\n", r.Float64(), label())
		}
		return b.String()
	}
	text := table(func() string { return `"$` + grouped(50000+1e5*r.Float64(), 2, ",", ".") + ` "` })
	s, err := guessed(text, Options{Targets: TargetGuess})
	if err != nil || s.Targets == nil || s.Guess != "numbers like $1,234.5" || s.Validate() != nil {
		t.Fatalf("%+v, %v", s, err)
	}
	later, err := ReadCSV(strings.NewReader(text), "later.csv", Options{Columns: s.Columns, Targets: TargetValues})
	if err != nil || !slices.Equal(later.Targets, s.Targets) {
		t.Errorf("read again: %v", err)
	}
	bad := "a,y\n1,five\n"
	if _, err = ReadCSV(strings.NewReader(bad), "bad.csv", Options{Columns: s.Columns, Targets: TargetValues}); err == nil ||
		err.Error() != `bad.csv:2:3: found "five" in column "y", want a number like $1,234.5` {
		t.Error(err)
	}
	for what, label := range map[string]func() string{
		"few":   func() string { return fmt.Sprintf("%d%%", 10*r.IntN(4)) },
		"words": func() string { return fmt.Sprintf("%d%c", r.IntN(90), 'A'+rune(r.IntN(26))) },
	} {
		if s, err = guessed(table(label), Options{Targets: TargetGuess}); err != nil || s.Targets != nil || s.Columns[1].Form != "" {
			t.Errorf("%s: %+v, %v", what, s.Columns, err)
		}
	}
}

// TestOrderOfDates: where day and month may be either, the rows' order decides, and if it does not, a note says so.
func TestOrderOfDates(t *testing.T) {
	for _, tt := range []struct {
		what, form, also string
		cell             func(i int) string
	}{
		{"rows in the order of days first", "2/1/2006", "", func(i int) string { return fmt.Sprintf("%02d/%02d/2024", 1+i%12, 1+i/12) }},
		{"rows in the order of months first", "1/2/2006", "", func(i int) string { return fmt.Sprintf("%02d/%02d/2024", 1+i/12, 1+i%12) }},
		{"strokes without order", "2-1-2006", "M-D-YYYY", func(i int) string { return fmt.Sprintf("%02d-%02d-2024", 1+i*7%12, 1+i*5%11) }},
		{"slashes without order", "1/2/2006", "D/M/YYYY", func(i int) string { return fmt.Sprintf("%02d/%02d/2024", 1+i*7%12, 1+i*5%11) }},
		{"a day above 12", "2/1/06", "", func(i int) string { return fmt.Sprintf("%02d/%02d/24", 1+i*7%28, 1+i*5%11) }},
		{"five days above 12, and odd cells", "2/1/06", "", func(i int) string {
			if i == 40 {
				return "soon"
			}
			return fmt.Sprintf("%02d/%02d/24", 1+i*7%12+i%25/24*12, 1+i*5%11)
		}},
	} {
		s, err := guessed(tableOf(120, "a,when", func(i int) string { return fmt.Sprint(i*i%7, ",", tt.cell(i)) }), Options{Missing: MissingMark})
		if err != nil || s.Columns[1].Form != tt.form {
			t.Errorf("%s: %+v, %v", tt.what, s, err)
			continue
		}
		also := ""
		for _, c := range s.Notes.Written {
			also += c.Also
		}
		if also != tt.also {
			t.Errorf("%s: note %+v", tt.what, s.Notes.Written)
		}
	}
}

// TestMissingWords: what the options call missing is missing, in this file and in later ones.
func TestMissingWords(t *testing.T) {
	text := tableOf(60, "a,b,c", func(i int) string {
		return fmt.Sprintf("%s,%s,%s", []string{"1.5", "-999", "2.5"}[i%3], []string{"x", "y", "nobody"}[i/2%3], []string{"2024-01-02", "2024-05-06", "nobody"}[i%3])
	})
	s, err := guessed(text, Options{Missing: MissingMark, MissingWords: []string{"-999", "nobody"}})
	if err != nil || len(s.Notes.Missing) != 3 || s.Columns[1].Role != RoleYesNo || s.Columns[2].Role != RoleDate {
		t.Fatalf("%+v, %v", s, err)
	}
	later, err := ReadCSV(strings.NewReader(text), "later.csv", Options{Columns: s.Columns})
	if err != nil || !slices.Equal(later.X, s.X) {
		t.Errorf("read again: %v", err)
	}
	more := "a,b,c\nunknown,z,n.a.\n"
	later, err = ReadCSV(strings.NewReader(more), "more.csv", Options{Columns: s.Columns, Unlabelled: true})
	if err != nil || len(later.Notes.Filled) != 2 {
		t.Errorf("words for missing cells that the training did not have: %v", err)
	}
}

// TestFrequentWords: of a column of many words the frequent ones are categories.
func TestFrequentWords(t *testing.T) {
	r := NewRand(6)
	shops := func(n int) func(i int) string {
		return func(int) string { return fmt.Sprintf("%d,shop%d", r.IntN(50), int(float64(n)*r.Float64()*r.Float64())) }
	}
	for _, tt := range []struct{ rows, words, kept, others int }{{3000, 200, 97, 103}, {4000, 130, 100, 30}, {600, 590, 0, 0}} {
		s, err := guessed(tableOf(tt.rows, "a,b", shops(tt.words)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if tt.kept == 0 {
			if len(s.Notes.LeftOut) != 1 {
				t.Errorf("%d words: %+v", tt.words, s.Notes)
			}
			continue
		}
		if c := s.Notes.Categories; len(c) != 1 || c[0].Levels < 90 || c[0].Levels > maxLevels || c[0].Others == 0 {
			t.Errorf("%d words: %+v", tt.words, s.Notes)
		}
		ones := 0.0
		for i := range s.N {
			for _, v := range s.Row(i)[1:] {
				ones += v
			}
		}
		if !(ones > 0.3*float64(s.N) && ones < float64(s.N)) {
			t.Errorf("%d words: %v of %d rows have one", tt.words, ones, s.N)
		}
		again, err := ReadCSV(strings.NewReader("a,b\n1,shop0\n1,elsewhere\n"), "f", Options{Columns: s.Columns, Unlabelled: true, Strict: true})
		if err != nil || again.Notes != nil || slices.Max(again.Row(1)[1:]) != 0 || slices.Max(again.Row(0)[1:]) != 1 {
			t.Errorf("%d words, later: %v", tt.words, err)
		}
	}
}
