package dataset

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// rangeForm stands for ranges in [Column.Form], between a currency and a unit: 10-19 is 14.5 then, and 65+ is 65.
const rangeForm = "10-19"

// rangeWords may stand next to a bound: the bound counts then, as 65 does for 65+.
const rangeWords = " to or and over older more above less than younger under plus fewer greater below up at least " +
	"from between age ages aged old "

// band is a cell of a column of ranges in its parts. A bound that is infinite has no digits.
type band struct {
	low, high  numeral
	two, words bool // it has two bounds; it has words for one
}

// cutBand takes 10-19, $10K to $20K, (10, 20], 65 years or over, <18, Eurostat's Y15-24 or a number apart.
func cutBand(cell string) (c band, ok bool) {
	const longest = 64 // bytes
	if len(cell) > longest {
		return c, false
	}
	fields := strings.Fields(strings.ToLower(strings.Map(likeASCII, cell)))
	kept := fields[:0]
	for i, word := range fields {
		switch word = strings.TrimRight(word, "+"); {
		case word == "":
		case len(kept) > 0 && i+1 < len(fields) && isIn(" to through bis and ", word) && hasDigit(fields[i+1]):
			kept = append(kept, "-")
		case isIn(rangeWords, word):
			c.words = true
		default:
			kept = append(kept, word)
		}
	}
	s := strings.Join(kept, " ")
	for _, code := range []string{"y_ge", "y_gt", "y_lt", "y"} { // Eurostat's
		if rest, found := strings.CutPrefix(s, code); found && rest != "" && isDigit(rest[0]) {
			s = rest
			break
		}
	}
	low, high, two := cutBounds(s)
	if c.two = two; !two {
		c.low, ok = cutNumber(s)
		return c, ok && !c.low.code
	}
	var above bool
	c.low, ok = cutBound(low)
	c.high, above = cutBound(high)
	if c.low.unit == "" {
		c.low.unit, c.low.apart = c.high.unit, c.high.apart // 40-60K
	}
	return c, ok && above && c.low.body+c.high.body != ""
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// cutBounds cuts a range at the comma between brackets, or at the first stroke behind a digit that is no exponent's.
func cutBounds(s string) (low, high string, two bool) {
	const open, closing = "[(]", "])["
	if n := len(s); n > 2 && strings.IndexByte(open, s[0]) >= 0 && strings.IndexByte(closing, s[n-1]) >= 0 {
		s = s[1 : n-1]
		if strings.Count(s, ",") == 1 {
			return strings.Cut(s, ",")
		}
		if low, high, two = strings.Cut(s, ", "); two {
			return low, high, true
		}
	}
	for i := 1; i < len(s); i++ {
		if s[i] == '-' && hasDigit(s[:i]) && (s[i-1] != 'e' || i < 2 || !isDigit(s[i-2])) {
			return s[:i], s[i+1:], true
		}
	}
	return "", "", false
}

// cutBound takes a number apart, or an infinite bound.
func cutBound(s string) (c numeral, ok bool) {
	if isIn(" inf +inf -inf \u221e +\u221e -\u221e ", strings.TrimSpace(s)) {
		return c, true
	}
	c, ok = cutNumber(s)
	return c, ok && !c.code
}

// bounds reads the bounds of a range by its currency and its unit; NaN for an infinite one.
func (w *notation) bounds(c *band) (low, high float64, ok bool) {
	low, ok = w.bound(&c.low)
	if high = low; c.two && ok {
		high, ok = w.bound(&c.high)
	}
	return low, high, ok && !(low > high)
}

func (w *notation) bound(c *numeral) (v float64, ok bool) {
	scale, fits := scaleOf(c.unit, w.unit)
	switch {
	case c.body == "":
		return math.NaN(), true
	case !fits || c.before != "" && !strings.EqualFold(c.before, w.before):
		return 0, false
	}
	for _, marks := range []string{",.", " .", " ,"} {
		if v, ok = c.number(marks[:1], marks[1:]); ok {
			break
		}
	}
	return v * scale, ok && !math.IsInf(v*scale, 0)
}

// middle is the value of a range.
func (w *notation) middle(cell string) (v float64, ok bool) {
	c, ok := cutBand(cell)
	if !ok {
		return 0, false
	}
	low, high, ok := w.bounds(&c)
	switch {
	case low != low:
		return high, ok
	case high != high:
		return low, ok
	}
	return low + (high-low)/2, ok
}

// rangesIn reads words as ranges that do not overlap, since numbers of telephones, results of games and codes with a
// stroke do. Some must be ranges, or bounds in words; of few words one is a range.
func rangesIn(words []string, count []int, cells int, few bool) *reading {
	w := notation{ranges: true}
	var seen []numeral
	some := false
	_, ok := fitted("", words, count, cells, func(word string) (float64, bool) {
		c, ok := cutBand(word)
		if !ok {
			return 0, false
		}
		some = some || c.two || c.words && !few
		for _, side := range []numeral{c.low, c.high} {
			w.before = cmp.Or(w.before, side.before)
			if !slices.ContainsFunc(seen, func(d numeral) bool { return d.unit == side.unit }) && side.unit != "" {
				seen = append(seen, side)
			}
		}
		return 0, true
	})
	const most = 9 // units
	if !ok || !some || len(seen) > most {
		return nil
	}
	if w.unit, ok = unitOf(seen); !ok {
		return nil
	}
	var lows, highs []float64 // of different ranges
	known := make(map[[2]float64]bool)
	f, ok := fitted(w.form(), words, count, cells, func(word string) (float64, bool) {
		c, _ := cutBand(word)
		low, high, whole := w.bounds(&c)
		if whole && low < high && !known[[2]float64{low, high}] {
			known[[2]float64{low, high}] = true
			lows = append(lows, low)
			highs = append(highs, high)
		}
		return w.middle(word)
	})
	slices.Sort(lows)
	slices.Sort(highs)
	for i := range lows {
		if i > 0 && lows[i] < highs[i-1] {
			return nil
		}
	}
	if !ok || few && len(lows) == 0 {
		return nil
	}
	return &f
}
