package cli

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/metrics"
	"github.com/sparsekm/sparsekm/modelselect"
	"github.com/sparsekm/sparsekm/status"
)

// rangeText is a 95 % interval for people, of shares in percent; empty where it is not known.
func rangeText(i *metrics.Interval, share bool) string {
	switch {
	case i == nil:
		return ""
	case share:
		return fmt.Sprintf("%.3g to %.3g %%", 100*i.Low, 100*i.High)
	}
	return fmt.Sprintf("%.4g to %.4g", i.Low, i.High)
}

// within is an interval as it follows its metric.
func within(i *metrics.Interval, share bool) string {
	if i == nil {
		return ""
	}
	return " (95 %: " + rangeText(i, share) + ")"
}

// metricText is a metric with its interval: a share in percent, a log loss or what has a unit as it is.
func metricText(metric string, mean float64, i *metrics.Interval) string {
	if m, err := modelselect.ParseMetric(metric); err == nil && !m.IsShare() {
		return fmt.Sprintf("%.5g", mean) + within(i, false)
	}
	return percent(mean) + within(i, true)
}

// errorInterval is the interval of what [errorOf] returns, but of a density that of its mean logarithm.
func errorInterval(r *metrics.Report) *metrics.Interval {
	name := "error_rate"
	switch {
	case r.Density != nil:
		name = "log_density"
	case r.Regression != nil:
		name = "rmse"
	}
	if i, ok := r.Intervals[name]; ok {
		return &i
	}
	return nil
}

// overSplits is a standard error over the splits, which a single one does not have.
func overSplits(se float64, splits int) float64 {
	if splits < 2 {
		return math.NaN()
	}
	return se
}

// searchJSON says how far a search came.
type searchJSON struct {
	Done    int    `json:"done"`               // trainings in folds
	Of      int    `json:"of"`                 // as many were planned
	EndedBy string `json:"ended_by,omitempty"` // none for a whole search
}

func newSearch(done, planned int, by status.Status) searchJSON {
	j := searchJSON{Done: done, Of: planned}
	if by != status.Optimal && by != status.Unknown {
		j.EndedBy = by.String()
	}
	return j
}

// text says what ended a search early.
func (j *searchJSON) text() string {
	by := "the time"
	if j.EndedBy != status.TimeLimit.String() {
		by = "an interrupt"
	}
	if j.Done == j.Of {
		return by + " ended the last training"
	}
	return fmt.Sprintf("%s ended the search after %d of %d trainings", by, j.Done, j.Of)
}

// searched says how far the runs of a table came, which ended with err.
func searched(t *modelselect.Table, err error) searchJSON {
	done, planned := 0, 0
	for _, runs := range t.Runs {
		for _, r := range runs {
			if planned++; r != nil {
				done++
			}
		}
	}
	by := status.Unknown
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		by = status.TimeLimit
	case err != nil:
		by = status.Cancelled
	}
	return newSearch(done, planned, by)
}

// partly is the end of a command of which some runs are there.
func partly(s *session.Session, err error, j searchJSON, failed error) error {
	if failed != nil || err == nil {
		return failed
	}
	s.Note("%s", j.text())
	return session.ErrLimit
}
