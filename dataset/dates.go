package dataset

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// dateForms are the layouts of package time for [Column.Date]. Of two that fit every cell the first one is taken.
// A time of day may follow a blank or a T, and a zone after it, which is ignored: a date is what the clock on the wall
// showed.
var dateForms = []string{"2006-1-2", "2006/1/2", "2.1.2006", "1/2/2006", "2/1/2006", "2 Jan 2006", "2-Jan-2006",
	"Jan 2, 2006", "2 January 2006", "January 2, 2006"}

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
	if err != nil {
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
	s = strings.TrimSuffix(strings.TrimSuffix(s, "Z"), " UTC")
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
	if isMissing(tok) {
		return p.missing(j, tok, f, x)
	}
	c := &p.layout[p.of(j)]
	days, ok := parseDate(c.Date, tok)
	if !ok {
		return false, p.fail(f, j, quote(bytes.TrimSpace(tok)), "a date like "+c.Date)
	}
	x[p.place[j]] = days
	return true, nil
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
