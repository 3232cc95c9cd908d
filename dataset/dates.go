package dataset

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// dateForms are the layouts of package time for [Column.Form], with a bar around each; that of a quarter has its number
// in the place of the month's. Of two that fit every cell the first one is taken, unless the rows are in the order of
// the other. A time of day may follow a blank or a T, and a zone after it, which is ignored: a date is what the clock
// on the wall showed. Files of models before version 14 know the first ten.
const dateForms = "|2006-1-2|2006/1/2|2.1.2006|1/2/2006|2/1/2006|2 Jan 2006|2-Jan-2006|Jan 2, 2006|2 January 2006|" +
	"January 2, 2006|2006.1.2|2-1-2006|1-2-2006|1/2/06|2/1/06|2-1-06|1-2-06|2.1.06|06-1-2|06/1/2|2-Jan-06|2 Jan 06|" +
	"Jan 2 2006|2/Jan/2006|Mon, 2 Jan 2006|Monday, January 2, 2006|Jan-06|2006-1|2006/1|1/2006|1-2006|Jan 2006|" +
	"Jan-2006|January 2006|2006 Jan|2006-Jan|2006M1|Q1 2006|Q1-2006|2006Q1|2006-Q1|2006 Q1|"

// earlyForms are the bytes of those that files before version 14 know.
const earlyForms = len("|2006-1-2|2006/1/2|2.1.2006|1/2/2006|2/1/2006|2 Jan 2006|2-Jan-2006|" +
	"Jan 2, 2006|2 January 2006|January 2, 2006|")

// isOneOf reports whether a form is in a list with a bar around each. (All programs that read a model link it, and no
// search in text.)
func isOneOf(form, list string) bool {
	n := len(form)
	for i := 0; i+n+2 <= len(list); i++ {
		if list[i] == '|' && list[i+1:i+1+n] == form && list[i+1+n] == '|' {
			return n > 0
		}
	}
	return false
}

// hasDay reports whether dates in a form have a day, and not only a month.
func hasDay(form string) bool { return strings.Contains(strings.ReplaceAll(form, "2006", ""), "2") }

// appendDate appends seconds since the beginning of 1970 in the first of the forms, with the time of day if there is
// one.
func appendDate(b []byte, seconds float64) []byte {
	whole := math.Floor(seconds)
	t, form := time.Unix(int64(whole), int64((seconds-whole)*1e9+0.5)).UTC(), "2006-01-02"
	if math.Mod(seconds, secondsOfDay) != 0 {
		form += " 15:04:05.999999999"
	}
	return t.AppendFormat(b, form)
}

// timeForms are the layouts of a time of day. Fractions of seconds are read with any of them.
var timeForms = [...]string{"15:4:5", "15:4", "3:4:5 PM", "3:4 PM"}

// parseDate returns the days since the beginning of 1970.
func parseDate(form string, tok []byte) (days float64, ok bool) {
	date, clock := string(tok), ""
	if colon := strings.IndexByte(date, ':'); colon >= 0 {
		pos := strings.LastIndexAny(date[:colon], " T")
		if pos < 0 {
			return 0, false
		}
		date, clock = date[:pos], date[pos+1:]
	}
	t, err := time.Parse(form, date)
	if err != nil || clock != "" && !hasDay(form) {
		return 0, false
	}
	if quarter := int(t.Month()); strings.Contains(form, "Q") {
		if quarter > 4 {
			return 0, false
		}
		t = t.AddDate(0, 2*(quarter-1), 0)
	}
	if y := t.Year(); !hasDay(form) && (y < 1500 || y > 2200) { // 1001-01 is a code
		return 0, false
	}
	seconds := float64(t.Unix())
	if clock != "" {
		day, ok := parseClock(clock)
		if !ok {
			return 0, false
		}
		seconds += day
	}
	return seconds / secondsOfDay, true
}

const secondsOfDay = 24 * 60 * 60

// parseClock returns the seconds since midnight of a time of day, perhaps with a zone.
func parseClock(s string) (seconds float64, ok bool) {
	s = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(s, "Z"), " UTC"), " GMT")
	if sign := strings.LastIndexAny(s, "+-"); sign >= 0 {
		if _, err := time.Parse("-0700", strings.Replace(s[sign:], ":", "", 1)); err != nil {
			return 0, false
		}
		s = strings.TrimSpace(s[:sign])
	}
	for _, form := range timeForms {
		if t, err := time.Parse(form, s); err == nil {
			return float64(t.Hour()*3600+t.Minute()*60+t.Second()) + float64(t.Nanosecond())/1e9, true
		}
	}
	return 0, false
}

// dateCell reads a cell of a column of dates.
func (p *csvParser) dateCell(j int, tok []byte, f csvField, x []float64) (keep bool, bad error) {
	if isMissing(tok) || p.isAbsent(j, tok) {
		return p.missing(j, tok, f, x)
	}
	form := p.layout[p.of(j)].Form
	days, ok := parseDate(form, tok)
	if !ok {
		if isMissingWord(string(tok)) {
			return p.missing(j, tok, f, x)
		}
		return false, p.fail(f, j, quote(bytes.TrimSpace(tok)), "a date like "+shownForm(form))
	}
	x[p.place[j]] = days
	return true, nil
}

// shownForm is the form of dates as people write it: D/M/YYYY.
func shownForm(form string) string {
	for _, part := range [][2]string{{"2006", "YYYY"}, {"06", "YY"}, {"January", "month"}, {"Jan", "month"},
		{"Monday", "weekday"}, {"Mon", "weekday"}, {"2", "D"}} {
		form = strings.Replace(form, part[0], part[1], 1)
	}
	if strings.Contains(form, "Q1") {
		return form
	}
	return strings.Replace(form, "1", "M", 1)
}

// partNames are the parts of dates, by the bits of [Column.Parts] from the lowest on: days since the beginning of 1970,
// with the time of day as a fraction; the month, 1 to 12; the weekday, from 1, Monday, to 7; the hour, with minutes as
// a fraction.
var partNames = [...]string{"days", "month", "weekday", "hour"}

// PartNames returns the names of the parts that a column of dates has, in the order of their features.
func (c *Column) PartNames() (names []string) {
	for i, name := range partNames {
		if c.Parts>>i&1 == 1 {
			names = append(names, name)
		}
	}
	return names
}

// ParseParts is the inverse of [Column.PartNames].
func ParseParts(names []string) (parts uint8, err error) {
	for _, name := range names {
		i := slices.Index(partNames[:], name)
		if i < 0 {
			return 0, fmt.Errorf("dataset: unknown part %q of a date, want %s", name,
				strings.Join(partNames[:], ", "))
		}
		parts |= 1 << i
	}
	return parts, nil
}

// partsOf returns all parts of a date, in the order of their features.
func partsOf(days float64) [len(partNames)]float64 {
	whole := math.Floor(days)
	t := time.Unix(int64(whole)*secondsOfDay, 0).UTC()
	weekday := float64(t.Weekday())
	if t.Weekday() == time.Sunday {
		weekday = 7
	}
	return [...]float64{days, float64(t.Month()), weekday, (days - whole) * 24}
}

// writeParts writes the features of a date.
func writeParts(parts uint8, to []float64, days float64) {
	k := 0
	for i, v := range partsOf(days) {
		if parts>>i&1 == 1 {
			to[k] = v
			k++
		}
	}
}

// varying returns the parts that are not the same in all dates, and the days in any case.
func varying(dates []float64) uint8 {
	parts := uint8(1)
	for _, days := range dates {
		first := partsOf(dates[0])
		for i, v := range partsOf(days) {
			if v != first[i] {
				parts |= 1 << i
			}
		}
	}
	return parts
}
