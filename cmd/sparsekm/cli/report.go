package cli

import (
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/metrics"
	"github.com/sparsekm/sparsekm/modelselect"
)

type reportCmd struct {
	Runs []string `arg:"" reads:"the runs" help:"Ledgers of sparsekm compare or tune, taken together."`

	Out      string `short:"o" placeholder:"FILE" writes:"" help:"Write the table here, by the name's ending: .md, .csv, .tex or .html. Default: Markdown on standard output."`
	Metric   string `enum:"auto,error,balanced,auc,logloss,rmse,mae,r2,loglik,bound" help:"What is compared."`
	Baseline string `placeholder:"NAME" help:"The setting that others are compared with. Default: svc, or the first."`
}

func (c *reportCmd) Run(s *session.Session) error {
	ending := filepath.Ext(c.Out)
	if c.Out != session.Standard && !slices.Contains([]string{"", ".md", ".csv", ".tex", ".html"}, ending) {
		return usagef("--out: found %q, want a name that ends in .md, .csv, .tex or .html", c.Out)
	}
	runs, err := c.read()
	if err != nil {
		return err
	}
	metric, _ := modelselect.ParseMetric(c.Metric) // the command line has checked it
	if _, values := runs[0].Losses[modelselect.RMSE.String()]; values && c.Metric == "auto" {
		metric = modelselect.RMSE
	}
	if _, density := runs[0].Losses[modelselect.LogLikelihood.String()]; density && c.Metric == "auto" {
		metric = modelselect.LogLikelihood
	}
	comparison := modelselect.Compare(runs, metric, c.Baseline)
	if !slices.Contains(comparison.Settings, comparison.Baseline) {
		return usagef("--baseline: no runs of %q (there are %s)", c.Baseline, strings.Join(comparison.Settings, ", "))
	}
	if s.JSON {
		return s.WriteJSON(newReportJSON(comparison))
	}
	return s.WriteFile(c.Out, func(w io.Writer) error { return newReportTable(comparison).write(w, ending) })
}

// read reads the ledgers; a run that several have counts once.
func (c *reportCmd) read() ([]*modelselect.Run, error) {
	var all []*modelselect.Run
	seen := make(map[string]bool)
	for _, name := range c.Runs {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		runs, err := modelselect.ReadRuns(f, name)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		for _, r := range runs {
			if !seen[r.Key] {
				seen[r.Key] = true
				all = append(all, r)
			}
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: found no runs", strings.Join(c.Runs, ", "))
	}
	return all, nil
}

// reportJSON is what `sparsekm report --json` prints.
type reportJSON struct {
	Metric   string       `json:"metric"`
	Baseline string       `json:"baseline"`
	Cells    []cellJSON   `json:"cells"`
	Ranks    []rankOfJSON `json:"ranks,omitempty"`
}

type cellJSON struct {
	Set        string  `json:"set"`
	Setting    string  `json:"setting"`
	Splits     int     `json:"splits"`
	Mean       float64 `json:"mean"`
	SD         float64 `json:"sd"` // over the splits
	SV         float64 `json:"sv"`
	TrainMS    float64 `json:"train_ms"`
	PredictUS  float64 `json:"us_per_prediction"`
	Limited    int     `json:"limited"`
	Failed     string  `json:"failed,omitempty"`
	Difference float64 `json:"difference"` // to the baseline
	P          float64 `json:"p"`          // of the corrected resampled t-test

	Interval *metrics.Interval `json:"interval,omitempty"` // of the mean, 95 %
}

type rankOfJSON struct {
	Setting string  `json:"setting"`
	Mean    float64 `json:"mean_rank"`
	P       float64 `json:"p"` // of Wilcoxon's test against the baseline
}

func newReportJSON(c *modelselect.Comparison) *reportJSON {
	j := &reportJSON{Metric: c.Metric.String(), Baseline: c.Baseline}
	for _, row := range c.Cells {
		for _, x := range row {
			if x != nil {
				j.Cells = append(j.Cells, cellJSON{x.Set, x.Name, x.Splits, x.Mean, overSplits(x.SD, x.Splits), x.Vectors,
					1e3 * x.Seconds, 1e6 * x.Predict, x.Limited, x.Failed, x.Difference, x.P, x.Interval})
			}
		}
	}
	for k, r := range c.Ranks {
		j.Ranks = append(j.Ranks, rankOfJSON{c.Settings[k], r.Mean, r.P})
	}
	return j
}

// reportTable is a comparison as cells of text.
type reportTable struct {
	title  string
	header []string
	rows   []reportRow
	notes  []string
}

// reportRow is a setting on a set.
type reportRow struct {
	cells []string
	best  bool // of its set, by the metric
}

// marks reports whether a cell is the metric of the best setting.
func (r reportRow) marks(cell int) bool { return r.best && cell == 2 }

func newReportTable(c *modelselect.Comparison) *reportTable {
	unit, in, samples := 1.0, "", ""
	if c.Metric.IsShare() {
		unit, in, samples = 100, " in percent", " in samples"
	}
	t := &reportTable{title: c.Metric.String() + in + ", mean over the splits and its 95 % interval over the samples",
		header: []string{"set", "setting", c.Metric.String(), "vectors", "train ms", "µs a prediction", "splits", "against " + c.Baseline}}
	for _, row := range c.Cells {
		smallest, best := math.Inf(1), -1
		for _, x := range row {
			if x == nil {
				continue
			}
			if x.Failed == "" && x.Mean < smallest {
				smallest, best = x.Mean, len(t.rows)
			}
			t.rows = append(t.rows, reportRow{cells: cellText(x, unit)})
		}
		if best >= 0 {
			t.rows[best].best = true
		}
	}
	const test = "Against %s: difference%s and the level of the corrected resampled t-test (Nadeau & Bengio 2003)."
	t.notes = append(t.notes, fmt.Sprintf(test, c.Baseline, samples))
	for k, r := range c.Ranks {
		text := fmt.Sprintf("%s: mean rank %.2f", c.Settings[k], r.Mean)
		if !math.IsNaN(r.P) {
			text += fmt.Sprintf(", Wilcoxon's signed-rank test against %s p = %.3g", c.Baseline, r.P)
		}
		t.notes = append(t.notes, text+".")
	}
	return t
}

// cellText is a row of the table; the metric is printed times unit.
func cellText(x *modelselect.Cell, unit float64) []string {
	if x.Failed != "" {
		return []string{x.Set, x.Name, x.Failed, "", "", "", fmt.Sprint(x.Splits), ""}
	}
	against, plain, signed := "", "%.2f", "%+.2f"
	if unit == 1 {
		plain, signed = "%.4g", "%+.3g"
	}
	if !math.IsNaN(x.Difference) {
		against = fmt.Sprintf(signed, unit*x.Difference)
		if !math.IsNaN(x.P) {
			against += fmt.Sprintf(", p = %.2g", x.P)
		}
	}
	mean := fmt.Sprintf(plain, unit*x.Mean)
	if i := x.Interval; i != nil {
		mean += fmt.Sprintf(" ("+plain+" to "+plain+")", unit*i.Low, unit*i.High)
	}
	splits := fmt.Sprint(x.Splits)
	if x.Limited > 0 {
		splits += fmt.Sprintf(" (%d not done)", x.Limited)
	}
	return []string{x.Set, x.Name, mean, fmt.Sprintf("%.1f", x.Vectors),
		fmt.Sprintf("%.3g", 1e3*x.Seconds), fmt.Sprintf("%.3g", 1e6*x.Predict), splits, against}
}

// write writes the table in the form of a file's ending, Markdown where it has none.
func (t *reportTable) write(w io.Writer, ending string) error {
	switch ending {
	case ".csv":
		return t.lines(w, t.table("", "", nil).csv())
	case ".tex":
		return t.lines(w, t.tex()...)
	case ".html":
		page := fmt.Sprintf(htmlBegin, html.EscapeString(t.title)) + t.table("<b>", "</b>", html.EscapeString).html()
		return t.lines(w, append([]string{page}, t.notes...)...)
	}
	return t.lines(w, append([]string{t.title, "", t.table("**", "**", nil).markdown(), ""}, t.notes...)...)
}

// table has marks around the best of a set, and what is escaped.
func (t *reportTable) table(before, after string, escape func(string) string) *table {
	if escape == nil {
		escape = func(text string) string { return text }
	}
	w := newTable(slices.Clone(t.header)...)
	for j := range w.header {
		w.header[j] = escape(w.header[j])
	}
	for _, row := range t.rows {
		cells := make([]any, len(row.cells))
		for k, v := range row.cells {
			if cells[k] = escape(v); row.marks(k) {
				cells[k] = before + escape(v) + after
			}
		}
		w.add(cells...)
	}
	return w
}

// texEscape is a text without what TeX takes for more.
var texEscape = strings.NewReplacer("&", `\&`, "%", `\%`, "_", `\_`, "#", `\#`, "±", `$\pm$`, "µ", `$\mu$`, `\`,
	`\textbackslash{}`).Replace

// tex is the table for LaTeX's package booktabs, line by line.
func (t *reportTable) tex() []string {
	row := func(cells []string, marks func(cell int) bool) string {
		escaped := make([]string, len(cells))
		for k, v := range cells {
			if escaped[k] = texEscape(v); marks(k) {
				escaped[k] = `\textbf{` + escaped[k] + "}"
			}
		}
		return strings.Join(escaped, " & ") + ` \\`
	}
	lines := []string{"% " + t.title, `\begin{tabular}{` + strings.Repeat("l", len(t.header)) + "}", `\toprule`,
		row(t.header, func(int) bool { return false }), `\midrule`}
	for _, r := range t.rows {
		lines = append(lines, row(r.cells, r.marks))
	}
	lines = append(lines, `\bottomrule`, `\end{tabular}`)
	for _, note := range t.notes {
		lines = append(lines, "% "+note)
	}
	return lines
}

// htmlBegin is what an HTML page of a table begins with; %s is its title.
const htmlBegin = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>sparsekm report</title>
<style>body{font:16px/1.5 system-ui;margin:2rem;color-scheme:light dark}
td,th{padding:.2rem .8rem;text-align:left}</style>
<h1>%s</h1>
`

func (t *reportTable) lines(w io.Writer, lines ...string) error {
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}
