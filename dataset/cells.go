package dataset

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// EachFeatures calls f for every column that has features, with the first of them and their number.
func (c Columns) EachFeatures(f func(column *Column, first, n int)) {
	pos := 0
	for i := range c {
		if n := c[i].width(); c[i].feature() && n > 0 {
			f(&c[i], pos, n)
			pos += n
		}
	}
}

// Cells returns a sample as the cells of the columns that have features, in the order of the file: numbers, categories
// by their words, dates as they are written, and nothing for a missing cell that is marked. A missing cell without a
// mark has the number or the category that fills it. It is the inverse of reading, for samples with a feature of 0 and
// 1 for each category.
func (c Columns) Cells(row []float64) (cells []string) {
	c.EachFeatures(func(column *Column, first, n int) {
		cells = append(cells, column.cell(row[first:first+n]))
	})
	return cells
}

// cell is the text of a column's features.
func (c *Column) cell(x []float64) string {
	if c.Marked && x[len(x)-1] != 0 {
		return ""
	}
	switch c.Role {
	case RoleYesNo:
		if x[0] == 0 || x[0] == 1 {
			return c.Categories[int(x[0])]
		}
		return ""
	case RoleCategory:
		if pos := slices.Index(x[:len(c.Categories)], 1); pos >= 0 {
			return c.Categories[pos]
		}
		return ""
	case RoleDate:
		return c.date(x)
	}
	if c.Form != "" {
		w := writtenAs(c.Form)
		return w.text(x[0])
	}
	return strconv.FormatFloat(x[0], 'g', -1, 64)
}

// date is the text of a date, with the time of day where dates differ in it. Without the days there is none.
func (c *Column) date(x []float64) string {
	if c.Parts&1 == 0 {
		return ""
	}
	t := time.UnixMilli(int64(x[0]*secondsOfDay*1000 + 0.5)).UTC()
	if strings.Contains(c.Form, "Q") {
		t = t.AddDate(0, -2*((int(t.Month())-1)/3), 0)
	}
	if c.Parts>>3&1 == 1 {
		return t.Format(c.Form + " 15:04:05")
	}
	return t.Format(c.Form)
}
