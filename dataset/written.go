package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// notation is how the cells of a column of numbers are written, if not plainly. [Column.Form] shows it by the number
// 1234.5: "$1,234.5", or "1 234,5 kg". A blank in it is any blank. clockForm stands for times and lengths of time.
type notation struct {
	group, point string // the marks of thousands and of decimals
	before, unit string
	clock        bool
	ranges       bool // rangeForm
}

const clockForm = "1:30:00"

// marksOf are the marks of thousands and decimals that a column may have. Of two that fit all cells the first is taken:
// 1,234 has thousands.
var marksOf = []string{",.", " .", "'.", ".,", " ,", "',"}

// writtenAs is the inverse of form.
func writtenAs(form string) (w notation) {
	if form == clockForm {
		return notation{clock: true}
	}
	if before, unit, ok := strings.Cut(form, rangeForm); ok {
		return notation{ranges: true, point: ".", before: before, unit: strings.TrimSpace(unit)}
	}
	w.before, form, _ = strings.Cut(form, "1")
	w.group, form, _ = strings.Cut(form, "234")
	w.point, w.unit, _ = strings.Cut(form, "5")
	w.unit = strings.TrimSpace(w.unit)
	return w
}

func (w *notation) form() string {
	if w.clock {
		return clockForm
	}
	unit := w.unit
	if r, _ := utf8.DecodeRuneInString(unit); unicode.IsLetter(r) {
		unit = " " + unit
	}
	if w.ranges {
		return w.before + rangeForm + unit
	}
	return w.before + "1" + w.group + "234" + w.point + "5" + unit
}

// read reads a cell.
func (w *notation) read(cell string) (v float64, ok bool) {
	if w.clock {
		return readClock(cell)
	}
	if w.ranges {
		return w.middle(cell)
	}
	c, ok := cutNumber(cell)
	if !ok || c.before != "" && !strings.EqualFold(c.before, w.before) {
		return 0, false
	}
	scale, ok := scaleOf(c.unit, w.unit)
	if !ok {
		return 0, false
	}
	v, ok = c.number(w.group, w.point)
	return v * scale, ok && !math.IsInf(v*scale, 0)
}

// text writes a number so that read reads it.
func (w *notation) text(v float64) string {
	if !w.clock {
		number := strconv.FormatFloat(v, 'f', -1, 64)
		return w.before + strings.Replace(number, ".", w.point, 1) + w.unit
	}
	sign, seconds := "", math.Abs(v)
	if v < 0 {
		sign = "-"
	}
	minutes := math.Floor(seconds / 60)
	rest := strconv.FormatFloat(seconds-60*minutes, 'f', -1, 64)
	if seconds-60*minutes < 10 {
		rest = "0" + rest
	}
	return fmt.Sprintf("%s%.0f:%02.0f:%s", sign, math.Floor(minutes/60), math.Mod(minutes, 60), rest)
}

// numeral is a cell in its parts: of "< -$1,234.50M" the body 1,234.50 behind $ and before M, with a minus.
type numeral struct {
	minus                        bool
	before, body, exponent, unit string
	apart                        bool // there is a blank before the unit
	code                         bool // the exponent may as well be a part of a code, as in 12D3
}

// likeASCII maps blanks, strokes and raised commas to those of ASCII.
func likeASCII(r rune) rune {
	switch r {
	case '\u00a0', '\u202f', '\u2009':
		return ' '
	case '\u2212', '\u2013', '\u2014':
		return '-'
	case '\u2019':
		return '\''
	}
	return r
}

// bounds may stand before a number: it is taken for the number then, as 3 is for 3+.
const bounds = "<>=~+ \u2264\u2265\u2248"

// cutNumber takes a cell apart.
func cutNumber(cell string) (c numeral, ok bool) {
	s := strings.TrimSpace(strings.Map(likeASCII, cell))
	first := strings.IndexAny(s, "0123456789")
	if first < 0 {
		return c, false
	}
	if first > 0 && (s[first-1] == '.' || s[first-1] == ',') && (first == 1 || !unicode.IsLetter(rune(s[first-2]))) {
		first-- // but not of Rs.500
	}
	end := first + 1
	digitAt := func(i int) bool { return i < len(s) && isDigit(s[i]) }
	for digitAt(end) || digitAt(end+1) && strings.IndexByte(".,' ", s[end]) >= 0 {
		end++
	}
	c.body = s[first:end]
	head, tail := s[:first], c.power(s[end:])
	c.apart = strings.HasPrefix(tail, " ")
	tail = strings.TrimSpace(tail)
	if open := strings.IndexByte(head, '('); open >= 0 && strings.HasSuffix(tail, ")") {
		c.minus, head, tail = true, head[:open]+head[open+1:], strings.TrimSpace(tail[:len(tail)-1])
	}
	if k := strings.IndexByte(head, '-'); k >= 0 && !c.minus {
		c.minus, head = true, head[:k]+head[k+1:]
	} else if strings.HasSuffix(tail, "-") && !c.minus {
		c.minus, tail = true, tail[:len(tail)-1]
	}
	c.before, c.unit = strings.Trim(head, bounds), strings.TrimRight(tail, "+. ")
	return c, (c.before == "" || isCurrency(c.before)) && !strings.ContainsAny(c.unit, "0123456789-")
}

func isDigit(b byte) bool { return b-'0' <= 9 }

// power takes an exponent, perhaps Fortran's with a D, from the beginning of what follows the digits.
func (c *numeral) power(tail string) (rest string) {
	if tail == "" || strings.IndexByte("eEdD", tail[0]) < 0 {
		return tail
	}
	end := 1
	if end < len(tail) && (tail[end] == '-' || tail[end] == '+') {
		end++
	}
	digits := end
	for end < len(tail) && isDigit(tail[end]) {
		end++
	}
	if end == digits || end < len(tail) && unicode.IsLetter(rune(tail[end])) {
		return tail
	}
	c.exponent, c.code = tail[1:end], tail[0]&^32 == 'D' && digits == 1 && !strings.ContainsAny(c.body, ".,")
	return tail[end:]
}

// number reads the digits by the marks of thousands and decimals. Groups have three digits, or two as in India.
func (c *numeral) number(group, point string) (v float64, ok bool) {
	whole, fraction, _ := strings.Cut(c.body, point)
	groups := []string{whole}
	if group != "" {
		groups = strings.Split(whole, group)
	}
	for i, g := range groups {
		n, last := len(g), len(groups)-1
		switch {
		case last == 0:
		case i == 0 && (n == 0 || n > 3 || g[0] == '0'), i == last && n != 3, i > 0 && n != 3 && (n != 2 || group != ","):
			return 0, false
		}
	}
	whole = strings.Join(groups, "")
	text := whole + "." + fraction
	if strings.ContainsAny(whole+fraction, "., '") || len(text) < 2 {
		return 0, false
	}
	if c.exponent != "" {
		text += "e" + c.exponent
	}
	v, err := strconv.ParseFloat(text, 64)
	if c.minus {
		v = -v
	}
	return v, err == nil
}

// isCurrency reports whether a word is a sign or a code of money: $, US$, Rs or EUR.
func isCurrency(s string) bool {
	const codes = " usd eur gbp chf jpy cny inr aud cad sek nok dkk pln rub brl rs kr "
	signs := func(r rune) bool { return unicode.Is(unicode.Sc, r) }
	return len(s) <= 6 && (strings.ContainsFunc(s, signs) || isIn(codes, strings.Trim(s, ". ")))
}

// isIn reports whether a word in small or large letters is in a list with a blank around each.
func isIn(list, word string) bool { return strings.Contains(list, " "+strings.ToLower(word)+" ") }

// units may follow a number without a blank.
const units = " % ‰ ° °c °f kg g mg lb oz t km m cm mm mi ft in yd sec ms s min h hr d day w week mo month yr year y " +
	"l ml v w kw kwh mw hz khz mhz ghz b kb mb gb tb px bhp hp cc rpm nm ps bar psi pa hpa kpa ppm db pt x kmpl km/h " +
	"mph m/s m² "

// unitName is a unit in small letters and without the s of several.
func unitName(s string) string {
	s = strings.ToLower(s)
	if len(s) > 2 {
		s = strings.TrimSuffix(s, "s")
	}
	return s
}

func isUnit(s string) bool { return isIn(units, unitName(s)) || isCurrency(s) }

// scaleOf returns the factor of a cell's unit in a column of another one: that of M or MB where the column has none or
// B. A cell may lack it.
func scaleOf(cell, unit string) (scale float64, ok bool) {
	if cell == "" || unitName(cell) == unitName(unit) {
		return 1, true
	}
	part := strings.TrimRight(cell[:max(0, len(cell)-len(unit))], " ")
	if !strings.EqualFold(cell[len(cell)-min(len(unit), len(cell)):], unit) {
		return 0, false
	}
	switch part {
	case "c":
		scale = 0.01
	case "m":
		if scale = 1e6; unit != "" && !isCurrency(unit) {
			scale = 1e-3
		}
	case "k", "K", "thousand":
		scale = 1e3
	case "M", "mn", "Mn", "MM", "million":
		scale = 1e6
	case "B", "b", "bn", "Bn", "G", "billion":
		scale = 1e9
	case "T", "tn", "trillion":
		scale = 1e12
	}
	return scale, scale > 0 && (part != "c" || unit != "")
}

// unitOf finds one unit for all cells of a column, of whose units each is in the list once.
func unitOf(cells []numeral) (unit string, ok bool) {
	candidates := []string{""}
	for _, c := range cells {
		candidates = append(candidates, c.unit, c.unit[min(1, len(c.unit)):])
	}
	if len(cells) == 1 && isUnit(cells[0].unit) && !strings.Contains("MBbGT", cells[0].unit) {
		candidates = candidates[1:]
	}
	for _, unit = range candidates {
		fits := func(c numeral) bool { _, ok := scaleOf(c.unit, unit); return ok }
		word := func(c numeral) bool { return c.apart && !strings.ContainsFunc(unit, notInUnits) }
		if len(unit) <= 16 && !slices.ContainsFunc(cells, func(c numeral) bool { return !fits(c) }) &&
			(unit == "" || isUnit(unit) || !slices.ContainsFunc(cells, func(c numeral) bool { return !word(c) })) {
			return unit, true
		}
	}
	return "", false
}

func notInUnits(r rune) bool { return !unicode.IsLetter(r) && !strings.ContainsRune("/°²³%µ.", r) }

// readClock reads a time of day or a length of time, in seconds: 18:05:30, 6:05 PM, 2h 5m. Of two numbers the last may
// be minutes as well: they count as seconds then.
func readClock(cell string) (seconds float64, ok bool) {
	s := strings.ToLower(strings.TrimSpace(cell))
	if strings.HasSuffix(s, "am") || strings.HasSuffix(s, "pm") {
		s = strings.ToUpper(s[:len(s)-2]) + strings.ToUpper(s[len(s)-2:])
		return parseClock(s)
	}
	positive := strings.TrimPrefix(s, "-")
	if strings.Contains(s, ":") {
		seconds, ok = sixtieths(positive)
	} else {
		seconds, ok = lengths(positive)
	}
	if positive != s {
		seconds = -seconds
	}
	return seconds, ok
}

// sixtieths reads 1:30:00, or 1 day 1:30:00.
func sixtieths(s string) (seconds float64, ok bool) {
	days, clock, several := strings.Cut(strings.Replace(s, "days", "day", 1), "day")
	if several {
		if seconds, ok = lengths(days + "d"); !ok {
			return 0, false
		}
		s, seconds = strings.TrimSpace(clock), seconds/3600 // each part is a sixtieth of the one before it
	}
	parts := strings.Split(s, ":")
	for i, part := range parts {
		v, err := strconv.ParseFloat(part, 64)
		whole, _, fraction := strings.Cut(part, ".")
		if err != nil || !isDigit(part[0]) || i > 0 && (len(whole) != 2 || v >= 60) || fraction && i+1 < len(parts) {
			return 0, false
		}
		if i == 0 {
			seconds += v
		} else {
			seconds = seconds*60 + v
		}
	}
	return seconds, len(parts) == 2 || len(parts) == 3
}

// lengths reads 2h 5m, or P1DT2H.
func lengths(s string) (seconds float64, ok bool) {
	if strings.HasPrefix(s, "p") {
		s = strings.ReplaceAll(s[1:], "t", " ")
	}
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		end := strings.IndexFunc(s, unicode.IsLetter)
		if end <= 0 || !isDigit(s[0]) {
			return 0, false
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(s[:end]), 64)
		if s = s[end:]; err != nil {
			return 0, false
		}
		end = strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
		if end < 0 {
			end = len(s)
		}
		switch unitName(s[:end]) {
		case "d", "day":
			v *= 86400
		case "h", "hr", "hour":
			v *= 3600
		case "m", "min", "minute":
			v *= 60
		case "s", "sec", "second":
		default:
			return 0, false
		}
		seconds, s, ok = seconds+v, s[end:], true
	}
	return seconds, ok
}

// missingWords mean that a number or a date is missing, besides those of isMissing.
const missingWords = " unknown unk undefined missing n.a. n.a n/k nk nil tbd tba void -- --- . .. ... #n/a #na " +
	"#n/a_n/a #div/0! #value! #ref! #num! #name? #null! <na> <null> -nan inf -inf +inf infinity -infinity 1.#ind " +
	"1.#qnan 1.#inf not_available not_applicable not_known not_stated no_data nodata prefer_not_to_say 0000-00-00 "

// isMissingWord reports whether a word that is no number means that one is missing.
func isMissingWord(word string) bool {
	return len(word) <= 17 && isIn(missingWords, strings.ReplaceAll(word, " ", "_"))
}

// reading is what the words of a column are by one form.
type reading struct {
	form   string
	values []float64 // of each word, NaN for a missing one
	odd    []string  // words that do not fit, which are few enough to be missing
	cells  int       // that have one of these
	gone   []string  // words for missing cells
}

// fitted reads the words of a column in one form, of which at most one cell of a hundred may be another thing.
func fitted(form string, words []string, count []int, cells int,
	read func(word string) (float64, bool)) (f reading, ok bool) {
	const mostWords, enough = 100, 20 // the latter if no word fits before them
	f.form = form
	for w, word := range words {
		if count[w] == 0 || isMissing([]byte(word)) {
			continue
		}
		v, ok := read(word)
		switch {
		case ok:
			if f.values == nil {
				f.values = slices.Repeat([]float64{math.NaN()}, len(words))
			}
			f.values[w] = v
		case isMissingWord(word):
			f.gone = append(f.gone, word)
		default:
			if f.cells += count[w]; 100*f.cells > cells || len(f.odd) == mostWords || f.values == nil && len(f.odd) == enough {
				return f, false
			}
			f.odd = append(f.odd, word)
		}
	}
	return f, f.values != nil
}

// best is the first of those that leave the fewest cells out.
func best(fits []reading) *reading {
	least := slices.MinFunc(fits, func(a, b reading) int { return cmp.Compare(a.cells, b.cells) }).cells
	return &fits[slices.IndexFunc(fits, func(f reading) bool { return f.cells == least })]
}

// numbersIn finds the form in which all words are numbers; "" is the plain one.
func (p *csvParser) numbersIn(words []string, count []int, cells int) *reading {
	var fits []reading
	try := func(form string, read func(word string) (float64, bool)) {
		if f, ok := fitted(form, words, count, cells, read); ok {
			fits = append(fits, f)
		}
	}
	try("", func(word string) (float64, bool) { v, found := p.number([]byte(word)); return v, found == "" })
	if w, ok := affixes(words, count, cells); ok {
		marks := marksOf
		if p.Decimal == ',' || p.scan.comma == ';' {
			marks = append(slices.Clone(marks[3:]), marks[:3]...)
		}
		for _, m := range marks {
			w.group, w.point = m[:1], m[1:]
			try(w.form(), w.read)
		}
	}
	if try(clockForm, readClock); fits == nil {
		return nil
	}
	return best(fits)
}

// affixes finds what stands before and behind the numbers of a column: one currency, and one unit.
func affixes(words []string, count []int, cells int) (w notation, ok bool) {
	const most = 9 // units
	var seen []numeral
	grouped, codes, powers, shortest, longest := false, false, false, math.MaxInt, 0
	f, ok := fitted("", words, count, cells, func(word string) (float64, bool) {
		c, cut := cutNumber(word)
		if !cut {
			return 0, false
		}
		if w.before == "" {
			w.before = c.before
		}
		if i := slices.IndexFunc(seen, func(d numeral) bool { return d.unit == c.unit }); i >= 0 {
			seen[i].apart = seen[i].apart && c.apart
		} else if c.unit != "" && len(seen) < most {
			seen = append(seen, c)
		}
		codes, powers = codes || c.code, powers || c.exponent != "" && !c.code
		grouped = grouped || strings.Contains(c.body, " ")
		shortest, longest = min(shortest, len(c.body)), max(longest, len(c.body))
		return 0, c.before == "" || strings.EqualFold(c.before, w.before)
	})
	const phone = 11 // digits and blanks
	if !ok || codes && !powers || grouped && f.cells == 0 && shortest == longest && shortest >= phone && len(words) > 2 {
		return w, false // numbers of telephones: 600 123 456
	}
	w.unit, ok = unitOf(seen)
	return w, ok && len(seen) < most
}

// shortClocks reports whether times have two numbers each, and no letters: minutes and seconds, or hours and minutes.
func (f *reading) shortClocks(words []string) bool {
	for w, v := range f.values {
		if v == v && (strings.Count(words[w], ":") > 1 || strings.ContainsFunc(words[w], unicode.IsLetter)) {
			return false
		}
	}
	return f.form == clockForm
}
