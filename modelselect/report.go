package modelselect

import (
	"cmp"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"gonum.org/v1/gonum/mathext"
)

// Cell is a setting on a set of samples, over its splits.
type Cell struct {
	Set, Name string
	Score
	Predict float64 // seconds a sample, mean
	// Difference is the mean of this metric less the baseline's over the splits that both have, and P the two-sided
	// level of the corrected resampled t-test of it (Nadeau & Bengio 2003, equation (15)); NaN for the baseline and
	// for one split.
	Difference, P float64
}

// Comparison is a table of settings over sets.
type Comparison struct {
	Metric         Metric
	Baseline       string
	Sets, Settings []string  // by name
	Cells          [][]*Cell // by set, by setting; nil where there are no runs
	Ranks          []Rank    // by setting; nil for fewer than five sets that all settings have
}

// Rank compares a setting with the others over sets (Demšar 2006).
type Rank struct {
	Mean float64 // rank over the sets, 1 is best, ties share the middle
	P    float64 // two-sided level of Wilcoxon's signed-rank test of the means against the baseline's; NaN for that itself
}

// fewestSets that ranks are of use for.
const fewestSets = 5

// Compare makes a table of the runs, the same for any order of them. The baseline is a setting's name; "" is svc, or
// the first if there is none.
func Compare(runs []*Run, metric Metric, baseline string) *Comparison {
	c := &Comparison{Metric: metric, Baseline: baseline}
	by := make(map[[2]string][]*Run)
	for _, r := range runs {
		if !slices.Contains(c.Sets, r.Set) {
			c.Sets = append(c.Sets, r.Set)
		}
		if !slices.Contains(c.Settings, r.Setting) {
			c.Settings = append(c.Settings, r.Setting)
		}
		key := [2]string{r.Set, r.Setting}
		by[key] = append(by[key], r)
	}
	slices.Sort(c.Sets)
	slices.Sort(c.Settings)
	switch {
	case c.Baseline != "":
	case slices.Contains(c.Settings, "svc"):
		c.Baseline = "svc"
	case len(c.Settings) > 0:
		c.Baseline = c.Settings[0]
	}
	for _, set := range c.Sets {
		row := make([]*Cell, len(c.Settings))
		for k, setting := range c.Settings {
			cell := by[[2]string{set, setting}]
			if len(cell) == 0 {
				continue
			}
			deal.Sort(cell, func(a, b *Run) int { return cmp.Compare(a.Split, b.Split) })
			row[k] = newCell(cell, by[[2]string{set, c.Baseline}], metric)
		}
		c.Cells = append(c.Cells, row)
	}
	c.rank()
	return c
}

func newCell(runs, base []*Run, metric Metric) *Cell {
	c := &Cell{Set: runs[0].Set, Name: runs[0].Setting, Difference: math.NaN(), P: math.NaN()}
	c.summarise(runs, metric, 1)
	for _, r := range runs {
		c.Predict += r.Seconds.Predict / float64(max(1, r.Tested)) / float64(len(runs))
	}
	if len(base) > 0 && base[0].Setting != c.Name {
		c.against(runs, base, metric)
	}
	return c
}

// against fills Difference and P.
func (c *Cell) against(runs, base []*Run, metric Metric) {
	bySplit := make(map[int]*Run)
	for _, r := range base {
		bySplit[r.Split] = r
	}
	var diffs []float64
	var ratio float64 // of test to training samples
	for _, r := range runs {
		if b := bySplit[r.Split]; b != nil && b.Failed == "" && r.Failed == "" {
			diffs = append(diffs, r.Losses[metric.String()]-b.Losses[metric.String()])
			ratio += float64(r.Tested) / float64(max(1, r.Trained))
		}
	}
	n := float64(len(diffs))
	if n == 0 {
		return
	}
	var sd float64
	if c.Difference, sd = dense.MeanStdDev(diffs); n < 2 {
		return
	}
	switch {
	case sd > 0:
		c.P = studentTails(c.Difference/(math.Sqrt((1+ratio)/n)*sd), n-1)
	case c.Difference != 0:
		c.P = 0
	default:
		c.P = 1
	}
}

// studentTails is P(|T| ≥ |t|) of Student's t with ν degrees of freedom: I_{ν/(ν+t²)}(ν/2, 1/2).
func studentTails(t, nu float64) float64 { return mathext.RegIncBeta(nu/2, 0.5, nu/(nu+t*t)) }

// rank fills Ranks from the sets that have a mean of every setting.
func (c *Comparison) rank() {
	base := slices.Index(c.Settings, c.Baseline)
	k := len(c.Settings)
	if base < 0 || k < 2 {
		return
	}
	var means [][]float64
	for _, row := range c.Cells {
		if slices.ContainsFunc(row, func(c *Cell) bool { return c == nil || c.Failed != "" }) {
			continue
		}
		m := make([]float64, k)
		for i, cell := range row {
			m[i] = cell.Mean
		}
		means = append(means, m)
	}
	if len(means) < fewestSets {
		return
	}
	c.Ranks = make([]Rank, k)
	for i := range c.Ranks {
		var diffs []float64
		for _, m := range means {
			c.Ranks[i].Mean += rankOf(m, i) / float64(len(means))
			diffs = append(diffs, m[i]-m[base])
		}
		c.Ranks[i].P = math.NaN()
		if i != base {
			c.Ranks[i].P = wilcoxon(diffs)
		}
	}
}

// rankOf is the rank of v[i] among v, the smallest first; equal ones share the mean of theirs.
func rankOf(v []float64, i int) float64 {
	below, equal := 0, 0
	for _, x := range v {
		switch {
		case x < v[i]:
			below++
		case x == v[i]:
			equal++
		}
	}
	return float64(below) + float64(equal+1)/2
}

// wilcoxon is the exact two-sided level of the signed-rank test that differences are around 0: over all 2ⁿ signs.
// Zeros are left out; equal sizes share their mean rank, which is counted in halves.
func wilcoxon(diffs []float64) float64 {
	var size, sign []float64
	for _, d := range diffs {
		if d != 0 {
			size = append(size, math.Abs(d))
			sign = append(sign, d)
		}
	}
	n := len(size)
	if n == 0 {
		return 1
	}
	ranks, total, plus := make([]int, n), 0, 0 // twice the ranks
	for i := range size {
		ranks[i] = int(2 * rankOf(size, i))
		total += ranks[i]
		if sign[i] > 0 {
			plus += ranks[i]
		}
	}
	share := make([]float64, total+1) // of the sign patterns, by their sum of positive ranks
	share[0] = 1
	for _, r := range ranks {
		for s := total; s >= 0; s-- {
			share[s] /= 2
			if s >= r {
				share[s] += share[s-r] / 2
			}
		}
	}
	var tail float64
	for s := range min(plus, total-plus) + 1 {
		tail += share[s]
	}
	return min(1, 2*tail)
}
