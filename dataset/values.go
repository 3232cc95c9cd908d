package dataset

import (
	"fmt"
	"slices"
)

// valued is the number of features that have the column's values.
func (c *Column) valued() int { return len(c.Values) / max(1, len(c.Categories)) }

// code writes the values of a category to the features; −1 is none of them.
func (c *Column) code(to []float64, category int) {
	for p := range c.valued() {
		if to[p] = 0; category >= 0 {
			to[p] = c.Values[p*len(c.Categories)+category]
		}
	}
}

// fits reports whether the values, if there are any, are finite and one or more for each category, but fewer features
// than categories, which no other role may have. (It is small: every program that reads a model links it.)
func (c *Column) fits() bool {
	n, sum := len(c.Categories), 0.0
	for _, v := range c.Values {
		sum += v - v // 0 for finite numbers
	}
	return len(c.Values) == 0 || c.Role == RoleCategory && sum == 0 && n > 1 && len(c.Values)%n == 0 && len(c.Values) < n*n
}

// valueNames are the names of the features that have the column's values.
func (c *Column) valueNames() (names []string) {
	if c.valued() == 1 {
		return []string{c.Name}
	}
	for p := range c.valued() {
		names = append(names, fmt.Sprintf("%s.%d", c.Name, p+1))
	}
	return names
}

// Valued reports whether a column has learnt values.
func (c Columns) Valued() bool {
	return slices.ContainsFunc(c, func(c Column) bool { return c.Values != nil })
}

// Numbered returns the columns with a feature, or some, for each column of categories: for the values of its
// categories, which are their numbers from 1. There is one feature less than categories at most, so columns of one
// category stay as they are.
func (c Columns) Numbered(features int) Columns {
	c = c.Clone()
	for i := range c {
		n := len(c[i].Categories)
		if c[i].Role != RoleCategory {
			continue
		}
		for range min(features, n-1) {
			for v := range n {
				c[i].Values = append(c[i].Values, float64(v+1))
			}
		}
	}
	return c
}

// EachValued calls f for every feature that has values: with its column, its place among the features, and how many of
// the features before it are of the same column. The values of features of a column come one after the other in its
// [Column.Values].
func (c Columns) EachValued(f func(column *Column, feature, part int)) {
	first := 0
	for i := range c {
		if c[i].Values != nil {
			for p := range c[i].valued() {
				f(&c[i], first+p, p)
			}
		}
		first += c[i].width()
	}
}

// plain is the number of the column's features without values.
func (c *Column) plain() int {
	if c.Values == nil {
		return c.width()
	}
	return c.width() - c.valued() + len(c.Categories)
}

// NumPlain returns the number of features of all columns with a feature of 0 and 1 for each category.
func (c Columns) NumPlain() (d int) {
	for i := range c {
		d += c[i].plain()
	}
	return d
}

// Coded returns n dense samples of a set from row lo on with the values of the columns, row-major. The set has a
// feature of 0 and 1 for each category, [Columns.NumPlain] in all.
func (c Columns) Coded(set *Set, lo, n int) []float64 {
	d := c.NumFeatures()
	x := make([]float64, n*d)
	for r := range n {
		row, to := set.Row(lo+r), x[r*d:(r+1)*d]
		for i := range c {
			in, out := c[i].plain(), c[i].width()
			if c[i].Values != nil {
				levels := len(c[i].Categories)
				valued := c[i].valued()
				c[i].code(to[:valued], slices.IndexFunc(row[:levels], func(v float64) bool { return v != 0 }))
				copy(to[valued:out], row[levels:in])
			} else {
				copy(to[:out], row[:in])
			}
			row, to = row[in:], to[out:]
		}
	}
	return x
}
