package main

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"
)

// figure is a cell: a mean, and a standard deviation where there is one.
type figure struct{ mean, sd float64 }

// at is the cell of a column in the row that begins with some words. What is not there is noted.
func (t *table) at(column string, of ...string) figure {
	k := slices.Index(t.columns, column)
	for _, row := range t.rows {
		if k < 0 || len(row) <= k || !slices.Equal(row[:len(of)], of) {
			continue
		}
		mean, sd, _ := strings.Cut(row[k], " ± ")
		m, err := strconv.ParseFloat(mean, 64)
		if err != nil {
			break
		}
		s, err := strconv.ParseFloat(sd, 64)
		if sd != "" && err != nil {
			break
		}
		return figure{m, s}
	}
	t.missing = column + " of " + strings.Join(of, ", ")
	return figure{}
}

// values are the cells of a column's rows that begin with some words, in their order.
func (t *table) values(column string, of ...string) (all []figure) {
	for _, row := range t.rows {
		if len(row) >= len(of) && slices.Equal(row[:len(of)], of) {
			all = append(all, t.at(column, row[:max(1, len(of))]...))
		}
	}
	if len(all) == 0 {
		t.missing = column
	}
	return all
}

// different is Welch's two-sided t test of the means of n folds each, at the level 5 %.
func different(a, b figure, n float64) bool {
	u, v := a.sd*a.sd/n, b.sd*b.sd/n
	if u+v == 0 {
		return a.mean != b.mean
	}
	t := math.Abs(a.mean-b.mean) / math.Sqrt(u+v)
	free := (u + v) * (u + v) / ((u*u + v*v) / (n - 1))
	return 2*distuv.StudentsT{Sigma: 1, Nu: free}.Survival(t) < 0.05
}

// less and more are significant.
func less(a, b figure, n float64) bool { return a.mean < b.mean && different(a, b, n) }
func more(a, b figure, n float64) bool { return less(b, a, n) }

// all judges that something is so in so many of some cases: in every one, in at least a half, or in fewer.
func all(so, cases int) verdict {
	switch {
	case so == cases:
		return holds
	case 2*so >= cases:
		return partly
	}
	return not
}

// never judges that something is so in none of some cases, or in no more than a test at 5 % finds by chance.
func never(so, cases int) verdict {
	switch {
	case 20*so <= cases:
		return holds
	case 2*so <= cases:
		return partly
	}
	return not
}
