package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxLevels is how many different words a column may have to be taken for categories unasked.
const maxLevels = 100

// Notes say what reading made of a table's columns, and what it did without asking.
type Notes struct {
	Numbers    int          `json:"numbers"`
	YesNo      []string     `json:"yes_no,omitempty"`
	Categories []ColumnNote `json:"categories,omitempty"`
	Dates      []ColumnNote `json:"dates,omitempty"`
	Missing    []ColumnNote `json:"missing,omitempty"`
	LeftOut    []ColumnNote `json:"left_out,omitempty"`
	Unlabelled int          `json:"unlabelled,omitempty"` // rows without a label, left out
	Unknown    int          `json:"-"`                    // cells of words that the training did not have
	First      *Error       `json:"-"`                    // the first of them
	Filled     []ColumnNote `json:"-"`                    // cells of a later file that were missing
}

// ColumnNote is a column in one of the lists of [Notes], with what belongs to the list.
type ColumnNote struct {
	Column string   `json:"column"`
	Levels int      `json:"levels,omitempty"` // of categories
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
	role  Role // RoleUnused with why
	why   string
	date  string
	days  []float64 // of each word in a column of dates; NaN for a missing one
	fault *Error    // of cells that no kind allows

	missing int // cells
}

// kind finds what column j is, by this rule:
//
//	numbers      every cell that is not missing is a number
//	dates        every cell that is not missing is a date, all in one form
//	a fault      more than nine cells of ten are numbers
//	yes and no   two words
//	categories   at most maxLevels words, each in two cells on average
//	left out     one value in all cells; text that is different in every cell; text of more words; whole numbers that
//	             count up by one from 0 or 1, or that are all different in a column without a name or with one that
//	             ends in id
//
// Columns that the options name are kept.
func (p *csvParser) kind(j int) finding {
	seen := p.seen[j]
	if seen == nil {
		return p.kindOfNumbers(j)
	}
	count := make([]int, len(seen.names))
	cells := 0
	for i := range p.out.N {
		if v := p.out.X[i*p.values+p.place[j]]; v == v {
			count[int(v)]++
			cells++
		}
	}
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
	switch {
	case cells == absent:
		return finding{role: RoleUnused, why: noValues}
	case commas > 0 && commas+numbers+absent == cells:
		return p.badCells(j, "numbers with commas")
	}
	if f, several, ok := kindOfDates(seen.names, count); ok {
		if !several {
			return p.sameCells(j, f)
		}
		return f
	}
	switch {
	case levels == 1:
		return p.sameCells(j, finding{role: RoleCategory})
	case 10*numbers > 9*cells:
		f := p.badCells(j, "text among numbers")
		if f.fault != nil {
			f.fault.Words = levels <= maxLevels && 2*levels <= cells
		}
		return f
	case levels == cells:
		return finding{role: RoleUnused, why: allDifferent}
	case levels == 2:
		return finding{role: RoleYesNo}
	case levels <= maxLevels && 2*levels <= cells:
		return finding{role: RoleCategory}
	}
	return finding{role: RoleUnused, why: fmt.Sprintf("text of %d words", levels)}
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

// kindOfDates finds the form in which all words are dates, and reports whether two of them differ.
func kindOfDates(words []string, count []int) (f finding, several, ok bool) {
forms:
	for _, form := range dateForms {
		first := math.NaN()
		f, several = finding{role: RoleDate, date: form, days: make([]float64, len(words))}, false
		for w, name := range words {
			tok := []byte(name)
			if f.days[w] = math.NaN(); count[w] == 0 || isMissing(tok) {
				continue
			}
			days, ok := parseDate(form, tok)
			if !ok {
				continue forms
			}
			if first != first {
				first = days
			}
			f.days[w], several = days, several || days != first
		}
		return f, several, true
	}
	return f, false, false
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
