package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// regressColumns are those of the file of all rows, each of a method on a problem.
var regressColumns = []string{"problem", "draws", "method", "RMSE", "ratio to ε-SVR", "support vectors",
	"share of ε-SVR's (%)", "seconds", "within"}

// The places of what the page sums up.
const (
	regressMethod, regressRatio, regressShare, regressSeconds, regressWithin = 2, 4, 6, 7, 8
)

const regressText = `
Every method is tuned by five folds of the training samples. ε-SVR minimises the error.
The others take the fewest support vectors within one standard error of the least, as tune does.
With --widths the folds also choose whether the features' widths are learned first (--widths learned).
Errors are means over the draws. Test targets of sinc and Friedman's functions have no noise.
"Within" counts problems with an error of at most %v times ε-SVR's and at most %v of its support vectors.
Ratios and shares are medians over the problems, with the least and the largest.
Seconds are CPU time of search and training, the median. [All rows](../results/regress.tsv)

`

// regressSummary is the page's table: what each method's rows have in the middle and at the ends.
func regressSummary(rows [][]string) (string, error) {
	type summed struct {
		cells  []string
		within int
		share  float64
	}
	var all []summed
	var names []string
	for _, r := range rows {
		if !slices.Contains(names, r[regressMethod]) {
			names = append(names, r[regressMethod])
		}
	}
	for _, name := range names {
		s := summed{}
		var figures [3][]float64 // ratios, shares, seconds
		for _, r := range rows {
			if r[regressMethod] != name {
				continue
			}
			if r[regressWithin] != "" {
				s.within++
			}
			for k, j := range []int{regressRatio, regressShare, regressSeconds} {
				v, err := strconv.ParseFloat(r[j], 64)
				if err != nil {
					return "", fmt.Errorf("%s: %w", name, err)
				}
				figures[k] = append(figures[k], v)
			}
		}
		s.share = middle(figures[1])
		s.cells = []string{"`" + name + "`", fmt.Sprintf("%d of %d", s.within, len(figures[0])),
			fmt.Sprintf("%.3f (%.3f to %.3f)", middle(figures[0]), slices.Min(figures[0]), slices.Max(figures[0])),
			fmt.Sprintf("%.1f %% (%.1f to %.1f)", s.share, slices.Min(figures[1]), slices.Max(figures[1])),
			fmt.Sprintf("%.2g", middle(figures[2]))}
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b summed) int { return cmp.Or(b.within-a.within, cmp.Compare(a.share, b.share)) })
	var b bytes.Buffer
	row(&b, "method", "within", "ratio to ε-SVR's error", "share of its support vectors", "seconds")
	rule(&b, 5)
	for _, s := range all {
		row(&b, s.cells...)
	}
	return b.String(), nil
}

// regressPage is the whole of regress.md after its first line, and the file of its rows.
func regressPage(rows [][]string) (page, file string, err error) {
	table, err := regressSummary(rows)
	return fmt.Sprintf(regressText, maxError, maxVectors) + table, tabbed(slices.Concat([][]string{regressColumns}, rows)),
		err
}

// regressRows reads the file again.
func regressRows(file string) (rows [][]string) {
	for line := range strings.Lines(file) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows[1:]
}
