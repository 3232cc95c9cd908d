package modelselect

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/metrics"
)

// Score summarises the runs of a setting.
type Score struct {
	Setting int     // index in the table
	Mean    float64 // of the metric over the splits
	SD, SE  float64 // standard deviation over the splits, and SD/√(splits/repeats); 0 for one split
	Vectors float64 // mean number
	Seconds float64 // of the training, mean
	Splits  int     // that have a run
	Limited int     // of those, trainings that a limit or numerical trouble ended
	// Failed says why the setting cannot be chosen: a split without a model or without the metric. Mean is +Inf then.
	Failed string
	// Interval is the metric's 95 % interval over the samples of the splits; nil where it is not known.
	Interval *metrics.Interval
}

// Scores returns a score for every setting, in their order, over the splits that have runs of all settings. If no split
// has, it takes the split with the most runs, and a setting without a run there cannot be chosen.
func (t *Table) Scores() []Score {
	counted := t.counted()
	scores := make([]Score, len(t.Settings))
	for i := range scores {
		s := &scores[i]
		if s.Setting = i; t.left(i) {
			s.Failed, s.Mean = t.dropped[i], math.Inf(1)
			continue
		}
		var runs []*Run
		for _, f := range counted {
			if r := t.Runs[i][f]; r != nil {
				runs = append(runs, r)
			} else {
				s.Failed = "not run"
			}
		}
		s.summarise(runs, t.Metric, max(1, t.Repeats))
		if i >= t.free && t.MaxVectors > 0 && s.Failed == "" && s.Vectors > float64(t.MaxVectors) {
			s.Failed = fmt.Sprintf("%.4g vectors, %d allowed", s.Vectors, t.MaxVectors)
		}
	}
	return scores
}

// left reports whether a setting was left out of a race.
func (t *Table) left(i int) bool { return t.dropped != nil && t.dropped[i] != "" }

// counted returns the splits that scores are computed from.
func (t *Table) counted() (splits []int) {
	largest, busiest := 0, 0
	for f := range t.Splits {
		runs := 0
		for i := range t.Settings {
			if t.left(i) || t.Runs[i][f] != nil {
				runs++
			}
		}
		if runs == len(t.Settings) {
			splits = append(splits, f)
		}
		if runs > largest {
			largest, busiest = runs, f
		}
	}
	if len(splits) == 0 && largest > 0 {
		return []int{busiest}
	}
	if defined := slices.DeleteFunc(slices.Clone(splits), t.undefined); len(defined) > 0 {
		return defined
	}
	return splits
}

// undefined reports whether a test part has no such metric whatever is trained: the area under the curve of one class.
func (t *Table) undefined(split int) bool {
	none := false
	for i := range t.Settings {
		r := t.Runs[i][split]
		if r == nil || r.Failed != "" {
			continue
		}
		if _, failed := r.loss(t.Metric); failed == "" {
			return false
		}
		none = true
	}
	return none
}

// summarise fills in what follows from the runs.
func (s *Score) summarise(runs []*Run, metric Metric, repeats int) {
	var losses []float64
	n := float64(len(runs))
	for _, r := range runs {
		loss, failed := r.loss(metric)
		if s.Failed = cmp.Or(failed, s.Failed); r.limited() {
			s.Limited++
		}
		losses = append(losses, loss)
		s.Vectors += float64(r.Vectors) / n
		s.Seconds += r.Seconds.Train / n
	}
	if s.Splits = len(runs); n == 0 {
		s.Failed = cmp.Or(s.Failed, "no split has been run")
	}
	if s.Failed != "" {
		s.Mean = math.Inf(1)
		return
	}
	for _, l := range losses {
		s.Mean += l / n
	}
	if n > 1 {
		for _, l := range losses {
			s.SD += (l - s.Mean) * (l - s.Mean) / (n - 1)
		}
		s.SD = math.Sqrt(s.SD)
		s.SE = s.SD * math.Sqrt(float64(repeats)/n)
	}
	s.Interval = intervalOf(runs, metric)
}

// Rule says how [Choose] weighs the number of vectors against the metric.
type Rule int

// The rules: the best metric, or the fewest vectors of all settings within one standard error of it (Breiman et al.
// 1984, section 3.4.3).
const (
	Best Rule = iota
	OneSE
)

// Choose returns the index of the chosen score, −1 if none can be chosen. Ties go to fewer vectors, then to the better
// metric, then to the first.
func Choose(scores []Score, rule Rule) int {
	best := -1
	for i := range scores {
		if s := &scores[i]; s.Failed == "" && (best < 0 || s.compare(&scores[best]) < 0) {
			best = i
		}
	}
	if best < 0 || rule == Best {
		return best
	}
	limit := scores[best].Mean + scores[best].SE
	for i := range scores {
		s, b := &scores[i], &scores[best]
		if s.Failed == "" && s.Mean <= limit && cmp.Or(cmp.Compare(s.Vectors, b.Vectors), cmp.Compare(s.Mean, b.Mean)) < 0 {
			best = i
		}
	}
	return best
}

// compare puts the better metric first, then fewer vectors.
func (s *Score) compare(b *Score) int {
	return cmp.Or(cmp.Compare(s.Mean, b.Mean), cmp.Compare(s.Vectors, b.Vectors))
}

// frontOf returns the scores that no other beats in both metric and vectors, by ascending vectors.
func frontOf(scores []Score) []Score {
	var front []Score
	by := slices.Clone(scores)
	deal.Sort(by, func(a, b Score) int {
		return cmp.Or(cmp.Compare(a.Vectors, b.Vectors), cmp.Compare(a.Mean, b.Mean))
	})
	smallest := math.Inf(1)
	for _, s := range by {
		if s.Failed == "" && s.Mean < smallest {
			smallest = s.Mean
			front = append(front, s)
		}
	}
	return front
}
