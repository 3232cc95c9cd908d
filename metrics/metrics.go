// Package metrics measures predictions of classes, regression targets and densities. It adds to sums while samples are
// predicted.
package metrics

import (
	"fmt"
	"math"
	"slices"
)

// Tally counts predictions of k classes.
type Tally struct {
	labels []string
	counts [][]int // k+1 rows, the last one for labels that are no class; k columns, one for each prediction
	curves []curve // of class 1 if there are two, else of each class
	scored int     // scores in the curves
	ranked bool    // every sample so far has its scores
	loss   moments // of −ln p
}

// curve has the scores of the samples of a class, and of all others.
type curve struct{ neg, pos []float64 }

// New begins a count for the labels of a classifier.
func New(labels []string) *Tally {
	t := &Tally{labels: slices.Clone(labels), counts: make([][]int, len(labels)+1), ranked: true}
	for i := range t.counts {
		t.counts[i] = make([]int, len(labels))
	}
	t.curves = make([]curve, len(labels))
	if len(labels) == 2 {
		t.curves = t.curves[:1]
	}
	return t
}

// maxScores bounds the scores for the area under the curve: 8 MiB.
const maxScores = 1 << 20

// Add counts samples: their classes, −1 for a label that is no class, and the predicted classes. Scores are nil, or
// decision values: with two classes one a sample, for class 1; with more a row a sample, with one for each class.
func (t *Tally) Add(want, got []int, scores []float64) {
	width := len(t.curves)
	if len(want) != len(got) || scores != nil && len(scores) != width*len(got) {
		panic(fmt.Sprintf("metrics: %d labels, %d predictions, %d scores", len(want), len(got), len(scores)))
	}
	t.ranked = t.ranked && (scores != nil || len(got) == 0)
	k := len(t.labels)
	for i, w := range want {
		if w < 0 {
			t.counts[k][got[i]]++
			continue
		}
		t.counts[w][got[i]]++
		if t.ranked = t.ranked && t.scored+width <= maxScores; t.ranked {
			t.rank(w, scores[i*width:(i+1)*width])
		} else {
			clear(t.curves)
		}
	}
}

// rank adds the scores of a sample of class w to the curves.
func (t *Tally) rank(w int, scores []float64) {
	t.scored += len(scores)
	for k, v := range scores {
		class, c := k, &t.curves[k]
		if len(t.labels) == 2 {
			class = 1
		}
		if w == class {
			c.pos = append(c.pos, v)
		} else {
			c.neg = append(c.neg, v)
		}
	}
}

// minProbability bounds the loss of a sample whose class has the probability 0, as in scikit-learn.
const minProbability = 0x1p-52

// AddProbabilities counts samples for the log loss: their classes, −1 to leave out a sample, and the probabilities of
// all classes, a row a sample.
func (t *Tally) AddProbabilities(want []int, p []float64) {
	k := len(t.labels)
	if len(p) != k*len(want) {
		panic(fmt.Sprintf("metrics: %d labels, %d probabilities of %d classes", len(want), len(p), k))
	}
	for i, w := range want {
		if w >= 0 {
			t.loss.add(-math.Log(max(p[i*k+w], minProbability)))
		}
	}
}

// errors is the number of samples whose label is not the predicted one; labels that are no class are errors too.
func (t *Tally) errors() int {
	wrong := 0
	for want, row := range t.counts {
		for got, n := range row {
			if got != want {
				wrong += n
			}
		}
	}
	return wrong
}

// Report is what is known of predictions: of classes or of values, the other is nil.
type Report struct {
	Samples int `json:"samples"`
	*Classification
	*Regression
	*Density
	// Intervals are confidence intervals of the metrics over the samples, taken as independent, at [Level], by the names
	// that the metrics have in JSON.
	Intervals map[string]Interval `json:"intervals,omitempty"`
	// SE are standard errors of the metrics that are means over the samples, by the same names.
	SE map[string]float64 `json:"-"`
}

// Classification is what the counts say. What is not defined (0/0), or was not computed, is nil.
type Classification struct {
	Errors           int      `json:"errors"`            // labels that are no class are errors too
	ErrorRate        *float64 `json:"error_rate"`        // Errors / Samples
	Confusion        [][]int  `json:"confusion"`         // a row for the samples of each label, a column for each prediction
	Unknown          []int    `json:"unknown,omitempty"` // such a row of the samples whose label is no class
	Classes          []Class  `json:"classes"`
	BalancedAccuracy *float64 `json:"balanced_accuracy"` // mean recall of the classes that have samples
	// AUC is the share of pairs of a sample of class 1 and one of class 0 that the scores have in order; of several
	// classes the mean over the classes that have samples, each against the rest. Of up to 2²⁰ scores.
	AUC     *float64 `json:"auc,omitempty"`
	LogLoss *float64 `json:"log_loss,omitempty"` // mean of −ln p of the samples' classes, where they have probabilities
}

// Class is how good the predictions of one class are.
type Class struct {
	Label     string   `json:"label"`
	Samples   int      `json:"samples"`
	Precision *float64 `json:"precision"` // of the predictions of the class, those that are right
	Recall    *float64 `json:"recall"`    // of the samples of the class, those that are found
	F1        *float64 `json:"f1"`        // harmonic mean of the two: 2 TP / (2 TP + FP + FN)
}

// Report computes the metrics of the samples so far.
func (t *Tally) Report() *Report {
	k := len(t.labels)
	r := &Report{Classification: &Classification{Errors: t.errors(), AUC: t.auc()}}
	for _, row := range t.counts {
		for _, n := range row {
			r.Samples += n
		}
	}
	r.ErrorRate = ratio(r.Errors, r.Samples)
	r.LogLoss = mean(t.loss.sum, t.loss.n)
	for _, row := range t.counts[:k] {
		r.Confusion = append(r.Confusion, slices.Clone(row))
	}
	if slices.Max(t.counts[k]) > 0 {
		r.Unknown = slices.Clone(t.counts[k])
	}
	recalls, some := 0.0, 0
	for c, label := range t.labels {
		n, predicted, right := 0, 0, t.counts[c][c]
		for o := range k {
			n += t.counts[c][o]
		}
		for _, row := range t.counts {
			predicted += row[c]
		}
		class := Class{Label: label, Samples: n, Precision: ratio(right, predicted), Recall: ratio(right, n),
			F1: ratio(2*right, n+predicted)}
		if class.Recall != nil {
			recalls, some = recalls+*class.Recall, some+1
		}
		r.Classes = append(r.Classes, class)
	}
	r.BalancedAccuracy = mean(recalls, some)
	t.intervals(r)
	return r
}

func ratio(a, b int) *float64 { return mean(float64(a), b) }

// mean is sum / n, nil for 0/0.
func mean(sum float64, n int) *float64 {
	if n == 0 {
		return nil
	}
	return new(sum / float64(n))
}

// auc is the mean over the curves that have samples of both kinds; nil where a sample has no scores.
func (t *Tally) auc() *float64 {
	sum, some := 0.0, 0
	for _, c := range t.curves {
		if v := auc(c.neg, c.pos); t.ranked && v != nil {
			sum, some = sum+*v, some+1
		}
	}
	return mean(sum, some)
}

// auc is Mann and Whitney's statistic as a share: pairs whose positive sample has the larger decision, equal ones half.
func auc(neg, pos []float64) *float64 {
	if len(neg) == 0 || len(pos) == 0 {
		return nil
	}
	slices.Sort(neg)
	slices.Sort(pos)
	below, upTo, sum := 0, 0, 0.0
	for _, f := range pos {
		for below < len(neg) && neg[below] < f {
			below++
		}
		for upTo = max(upTo, below); upTo < len(neg) && neg[upTo] <= f; upTo++ {
		}
		sum += float64(below+upTo) / 2
	}
	return new(sum / (float64(len(neg)) * float64(len(pos))))
}

// Regression is how good predicted values are. What is not defined is nil.
type Regression struct {
	RMSE *float64 `json:"rmse"` // root of the mean squared error
	MAE  *float64 `json:"mae"`  // mean absolute error
	// R2 is 1 − Σ (y − f)² / Σ (y − ȳ)²: 1 for a perfect prediction, 0 for that of the mean; nil where all y are equal.
	R2 *float64 `json:"r2"`
}

// RegressionTally counts predictions of regression targets.
type RegressionTally struct {
	targets      moments
	squared, abs float64 // sums of errors
	fourth       float64 // sum of the errors' fourth powers
	first        float64 // target: powers are of distances from it
	powers       [5]float64
	weighted     [3]float64 // sums of powers times the squared error
}

// Add counts samples: their targets and the predictions.
func (v *RegressionTally) Add(want, got []float64) {
	if len(want) != len(got) {
		panic(fmt.Sprintf("metrics: %d targets, %d predictions", len(want), len(got)))
	}
	for i, y := range want {
		e := y - got[i]
		if v.targets.n == 0 {
			v.first = y
		}
		v.squared += e * e
		v.abs += math.Abs(e)
		v.fourth += e * e * e * e
		v.targets.add(y)
		power := 1.0
		for k := range v.powers {
			v.powers[k] += power
			if k < len(v.weighted) {
				v.weighted[k] += power * e * e
			}
			power *= y - v.first
		}
	}
}

// Report computes the metrics of the samples so far.
func (v *RegressionTally) Report() *Report {
	r, n := &Regression{}, v.targets.n
	if n > 0 {
		r.RMSE, r.MAE = new(math.Sqrt(v.squared/float64(n))), new(v.abs/float64(n))
	}
	if v.targets.spread > 0 {
		r.R2 = new(1 - v.squared/v.targets.spread)
	}
	return v.intervals(&Report{Samples: n, Regression: r})
}

// Density is how good log densities of samples are.
type Density struct {
	LogDensity *float64 `json:"log_density"` // mean; nil without samples
}

// Densities adds up log densities.
type Densities struct{ logs moments }

// Add counts samples by the logarithms of their densities.
func (d *Densities) Add(logs []float64) {
	for _, v := range logs {
		d.logs.add(v)
	}
}

// Report computes the metric of the samples so far.
func (d *Densities) Report() *Report {
	r := &Report{Samples: d.logs.n, Density: &Density{LogDensity: mean(d.logs.sum, d.logs.n)}}
	if n := d.logs.n; n > 1 {
		r.give("log_density", d.logs.se(), Mean(*r.LogDensity, d.logs.se(), float64(n), Level))
	}
	return r
}
