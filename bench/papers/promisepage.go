package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/modelselect"
)

// promiseTable is what the page is made of.
type promiseTable struct {
	sets     []splitSet
	settings []modelselect.Setting
	runs     []*modelselect.Run
	cost     map[[2]string]cost // by set and setting
	compared *modelselect.Comparison
	kept     *keptRows // nil for none
}

// summary is a setting over sets, compared with the baseline.
type summary struct {
	name           string
	sets           int
	mean, se       float64 // difference of the errors in percent, and its standard error over sets
	worst          float64
	at             string  // the worst set
	share, median  float64 // mean and median over sets of the ratio of its support vectors to the baseline's
	vectors        float64 // support vectors, median over sets
	trainings, bad int     // trainings in all searches and after them, and those that did not end optimal
	rank, p        float64 // Demšar's mean rank, Wilcoxon's level; NaN without
	ms, us         float64 // medians over sets
}

const baseline = "svc"

// write compares the runs, and writes the page and its pictures; without a folder it prints the page.
func (t *promiseTable) write(ctx context.Context, e *harness.Env) error {
	comparable := make(map[string]bool) // sets with runs of the baseline
	for _, r := range t.runs {
		comparable[r.Set] = comparable[r.Set] || r.Setting == baseline
	}
	t.runs = slices.DeleteFunc(t.runs, func(r *modelselect.Run) bool { return !comparable[r.Set] })
	if len(t.runs) == 0 {
		return fmt.Errorf("no runs of %s to compare with", baseline)
	}
	if err := t.measure(ctx); err != nil {
		return err
	}
	var err error
	if t.kept, err = readKept(e.Out); err != nil {
		return err
	}
	page, rows, err := t.compare()
	if err != nil {
		return err
	}
	if e.Out == "" {
		fmt.Print(page)
		return nil
	}
	dots, err := dotsOf(page)
	if err != nil {
		return err
	}
	files := map[string][]byte{filepath.Join("performance", "promise.md"): []byte(page),
		filepath.Join("results", "promise.tsv"): []byte(rows)}
	for name, colours := range promiseInks {
		files[name] = frontPicture(dots, colours)
	}
	for name, text := range files {
		if err = os.WriteFile(filepath.Join(e.Out, name), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// compare makes the page of the runs, and the file of every setting on every set.
func (t *promiseTable) compare() (page, rows string, err error) {
	t.compared = modelselect.Compare(t.runs, modelselect.Error, baseline)
	var all []summary
	for _, name := range t.listed() {
		if s := t.summarise(name); s.sets > 0 {
			all = append(all, s)
		}
	}
	t.rank(all)
	var plain, tuned [][]string
	for _, s := range t.whole(all) {
		if isPlain(s.name) {
			plain = append(plain, s.columns())
		} else {
			tuned = append(tuned, s.columns())
		}
	}
	every := t.everySet(all)
	if k := t.kept; k != nil {
		own := every
		isTuned := func(row []string) bool { return !isPlain(row[0]) }
		plain = joined(plain, slices.DeleteFunc(slices.Clone(k.summaries), isTuned))
		tuned = joined(tuned, slices.DeleteFunc(slices.Clone(k.summaries), func(r []string) bool { return isPlain(r[0]) }))
		if every, err = k.everySetWith(own); err != nil {
			return "", "", err
		}
		if err = k.rank(slices.Concat(tuned, plain), every, own); err != nil {
			return "", "", err
		}
	}
	page, err = promisePage(tuned, plain, every)
	return page, tabbed(every), err
}

// listed are the settings in the order of their declaration, then those of peers.
func (t *promiseTable) listed() (names []string) {
	for _, s := range t.settings {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	names = slices.DeleteFunc(names, func(n string) bool { return n == baseline })
	names = append([]string{baseline}, names...)
	for _, n := range t.compared.Settings {
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

// cell is nil where there is none.
func (t *promiseTable) cell(set, setting string) *modelselect.Cell {
	i, j := slices.Index(t.compared.Sets, set), slices.Index(t.compared.Settings, setting)
	if i < 0 || j < 0 {
		return nil
	}
	return t.compared.Cells[i][j]
}

func (t *promiseTable) summarise(name string) summary {
	s := summary{name: name, worst: math.Inf(-1), rank: math.NaN(), p: math.NaN(), ms: math.NaN(), us: math.NaN()}
	var diffs, sizes, shares, ms, us []float64
	for _, set := range t.compared.Sets {
		own, base := t.cell(set, name), t.cell(set, baseline)
		if own == nil || base == nil {
			continue
		}
		d := 100 * own.Difference
		if name == baseline {
			d = 0
		}
		if diffs = append(diffs, d); d > s.worst {
			s.worst, s.at = d, set
		}
		sizes = append(sizes, own.Vectors)
		s.trainings, s.bad = s.trainings+own.Splits, s.bad+own.Limited
		s.share += own.Vectors / base.Vectors
		shares = append(shares, own.Vectors/base.Vectors)
		if c, ok := t.cost[[2]string{set, name}]; ok {
			ms = append(ms, 1e3*c.Train)
			us = append(us, 1e6*c.Predict)
		}
	}
	if s.sets = len(diffs); s.sets == 0 {
		return s
	}
	n := float64(s.sets)
	for _, d := range diffs {
		s.mean += d / n
	}
	for _, d := range diffs {
		s.se += (d - s.mean) * (d - s.mean) / max(1, n-1) / n
	}
	s.se = math.Sqrt(s.se)
	s.share /= n
	s.vectors, s.median, s.ms, s.us = middle(sizes), middle(shares), middle(ms), middle(us)
	for _, r := range t.runs {
		if q := r.Search; q != nil && r.Setting == name {
			s.trainings, s.bad = s.trainings+q.Trainings, s.bad+q.Limited
		}
	}
	return s
}

// middle is the median of several, the mean of the middle two; NaN of none.
func middle(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// whole are the settings that all sets have.
func (t *promiseTable) whole(all []summary) []summary {
	return slices.DeleteFunc(slices.Clone(all), func(s summary) bool { return s.sets < all[0].sets })
}

// rank compares the settings that all sets have.
func (t *promiseTable) rank(all []summary) {
	whole := t.whole(all)
	has := func(name string) int { return slices.IndexFunc(whole, func(s summary) bool { return s.name == name }) }
	var runs []*modelselect.Run
	for _, r := range t.runs {
		if has(r.Setting) >= 0 && t.cell(r.Set, baseline) != nil {
			runs = append(runs, r)
		}
	}
	c := modelselect.Compare(runs, modelselect.Error, baseline)
	for i := range all {
		if k := slices.Index(c.Settings, all[i].name); k >= 0 && c.Ranks != nil {
			all[i].rank, all[i].p = c.Ranks[k].Mean, c.Ranks[k].P
		}
	}
}

// The page's text. A line of it is one of the source.
const (
	promiseTitle = "# As accurate as a tuned SVM, with few support vectors\n\n"

	promiseIntroduction = `
Written by ` + "`go run ./bench/papers -out docs promise`" + `.
Features are z-scored on the training part of each split.
` + "`direct --tune`" + ` chooses by itself.
Five folds of the training part tune every other method over 25 pairs: γ of 0.1 to 10 over the number of features, C of
0.1 to 1000.
` + "`gamma-reg`, `eta` or `noise`" + ` replace C in methods that have these.
The tuned setting is then trained with ` + "`--refit` and `--widths learned`" + `.
Splits are the published ones, or drawn from seeds; three a set of ` + "`rvm`, `rvm-fast`, `sc-svc` and `spc`" + `,
timed in another run, perhaps at another level.
`
	promiseAll = `
## All sets

"Error" is the difference to the tuned SVC's test error in pp (percentage point), mean over the sets ± standard error.
A share is a set's ratio of support vectors to the SVC's.
Rank is Demšar's mean rank, p Wilcoxon's level. "Not optimal" counts trainings, including those of the searches.
Times are medians over the sets: CPU time of one training at the chosen setting, and of one prediction.
Of ` + "`direct`" + ` the search is included; of scikit-learn a prediction is one sample of many.

`
	promisePlain = `
## Without tuning

C = 1, γ = 1/(d·Var X). Differences are to the tuned SVC.

`
	promiseSets = `
![share of support vectors and difference in error](../promise.svg)

## Every set

Test error in percent / support vectors, means over the splits. Brackets have the number of splits.
[All %d settings](../results/promise.tsv)

`
)

func isPlain(name string) bool {
	return strings.HasSuffix(name, asItIs) || strings.HasSuffix(name, unscaled)
}

// promisePage is the whole of promise.md: its first sentence is made of its tables.
func promisePage(tuned, plain, every [][]string) (string, error) {
	tables := promiseTables(tuned, plain, every)
	says, err := sentence(tables)
	return promiseTitle + says + tables, err
}

func promiseTables(tuned, plain, every [][]string) string {
	var b bytes.Buffer
	b.WriteString(promiseIntroduction)
	fmt.Fprintf(&b, "\n%s, level %s, %s, one thread.\n", cpuid.CPU.BrandName, cpu.Active(), runtime.Version())
	b.WriteString(promiseAll)
	summaryTable(&b, tuned)
	b.WriteString(promisePlain)
	summaryTable(&b, plain)
	fmt.Fprintf(&b, promiseSets, len(every)-1)
	for i, cells := range every {
		if i == 0 || cells[0] == baseline || slices.Contains(promised, cells[0]) {
			row(&b, cells...)
		}
		if i == 0 {
			rule(&b, len(cells))
		}
	}
	return b.String()
}

// everySet has a row for each setting, below one of the sets with the number of their splits.
func (t *promiseTable) everySet(all []summary) [][]string {
	head := []string{"method"}
	var sets []string
	for _, set := range t.compared.Sets {
		if c := t.cell(set, baseline); c != nil {
			sets = append(sets, set)
			head = append(head, fmt.Sprintf("%s (%d)", set, c.Splits))
		}
	}
	rows := [][]string{head}
	for _, s := range all {
		cells := []string{s.name}
		for _, set := range sets {
			cells = append(cells, t.means(set, s.name))
		}
		rows = append(rows, cells)
	}
	return rows
}

// means are the error and the support vectors of a setting on a set, with the number of splits if it is not the set's.
func (t *promiseTable) means(set, name string) string {
	c := t.cell(set, name)
	if c == nil {
		return ""
	}
	text := fmt.Sprintf("%.2f / %.3g", 100*c.Mean, c.Vectors)
	if c.Splits != t.cell(set, baseline).Splits {
		text += fmt.Sprintf(" (%d)", c.Splits)
	}
	return text
}

var summaryHeader = []string{"method", "sets", "error", "worst set", "mean share", "median share", "support vectors",
	"rank", "p", "not optimal", "ms", "µs"}

func (s *summary) columns() []string {
	number := func(format string, v float64) string {
		if math.IsNaN(v) {
			return ""
		}
		return fmt.Sprintf(format, v)
	}
	return []string{s.name, fmt.Sprint(s.sets), fmt.Sprintf("%+.2f ± %.2f", s.mean, s.se),
		fmt.Sprintf("%+.2f %s", s.worst, s.at), fmt.Sprintf("%.3f", s.share), fmt.Sprintf("%.3f", s.median),
		fmt.Sprintf("%.3g", s.vectors), number("%.1f", s.rank), number("%.2f", s.p),
		fmt.Sprintf("%d of %d", s.bad, s.trainings), number("%.3g", s.ms), number("%.3g", s.us)}
}

func summaryTable(b *bytes.Buffer, rows [][]string) {
	row(b, summaryHeader...)
	rule(b, len(summaryHeader))
	for _, cells := range rows {
		row(b, cells...)
	}
}

func row(b *bytes.Buffer, cells ...string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }

// tabbed are rows as a file of tab-separated values.
func tabbed(rows [][]string) string {
	var b strings.Builder
	for _, cells := range rows {
		b.WriteString(strings.Join(cells, "\t") + "\n")
	}
	return b.String()
}

func rule(b *bytes.Buffer, n int) { row(b, slices.Repeat([]string{"---"}, n)...) }
