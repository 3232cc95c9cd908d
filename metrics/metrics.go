// Package metrics says how good predictions are, from counts that are added to while points are classified.
package metrics

import (
	"fmt"
	"slices"
)

// Tally counts predictions of k classes.
type Tally struct {
	labels  []string
	counts  [][]int // k+1 rows, the last one for labels that are no class; k columns, a prediction each
	neg     []float64
	pos     []float64
	dropped bool // more decisions than are kept
}

// New begins a count for the labels of a classifier.
func New(labels []string) *Tally {
	t := &Tally{labels: slices.Clone(labels), counts: make([][]int, len(labels)+1)}
	for i := range t.counts {
		t.counts[i] = make([]int, len(labels))
	}
	return t
}

// mostDecisions are kept for the area under the curve: 8 MiB.
const mostDecisions = 1 << 20

// Add counts points: their classes, −1 for a label that is no class, and the predicted ones. Decisions
// are those of two classes, positive for class 1, and nil of several.
func (t *Tally) Add(want, got []int, decisions []float64) {
	if len(want) != len(got) || decisions != nil && len(decisions) != len(got) {
		panic(fmt.Sprintf("metrics: %d labels, %d predictions, %d decisions", len(want), len(got), len(decisions)))
	}
	k := len(t.labels)
	for i, w := range want {
		if w < 0 {
			t.counts[k][got[i]]++
			continue
		}
		t.counts[w][got[i]]++
		switch {
		case decisions == nil || t.dropped:
		case len(t.neg)+len(t.pos) == mostDecisions:
			t.neg, t.pos, t.dropped = nil, nil, true
		case w == 0:
			t.neg = append(t.neg, decisions[i])
		default:
			t.pos = append(t.pos, decisions[i])
		}
	}
}

// Errors is the number of points whose label is not the predicted one; labels that are no class are errors too.
func (t *Tally) Errors() int {
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

// Report is what the counts say. What is not defined (0/0), or was not computed, is nil.
type Report struct {
	Confusion        [][]int  `json:"confusion"`         // a row for the points of each label, a column for each prediction
	Unknown          []int    `json:"unknown,omitempty"` // such a row of the points whose label is no class
	Classes          []Class  `json:"classes"`
	BalancedAccuracy *float64 `json:"balanced_accuracy"` // mean recall of the classes that have points
	AUC              *float64 `json:"auc,omitempty"`     // of two classes: the share of pairs in order, of up to 2²⁰ points
}

// Class is how good the predictions of one class are.
type Class struct {
	Label     string   `json:"label"`
	Points    int      `json:"points"`
	Precision *float64 `json:"precision"` // of the predictions of the class, those that are right
	Recall    *float64 `json:"recall"`    // of the points of the class, those that are found
	F1        *float64 `json:"f1"`        // harmonic mean of the two: 2 TP / (2 TP + FP + FN)
}

// Report computes the metrics of the points so far.
func (t *Tally) Report() *Report {
	k := len(t.labels)
	r := &Report{AUC: auc(t.neg, t.pos)}
	for _, row := range t.counts[:k] {
		r.Confusion = append(r.Confusion, slices.Clone(row))
	}
	if slices.Max(t.counts[k]) > 0 {
		r.Unknown = slices.Clone(t.counts[k])
	}
	recalls, some := 0.0, 0
	for c, label := range t.labels {
		points, predicted, right := 0, 0, t.counts[c][c]
		for o := range k {
			points += t.counts[c][o]
		}
		for _, row := range t.counts {
			predicted += row[c]
		}
		class := Class{Label: label, Points: points, Precision: ratio(right, predicted), Recall: ratio(right, points),
			F1: ratio(2*right, points+predicted)}
		if class.Recall != nil {
			recalls, some = recalls+*class.Recall, some+1
		}
		r.Classes = append(r.Classes, class)
	}
	if some > 0 {
		recalls /= float64(some)
		r.BalancedAccuracy = &recalls
	}
	return r
}

func ratio(a, b int) *float64 {
	if b == 0 {
		return nil
	}
	v := float64(a) / float64(b)
	return &v
}

// auc is Mann and Whitney's statistic as a share: pairs whose positive point has the larger decision, equal ones half.
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
	sum /= float64(len(neg)) * float64(len(pos))
	return &sum
}
