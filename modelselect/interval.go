package modelselect

import (
	"math"

	"github.com/sparsekm/sparsekm/metrics"
)

// grouped says how the losses of a test part's samples go together within groups.
type grouped struct {
	Count int `json:"count"` // of groups
	// Of the losses' distances from their mean: the sum of the squares of the groups' sums times count/(count − 1), and
	// the sum of the squares. Their ratio is about 1 if samples of a group are as different as any others.
	Sums    float64 `json:"sums"`
	Squares float64 `json:"squares"`
}

// groupedLosses sums losses up by group; nil without groups.
func groupedLosses(losses []float64, groups []string) *grouped {
	if groups == nil {
		return nil
	}
	var mean float64
	for _, l := range losses {
		mean += l / float64(len(losses))
	}
	g, sums := new(grouped), make(map[string]float64)
	for i, l := range losses {
		sums[groups[i]] += l - mean
		g.Squares += (l - mean) * (l - mean)
	}
	g.Count = len(sums)
	for _, i := range groups { // in the same order each time
		g.Sums += sums[i] * sums[i]
		sums[i] = 0
	}
	g.Sums *= float64(g.Count) / float64(max(1, g.Count-1))
	return g
}

// measured takes the metrics of the test part, and what their intervals need.
func (r *Run) measured(report *metrics.Report) {
	if r.Losses == nil {
		r.Losses = make(map[string]float64)
	}
	take := func(metric Metric, name string, value *float64, from, sign float64) {
		if value == nil {
			return
		}
		r.Losses[metric.String()] = from + sign**value
		if se, ok := report.SE[name]; ok {
			if r.SE == nil {
				r.SE = make(map[string]float64)
			}
			r.SE[metric.String()] = se
		}
	}
	switch {
	case report.Density != nil:
		take(LogLikelihood, "log_density", report.LogDensity, 0, -1)
	case report.Regression != nil:
		take(RMSE, "rmse", report.RMSE, 0, 1)
		take(MAE, "mae", report.MAE, 0, 1)
		take(R2, "r2", report.R2, 1, -1)
	default:
		take(Error, "error_rate", report.ErrorRate, 0, 1)
		take(Balanced, "balanced_accuracy", report.BalancedAccuracy, 1, -1)
		take(AUC, "auc", report.AUC, 1, -1)
		take(LogLoss, "log_loss", report.LogLoss, 0, 1)
		r.Classes = nil
		for c, class := range report.Classes {
			r.Classes = append(r.Classes, [2]int{class.Samples, class.Samples - report.Confusion[c][c]})
		}
	}
}

// held is what the test parts of a setting's runs are together.
type held struct {
	runs    []*Run
	mean    float64
	samples float64 // samples that vary as much as these do: each one counts once, and less where groups err together
	repeats float64 // how often the test parts have each of them
}

// heldOut puts the test parts of runs together; ok is false where a run has no such metric.
func heldOut(runs []*Run, metric Metric) (h held, ok bool) {
	var samples, largest float64
	var together grouped
	inGroups := false
	for _, r := range runs {
		if r == nil {
			continue
		}
		loss, failed := r.loss(metric)
		if failed != "" || math.IsNaN(loss) || math.IsInf(loss, 0) {
			return h, false
		}
		h.runs = append(h.runs, r)
		h.mean += loss
		samples += float64(r.Tested)
		largest = max(largest, float64(r.Trained+r.Tested))
		if g := r.Groups; g != nil {
			inGroups = true
			together.Count += g.Count
			together.Sums += g.Sums
			together.Squares += g.Squares
		}
	}
	h.mean /= float64(len(h.runs))
	h.samples = min(samples, largest)
	switch {
	case inGroups && together.Squares > 0:
		h.samples /= max(1, together.Sums/together.Squares)
	case inGroups:
		h.samples *= float64(together.Count) / samples // no sample differs from another: each group counts as one
	}
	h.samples /= overfitting(h.runs, samples)
	h.repeats = samples / h.samples
	return h, h.samples > 0
}

// overfitting is how many times the variance over the held-out samples the square of the distance is, on average, of
// the mean loss to that of a model of all samples: models of other samples differ, and losses of different parts
// depend on each other (Bates, Hastie and Tibshirani, "Cross-validation: what does it estimate and how well does it
// do it?", Journal of the American Statistical Association 119, 2024). How much they do follows from e, f and g, the
// mean loss over held-out samples, over training samples, and of a guess: the relative overfitting rate (e − f)/(g −
// f) of Efron and Tibshirani ("Improvements on cross-validation: the .632+ bootstrap method", Journal of the American
// Statistical Association 92, 1997), times g/e. This is 0 if a model errs no more on other samples, and 1 if it errs
// on none of its own, or as much as a guess on others. The factor before it was found by simulation
// (docs/performance/fit.md).
func overfitting(runs []*Run, tested float64) float64 {
	var e, f, guess float64
	n, classes := float64(len(runs)), make(map[int]float64)
	for _, r := range runs {
		loss, values := r.Losses[RMSE.String()]
		if !values {
			loss = r.Losses[Error.String()]
		}
		if r.Fitted == nil || !values && r.Classes == nil {
			return 1
		}
		f += *r.Fitted / n
		if values { // a guess is the mean
			e += loss * loss / n
			guess += loss * loss / r.Losses[R2.String()] / n
			continue
		}
		e += loss / n
		for c, counts := range r.Classes {
			classes[c] += float64(counts[0])
		}
	}
	if len(classes) > 0 { // a guess is a class drawn as the classes are
		var all, squares float64
		for c := range len(classes) {
			all += classes[c]
			squares += classes[c] * classes[c]
		}
		guess = 1 - squares/(all*all)
	}
	e += (guess - e) * 2 / (tested + 2) // no error of few samples says little
	if !(f < e) || !(f < guess) || math.IsInf(guess, 1) {
		return 1
	}
	return 1 + overfits*min(1, (e-f)/e*guess/(guess-f))
}

const overfits = 0.6

// intervalOf returns the 95 % interval of a metric in the population that the samples of the runs' test parts are drawn
// from, nil where the runs do not say: of the model of all samples. The test parts count as one, of fewer samples
// where the models overfit: they would differ with other samples. A sample that is tested repeatedly counts once.
// Samples of a group count as fewer if they err together, by the design effect of Rao and Scott ("A simple method for
// the analysis of clustered binary data", Biometrics 48, 1992).
//
// An error rate has Wilson's interval, balanced error and area under the curve have their counterparts
// ([metrics.MeanShare], [metrics.Area]), and means have Student's.
func intervalOf(runs []*Run, metric Metric) *metrics.Interval {
	h, ok := heldOut(runs, metric)
	if !ok || metric == Bound { // which is the end of an interval itself
		return nil
	}
	i, ok := h.interval(metric)
	if !ok || math.IsNaN(i.Low) || math.IsNaN(i.High) || math.IsInf(i.Low, 0) || math.IsInf(i.High, 0) {
		return nil
	}
	return &i
}

func (h *held) interval(metric Metric) (i metrics.Interval, ok bool) {
	switch metric {
	case Error:
		return metrics.Share(min(1, max(0, h.mean)), h.samples, metrics.Level), true
	case Balanced:
		return h.balanced()
	case AUC:
		counts := make([][]int, len(h.runs))
		for k, r := range h.runs {
			for _, c := range r.Classes {
				counts[k] = append(counts[k], c[0])
			}
			if counts[k] == nil {
				return h.overSplits(metric)
			}
		}
		area := metrics.Area(min(1, max(0, 1-h.mean)), counts, h.repeats, metrics.Level)
		return metrics.Interval{Low: 1 - area.High, High: 1 - area.Low}, true
	}
	var squares float64
	for _, r := range h.runs {
		se, known := r.SE[metric.String()]
		if !known {
			return h.overSplits(metric)
		}
		squares += se * se
	}
	return about(metric, h.mean, math.Sqrt(squares*h.repeats)/float64(len(h.runs)), h.samples), true
}

// balanced puts the classes' errors of all test parts together.
func (h *held) balanced() (i metrics.Interval, ok bool) {
	var counts [][2]int
	for _, r := range h.runs {
		if r.Classes == nil || counts != nil && len(counts) != len(r.Classes) {
			return h.overSplits(Balanced)
		}
		if counts == nil {
			counts = make([][2]int, len(r.Classes))
		}
		for c, count := range r.Classes {
			counts[c][0] += count[0]
			counts[c][1] += count[1]
		}
	}
	var rates, samples []float64
	for _, c := range counts {
		if c[0] > 0 {
			rates = append(rates, float64(c[1])/float64(c[0]))
			samples = append(samples, float64(c[0])/h.repeats)
		}
	}
	i = metrics.MeanShare(rates, samples, metrics.Level)
	// The mean over parts leaves out the classes that a part lacks.
	return metrics.Interval{Low: min(i.Low, h.mean), High: max(i.High, h.mean)}, len(rates) > 0
}

// overSplits goes by the losses of the test parts, which older ledgers have only, or parts of one sample.
func (h *held) overSplits(metric Metric) (i metrics.Interval, ok bool) {
	var squares float64
	n := float64(len(h.runs))
	for _, r := range h.runs {
		d := r.Losses[metric.String()] - h.mean
		squares += d * d
	}
	if n < 2 {
		return i, false
	}
	return about(metric, h.mean, math.Sqrt(squares/(n-1)/n*h.repeats), n/h.repeats), true
}

// about is the interval of a mean: of a positive one by its logarithm.
func about(metric Metric, mean, se, n float64) metrics.Interval {
	switch {
	case metric == LogLikelihood:
		return metrics.Mean(mean, se, n, metrics.Level)
	case metric.IsShare() && metric != R2:
		i := metrics.Mean(mean, se, n, metrics.Level)
		return metrics.Interval{Low: max(0, i.Low), High: min(1, i.High)}
	}
	return metrics.Positive(mean, se, n, metrics.Level)
}

// without returns the table of the splits of the same repetition but one; nil if there is no other.
func (t *Table) without(split int) *Table {
	each := max(1, t.Splits/max(1, t.Repeats))
	first := split / each * each
	q := *t
	q.Repeats, q.Runs = 1, make([][]*Run, len(t.Runs))
	q.Splits = 0
	for f := first; f < min(first+each, t.Splits); f++ {
		if f == split {
			continue
		}
		q.Splits++
		for i, runs := range t.Runs {
			q.Runs[i] = append(q.Runs[i], runs[f])
		}
	}
	if q.Splits == 0 {
		return nil
	}
	return &q
}

// ChoiceBy is the metric of a choice by the rule, NaN without one or without splits that judge it: the mean over the
// splits, each of which judges what the others choose. The interval is the middle of two: that of this
// mean, which varies more, since the splits choose different settings, and that of the mean of the chosen setting,
// which is chosen for being small. It is wider by what the two means differ.
func (t *Table) ChoiceBy(rule Rule) (float64, *metrics.Interval) {
	runs := t.chosen(func(t *Table) int { return Choose(t.Scores(), rule) })
	h, ok := heldOut(runs, t.Metric)
	if !ok {
		return math.NaN(), nil
	}
	i := intervalOf(runs, t.Metric)
	if index := Choose(t.Scores(), rule); index >= 0 {
		i = middle(h.mean, i, &t.Scores()[index], t.Metric)
	}
	return h.mean, i
}

// middle is the middle of the interval of a choice's mean and that of the chosen setting, wider by the distance of
// their means from each other; nil if one is not known.
func middle(mean float64, interval *metrics.Interval, s *Score, metric Metric) *metrics.Interval {
	if interval == nil || s.Interval == nil {
		return nil
	}
	const normal = 1.959963984540054 // quantile of the level
	centre, apart := (mean+s.Mean)/2, normal*(mean-s.Mean)/2
	i := &metrics.Interval{
		Low:  centre - math.Hypot(centre-(interval.Low+s.Interval.Low)/2, apart),
		High: centre + math.Hypot((interval.High+s.Interval.High)/2-centre, apart),
	}
	if metric != LogLikelihood {
		i.Low = max(0, i.Low)
	}
	if metric.IsShare() && metric != R2 {
		i.High = min(1, i.High)
	}
	return i
}

// chosen returns the runs of what a rule would have chosen, split by split, by the other splits: so the samples that
// judge a choice had no part in it (Tibshirani & Tibshirani, "A bias correction for the minimum error rate in
// cross-validation", Annals of Applied Statistics 3, 2009, discuss how much that matters). The choice is an index of
// the table's settings, negative for none. A split without others judges none, but where there is nothing to choose,
// and where a bound holds for all settings.
func (t *Table) chosen(choose func(*Table) int) (runs []*Run) {
	for _, f := range t.counted() {
		others := t.without(f)
		if others == nil || len(others.counted()) == 0 {
			if others = t; len(t.Settings) > 1 && t.Metric != Bound {
				continue
			}
		}
		if index := choose(others); index >= 0 {
			runs = append(runs, t.Runs[index][f])
		}
	}
	return runs
}

// errorsOf is 1 for each sample that is not of the class found.
func errorsOf(want, found []int) []float64 {
	wrong := make([]float64, len(want))
	for i := range want {
		if want[i] != found[i] {
			wrong[i] = 1
		}
	}
	return wrong
}

// squaresOf are squared errors.
func squaresOf(want, found []float64) []float64 {
	squares := make([]float64, len(want))
	for i, y := range want {
		squares[i] = (y - found[i]) * (y - found[i])
	}
	return squares
}
