package dataset

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strings"
)

// Role says how a set uses a column of a CSV file.
type Role uint8

const (
	RoleNumber   Role = iota // a feature
	RoleCategory             // text: a feature for each category, 1 in the rows that have it, else 0
	RoleLabel                // the label
	RoleUnused               // left out
	RoleYesNo                // text of two categories: a feature, 0 for the first and 1 for the second one
	RoleDate                 // a feature for each part of a date
)

var roleNames = [...]string{"number", "category", "label", "unused", "yes-no", "date"}

// String returns the role's name, as [ParseRole] takes it.
func (r Role) String() string { return nameOf(roleNames[:], r) }

// nameOf returns the name of one of a few values; a number for any other.
func nameOf[T ~uint8](names []string, v T) string {
	if int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("%s(%d)", reflect.TypeFor[T]().Name(), uint8(v))
}

// named is the inverse of nameOf. What describes a value of an unknown name, which it has a verb for.
func named[T ~uint8](names []string, s, what string) (T, error) {
	if i := slices.Index(names, s); i >= 0 {
		return T(i), nil
	}
	return 0, fmt.Errorf("dataset: unknown "+what+", want %s", s, strings.Join(names, ", "))
}

// ParseRole is the inverse of String.
func ParseRole(s string) (Role, error) { return named[Role](roleNames[:], s, "role %q of a column") }

// Column is a column of a CSV file.
type Column struct {
	Name       string // from the header, without spaces around it; empty in a file without header
	Role       Role
	Categories []string // RoleCategory and RoleYesNo: ascending, as [Set.Labels] are
	// Form is how its cells are written: dates as a layout of package time, and numbers, or labels that are numbers, as
	// 1234.5 would be, such as "$1,234.5"; "1:30:00" are times. It is empty if they are written plainly. Categories have
	// "other" where the training had more words.
	Form   string
	Absent []string // words that stand for a missing cell, besides the usual ones
	Parts  uint8    // RoleDate: the features, as bits from the lowest on: days since 1970, month, weekday, hour
	// Fill replaces a missing cell if Filled: a number, or the index of a category. If not Filled, a missing cell of a
	// later file is none of the words, and an error where there are none.
	Fill   float64
	Filled bool
	Marked bool // one feature more, the last one: 1 in the rows with a missing cell, else 0
	// Values has learnt values of the categories in place of their features: one or more for each, a feature after the
	// other. A word that is none of the categories has the value 0. Nil for features of 0 and 1.
	Values []float64
	// Idle marks a column without influence on a model's decision values: a later file may lack it, its cells are not
	// read, and its features are 0.
	Idle bool
}

// otherWords is the [Column.Form] of categories that are the frequent words of a column; other words are none of them.
const otherWords = "other"

func (c *Column) feature() bool { return c.Role != RoleLabel && c.Role != RoleUnused }

// words reports whether the column's cells are categories.
func (c *Column) words() bool { return c.Role == RoleCategory || c.Role == RoleYesNo }

// width returns the number of the column's features.
func (c *Column) width() (d int) {
	switch c.Role {
	case RoleNumber, RoleYesNo:
		d = 1
	case RoleCategory:
		if d = len(c.Categories); len(c.Values) > 0 {
			d = c.valued()
		}
	case RoleDate:
		d = bits.OnesCount8(c.Parts)
	}
	if c.Marked {
		d++
	}
	return d
}

// Since is the first version of files of models that can hold the column.
func (c *Column) Since() int {
	switch {
	case len(c.Absent) > 0 || c.Form != "" && !isOneOf(c.Form, dateForms[:earlyForms]):
		return 14
	case len(c.Values) > 0:
		return 9
	case c.Role > RoleUnused || c.Marked:
		return 8
	}
	return 2
}

// features writes the features of a value: a number, the days of a date, or the index of a category, −1 for an unknown
// one. NaN is a missing cell.
func (c *Column) features(to []float64, v float64) {
	if v != v {
		if v = c.Fill; c.Marked {
			to[len(to)-1] = 1
		}
	}
	switch c.Role {
	case RoleNumber:
		to[0] = v
	case RoleYesNo:
		if to[0] = v; v < 0 { // neither word
			to[0] = 0.5
		}
	case RoleCategory:
		switch {
		case c.Values != nil:
			c.code(to, int(v))
		case v >= 0:
			to[int(v)] = 1
		}
	case RoleDate:
		writeParts(c.Parts, to, v)
	}
}

// featureNames returns the names of the column's features.
func (c *Column) featureNames() (names []string) {
	switch c.Role {
	case RoleNumber:
		names = append(names, c.Name)
	case RoleYesNo:
		names = append(names, c.Name+"="+c.Categories[1])
	case RoleCategory:
		if c.Values != nil {
			names = c.valueNames()
			break
		}
		for _, v := range c.Categories {
			names = append(names, c.Name+"="+v)
		}
	case RoleDate:
		for _, part := range c.PartNames() {
			names = append(names, c.Name+" "+part)
		}
	}
	if c.Marked {
		names = append(names, c.Name+" missing")
	}
	return names
}

// Columns are the columns of the CSV file that a set was read from, in the file's order. With them in [Options.Columns]
// a later file becomes samples of the same features: its columns are matched by name, in any order, if both files have
// a header, else by position.
type Columns []Column

// NumFeatures returns the number of features of all columns.
func (c Columns) NumFeatures() (d int) {
	for i := range c {
		d += c[i].width()
	}
	return d
}

// Named reports whether the file had a header.
func (c Columns) Named() bool { return len(c) > 0 && c[0].Name != "" }

// FeatureNames returns the features' names, "column=category" for a category, the column's name for its learnt values,
// "column month" for a part of a date and "column missing" for the mark of missing cells; nil if the file had no
// header.
func (c Columns) FeatureNames() []string {
	if !c.Named() {
		return nil
	}
	var names []string
	for i := range c {
		names = append(names, c[i].featureNames()...)
	}
	return names
}

// Clone returns a deep copy.
func (c Columns) Clone() Columns {
	c = slices.Clone(c)
	for i := range c {
		c[i].Categories, c[i].Values = slices.Clone(c[i].Categories), slices.Clone(c[i].Values)
		c[i].Absent = slices.Clone(c[i].Absent)
	}
	return c
}

// Need marks as idle the columns whose features are all unused. If no feature at all is used, it marks none: a set
// needs at least one feature.
func (c Columns) Need(used []bool) {
	if !slices.Contains(used, true) {
		return
	}
	for i := range c {
		if w := c[i].width(); c[i].feature() {
			c[i].Idle = !slices.Contains(used[:w], true)
			used = used[w:]
		}
	}
}

// Validate checks the columns of d features. Empty columns are valid for any number.
func (c Columns) Validate(d int) error {
	if len(c) == 0 {
		return nil
	}
	seen, labels := make(map[string]bool, len(c)), 0
	for i := range c {
		if err := c[i].validate(); err != nil {
			return fmt.Errorf("dataset: column %d: %w", i, err)
		}
		if (c[i].Name != "") != c.Named() || c.Named() && seen[c[i].Name] {
			return fmt.Errorf("dataset: column %d: name %q is empty or not the first of its kind", i, c[i].Name)
		}
		seen[c[i].Name] = true
		if c[i].Role == RoleLabel {
			labels++
		}
	}
	if labels > 1 {
		return fmt.Errorf("dataset: %d columns of labels, want one at most", labels)
	}
	if n := c.NumFeatures(); n != d {
		return fmt.Errorf("dataset: columns of %d features, want %d", n, d)
	}
	return nil
}

func (c *Column) validate() error {
	if int(c.Role) >= len(roleNames) {
		return fmt.Errorf("unknown role %v", c.Role)
	}
	if !c.words() && len(c.Categories) > 0 {
		return fmt.Errorf("categories in a column of role %v", c.Role)
	}
	if c.words() && len(c.Categories) == 0 || c.Role == RoleYesNo && len(c.Categories) != 2 {
		return errors.New("no categories")
	}
	date := c.Role == RoleDate
	if date && !isOneOf(c.Form, dateForms) || date != (c.Parts > 0) || c.Parts > 15 || c.Marked && !c.Filled ||
		!c.fits() {
		return errors.New("dates or a mark that cannot be")
	}
	seen := make(map[string]bool, len(c.Categories))
	for _, v := range c.Categories {
		if v == "" || seen[v] {
			return fmt.Errorf("category %q is empty or not the first of its name", v)
		}
		seen[v] = true
	}
	switch {
	case c.Filled && !c.feature():
		return fmt.Errorf("a value for missing cells of a column of role %v", c.Role)
	case math.IsNaN(c.Fill) || math.IsInf(c.Fill, 0):
		return fmt.Errorf("%v for missing cells", c.Fill)
	case c.words() && (c.Fill != math.Trunc(c.Fill) || c.Fill < 0 || c.Fill >= float64(len(c.Categories))):
		return fmt.Errorf("category %v for missing cells, want 0 to %d", c.Fill, len(c.Categories)-1)
	}
	return nil
}

// Missing says what to do with the missing cells of a CSV file.
type Missing uint8

const (
	MissingError  Missing = iota // an error
	MissingDrop                  // leave out the row
	MissingMean                  // the mean of the column's other cells; the most frequent category
	MissingMedian                // the median of the column's other cells; the most frequent category
	// MissingMark is MissingMedian, but that a missing cell of a later file is none of the words of a column in which the
	// training has none. Where missing cells say something about the target, the column gets a feature more
	// ([Column.Marked]): if at least ten cells are missing and ten are not, and a test refuses at 1 % that they say
	// nothing, χ² for classes, of a correlation for values.
	MissingMark
)

var missingNames = [...]string{"error", "drop", "mean", "median", "mark"}

// String returns the rule's name, as [ParseMissing] takes it.
func (m Missing) String() string { return nameOf(missingNames[:], m) }

// ParseMissing is the inverse of String.
func ParseMissing(s string) (Missing, error) {
	return named[Missing](missingNames[:], s, "rule %q for missing cells")
}
