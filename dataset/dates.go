package dataset

import (
	"bytes"
	"math"
	"strings"
	"time"
)

// DateForm is how the cells of a column write dates. A time of day may follow a blank or a T, and a zone after it, which
// is ignored: a date is what the clock on the wall showed.
type DateForm uint8

// dateForms are layouts of package time. Of two that fit every cell of a column the first one is taken.
var dateForms = [...]string{"2006-1-2", "2006/1/2", "2.1.2006", "1/2/2006", "2/1/2006", "2 Jan 2006", "2-Jan-2006",
	"Jan 2, 2006", "2 January 2006", "January 2, 2006"}

// timeForms are the layouts of a time of day. Fractions of seconds are read with any of them.
var timeForms = [...]string{"15:4:5", "15:4", "3:4:5 PM", "3:4 PM"}

// Layout returns the layout, as [ParseDateForm] takes it. As String it would be in every program that reads a model.
func (f DateForm) Layout() string { return nameOf(dateForms[:], f) }

// ParseDateForm is the inverse of String.
func ParseDateForm(s string) (DateForm, error) {
	return parseName[DateForm]("form of dates", dateForms[:], s)
}

// parse returns the days since the beginning of 1970.
func (f DateForm) parse(tok []byte) (days float64, ok bool) {
	date, clock := string(tok), ""
	if colon := strings.IndexByte(date, ':'); colon >= 0 {
		at := strings.LastIndexAny(date[:colon], " T")
		if at < 0 {
			return 0, false
		}
		date, clock = date[:at], date[at+1:]
	}
	t, err := time.Parse(dateForms[f], date)
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
	days, ok := c.Date.parse(tok)
	if !ok {
		return false, p.fail(f, j, quote(bytes.TrimSpace(tok)), "a date like "+c.Date.Layout())
	}
	x[p.place[j]] = days
	return true, nil
}

// DatePart is a feature of a column of dates, or several of them as bits.
type DatePart uint8

const (
	PartDays    DatePart = 1 << iota // days since the beginning of 1970, with the time of day as a fraction
	PartMonth                        // 1 to 12
	PartWeekday                      // 1, Monday, to 7
	PartHour                         // from 0 to 24, with minutes as a fraction

	allParts = PartDays | PartMonth | PartWeekday | PartHour
)

var partNames = [...]string{"days", "month", "weekday", "hour"}

// Names returns the parts' names in the order of their features.
func (d DatePart) Names() (names []string) {
	for i, name := range partNames {
		if d>>i&1 == 1 {
			names = append(names, name)
		}
	}
	return names
}

// ParseDatePart returns a single part by its name.
func ParseDatePart(s string) (DatePart, error) {
	i, err := parseName[DatePart]("part of a date", partNames[:], s)
	return 1 << i, err
}

// of returns all parts of a date, in the order of their features.
func (DatePart) of(days float64) [len(partNames)]float64 {
	whole := math.Floor(days)
	t := time.Unix(int64(whole)*secondsOfDay, 0).UTC()
	weekday := float64(t.Weekday())
	if t.Weekday() == time.Sunday {
		weekday = 7
	}
	return [...]float64{days, float64(t.Month()), weekday, (days - whole) * 24}
}

// write writes the features of a date.
func (d DatePart) write(to []float64, days float64) {
	k := 0
	for i, v := range d.of(days) {
		if d>>i&1 == 1 {
			to[k] = v
			k++
		}
	}
}

// varying returns the parts that are not the same in all dates, and the days in any case.
func varying(dates []float64) DatePart {
	parts := PartDays
	for _, days := range dates {
		first := parts.of(dates[0])
		for i, v := range parts.of(days) {
			if v != first[i] {
				parts |= 1 << i
			}
		}
	}
	return parts
}
