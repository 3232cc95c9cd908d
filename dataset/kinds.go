package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sparsekm/sparsekm/internal/deal"
)

// maxLevels is how many different words a column may have to be taken for categories unasked.
const maxLevels = 100

// Notes say what reading made of a table's columns, and what it did without asking.
type Notes struct {
	Numbers    int          `json:"numbers"`
	YesNo      []string     `json:"yes_no,omitempty"`
	Categories []ColumnNote `json:"categories,omitempty"`
	Dates      []ColumnNote `json:"dates,omitempty"`
	Written    []ColumnNote `json:"written,omitempty"` // numbers and dates that are not written plainly
	Missing    []ColumnNote `json:"missing,omitempty"`
	LeftOut    []ColumnNote `json:"left_out,omitempty"`
	Layout     string       `json:"layout,omitempty"`     // of the text, if it is unusual
	Unlabelled int          `json:"unlabelled,omitempty"` // rows without a label, left out or kept
	Unknown    int          `json:"-"`                    // cells of words that the training did not have
	First      *Error       `json:"-"`                    // the first of them
	Filled     []ColumnNote `json:"-"`                    // cells of a later file that were missing
}

// ColumnNote is a column in one of the lists of [Notes], with what belongs to the list.
type ColumnNote struct {
	Column string   `json:"column"`
	Levels int      `json:"levels,omitempty"` // of categories
	Others int      `json:"others,omitempty"` // words of a column of categories that are none of them
	Form   string   `json:"form,omitempty"`   // of what is written: 1234.5 or a date as the cells have it
	Also   string   `json:"also,omitempty"`   // another form that fits all cells
	Words  []string `json:"words,omitempty"`  // words that count as missing
	Parts  []string `json:"parts,omitempty"`  // of dates: what became features
	Cells  int      `json:"cells,omitempty"`  // that are missing
	Marked bool     `json:"marked,omitempty"` // missing cells have a feature
	Why    string   `json:"why,omitempty"`    // it is left out
}

// Why a column is left out, or else text of many words.
const (
	noValues     = "no values"
	constant     = "constant"
	allDifferent = "all different"
)

// finding is what the cells of a column are.
type finding struct {
	role    Role // RoleUnused with why
	why     string
	reading        // of dates, and of numbers that are not plain
	also    string // another form that fits all cells
	keeps   []bool // the words that are categories where not all are; nil for all
	fault   *Error // of cells that no kind allows

	missing int // cells
	others  int // words that keeps leaves out
}

// kind finds what column j is, by this rule:
//
//	numbers      every cell that is not missing is a number, in the plain form or in another one
//	dates        every cell that is not missing is a date, all in one form
//	a fault      more than nine cells of ten are numbers
//	yes and no   two words
//	categories   at most maxLevels words, each in two cells on average, of ten words even if they are numbers that are
//	             not plain; of more words the frequent ones
//	left out     one value in all cells; text that is different in every cell; text without frequent words; whole numbers
//	             that count up by one from 0 or 1, or that are all different in a column without a name or with one that
//	             ends in id
//
// One cell of a hundred may be another thing than a number or a date: it is missing then. Columns that the options name
// are kept.
func (p *csvParser) kind(j int) finding {
	seen := p.seen[j]
	if seen == nil {
		return p.kindOfNumbers(j)
	}
	count, cells := p.countWords(j)
	levels, numbers, absent, commas := 0, 0, 0, 0
	for w, name := range seen.names {
		if count[w] == 0 {
			continue
		}
		levels++
		switch tok := []byte(name); {
		case isMissing(tok):
			absent += count[w]
		case p.isNumber(name):
			numbers += count[w]
		case decimalComma(name):
			commas += count[w]
		}
	}
	if cells == absent {
		return finding{role: RoleUnused, why: noValues}
	}
	if f, ok := p.kindOfDates(j, count, cells); ok {
		if f.spread() == 0 {
			return p.sameCells(j, f)
		}
		return f
	}
	if levels == 1 {
		return p.sameCells(j, finding{role: RoleCategory})
	}
	const few = 10
	allCommas, faulty := commas > 0 && commas+numbers+absent == cells, 10*numbers > 9*cells
	if f := p.numbersOrRanges(seen.names, count, cells, levels > 2, allCommas || faulty || levels > few ||
		2*levels > cells); f != nil {
		return p.kindOfForm(j, finding{role: RoleNumber, reading: *f}, levels == cells)
	}
	switch {
	case allCommas:
		return p.badCells(j, "numbers with commas")
	case faulty:
		f := p.badCells(j, "text among numbers")
		if f.fault != nil {
			f.fault.Words = levels <= maxLevels && 2*levels <= cells
			f.fault.Odd = p.oddWords(seen.names, count)
		}
		return f
	case levels == cells:
		return finding{role: RoleUnused, why: allDifferent}
	case levels == 2:
		return finding{role: RoleYesNo}
	case levels <= maxLevels && 2*levels <= cells:
		return finding{role: RoleCategory}
	}
	return frequent(seen.names, count, cells, levels)
}

// numbersOrRanges finds the form in which many words are numbers, or three words or more are ranges.
func (p *csvParser) numbersOrRanges(words []string, count []int, cells int, three, many bool) (f *reading) {
	if many {
		f = p.numbersIn(words, count, cells)
	}
	if three && (f == nil || f.cells > 0) {
		if g := rangesIn(words, count, cells, !many); g != nil && (f == nil || g.cells < f.cells) {
			return g
		}
	}
	return f
}

// oddWords are the words that are no numbers; nil where they are more than a few, or one has a comma.
func (p *csvParser) oddWords(words []string, count []int) (odd []string) {
	const few = 10
	for w, word := range words {
		if count[w] == 0 || isMissing([]byte(word)) || p.isNumber(word) {
			continue
		}
		if odd = append(odd, word); len(odd) > few || strings.Contains(word, ",") {
			return nil
		}
	}
	return odd
}

// countWords counts the cells of each word of column j, and all of them.
func (p *csvParser) countWords(j int) (count []int, cells int) {
	count = make([]int, len(p.seen[j].names))
	for i := range p.out.N {
		if v := p.out.X[i*p.values+p.place[j]]; v == v {
			count[int(v)]++
			cells++
		}
	}
	return count, cells
}

// kindOfForm looks for constants and ids among numbers in any form.
func (p *csvParser) kindOfForm(j int, f finding, different bool) finding {
	if f.spread() == 0 {
		return p.sameCells(j, f)
	}
	if f.shortClocks(p.seen[j].names) {
		f.also = "h:mm"
	}
	whole := !slices.ContainsFunc(f.values, func(v float64) bool { return v == v && v != math.Trunc(v) })
	if different && whole && p.idName(j) {
		return finding{role: RoleUnused, why: allDifferent}
	}
	return f
}

// frequent keeps the words of a column that are in at least ten cells, and at most maxLevels of them, if they are in a
// tenth of all cells.
func frequent(words []string, count []int, cells, levels int) finding {
	const enough = 10
	var kept []int
	for w, n := range count {
		if n >= enough {
			kept = append(kept, w)
		}
	}
	deal.Sort(kept, func(a, b int) int { return cmp.Or(count[b]-count[a], strings.Compare(words[a], words[b])) })
	kept = kept[:min(len(kept), maxLevels)]
	f, covered := finding{role: RoleCategory, keeps: make([]bool, len(words))}, 0
	for _, w := range kept {
		f.keeps[w] = true
		covered += count[w]
	}
	if f.others = levels - len(kept); 10*covered < cells {
		return finding{role: RoleUnused, why: fmt.Sprintf("text of %d words", levels)}
	}
	return f
}

// sameCells leaves out a column of one value, unless its missing cells say something.
func (p *csvParser) sameCells(j int, as finding) finding {
	if p.Missing == MissingMark && p.informative(p.place[j]) {
		return as
	}
	return finding{role: RoleUnused, why: constant}
}

// badCells is the fault of the first cell that is neither missing nor a number. If only rows with another number of
// cells have one, their faults are enough.
func (p *csvParser) badCells(j int, found string) finding {
	first := p.guess.firstText[j]
	if first == nil {
		return finding{role: RoleUnused, why: allDifferent}
	}
	e := *first
	e.Found = fmt.Sprintf("%s (%s)", e.Found, found)
	e.Comma = found == "numbers with commas" && p.scan.comma != ','
	return finding{fault: &e}
}

// decimalComma reports whether a word is a number with a comma in it.
func decimalComma(word string) bool {
	return strings.Contains(word, ",") && isNumber([]byte(strings.ReplaceAll(word, ",", "")))
}

// kindOfDates finds the form in which all words of column j are dates. Of several that one is taken by which alone the
// rows are in order, else the first.
func (p *csvParser) kindOfDates(j int, count []int, cells int) (finding, bool) {
	fits, ok := datesIn(p.seen[j].names, count, cells)
	if !ok {
		return finding{}, false
	}
	least := best(fits).cells
	fits = slices.DeleteFunc(fits, func(f reading) bool { return f.cells > least })
	last := len(fits) - 1
	if strings.HasPrefix(fits[last].form, "06") && last > 0 { // a year in front, or a day: dates lie close together
		if fits[last].spread() < fits[0].spread() {
			fits = fits[last:]
		} else {
			fits = fits[:last]
		}
	}
	var inOrder []int
	for i := range fits {
		if p.ordered(j, fits[i].values) {
			inOrder = append(inOrder, i)
		}
	}
	f := finding{role: RoleDate, reading: fits[0]}
	switch {
	case len(inOrder) == 1:
		f.reading = fits[inOrder[0]]
	case len(fits) > 1:
		f.also = fits[1].form
	}
	return f, true
}

// datesIn finds the forms in which words are dates.
func datesIn(words []string, count []int, cells int) (fits []reading, ok bool) {
	for form := range strings.SplitSeq(strings.Trim(dateForms, "|"), "|") {
		read := func(word string) (float64, bool) { return parseDate(form, []byte(word)) }
		if f, ok := fitted(form, words, count, cells, read); ok {
			fits = append(fits, f)
		}
	}
	return fits, fits != nil
}

// spread is the difference of the largest value and the least one.
func (f *reading) spread() float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range f.values {
		if v == v {
			low, high = min(low, v), max(high, v)
		}
	}
	return high - low
}

// ordered reports whether the rows ascend by the values of their words in column j.
func (p *csvParser) ordered(j int, values []float64) bool {
	last := math.Inf(-1)
	for i := range p.out.N {
		if w := p.out.X[i*p.values+p.place[j]]; w == w && values[int(w)] == values[int(w)] {
			if values[int(w)] < last {
				return false
			}
			last = values[int(w)]
		}
	}
	return true
}

// kindOfNumbers looks for constants, ids and columns without values.
func (p *csvParser) kindOfNumbers(j int) finding {
	k, first, some := p.place[j], math.NaN(), false
	varies, counts := false, true
	gone, before := float64(p.unlabelled+p.out.Skipped), 0.0 // rows left out, those up to this one
	for i := 0; i < p.out.N && (!varies || counts); i++ {
		v := p.out.X[i*p.values+k]
		if v != v {
			counts = false
			continue
		}
		if !some {
			first, some = v, true
			counts = counts && v == math.Trunc(v) && v >= 0 && v <= 1+gone
		}
		varies = varies || v != first
		skipped := v - first - float64(i)
		counts = counts && v == math.Trunc(v) && skipped >= before && skipped <= gone
		before = skipped
	}
	switch {
	case !some:
		return finding{role: RoleUnused, why: noValues}
	case !varies:
		return p.sameCells(j, finding{role: RoleNumber})
	case counts && p.out.N > 2, p.idName(j) && p.rowNumbers(k):
		return finding{role: RoleUnused, why: allDifferent}
	}
	return finding{role: RoleNumber}
}

// idName reports whether a column's name in the header says that it numbers rows: id, Id, user_id, userId, or none.
func (p *csvParser) idName(j int) bool {
	name := p.columns[j].Name
	switch lower := strings.ToLower(name); {
	case name == unnamed(j) || strings.HasPrefix(lower, "unnamed:"): // the latter by pandas
		return true
	case lower == "id":
		return true
	case !strings.HasSuffix(lower, "id"):
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(name[:len(name)-2])
	return !unicode.IsLetter(before) || unicode.IsLower(before) && name[len(name)-2] == 'I'
}

// rowNumbers reports whether the values at place k are different whole numbers.
func (p *csvParser) rowNumbers(k int) bool {
	values := make([]float64, 0, p.out.N)
	for i := range p.out.N {
		v := p.out.X[i*p.values+k]
		if v != math.Trunc(v) {
			return false
		}
		values = append(values, v)
	}
	slices.Sort(values)
	return p.out.N > 2 && len(slices.Compact(values)) == p.out.N
}

// informative reports whether missing cells say something about the target: at least ten are missing and ten are not,
// and the hypothesis that they say nothing is refused at a level of 1 %, by the χ² test for classes and by the test of
// a correlation for values.
func (p *csvParser) informative(k int) bool {
	s := &p.out
	const enough = 10
	absent := make([]float64, s.N)
	var missing float64
	for i := range absent {
		if v := s.X[i*p.values+k]; v != v {
			absent[i] = 1
			missing++
		}
	}
	n := float64(s.N)
	if missing < enough || n-missing < enough {
		return false
	}
	if s.Targets != nil {
		return correlated(absent, s.Targets)
	}
	if len(s.Labels) < 2 || s.Y == nil {
		return false
	}
	row, all := make([]float64, len(s.Labels)), make([]float64, len(s.Labels))
	for i, c := range s.Y {
		row[c] += absent[i]
		all[c]++
	}
	var chi float64
	for c := range row {
		want := all[c] * missing / n
		chi += (row[c] - want) * (row[c] - want) * (1/want + 1/(all[c]-want))
	}
	// Wilson and Hilferty (1931): the cube root of χ²/ν is close to normal.
	v := 2 / (9 * float64(len(row)-1))
	return (math.Cbrt(chi/float64(len(row)-1))-1+v)/math.Sqrt(v) > quantile99
}

const quantile99 = 2.326 // of the standard normal distribution

// correlated tests a correlation of many samples, two-sided at 1 %: r·√n is then close to standard normal.
func correlated(a, b []float64) bool {
	ma, mb := mean(a), mean(b)
	var ab, aa, bb float64
	for i := range a {
		da, db := a[i]-ma, b[i]-mb
		ab, aa, bb = ab+da*db, aa+da*da, bb+db*db
	}
	const twoSided = 2.576
	return math.Abs(ab)*math.Sqrt(float64(len(a))) > twoSided*math.Sqrt(aa*bb)
}
